"""Signed-in researchers with an account."""

import re
import time
from functools import cache

from flask import Flask
from flask.testing import FlaskClient

from survey.definition.responses.invitation_codes import token_hash
from survey.store import OWNER, Account, Session
from survey.web import auth

PASSWORD = "correct horse battery staple"


def without_csrf_tokens(page: str) -> str:
    """The page for a test that a short word is not in it.

    A token contains such a word by chance: two given digits in 1 of 170 tokens, three given letters
    in 1 of 8,000.
    """
    return re.sub(r'(name="csrf_token"[^>]*value=")[^"]*', r"\1", page)


class Researcher:
    """A signed-in researcher over HTTP, who gets the CSRF token of each form."""

    def __init__(self, client: FlaskClient):
        self.client = client

    def token(self, path: str) -> str:
        page = self.client.get(path).get_data(as_text=True)
        found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
        assert found, f"no CSRF token on {path}"
        return found[1]

    def post(self, path: str, data: dict | None = None, form: str | None = None):
        """Post with the token of the page with the form, by default the path itself."""
        token = self.token(form or path)
        return self.client.post(path, data={**(data or {}), "csrf_token": token})


@cache
def password_hash() -> str:
    """The hash of PASSWORD. It is calculated once, since the hash is slow by design."""
    return auth.hash_password(PASSWORD)


def signed_in(app: Flask, name: str = "ada", role: str = OWNER) -> Researcher:
    """A researcher with an account and a session.

    tests/admin/test_sign_in.py signs in by the form.
    """
    store, now = app.extensions["candor.store"], int(time.time())
    store.accounts.add_account(Account(name=name, role=role, password_hash=password_hash()))
    store.accounts.add_session(token_hash(name).hex(), Session(name, created=now, seen=now))
    client = app.test_client()
    with client.session_transaction(base_url="http://localhost/admin/") as session:
        session["token"] = name
    return Researcher(client)


def signed_in_with(app: Flask, name: str, role: str, **single: str) -> Researcher:
    """A researcher with roles on single surveys, whose slugs have an underscore for the hyphen."""
    someone = signed_in(app, name, role)
    for slug, each in single.items():
        app.extensions["candor.store"].accounts.set_survey_role(name, slug.replace("_", "-"), each)
    return someone
