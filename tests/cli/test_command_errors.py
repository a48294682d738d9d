"""Common behaviour of all commands: refusals are sentences, and changes are recorded."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
from flask import Flask

from survey.central_dp.budget import parse_release_budget
from survey.cli.groups import ANALYSE, COMMANDS, command_names
from survey.core.errors import StoreUnavailable
from survey.definition.survey import parse_survey
from survey.server.secret_key import SecretKeys
from survey.store import ANALYST, EDITOR, OWNER, Account, Store
from survey.store.backups import write_backup
from survey.web.api_tokens import make_token
from tests.support.audited_routes import Site
from tests.support.definitions import definition, opened
from tests.support.researchers import PASSWORD, Researcher, password_hash
from tests.support.written import write

SPELLINGS = {f"{group} {name}" for group in COMMANDS for name in command_names(group)}
CHANGES_NOTHING = {
    *(f"{ANALYSE} {name}" for name in command_names(ANALYSE)),
    *("survey export", "survey instruments", "survey list", "survey plan", "survey privacy"),
    *("central-dp list", "database check", "database compact", "account list", "token list"),
}


# --- the requirements of each command


def nothing(app: Flask, store: Store) -> None:
    pass


def files(app: Flask, store: Store) -> None:
    """A stored definition, and input files in the command's folder."""
    store.surveys.save_draft(parse_survey(definition()))
    write(Path("other.json"), definition(slug="other"))
    write(Path("responses.csv"), "smokes\nyes\nno\n")
    write(Path("truth.json"), {"smokes": {"yes": 0.3}})
    write(Path("table.csv"), "age\n30\n40\n")


def invitations(app: Flask, store: Store) -> None:
    opened(store, definition(invitations=True))


def coins(app: Flask, store: Store) -> None:
    opened(store, definition(by_hand=True))


def closed(app: Flask, store: Store) -> None:
    Site(app, store, Researcher(app.test_client())).close()


def budgeted(app: Flask, store: Store) -> None:
    closed(app, store)
    store.releases.set_budget("health", parse_release_budget("1", "0"))


def backup_of_nothing(app: Flask, store: Store) -> None:
    path, _ = write_backup(store, Path("backups"), datetime.now(UTC))
    path.rename("backup.db")


def key_in_a_file(app: Flask, store: Store) -> None:
    keys = SecretKeys(store, "k" * 64, file=Path("secret_key"))
    app.extensions["candor.keys"] = keys


def key_that_is_lost(app: Flask, store: Store) -> None:
    assert SecretKeys(store, "j" * 64).settle()


def accounts(app: Flask, store: Store) -> None:
    for name, role in (("ada", OWNER), ("bob", EDITOR)):
        store.accounts.add_account(Account(name=name, role=role, password_hash=password_hash()))
    with app.app_context():
        make_token("bob", "laptop", 30)


def team(app: Flask, store: Store) -> None:
    files(app, store)
    accounts(app, store)


@dataclass(frozen=True)
class AuditedCommand:
    """A command line that changes something, and its entry in the audit log."""

    prepare: Callable[[Flask, Store], None]
    line: str
    survey: str
    action: str

    @property
    def spelling(self) -> str:
        return " ".join(self.line.split()[:2])


AUDITED = [
    AuditedCommand(*row)
    for row in (
        (files, "survey import other.json", "other", "imported the survey"),
        (files, "survey import other.json --open", "other", "imported the survey"),
        (
            invitations, "survey invite health 3 --output invitations.zip",
            "health", "created 3 invitations",
        ),
        (
            closed, "responses export-bundle health --output all.zip",
            "health", "downloaded all data (ZIP)",
        ),
        (
            coins, "responses export-bundle health.by-hand --output all.zip",
            "health", "downloaded all data (ZIP)",
        ),
        (
            files, "responses import-randomised people table.csv",
            "people", "created the survey from a file of responses",
        ),
        (
            files, "responses load health responses.csv",
            "health", "loaded responses from a file",
        ),
        (
            files, "responses simulate health --n 20 --truth truth.json",
            "health", "added 20 simulated respondents",
        ),
        (
            closed, "central-dp budget health --epsilon 1.50",
            "health", "set the DP budget to ε = 1.50, δ = 0",
        ),
        (
            budgeted, "central-dp draw health age mean --epsilon 0.4 --yes",
            "health", "released Mean of age, ε = 0.4",
        ),
        (nothing, "database backup backups", "", "created a backup"),
        (backup_of_nothing, "database restore backup.db", "", "restored a backup"),
        (nothing, "database copy from.db to.db", "", "copied everything to another database"),
        (key_in_a_file, "database rotate-key", "", "replaced the secret key"),
        (key_that_is_lost, "database rotate-key --lost", "", "replaced the secret key"),
        (nothing, "account create ada", "", "added ada as owner"),
        (accounts, f"account role bob {ANALYST}", "", "changed the role of bob to analyst"),
        (
            team, "account role bob analyst --survey health",
            "health", "changed the role of bob on this survey to analyst",
        ),
        (
            team, "account role bob none --survey health",
            "health", "removed the role of bob on this survey",
        ),
        (accounts, "account remove bob", "", "removed bob"),
        (accounts, "account reset bob", "", "reset the password and second factor of bob"),
        (
            accounts, "token create bob --label script --days 3",
            "", "created the API token “script” of bob",
        ),
        (accounts, "token revoke bob laptop", "", "revoked API tokens of bob"),
        (accounts, "token revoke bob", "", "revoked API tokens of bob"),
    )
]  # fmt: skip


def acts(store: Store) -> list[tuple[str, str, str]]:
    return [(act.survey, act.account, act.action) for act in store.audit.acts()]


def test_every_command_that_changes_something_is_run_below() -> None:
    audited = {each.spelling for each in AUDITED}
    assert audited | CHANGES_NOTHING == SPELLINGS, (
        "a command that changes something calls `audit`, and is in the table above"
    )
    assert not audited & CHANGES_NOTHING


@pytest.mark.parametrize("command", AUDITED, ids=lambda command: command.line)
def test_what_changes_something_is_recorded_once(
    run: Callable[..., str], app: Flask, store: Store, command: AuditedCommand
) -> None:
    command.prepare(app, store)
    assert acts(store) == []
    run(*command.line.split(), input=f"{PASSWORD}\n")
    assert acts(store) == [(command.survey, "command line", command.action)]


@pytest.mark.parametrize(
    "line",
    ["survey import none.json", "account remove bob", "token revoke ada laptop", "survey list"],
)
def test_what_is_refused_or_changes_nothing_is_not_recorded(
    run: Callable[..., str], store: Store, line: str
) -> None:
    code = {"survey import none.json": 2, "survey list": 0}.get(line, 1)
    run(*line.split(), code=code)
    assert acts(store) == []


def test_what_is_done_stays_done_where_the_log_cannot_be_written(
    app: Flask, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise StoreUnavailable("The disk is full.")

    accounts(app, store)
    monkeypatch.setattr(store.audit, "record", gone)
    done = app.test_cli_runner().invoke(args=["account", "remove", "bob"])
    assert (done.exit_code, done.stdout) == (0, "bob: account removed\n")
    assert done.stderr == "Done, but not recorded in the audit log. The disk is full.\n"
    assert store.accounts.by_name("bob") is None


def test_a_refusal_is_a_sentence(app: Flask, store: Store) -> None:
    refused = app.test_cli_runner().invoke(args=["account", "remove", "bob"])
    assert refused.exit_code == 1
    assert refused.stderr.startswith("Error: ")
    assert "Traceback" not in refused.stderr


def leaves(group: click.Group) -> Iterator[click.Command]:
    for name in group.list_commands(None):
        command = group.get_command(None, name)  # It is loaded here.
        if hasattr(command, "commands"):
            yield from leaves(command)
        else:
            yield command


def test_every_command_runs_in_that_way(app: Flask) -> None:
    def layers(callback: Callable[..., object] | None) -> list[str]:
        names = []
        while callback is not None:
            names.append(callback.__code__.co_name)
            callback = getattr(callback, "__wrapped__", None)
        return names

    commands = [each for each in leaves(app.cli) if each.callback.__module__.startswith("survey.")]
    assert len(commands) == 4 + len(SPELLINGS)  # The others are attack, demo, serve and verify.
    for command in commands:
        assert "run_with_messages" in layers(command.callback), command.name
