"""Commands of accounts: passwords from standard input, roles, and the last owner."""

import pytest

from survey.web import auth
from tests.support.definitions import definition, opened
from tests.support.researchers import PASSWORD
from tests.support.team_pages import is_in, join

pytestmark = pytest.mark.both_stores


def test_accounts_are_made_with_a_password_from_standard_input(run, store):
    run("account", "create", "ada", input="correct horse battery\n")
    made = store.accounts.by_name("ada")
    assert auth.check_password_hash(made.password_hash, "correct horse battery")
    assert made.password_hash.startswith("scrypt:")
    assert "already" in run("account", "create", "ada", input="correct horse battery\n", code=1)
    assert "at least 12 characters" in run("account", "create", "bob", input="short\n", code=1)
    assert "Use at most 64 characters: letters, digits" in run(
        "account", "create", "b b", input="x" * 12, code=1
    )


def test_commands_do_the_same(app, store, run):
    assert "first account must be an owner" in run(
        "account", "create", "bob", "--role", "editor", code=1
    )
    run("account", "create", "ada", input=f"{PASSWORD}\n")
    run("account", "create", "bob", "--role", "editor", input=f"{PASSWORD}\n")
    assert run("account", "list").splitlines() == [
        "ada: owner, without second factor",
        "bob: editor, without second factor",
    ]
    assert run("account", "role", "bob", "analyst") == "bob: analyst\n"
    assert "last owner" in run("account", "role", "ada", "editor", code=1)
    assert "last owner" in run("account", "remove", "ada", code=1)
    assert run("account", "role", "bob", "member") == "bob: member\n"
    assert "Use none only with --survey" in run("account", "role", "bob", "none", code=1)
    opened(store, definition(by_hand=True))
    given = run("account", "role", "bob", "editor", "--survey", "health")
    assert given == "bob: editor on health\n"
    assert run("account", "list").splitlines()[1:] == [
        "bob: member, without second factor", "  health: editor",
    ]  # fmt: skip
    for role, slug, said in (
        ("owner", "health", "A role on one survey is analyst, editor or none, not owner."),
        ("editor", "health.by-hand", "is a part of survey 'health'"),
        ("editor", "none", "There is no survey 'none'."),
    ):
        assert said in run("account", "role", "bob", role, "--survey", slug, code=1)
    run("account", "role", "bob", "none", "--survey", "health")
    assert run("account", "list").splitlines()[1:] == ["bob: member, without second factor"]
    assert "no account 'eve'" in run("account", "remove", "eve", code=1)
    assert "too easy to guess" in run("account", "create", "eve", input="password1234\n", code=1)
    run("account", "remove", "bob")
    assert store.accounts.by_name("bob") is None


def test_the_last_owner_gets_back_in_by_a_command(app, store, run):
    run("account", "create", "ada", input=f"{PASSWORD}\n")
    said = run("account", "reset", "ada")
    assert said.startswith("http://127.0.0.1:8000/admin/join?token=")
    assert "ada: owner, without second factor, no password yet" in run("account", "list")
    link = said.split()[0].removeprefix("http://127.0.0.1:8000")
    assert is_in(join(app, link)[0])
