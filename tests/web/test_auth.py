"""Passwords and sessions: slow hashes, ends of sessions, and the cookie."""

import re
import time
from dataclasses import replace

import pytest
from werkzeug.security import check_password_hash, generate_password_hash

from app import create_app
from survey.definition.responses.invitation_codes import token_hash
from survey.store import OWNER, Account, Session
from survey.web import auth
from tests.support.cheaper import PRODUCT_HASH
from tests.support.researchers import PASSWORD, password_hash


def test_passwords_of_the_product_are_slow_to_guess():
    """Tests hash at a hundredth of the cost. N = 2^15, r = 8, p = 1 needs 32 MB for each guess."""
    made = generate_password_hash(PASSWORD, PRODUCT_HASH)
    assert made.startswith("scrypt:32768:8:1$")
    assert auth.HASH != PRODUCT_HASH
    assert check_password_hash(made, PASSWORD)


def test_signing_in_makes_a_new_session_and_ends_the_old_one(app, store, researcher):
    def token():
        with researcher.client.session_transaction(base_url="http://localhost/admin/") as session:
            return session["token"]

    before = token()
    researcher.post("/admin/sign-in", {"name": "ada", "password": PASSWORD})
    assert token() != before
    assert store.accounts.session(token_hash(before).hex()) is None


def test_signing_out_ends_the_session_on_the_server(store, researcher):
    with researcher.client.session_transaction(base_url="http://localhost/admin/") as session:
        token = session["token"]
    assert researcher.post("/admin/sign-out", form="/admin/").status_code == 302
    assert store.accounts.session(token_hash(token).hex()) is None
    assert researcher.client.get("/admin/").status_code == 302


@pytest.mark.parametrize(
    ("created", "seen", "good"),
    [
        (0, 0, True),
        (3 * 3600, 3600, True),
        (3 * 3600, 2 * 3600 + 5, False),  # idle for two hours
        (12 * 3600 + 5, 5, False),  # twelve hours in total
    ],
)
def test_sessions_end_by_idling_and_by_age(app, store, created, seen, good):
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    now = int(time.time())
    store.accounts.add_session(token_hash("t").hex(), Session("ada", now - created, now - seen))
    client = app.test_client()
    with client.session_transaction(base_url="http://localhost/admin/") as session:
        session["token"] = "t"
    assert client.get("/admin/").status_code == (200 if good else 302)


def test_the_cookie_is_out_of_reach_of_scripts_other_sites_and_respondents(researcher):
    reply = researcher.post("/admin/sign-in", {"name": "ada", "password": PASSWORD})
    cookie = reply.headers["Set-Cookie"]
    assert cookie.startswith("candor=")
    for part in ("HttpOnly", "SameSite=Strict", "Path=/admin"):
        assert part in cookie


def test_with_https_the_cookie_is_secure_and_browsers_are_told_to_insist(settings, tmp_path):
    app = create_app(replace(settings, url="https://survey.example.org"))
    store = app.extensions["candor.store"]
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    client = app.test_client()
    page = client.get("/admin/sign-in", base_url="https://survey.example.org")
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page.get_data(as_text=True))[1]
    reply = client.post(
        "/admin/sign-in",
        data={"name": "ada", "password": PASSWORD, "csrf_token": token},
        base_url="https://survey.example.org",
        headers={"Referer": "https://survey.example.org/admin/sign-in"},
    )
    assert reply.status_code == 302
    assert reply.headers["Set-Cookie"].startswith("__Secure-candor=")
    assert "Secure;" in reply.headers["Set-Cookie"]
    assert reply.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    store.close()
