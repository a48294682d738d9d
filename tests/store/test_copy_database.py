"""Everything moves between databases of either kind, and back, the same to the last digit."""

from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from survey.central_dp.ledger import CentralDPBudget
from survey.core.errors import MoveError
from survey.definition.responses.parse_response import Response
from survey.estimation.build_results import survey_results
from survey.formats.csv_export import results_as_json
from survey.store import OWNER, Account, Limits, Session, Share, Store, copy_database, open_store
from survey.store.copy_database import TABLES, CopySummary, copy_all
from survey.store.people import Act
from survey.store.programs import ApiToken, Threshold, Webhook
from tests.admin.test_lifecycle import fill
from tests.conftest import definition, opened
from tests.support.postgresql import Cluster
from tests.support.stores import connected, is_postgresql, tables_with

pytestmark = pytest.mark.needs_postgresql

LONG = "a-" * 31 + "a"  # too long for a name of a table in PostgreSQL


@pytest.fixture
def filled(tmp_path: Path) -> str:
    """A SQLite database with something in almost every table."""
    database = str(tmp_path / "origin.db")
    store = open_store(database)
    fill_all(store)
    store.close()
    return database


def fill_all(store: Store) -> None:
    fill(store)
    opened(store, definition(slug=LONG, title="NUL and ? and % and 'quotes'"))
    store.add_response(LONG, Response(b"\xff" * 16, (1,)))
    store.set_limits(LONG, Limits(cap=10, closes=2**33, target=5))
    store.add_account(Account("ada", OWNER, "hash"))
    store.add_person("bob", OWNER, "link", 2**33)
    store.add_session("token", Session("ada", 1, 2, waiting=True))
    store.set_setup_token("setup")
    store.begin_second_factor("ada", bytes(range(16)))
    store.confirm_second_factor("ada", 5, [bytes(32), b"\xff" * 32])
    store.count_failed("nobody")
    for number in range(3):
        store.record(Act("health", "ada", f"did {number} things: ü, ไทย", 5))
        store.add_share(Share("health", f"paper {number}"), bytes([number]) * 32)
    store.delete_share("health", 1)
    store.publish("health", True)
    store.add_token(bytes(32), ApiToken("ada", "R", date(2026, 1, 1), date(2026, 4, 1)))
    thresholds = (Threshold(10), Threshold(20, "given up", 60, "Nobody listened."))
    store.add_webhook(Webhook(bytes(16), LONG, "https://example.org/", thresholds))
    store.set_release_budget("health", CentralDPBudget(Fraction("0.3"), Fraction("0.00001")))
    assert store.keep_wrapped_key(None, b"under the secret key")
    store.keep_design("health", "region,weight\nnorth,1.5\n")


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


def contents(database: str) -> dict[str, list[tuple[object, ...]]]:
    with connected(database) as db:
        found = {}
        for table, key in TABLES.items():
            columns = sorted(each[0] for each in db.execute(f"SELECT * FROM {table}").description)
            rows = db.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(key)}")
            found[table] = [tuple(row) for row in rows]
        return found


def figures(database: str) -> dict[str, object]:
    store = open_store(database)
    found = {}
    for slug in ("health", "health.comprehension", "other", LONG):
        survey = store.survey(slug)
        assert survey.frozen is not None
        results = survey_results(survey.frozen, store.counts(slug), survey.origin)
        found[slug] = results_as_json(results), list(store.responses(slug)), store.arrived(slug)
    store.close()
    return found


def test_to_postgresql_and_back_everything_is_the_same(
    filled: str, empty: str, tmp_path: Path
) -> None:
    back = str(tmp_path / "back.db")
    copied = moved(filled, empty)
    assert copied == moved(empty, back)
    assert (copied.surveys, copied.responses) == (4, 36)
    before = contents(filled)
    assert sum(map(len, before.values())) == copied.rows
    assert {table for table, rows in before.items() if not rows} == {"pilots", "releases"}
    assert contents(empty) == before == contents(back)
    assert figures(filled) == figures(empty) == figures(back)


def test_the_copy_goes_on_where_the_first_was(filled: str, empty: str) -> None:
    moved(filled, empty)
    store = open_store(empty)
    store.record(Act("", "ada", "came here", 6))
    assert [act.number for act in store.acts()] == [4, 3, 2, 1]
    store.add_share(Share("health", "new"), b"n" * 32)
    assert [share.number for share in store.shares("health")] == [2, 3, 4]
    opened(store, definition(slug="newest"))
    assert store.surveys()[0].survey.slug == "newest"
    assert store.add_response(LONG, Response(bytes(16), (0,)))
    assert store.add_response(LONG, Response(b"\xff" * 16, (1,))) is False
    assert store.counts(LONG) == {"smokes": {0: 1, 1: 1}}
    store.close()


def test_what_holds_anything_is_refused_and_stays_as_it_was(filled: str, empty: str) -> None:
    store = open_store(empty)
    store.record(Act("", "ada", "was here", 6))
    store.close()
    with pytest.raises(MoveError, match="has to be empty"):
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
    assert moved(filled, empty).surveys == 4


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
    assert "4 surveys, 36 responses and " in result.output
    again = runner.invoke(args=["database", "copy", filled, empty])
    assert (again.exit_code, "has to be empty" in again.output) == (1, True)
