"""The page of one’s own account: passwords, and signing out everywhere."""

from dataclasses import replace

import pytest

from app import create_app
from survey.definition.responses.invitation_codes import token_hash
from survey.store import EDITOR
from tests.support.researchers import PASSWORD, Researcher, signed_in
from tests.support.team_pages import NEW, add, is_in, sign_in

pytestmark = pytest.mark.both_stores


def test_a_new_password_ends_all_other_sessions(app, store, researcher):
    elsewhere, _ = sign_in(app, "ada", PASSWORD)
    assert is_in(elsewhere)
    form = {"own": PASSWORD, "password": NEW, "again": NEW}
    assert researcher.post("/admin/account/password", form).status_code == 302
    assert is_in(researcher)
    assert not is_in(elsewhere)
    assert not is_in(sign_in(app, "ada", PASSWORD)[0])
    assert is_in(sign_in(app, "ada", NEW)[0])


def test_signing_out_everywhere_ends_all_sessions_of_this_account_alone(app, researcher):
    elsewhere, _ = sign_in(app, "ada", PASSWORD)
    bob = signed_in(app, "bob", EDITOR)
    reply = researcher.post("/admin/account/sign-out-everywhere", form="/admin/account")
    assert reply.status_code == 302
    assert [is_in(each) for each in (researcher, elsewhere, bob)] == [False, False, True]


@pytest.mark.sqlite_only
def test_the_rules_hold_wherever_a_password_is_chosen(app, store, researcher, settings):
    link = add(researcher, "lovelace")
    weak = {"password": "lovelace is here", "again": "lovelace is here"}
    assert b"name of the account" in Researcher(app.test_client()).post(link, weak).data
    common = {"own": PASSWORD, "password": "password1234", "again": "password1234"}
    reply = researcher.post("/admin/account/password", common)
    assert b"too easy to guess" in reply.data
    empty = create_app(replace(settings, database=settings.database + "2"))
    empty.extensions["candor.store"].accounts.set_setup_token(token_hash("t").hex())
    reply = Researcher(empty.test_client()).post(
        "/admin/setup?token=t", {"name": "lovelace", **weak}
    )
    assert b"name of the account" in reply.data
    empty.extensions["candor.store"].close()
