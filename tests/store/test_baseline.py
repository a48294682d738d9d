"""The baseline of the schema, and databases of early commits, which are refused."""

from pathlib import Path

import pytest

from survey.core.errors import SettingsError
from survey.store import open_store
from survey.store.baseline import BASELINE
from tests.support.database_contents import contents
from tests.support.present_database import fill_from_present
from tests.support.stores import connected, is_postgresql, tables_with

pytestmark = pytest.mark.both_stores


@pytest.fixture
def database(fresh_database: str, tmp_path: Path) -> str:
    fill_from_present(fresh_database, tmp_path)
    return fresh_database


def steps_table(database: str) -> str:
    return "migrations" if is_postgresql(database) else "_sqlite_migrations"


def recorded(database: str) -> list[str]:
    with connected(database) as db:
        rows = db.execute(f"SELECT name FROM {steps_table(database)}").fetchall()
    return sorted(name for (name,) in rows)


def test_a_database_of_the_baseline_is_opened_unchanged(database: str) -> None:
    before = contents(database)
    open_store(database).close()
    assert recorded(database) == [BASELINE]
    assert contents(database) == before


@pytest.mark.parametrize("step", ["baseline", "surveys_and_counts"])
def test_a_database_of_an_early_commit_is_refused_and_stays_as_it_is(
    database: str, step: str
) -> None:
    with connected(database) as db:
        db.execute(f"UPDATE {steps_table(database)} SET name = ?", [step])
    before = [sorted(tables_with(database)), contents(database)]
    file = None if is_postgresql(database) else Path(database).read_bytes()
    place = "the database" if file is None else database
    with pytest.raises(SettingsError) as refusal:
        open_store(database)
    assert str(refusal.value) == (
        f"An early commit wrote {place}. Only that commit reads it, because its format is older "
        "than Candor 0.1.0."
    )
    assert [sorted(tables_with(database)), contents(database)] == before
    assert recorded(database) == [step]
    assert file is None or Path(database).read_bytes() == file
