"""The schema of PostgreSQL: one server updates it, and both databases have the same."""

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from survey.core.errors import SettingsError
from survey.definition.responses.parse_response import Response
from survey.store import Store, open_store
from survey.store.postgresql.migrations import STEPS
from tests.support.definitions import definition, opened
from tests.support.every_type import FIELDS, PICKED, SAMPLED, drawn, stored
from tests.support.postgresql import Cluster
from tests.support.stores import connected

pytestmark = pytest.mark.needs_postgresql


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    store = open_store(database)
    yield store
    store.close()


def test_servers_that_start_together_bring_the_schema_up_to_date_once(
    postgresql_server: Cluster,
) -> None:
    with postgresql_server.database() as address:
        together = threading.Barrier(6, timeout=60)

        def start(_: int) -> Store:
            together.wait()
            return open_store(address)

        with ThreadPoolExecutor(6) as pool:
            stores = list(pool.map(start, range(6)))
        for store in stores:
            assert store.surveys.all() == []
            store.close()
        with connected(address) as db:
            assert {name for (name,) in db.execute("SELECT name FROM migrations")} == set(STEPS)


def test_a_schema_of_a_newer_version_is_refused(database: str) -> None:
    with connected(database) as db:
        db.execute("INSERT INTO migrations VALUES ('of tomorrow')")
    with pytest.raises(SettingsError, match="A newer version of Candor"):
        open_store(database)


def test_a_server_goes_on_while_the_next_version_adds_to_the_schema(
    database: str, store: Store
) -> None:
    """A rolling restart: the old server does not know the new column."""
    opened(store, definition())
    with connected(database) as db:
        db.execute("ALTER TABLE surveys ADD COLUMN mood text NOT NULL DEFAULT 'good'")
        db.execute("INSERT INTO migrations VALUES ('of tomorrow')")
    assert store.responses.add_response("health", Response(bytes(16), (1,)))
    store.lifecycle.set_state("health", "closed")
    opened(store, definition(slug="other"))
    assert store.counts.by_question("health") == {"smokes": {1: 1}}


def columns(database: str) -> dict[str, list[str]]:
    with connected(database) as db:
        if database.startswith("postgresql"):
            rows = db.execute(
                "SELECT table_name, column_name FROM information_schema.columns"
                " WHERE table_schema = current_schema()"
            ).fetchall()
        else:
            rows = db.execute(
                "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c"
                " WHERE t.type = 'table' AND t.name <> '_sqlite_migrations'"
            ).fetchall()
    found: dict[str, list[str]] = {}
    for table, column in rows:
        found.setdefault(table, []).append(column)
    found.pop("migrations", None)
    return {table: sorted(names) for table, names in found.items()}


def test_both_databases_have_the_same_tables_with_the_same_columns(
    database: str, store: Store, tmp_path: Path
) -> None:
    """So what tests/system/test_compacted_disk.py claims on tables holds for both databases."""
    file = str(tmp_path / "candor.db")
    other = open_store(file)
    for each in (store, other):
        opened(each, SAMPLED)
    other.close()
    assert columns(database) == columns(file)
    with connected(database) as db:
        rows = db.execute("SELECT * FROM responses_health")
        assert [column[0] for column in rows.description] == ["id", *FIELDS]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("id", value) for value in (b"short", bytes(17), None)),
        *(("smokes", value) for value in ("yes", b"127.0.0.1")),
        ("glasses", "12:30"),
        ("remarks", None),  # Every response has a report for a plain question.
        ("years", None),
    ],
)
def test_the_table_itself_refuses_what_is_no_response(
    database: str, store: Store, column: str, value: object
) -> None:
    opened(store, SAMPLED)
    row = dict(zip(FIELDS, stored(drawn(random.Random(9), PICKED)), strict=True))
    good: dict[str, object] = {"id": bytes(16), **row}
    insert = f"INSERT INTO responses_health VALUES ({', '.join('?' * len(good))})"
    with pytest.raises(psycopg.Error), connected(database) as db:
        db.execute(insert, list((good | {column: value}).values()))
    with connected(database) as db:
        db.execute(insert, list(good.values()))
