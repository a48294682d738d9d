"""The commands of API tokens."""

from datetime import timedelta

import pytest
from flask import Flask

from survey.store import ANALYST, Account, Store
from tests.support.api_programs import Program, assert_refused, today
from tests.support.researchers import password_hash


@pytest.mark.both_stores
def test_the_commands_make_list_and_revoke(app: Flask, store: Store) -> None:
    store.accounts.add_account(Account(name="bob", role=ANALYST, password_hash=password_hash()))
    runner = app.test_cli_runner()

    def run(*args: str) -> str:
        done = runner.invoke(args=args)
        assert done.exit_code == 0, done.output
        return done.output

    token = run("token", "create", "bob", "--days", "30").strip()
    program = Program(app.test_client(), token)
    assert program.get("/surveys").status_code == 200
    ends = today() + timedelta(30)
    assert run("token", "list", "bob") == (
        f"command line: made {today()}, valid until {ends}, last used {today()}\n"
    )
    run("token", "create", "bob", "--label", "second")
    assert "second: " in run("token", "list", "bob")
    assert run("token", "revoke", "bob", "second") == "bob: token 'second' revoked\n"
    assert program.get("/surveys").status_code == 200
    run("token", "create", "bob", "--label", "second")
    assert run("token", "revoke", "bob") == "bob: 2 tokens revoked\n"
    assert_refused(program.get("/surveys"), 401)
    for args, words in [
        (("token", "create", "eve"), "There is no account 'eve'."),
        (("token", "list", "eve"), "There is no account 'eve'."),
        (("token", "revoke", "eve"), "There is no account 'eve'."),
        (("token", "revoke", "bob", "second"), "bob has no token 'second'."),
        (("token", "create", "bob", "--days", "0"), "1 to 365 days"),
    ]:
        done = runner.invoke(args=args)
        assert done.exit_code == 1
        assert words in done.output
