"""Signing in: the first account, wrong passwords, and limits of guesses."""

import re
from dataclasses import replace

import pytest

from app import create_app
from survey.definition.responses.invitation_codes import token_hash
from survey.store import OWNER, Account
from tests.support.researchers import PASSWORD, Researcher, password_hash, without_csrf_tokens
from tests.support.team_pages import add, is_in, sign_in


@pytest.mark.both_stores
def test_without_a_password_nobody_signs_in(app, researcher):
    add(researcher)
    for password in ("", PASSWORD):
        someone, _ = sign_in(app, "bob", password)
        assert not is_in(someone)


@pytest.mark.both_stores
def test_the_sign_in_page_says_whom_to_ask_and_shows_no_account(app, store, researcher):
    page = app.test_client().get("/admin/sign-in").get_data(as_text=True)
    assert "Forgot your password?" in page
    assert "Ask an owner of this server" in page
    assert "ada" not in without_csrf_tokens(page)


def test_the_setup_link_makes_the_first_account_and_works_once(app, store):
    store.accounts.set_setup_token(token_hash("one-time").hex())
    first = Researcher(app.test_client())
    form = {"name": "ada", "password": PASSWORD, "again": PASSWORD}
    assert first.post("/admin/setup?token=one-time", form).status_code == 302
    assert b"Surveys" in first.client.get("/admin/").data
    reply = app.test_client().get("/admin/setup?token=one-time")
    assert reply.status_code == 401
    assert b"no longer works" in reply.data
    assert app.test_client().get("/admin/setup?token=guessed").status_code == 401


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"password": "short", "again": "short"}, "at least 12 characters"),
        ({"again": "something else!"}, "The two passwords are different"),
        ({"name": "a b"}, "Use at most 64 characters: letters, digits"),
        ({"name": ""}, "Choose a sign-in name"),
    ],
)
def test_setup_says_what_is_wrong(app, store, change, words):
    store.accounts.set_setup_token(token_hash("one-time").hex())
    form = {"name": "ada", "password": PASSWORD, "again": PASSWORD} | change
    reply = Researcher(app.test_client()).post("/admin/setup?token=one-time", form)
    assert words in reply.get_data(as_text=True)
    assert not store.accounts.has_accounts()


def test_a_wrong_password_and_an_unknown_name_look_the_same(app, store, researcher):
    pages = []
    for name in ("ada", "bob"):
        reply = Researcher(app.test_client()).post(
            "/admin/sign-in", {"name": name, "password": "wrong"}
        )
        assert reply.status_code == 401
        page = reply.get_data(as_text=True).replace(f'value="{name}"', "")
        pages.append(re.sub(r'value="[^"]{30,}"', "", page))
    assert "Wrong sign-in name or password" in pages[0]
    assert pages[0] == pages[1]


def test_a_name_or_password_left_out_is_said_beside_the_field(app):
    page = Researcher(app.test_client()).post("/admin/sign-in", {}).get_data(as_text=True)
    assert "Type your sign-in name." in page
    assert "Type your password." in page


def test_guessing_is_throttled(app, store):
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    visitor = Researcher(app.test_client())
    for _ in range(3):
        good = visitor.post("/admin/sign-in", {"name": "ada", "password": PASSWORD})
        assert good.status_code == 302
    guesses = [
        visitor.post("/admin/sign-in", {"name": "ada", "password": f"guess {n}"}).status_code
        for n in range(14)
    ]
    assert guesses == [401] * 12 + [429] * 2


def test_behind_a_proxy_each_client_has_its_own_guesses(settings, store):
    app = create_app(replace(settings, proxies=1))

    def guess(address, name):
        visitor = Researcher(app.test_client())
        visitor.client.environ_base["HTTP_X_FORWARDED_FOR"] = f"6.6.6.6, {address}"
        return visitor.post("/admin/sign-in", {"name": name, "password": "x"}).status_code

    assert [guess("10.0.0.1", f"name {n}") for n in range(16)] == [401] * 15 + [429]
    assert guess("10.0.0.2", "ada") == 401
    app.extensions["candor.store"].close()


def test_addresses_of_one_ipv6_network_have_their_guesses_together(app):
    """One connection to a provider has 2^64 addresses."""

    def guess(address, number):
        visitor = Researcher(app.test_client())
        visitor.client.environ_base["REMOTE_ADDR"] = address
        # The names differ, because each name has its own limit.
        sent = {"name": f"name {number}", "password": "x"}
        return visitor.post("/admin/sign-in", sent).status_code

    together = [guess(f"2001:db8::{number:x}", number) for number in range(16)]
    assert together == [401] * 15 + [429]
    assert guess("2001:db8:0:1::1", 16) == 401


def test_throttling_says_so_in_a_sentence(app):
    visitor = Researcher(app.test_client())
    for n in range(16):
        reply = visitor.post("/admin/sign-in", {"name": "ada", "password": f"guess {n}"})
    assert b"Too many attempts" in reply.data


def test_a_form_after_the_end_of_the_session_says_that_nothing_is_lost(store, researcher):
    """The first page after Save used to say that it did not work, and to load the page again."""
    store.accounts.delete_sessions_before(2**40, 2**40)
    reply = researcher.client.post("/admin/surveys/new", data={"csrf_token": "old", "title": "T"})
    page = reply.get_data(as_text=True)
    assert reply.status_code == 400
    assert "Nothing is lost: this browser keeps what you typed" in page
