"""Tokens of the API in the store: they end with their account and its password."""

from collections.abc import Callable

import pytest
from flask import Flask

from survey.store import ANALYST, OWNER, Account, Store
from survey.web import api_tokens
from tests.support.api_programs import Program, assert_refused, remove
from tests.support.researchers import password_hash


@pytest.mark.both_stores
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM accounts WHERE name = 'bob'",
        "UPDATE accounts SET password_hash = '' WHERE name = 'bob'",
        "UPDATE accounts SET password_hash = 'other' WHERE name = 'bob'",
    ],
)
def test_it_ends_with_its_account_and_its_password_whoever_changes_them(
    app: Flask, program: Program, store: Store, change: str
) -> None:
    """The change uses SQL directly, as any method of the store may in the future."""
    store.accounts.add_account(Account(name="eve", role=OWNER, password_hash=password_hash()))
    with app.app_context():
        other = Program(app.test_client(), api_tokens.make_token("eve", "hers", 1))
    remove(store, change)
    assert_refused(program.get("/surveys"), 401)
    assert store.tokens.of_account("bob") == []
    assert other.get("/surveys").status_code == 200
    if change.startswith("DELETE"):  # The next user of the name does not get the token.
        store.accounts.add_account(Account(name="bob", role=ANALYST, password_hash=password_hash()))
        assert_refused(program.get("/surveys"), 401)


@pytest.mark.both_stores
@pytest.mark.parametrize(
    "change",
    [
        lambda store: store.accounts.remove_account("bob"),
        lambda store: store.accounts.reset_account("bob", "link", 10**10),
        lambda store: store.accounts.set_password("bob", "other"),
    ],
)
def test_it_ends_in_the_very_transaction(
    program: Program, store: Store, change: Callable[[Store], None]
) -> None:
    change(store)
    assert store.tokens.of_account("bob") == []
    assert_refused(program.get("/surveys"), 401)
