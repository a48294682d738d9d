"""A copy between databases of either kind, in both directions, is complete and exact."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from survey.core.errors import MoveError
from survey.definition.responses.parse_response import Response
from survey.store import Share, copy_database, open_store
from survey.store.copy_database import TABLES, CopySummary, copy_all
from survey.store.sql.audit_log import Act
from tests.support.database_contents import LONG, contents, figures, fill_all
from tests.support.definitions import definition, opened
from tests.support.postgresql import Cluster
from tests.support.stores import is_postgresql, tables_with

pytestmark = pytest.mark.needs_postgresql


@pytest.fixture
def filled(tmp_path: Path) -> str:
    """A SQLite database with something in almost every table."""
    database = str(tmp_path / "origin.db")
    store = open_store(database)
    fill_all(store)
    store.close()
    return database


@pytest.fixture
def empty(postgresql_server: Cluster) -> Iterator[str]:
    with postgresql_server.database("template") as address:
        yield address


def moved(source: str, target: str) -> CopySummary:
    first, second = open_store(source), open_store(target)
    try:
        return copy_all(first, second)
    finally:
        first.close()
        second.close()


def test_to_postgresql_and_back_everything_is_the_same(
    filled: str, empty: str, tmp_path: Path
) -> None:
    back = str(tmp_path / "back.db")
    copied = moved(filled, empty)
    assert copied == moved(empty, back)
    assert (copied.surveys, copied.responses) == (5, 67)
    before = contents(filled)
    assert sum(map(len, before.values())) == copied.rows
    assert {table for table, rows in before.items() if not rows} == {"pilots", "releases"}
    assert contents(empty) == before == contents(back)
    assert figures(filled) == figures(empty) == figures(back)


def test_the_copy_goes_on_where_the_first_was(filled: str, empty: str) -> None:
    moved(filled, empty)
    store = open_store(empty)
    store.audit.record(Act(survey="", account="ada", action="came here", moment=6))
    assert [act.number for act in store.audit.acts()] == [4, 3, 2, 1]
    store.shares.add_share(Share("health", "new"), b"n" * 32)
    assert [share.number for share in store.shares.links("health")] == [2, 3, 4]
    opened(store, definition(slug="newest"))
    assert store.surveys.all()[0].survey.slug == "newest"
    assert store.responses.add_response(LONG, Response(bytes(16), (0,)))
    assert store.responses.add_response(LONG, Response(b"\xff" * 16, (1,))) is False
    assert store.counts.by_question(LONG) == {"smokes": {0: 1, 1: 1}}
    store.close()


def test_what_holds_anything_is_refused_and_stays_as_it_was(filled: str, empty: str) -> None:
    store = open_store(empty)
    store.audit.record(Act(survey="", account="ada", action="was here", moment=6))
    store.close()
    with pytest.raises(MoveError, match="is not empty"):
        moved(filled, empty)
    assert {table for table, rows in contents(empty).items() if rows} == {"acts"}


def test_a_copy_that_is_not_the_same_is_not_kept(
    filled: str, empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = copy_database.fill

    def losing(db, table, columns, page):
        plain(db, table, columns, page[1:])

    for lost in ("counts", '"responses_health"'):
        with monkeypatch.context() as patch:
            patch.setattr(
                copy_database, "fill",
                lambda db, table, *rest, lost=lost: (losing if table == lost else plain)(
                    db, table, *rest
                ),
            )  # fmt: skip
            with pytest.raises(MoveError, match="nothing was copied"):
                moved(filled, empty)
        assert not any(contents(empty).values())
        assert "responses_health" not in tables_with(empty)
    assert moved(filled, empty).surveys == 5


def test_estimates_that_differ_are_found_though_every_row_is_the_same(
    filled: str, empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = copy_database.results_json_text

    def wrong(store, db, slug):
        return plain(store, db, slug), type(store).__name__

    monkeypatch.setattr(copy_database, "results_json_text", wrong)
    with pytest.raises(MoveError, match="estimates"):
        moved(filled, empty)
    assert not any(contents(empty).values())


def test_no_table_is_forgotten(filled: str, empty: str) -> None:
    for database in (filled, empty):
        own = "migrations" if is_postgresql(database) else "_sqlite_migrations"
        found = {name for name in tables_with(database) if not name.startswith("responses_")}
        assert found - {own} == set(TABLES)


def test_the_command_moves_and_says_so(app, filled: str, empty: str) -> None:
    runner = app.test_cli_runner()
    result = runner.invoke(args=["database", "copy", filled, empty])
    assert result.exit_code == 0, result.output
    assert "5 surveys, 67 responses and " in result.output
    again = runner.invoke(args=["database", "copy", filled, empty])
    assert (again.exit_code, "is not empty" in again.output) == (1, True)
