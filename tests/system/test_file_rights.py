"""Only the owner can read Candor's files, whatever the umask of the shell is."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app import create_app
from survey.core.errors import StoreUnavailable
from survey.server.settings import Settings
from survey.store import open_store
from tests.support.at_once import serving_at_once
from tests.support.corruption import fill
from tests.support.definitions import definition, opened, yes_no
from tests.support.project import ROOT

PARTS = ("candor.db", "candor.db-wal", "candor.db-shm")


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """The umask of most shells, with which every user may read new files."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path | str) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


@contextmanager
def store_at(path: Path) -> Iterator[Any]:
    store = open_store(str(path))
    yield store
    store.close()


def test_a_new_database_its_log_and_its_folder_are_the_owners(tmp_path: Path) -> None:
    with store_at(tmp_path / "new" / "data" / "candor.db") as store:
        fill(store, 30)
        assert [mode(store.database.path.with_name(part)) for part in PARTS] == [0o600] * 3
        store.compact()
        assert mode(store.database.path) == 0o600
        assert (mode(tmp_path / "new"), mode(tmp_path / "new" / "data")) == (0o700, 0o700)
        assert store.database.warnings == []


def test_a_database_that_others_could_read_is_shut_with_a_warning(
    settings: Settings, capsys: pytest.CaptureFixture
) -> None:
    path = Path(settings.database)
    with store_at(path) as running:
        fill(running, 30)
        for part in PARTS:
            path.with_name(part).chmod(0o664)
        app = create_app(settings)
        assert [mode(path.with_name(part)) for part in PARTS] == [0o600] * 3
        said = capsys.readouterr().err
        assert said.startswith(f"Warning: Other users of this machine could read {path}.")
        app.extensions["candor.store"].close()
    with store_at(path) as again:
        assert again.database.warnings == []
        assert again.counts.number_of_responses("health") == 30


def test_rights_that_cannot_be_changed_are_said_and_refuse_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error for a file of another user."""
    path = tmp_path / "candor.db"
    with store_at(path):
        pass
    path.chmod(0o644)

    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as another:
        another.setattr(Path, "chmod", refuse)
        with store_at(path) as store:
            [warning] = store.database.warnings
            assert "cannot change its rights: Operation not permitted" in warning
            assert store.surveys.all() == []


def test_a_folder_that_was_named_as_the_database_keeps_its_rights(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir(0o755)
    with pytest.raises(StoreUnavailable):
        open_store(str(tmp_path / "folder"))
    assert mode(tmp_path / "folder") == 0o755


def test_what_commands_write_is_the_owners(app: Flask, store: Any, tmp_path: Path) -> None:
    opened(store, definition(yes_no(), invitations=True))
    runner, out = app.test_cli_runner(), tmp_path / "out"
    out.mkdir()
    for arguments in (
        ["survey", "export", "health", "--output", str(out / "definition.json")],
        ["survey", "export", "health", "--output", str(out / "definition.xlsx")],
        ["survey", "invite", "health", "3", "--output", str(out / "codes.zip")],
        ["responses", "export-bundle", "health", "--output", str(out / "all.zip")],
        ["database", "backup", str(out)],
    ):
        done = runner.invoke(args=arguments)
        assert done.exit_code == 0, done.output
    written = {path.name: mode(path) for path in out.iterdir()}
    assert len(written) == 5
    assert set(written.values()) == {0o600}
    assert os.umask(0o022) == 0o022  # A command leaves the process as it was.


@pytest.mark.slow
def test_a_restored_database_and_all_beside_it_are_the_owners(store: Any, tmp_path: Path) -> None:
    """The real command, in a shell with the usual umask."""
    fill(store, 30)
    environment = os.environ | {"CANDOR_DATABASE": str(store.database.path)}

    def run(*arguments: str, **more: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "flask", "--app", "app", "database", *arguments],
            cwd=ROOT,
            env=environment | more,
            check=True,
            capture_output=True,
        )

    run("backup", str(tmp_path / "backups"))
    [backup] = (tmp_path / "backups").iterdir()
    restored = tmp_path / "restored" / "candor.db"
    run("restore", str(backup), CANDOR_DATABASE=str(restored))
    assert {path.name: oct(mode(path)) for path in restored.parent.iterdir()} == {
        path.name: "0o600" for path in restored.parent.iterdir()
    }
    assert (mode(restored.parent), mode(backup), mode(backup.parent)) == (0o700, 0o600, 0o700)


def test_a_server_writes_for_its_owner_alone(settings: Settings) -> None:
    with serving_at_once(Path(settings.database)) as (_, process, _):
        status = Path(f"/proc/{process.pid}/status").read_text()
        assert "\nUmask:\t0077\n" in status
        assert mode(settings.database) == 0o600
