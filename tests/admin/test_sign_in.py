"""Signing in: whom to ask, and one link for each account."""

import pytest

from tests.support.researchers import PASSWORD, without_csrf_tokens
from tests.support.team_pages import add, is_in, sign_in

pytestmark = pytest.mark.both_stores


def test_without_a_password_nobody_signs_in(app, researcher):
    add(researcher)
    for password in ("", PASSWORD):
        someone, _ = sign_in(app, "bob", password)
        assert not is_in(someone)


def test_the_sign_in_page_says_whom_to_ask_and_shows_no_account(app, store, researcher):
    page = app.test_client().get("/admin/sign-in").get_data(as_text=True)
    assert "Forgot your password?" in page
    assert "Ask an owner of this server" in page
    assert "ada" not in without_csrf_tokens(page)
