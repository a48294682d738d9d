"""Sign-in limits: how many guesses are allowed, and how they are counted."""

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from survey.core.errors import StoreUnavailable
from survey.server import clock
from survey.server.http.rate_limiter import network
from survey.web import auth, sign_in_limits
from tests.support.researchers import Researcher

FIRST = "203.0.113.1"


def post(app: Flask, path: str, fields: dict[str, str], address: str = FIRST) -> TestResponse:
    client = app.test_client()
    page = client.get("/admin/sign-in").text
    token = page.split('name="csrf_token"')[1].split('value="')[1].split('"')[0]
    sent = fields | {"csrf_token": token}
    return client.post(path, data=sent, environ_base={"REMOTE_ADDR": address})


def guess(app: Flask, name: str, address: str = FIRST) -> int:
    fields = {"name": name, "password": "wrong"}
    return post(app, "/admin/sign-in", fields, address).status_code


def test_after_fifteen_guesses_from_one_address_the_next_is_refused(app: Flask) -> None:
    answers = [guess(app, f"name{number}") for number in range(16)]
    assert 429 not in answers[:15]
    assert answers[15] == 429
    assert guess(app, "name", "198.51.100.7") != 429


def test_after_twenty_guesses_at_one_name_other_addresses_do_not_help(app: Flask) -> None:
    answers = [guess(app, "Ada", f"203.0.113.{number}") for number in range(21)]
    assert 429 not in answers[:20]
    assert answers[20] == 429
    assert guess(app, "bob", "203.0.113.200") != 429


def test_one_address_alone_cannot_block_a_name(app: Flask) -> None:
    answers = [guess(app, "ada") for _ in range(30)]
    assert answers == [401] * 15 + [429] * 15
    assert guess(app, "ada", "198.51.100.7") == 401


def test_a_name_is_the_same_in_other_letters_and_between_spaces(app: Flask) -> None:
    names = ["ada", "ADA", " Ada "] * 7
    answers = [guess(app, name, f"203.0.113.{number}") for number, name in enumerate(names)]
    assert answers == [401] * 20 + [429]


def test_a_guess_is_counted_before_it_is_checked(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise many parallel guesses would pass, because the check takes a while."""

    def check(name: str, password: str) -> bool:
        raise StoreUnavailable("in the middle of the check")

    monkeypatch.setattr(auth, "password_fits", check)
    assert [guess(app, "ada") for _ in range(16)] == [503] * 15 + [429]


def test_each_page_for_visitors_counts_separately(app: Flask) -> None:
    """An office that uses links from an owner can still sign in."""
    for path in ("/admin/join?token=x", "/admin/setup?token=x", "/admin/sign-in"):
        answers = [post(app, path, {"name": "ada"}).status_code for _ in range(16)]
        assert 429 not in answers[:15], path
        assert answers[15] == 429, path


def test_guesses_at_the_own_password_count_together_on_all_pages(researcher: Researcher) -> None:
    answers = []
    for number in range(21):
        page = ("/admin/account/password", "/admin/people/add")[number % 2]
        researcher.client.environ_base["REMOTE_ADDR"] = f"203.0.113.{number}"
        answers.append(researcher.post(page, {"own": "wrong"}).status_code)
    assert answers == [422] * 20 + [429]


def test_reading_the_pages_is_not_limited(app: Flask) -> None:
    for _ in range(16):
        guess(app, "ada")
    page = app.test_client().get("/admin/sign-in", environ_base={"REMOTE_ADDR": FIRST})
    assert page.status_code == 200


def test_the_refusal_says_how_long_to_wait(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = 50_000.0
    monkeypatch.setattr(clock, "steady", lambda: seconds)
    for _ in range(15):
        guess(app, "ada")
    for passed, left in ((0, "600"), (100.5, "500"), (499, "1")):
        seconds += passed
        reply = post(app, "/admin/sign-in", {"name": "ada", "password": "wrong"})
        assert (reply.status_code, reply.headers["Retry-After"]) == (429, left)
        assert "Too many attempts. Wait ten minutes, then try again." in reply.text
    seconds += 0.5
    assert guess(app, "ada") == 401


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("203.0.113.1", "203.0.113.1", True),
        ("203.0.113.1", "203.0.113.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
    ],
)
def test_an_address_counts_by_its_network_and_is_not_told(
    app: Flask, one: str, other: str, same: bool
) -> None:
    for address in (one, other):
        guess(app, "somebody", address)
    # One of the hashes is that of the name.
    hashes = list(sign_in_limits.limiter.counts)
    assert len(hashes) == 1 + (1 if same else 2)
    for told in (one.encode(), network(one), b"somebody"):
        assert told not in b"".join(hashes)
