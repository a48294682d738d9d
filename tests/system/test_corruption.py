"""A damaged database is not served, or gives the same results: no wrong total, no traceback.

The tests change random bytes in the file and in its log, cut off the log, and overwrite whole pages
while the application works.
"""

import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from survey.core.errors import StoreUnavailable, SurveyError
from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import practice_of
from survey.server.settings import Settings
from survey.store import Store, open_store
from tests.support.corruption import BATCH, PLANTED, RESPONSES, fill, responses
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import Row, sent
from tests.support.lengths import length, soak
from tests.support.researchers import Researcher

State = tuple[list[Row], dict[str, dict[int, int]], str]


def state_of(store: Store) -> State:
    """The content behind the totals. A typed text has no total, and may have a changed letter."""
    frozen = store.surveys.by_slug("health").frozen
    assert frozen is not None
    rows = [row[:-1] for row in store.responses.rows("health")]
    return rows, store.counts.by_question("health"), frozen.fingerprint


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, State]:
    """A compacted database with these responses, and its results."""
    database = tmp_path_factory.mktemp("made") / "candor.db"
    with closing(open_store(str(database))) as store:
        fill(store)
        expected = state_of(store)
        store.compact()
    assert len(expected[0]) == RESPONSES // BATCH * BATCH
    return database.read_bytes(), expected


@pytest.fixture
def filled(made: tuple[bytes, State], tmp_path: Path) -> tuple[Path, State]:
    """The same database in a file of its own."""
    database = tmp_path / "filled.db"
    database.write_bytes(made[0])
    return database, made[1]


def told_by(database: Path) -> State | None:
    """The results of the application, or None if it refuses to start.

    Every other error is a fault.
    """
    try:
        store = open_store(str(database))
    except SurveyError as error:
        assert str(error).endswith(".")
        return None
    try:
        store.integrity.require_sound()
        return state_of(store)
    except SurveyError as error:
        assert str(error).endswith(".")
        return None
    finally:
        store.close()


# --- bytes ----------------------------------------------------------------------------------------


@pytest.mark.slow
@soak
@pytest.mark.parametrize(
    ("flips", "files"), [(200, length(10, 200)), (1, length(60, 3_000))], ids=["many", "one"]
)
def test_bytes_that_change_are_found_or_change_nothing(
    filled: tuple[Path, State], flips: int, files: int, tmp_path: Path
) -> None:
    """A single changed byte is the harder case.

    Two hundred seldom leave the file readable at all.
    """
    database, expected = filled
    content, r, found = database.read_bytes(), random.Random(flips), 0
    for _ in range(files):
        spoiled = bytearray(content)
        for _ in range(flips):
            spoiled[r.randrange(len(spoiled))] = r.randrange(256)
        again = tmp_path / "again.db"
        again.write_bytes(spoiled)
        told = told_by(again)
        assert told in (None, expected)
        found += told is None
    # About one in eight single bytes is noticed. Of 60, fewer than two in 0.2 % of all files.
    assert found > files / 40


@pytest.mark.parametrize("statement", PLANTED.values(), ids=PLANTED)
def test_what_fits_the_file_and_not_the_rest_is_found(
    filled: tuple[Path, State], statement: str
) -> None:
    """Damage that SQLite does not find."""
    database, _ = filled
    with closing(sqlite3.connect(database)) as connection, connection:
        released = (
            "(SELECT id FROM responses_health WHERE id NOT IN (SELECT id FROM waiting)"
            " AND remarks NOT IN ('', ' ') AND news != '000' AND party IS NOT NULL LIMIT 1)"
        )
        assert connection.execute(statement.format(released=released)).rowcount > 0
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert told_by(database) is None


def test_the_command_says_what_does_not_fit(app: Flask, store: Store) -> None:
    fill(store)
    runner = app.test_cli_runner()
    done = runner.invoke(args=["database", "check"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("No damage found")
    with closing(sqlite3.connect(store.database.path)) as connection, connection:
        connection.execute(PLANTED["a count"])
    done = runner.invoke(args=["database", "check"])
    assert done.exit_code == 1
    assert "the counts of survey 'health' do not agree with its responses" in done.stderr
    assert "Restore it from a backup." in done.stderr


def test_a_text_that_cannot_be_read_is_not_quoted(app: Flask, store: Store) -> None:
    """A damaged text may be an answer, and the sentence goes into the server's output."""
    fill(store)
    with closing(sqlite3.connect(store.database.path)) as connection, connection:
        connection.execute("UPDATE responses_health SET remarks = CAST(X'49206C6965FF' AS TEXT)")
    with pytest.raises(StoreUnavailable, match="a text in it cannot be read") as found:
        list(store.integrity.faults())
    done = app.test_cli_runner().invoke(args=["database", "check"])
    assert done.exit_code == 1
    assert "a text in it cannot be read" in done.output
    assert "I lie" not in f"{found.value}{done.output}"


@pytest.mark.both_stores
def test_nothing_is_amiss_where_people_withdrew_tossed_coins_and_practised(store: Store) -> None:
    """The check knows every way in which counts arise."""
    content = definition(yes_no(), batch=5, by_hand=True, comprehension=True)
    survey = opened(store, content).survey
    for k in range(12):
        store.responses.add_response("health", Response(bytes([k]) * 16, (k % 2,)))
        store.responses.add_response("health.by-hand", Response(bytes([k]) * 16, (k % 2,)))
    for k in (0, 11):
        store.responses.withdraw("health", bytes([k]) * 16)
    store.rehearsals.start_practice(freeze(practice_of(survey), to_open=False))
    store.responses.add_response("health.practice", Response(bytes(16), (1,)))
    assert list(store.integrity.faults()) == []
    store.lifecycle.set_state("health", "closed")
    assert list(store.integrity.faults()) == []


# --- the log --------------------------------------------------------------------------------------


@soak
@pytest.mark.parametrize("how", ["changed", "cut off"])
def test_a_log_that_is_damaged_tells_an_earlier_state_whole(
    store: Store, settings: Settings, how: str, tmp_path: Path
) -> None:
    """A log that ends early looks like one whose last transactions never happened.

    It may lose responses since the last compaction. But every result was correct at some moment,
    and adds up.
    """
    fill(store, 100)
    store.compact()
    more = responses(100 + length(30, 100))[100:]
    moments = [state_of(store)]
    for each in more:
        store.responses.add_response("health", each)
        moments.append(state_of(store))
    database = Path(settings.database)
    content, log = database.read_bytes(), Path(f"{database}-wal").read_bytes()
    assert len(log) > 100_000
    r = random.Random(how)
    earlier = 0
    for _ in range(length(10, 200)):
        spoiled = bytearray(log)
        if how == "changed":
            for _ in range(200):
                spoiled[r.randrange(len(spoiled))] = r.randrange(256)
        else:
            del spoiled[r.randrange(len(spoiled)) :]
        again = tmp_path / "again.db"
        again.write_bytes(content)
        Path(f"{again}-wal").write_bytes(spoiled)
        told = told_by(again)
        assert told is None or told in moments
        earlier += told not in (None, moments[-1])
    assert earlier > 0


# --- while it is served ---------------------------------------------------------------------------

TABLES = ["responses_health", "surveys", "sessions", "counts", "waiting", "accounts", "acts"]
NEEDED = ("responses_health", "surveys", "counts", "waiting")  # required to record a response
PAGES = ["/s/health", "/s/health.json", "/admin/", "/admin/surveys/health", "/admin/log"]


@contextmanager
def spoiled(store: Any, table: str) -> Iterator[None]:
    """The first page of a table is garbage, and no connection has it in memory."""
    database = Path(store.database.path)
    with closing(sqlite3.connect(database)) as connection:
        page, size = connection.execute(
            "SELECT rootpage, page_size FROM sqlite_master, pragma_page_size WHERE name = ?",
            [table],
        ).fetchone()
    forgotten(store)
    content = database.read_bytes()
    with database.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(random.Random(table).randbytes(size))
    try:
        yield
    finally:
        forgotten(store)
        with database.open("r+b") as file:
            file.write(content)


def forgotten(store: Any) -> None:
    """The next statement uses a new connection."""
    store.database.pool.close_free()


@soak
@pytest.mark.parametrize("table", TABLES[: length(3, len(TABLES))])
def test_damage_while_serving_is_503_in_a_sentence_and_nothing_is_acknowledged(
    app: Flask, store: Store, researcher: Researcher, table: str
) -> None:
    fill(store, 13 * BATCH - 1)  # The next response triggers a count of all waiting ones.
    store.compact()
    before = state_of(store)
    response = responses(13 * BATCH)[-1]
    frozen = store.surveys.by_slug("health").frozen
    assert frozen is not None
    body = {
        "id": response.id.hex(),
        "fingerprint": frozen.fingerprint,
        "reports": sent(response.reports),
    }
    client = app.test_client()
    with spoiled(store, table):
        replies = {path: researcher.client.get(path) for path in PAGES}
        # A running download breaks off.
        with suppress(StoreUnavailable):
            reply = researcher.client.get("/admin/surveys/health/responses.csv")
            assert reply.status_code in (200, 302, 503)
        forgotten(store)
        posted = client.post("/s/health/responses", json=body)
    for path, reply in replies.items():
        assert reply.status_code in (200, 302, 503), path
        if reply.status_code == 503:
            assert re.search("cannot be used|not available", reply.get_data(as_text=True))
    if table in NEEDED:
        assert posted.status_code == 503
        assert posted.get_json()["error"].endswith(".")
        assert state_of(store) == before
    statuses = {reply.status_code for reply in (*replies.values(), posted)}
    assert 503 in statuses
    assert {client.get(path).status_code for path in PAGES[:2]} == {200}
    assert client.post("/s/health/responses", json=body).status_code in (200, 201)
