"""Accounts, sessions and the setup token in the store."""

from dataclasses import replace

import pytest

from survey.core.errors import StateError
from survey.store import OWNER, Account, Session

pytestmark = pytest.mark.both_stores


ADA = Account(name="ada", role=OWNER, password_hash="hash")


def test_accounts_sessions_and_the_setup_token(store):
    assert not store.accounts.has_accounts()
    store.accounts.set_setup_token("first")
    store.accounts.set_setup_token("second")
    assert not store.accounts.setup_token_is("first")
    assert not store.accounts.use_setup_token("first", ADA)
    assert store.accounts.use_setup_token("second", ADA)
    assert not store.accounts.use_setup_token("second", replace(ADA, name="eve"))
    assert store.accounts.by_name("ada") == ADA
    assert store.accounts.by_name("eve") is None
    with pytest.raises(StateError, match="already an account 'ada'"):
        store.accounts.add_account(Account(name="ada", role=OWNER, password_hash="other"))
    store.accounts.add_session("token", Session("ada", created=10, seen=10))
    store.accounts.touch_session("token", 20)
    assert store.accounts.session("token") == Session("ada", created=10, seen=20)
    store.accounts.delete_sessions_before(created=5, seen=15)
    assert store.accounts.session("token") is not None
    store.accounts.delete_sessions_before(created=11, seen=0)
    assert store.accounts.session("token") is None
