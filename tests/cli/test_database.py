"""The commands on the database as a whole: `database check`, `compact` and `copy`."""

from pathlib import Path

import pytest
from click.testing import Result
from flask import Flask

from survey.server.settings import Settings
from survey.store import Store, open_store
from tests.support.database_contents import fill


@pytest.fixture
def filled(app: Flask, store: Store) -> Flask:
    fill(store)
    return app


def run(app: Flask, *arguments: str) -> Result:
    return app.test_cli_runner().invoke(args=["database", *arguments])


def test_a_sound_database_passes_the_check(filled: Flask) -> None:
    result = run(filled, "check")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("No damage found")


def test_a_compacted_database_has_no_log(filled: Flask, settings: Settings) -> None:
    log = Path(f"{settings.database}-wal")
    assert log.read_bytes()
    result = run(filled, "compact")
    assert (result.exit_code, result.stdout) == (0, "The database is compacted.\n")
    assert not log.exists() or not log.read_bytes()


def test_a_copy_has_the_same_responses(
    filled: Flask, store: Store, settings: Settings, tmp_path: Path
) -> None:
    target = tmp_path / "copy.db"
    result = run(filled, "copy", settings.database, str(target))
    assert result.exit_code == 0, result.output
    copied = open_store(str(target))
    try:
        assert list(copied.responses.rows("health")) == list(store.responses.rows("health"))
        assert copied.counts.by_question("health") == store.counts.by_question("health")
    finally:
        copied.close()
    again = run(filled, "copy", settings.database, str(target))
    assert again.exit_code == 1
    assert "is not empty" in again.stderr


def test_compacting(run):
    assert "compacted" in run("database", "compact")
