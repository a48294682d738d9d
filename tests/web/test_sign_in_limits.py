"""Sign-in limits: how many guesses are allowed, and how they are counted."""

import pytest
from flask import Flask

from survey.web import sign_in_limits


def guess(app: Flask, name: str, address: str = "203.0.113.1") -> int:
    client = app.test_client()
    page = client.get("/admin/sign-in").text
    token = page.split('name="csrf_token"')[1].split('value="')[1].split('"')[0]
    fields = {"csrf_token": token, "name": name, "password": "wrong"}
    reply = client.post("/admin/sign-in", data=fields, environ_base={"REMOTE_ADDR": address})
    return reply.status_code


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
    hashes = []
    for address in (one, other):
        with app.test_request_context(environ_base={"REMOTE_ADDR": address}):
            hashes.append(sign_in_limits.hashed_address())
    assert (hashes[0] == hashes[1]) == same
    assert one not in hashes[0]
