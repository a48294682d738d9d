"""The baseline, and databases from before it, which are recorded as the baseline or refused."""

import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from survey.core.errors import SettingsError
from survey.definition.survey import canonical_json
from survey.store import Store, open_store
from survey.store.baseline import BASELINE, LAST_COMMIT_BEFORE
from survey.store.postgresql import migrations as postgresql_migrations
from survey.store.sqlite import migrations as sqlite_migrations
from tests.support.database_contents import contents
from tests.support.present_database import fill_from_present
from tests.support.stores import connected, is_postgresql, tables_with

pytestmark = pytest.mark.both_stores

# The schema of a database that the steps of the last commit before the baseline made: every
# statement of SQLite, in the order of the names. If this fails, add a step to the baseline instead.
SCHEMA_DIGEST = "155593a1f9d3d945485187dcb5e78039fa75ad3ba2ebae579b6f9a98a683e497"


@pytest.fixture
def database(fresh_database: str, tmp_path: Path) -> str:
    fill_from_present(fresh_database, tmp_path)
    return fresh_database


def steps_before(database: str) -> tuple[str, ...]:
    module = postgresql_migrations if is_postgresql(database) else sqlite_migrations
    return module.STEPS_BEFORE


def recorded(database: str) -> list[str]:
    table = "migrations" if is_postgresql(database) else "_sqlite_migrations"
    with connected(database) as db:
        return sorted(name for (name,) in db.execute(f"SELECT name FROM {table}").fetchall())


def record(database: str, *steps: str) -> None:
    """Record these steps alone."""
    with connected(database) as db:
        if is_postgresql(database):
            db.execute("DELETE FROM migrations")
            for step in steps:
                db.execute("INSERT INTO migrations VALUES (?)", [step])
            return
        db.execute("DELETE FROM _sqlite_migrations")
        for number, step in enumerate(steps, 1):
            row = [number, "candor", step, "2026-11-28"]
            db.execute("INSERT INTO _sqlite_migrations VALUES (?, ?, ?, ?)", row)


def everything(database: str) -> list[object]:
    return [sorted(tables_with(database)), recorded(database), contents(database)]


def require_refused(database: str) -> None:
    """It is refused with one sentence, and nothing in it changes."""
    before = everything(database)
    file = None if is_postgresql(database) else Path(database).read_bytes()
    place = "the database" if file is None else database
    with pytest.raises(SettingsError) as refusal:
        open_store(database)
    assert str(refusal.value) == (
        f"The last commit of Candor that reads {place} is {LAST_COMMIT_BEFORE}, because its format "
        "is older than Candor 0.1.0."
    )
    assert everything(database) == before
    assert file is None or Path(database).read_bytes() == file


@pytest.mark.sqlite_only
def test_the_baseline_is_the_schema_that_the_steps_before_it_made(tmp_path: Path) -> None:
    database = tmp_path / "candor.db"
    open_store(str(database)).close()
    with connected(database) as db:
        rows = db.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
        ).fetchall()
    # SQLite adds a column to the text of the table, but no line end.
    texts = [re.sub(r"\s*([(),])\s*", r"\1", " ".join(sql.split())).strip() for (sql,) in rows]
    assert hashlib.sha256("\n".join(texts).encode()).hexdigest() == SCHEMA_DIGEST


def test_a_database_with_all_steps_from_before_is_recorded_as_the_baseline(database: str) -> None:
    before = contents(database)
    record(database, *steps_before(database))
    with connected(database) as db:
        db.execute("INSERT INTO counts VALUES ('coins', 'party', 2, 0)")  # as early commits did
    with closing(open_store(database)) as store:
        assert store.database.migrated == ()
        assert list(store.integrity.faults()) == []
    assert recorded(database) == [BASELINE]
    assert contents(database) == before
    open_store(database).close()
    assert recorded(database) == [BASELINE]


def without_last_step(database: str, *statements: str) -> None:
    """Make the database of the steps before the last one, from when texts waited for a batch."""
    record(database, *steps_before(database)[:-1])
    with connected(database) as db:
        db.execute("ALTER TABLE surveys DROP COLUMN texts_published")
        for statement in statements:
            db.execute(statement)


BATCH = (
    "INSERT INTO waiting SELECT 'remarks.texts', id FROM waiting LIMIT 1",
    "INSERT INTO counts VALUES ('remarks.texts', 'remarks', 1, 25)",
)


def test_texts_of_batches_are_unread_until_their_survey_closes(database: str) -> None:
    before = contents(database)
    without_last_step(
        database, "UPDATE surveys SET state = 'open' WHERE slug = 'remarks.texts'", *BATCH
    )
    with closing(open_store(database)) as store:
        assert store.surveys.by_slug("remarks.texts").unread
        assert list(store.integrity.faults()) == []
    assert recorded(database) == [BASELINE]
    after = contents(database)
    for table in ("waiting", "counts"):
        assert after[table] == [row for row in before[table] if "remarks.texts" not in row]


def test_a_survey_that_closed_before_its_last_texts_were_published_is_refused(
    database: str,
) -> None:
    without_last_step(
        database, "UPDATE surveys SET state = 'closed' WHERE slug = 'remarks.texts'", *BATCH
    )
    require_refused(database)


def test_servers_that_start_together_record_it_once(database: str) -> None:
    record(database, *steps_before(database))

    def start(_: int) -> Store:
        return open_store(database)

    with ThreadPoolExecutor(4) as pool:
        for store in pool.map(start, range(4)):
            store.close()
    assert recorded(database) == [BASELINE]


def test_a_database_with_some_of_these_steps_is_refused_and_stays_as_it_is(database: str) -> None:
    steps = steps_before(database)
    for n in range(1, len(steps) - 1):
        record(database, *steps[:n])
        require_refused(database)
    record(database, *steps, "mottos")  # a step that no commit of the main branch had
    require_refused(database)


def older_document(document: str) -> str:
    """The document as a commit froze it that stored texts next to private answers."""
    content = json.loads(document)
    del content["definition"]["texts_apart"]
    tables = {name: table["rows"] for name, table in content["tables"].items()}
    hashed = canonical_json([content["definition"], tables, content["limits"]])
    content["fingerprint"] = hashlib.sha256(hashed.encode()).hexdigest()
    return canonical_json(content)


@pytest.mark.parametrize("kind", ["texts with answers", "draft without its loss", "damaged"])
def test_a_survey_in_a_format_from_before_is_refused_and_stays_as_it_is(
    database: str, kind: str
) -> None:
    record(database, *steps_before(database))
    with connected(database) as db:
        if kind == "draft without its loss":
            db.execute("UPDATE surveys SET tables = NULL, epsilon = NULL WHERE slug = 'means'")
        else:
            select = "SELECT document FROM surveys WHERE slug = 'remarks'"
            [document] = db.execute(select).fetchone()
            changed = older_document(document) if kind.startswith("texts") else document[:-1]
            db.execute("UPDATE surveys SET document = ? WHERE slug = 'remarks'", [changed])
    require_refused(database)
