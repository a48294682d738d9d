"""Compaction of PostgreSQL: it removes the order of arrival, and loses no response.

The test that compaction removes the order is the same as for SQLite. Two databases receive the same
codes and the same responses, in different pairs and another order. After compaction the rows are at
the same places of the same files. Only the numbers of transactions differ, and a table has one of
them. The earlier write-ahead log is gone.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from app import create_app
from survey.core.errors import StoreUnavailable, UnknownSurvey
from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.responses.parse_response import Response
from survey.server.settings import Settings
from survey.store import Limits, Store, open_store
from survey.store.postgresql import compaction, connections
from tests.store.postgresql_names import name_of
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import FIELDS, PICKED, SAMPLED, drawn, stored
from tests.support.postgresql import Cluster, files_of
from tests.support.stores import connected

pytestmark = pytest.mark.needs_postgresql


N = 400  # respondents
INVITED = SAMPLED | {"invitations": True, "batch": 7}
COMPACTED = {"responses_health": "id", "invitations": "token_hash", "waiting": "id"}


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    store = open_store(database)
    yield store
    store.close()


Pairs = dict[bytes, bytes]  # from the hash of a code to the id of a response


def pairs(seed: int) -> Pairs:
    """The same codes and responses for every seed, in other pairs and another order."""
    r = random.Random(1)
    hashes = [token_hash(code_from(r.randbytes(16))) for _ in range(N)]
    ids = [r.randbytes(16) for _ in range(N)]
    other = random.Random(seed)
    return dict(zip(other.sample(hashes, N), other.sample(ids, N), strict=True))


def feed(store: Store, truth: Pairs) -> None:
    opened(store, INVITED)
    store.invitations.add_invitations("health", sorted(truth))
    for hash, id in truth.items():
        row = stored(drawn(random.Random(id), PICKED))
        assert store.responses.add_response("health", Response(id, row, hash))


def order_of(database: str, table: str, by: str = "ctid") -> list[bytes]:
    with connected(database) as db:
        rows = db.execute(f"SELECT {COMPACTED[table]} FROM {table} ORDER BY {by}").fetchall()
    return [key for (key,) in rows]


def joined_by_transaction(database: str) -> Pairs:
    """The pairs of a code and a response, as transactions reveal them."""
    with connected(database) as db:
        rows = db.execute(
            "SELECT token_hash, id FROM invitations i JOIN responses_health r ON i.xmin = r.xmin"
            " WHERE spent = 1"
        ).fetchall()
        times = {hash: sum(other == hash for other, _ in rows) for hash, _ in rows}
        return {hash: id for hash, id in rows if times[hash] == 1}


def transactions(database: str, table: str) -> int:
    with connected(database) as db:
        [n] = db.execute(f"SELECT count(DISTINCT xmin::text) FROM {table}").fetchone()
        return n


def some(keys: Iterable[bytes]) -> set[bytes]:
    """A few of many, the same in both worlds, since the search for each takes long."""
    return set(sorted(keys)[::10])


def places(folder: Path, keys: set[bytes]) -> dict[bytes, list[int]]:
    """The place of each key in the files below a folder, without the name of the file."""
    found: dict[bytes, list[int]] = {key: [] for key in keys}
    for file in sorted(folder.rglob("*")):
        content = file.read_bytes() if file.is_file() else b""
        for key in keys:
            at = content.find(key)
            while at >= 0:
                found[key].append(at)
                at = content.find(key, at + 1)
    return {key: sorted(each) for key, each in found.items()}


@pytest.fixture(scope="module")
def worlds(postgresql_server: Cluster) -> Iterator[list[tuple[str, Pairs, Pairs, dict]]]:
    """Two databases before compaction, read by their transactions and their log."""
    server = postgresql_server
    with server.database("template") as first, server.database("template") as second:
        made = []
        for address, seed in ((first, 2), (second, 3)):
            store, truth = open_store(address), pairs(seed)
            feed(store, truth)
            arrived = order_of(address, "responses_health", "xmin::text::bigint")
            assert arrived == list(truth.values())
            log = places(server.data / "pg_wal", some(truth.values()))
            made.append((address, truth, joined_by_transaction(address), log))
            store.compact()
            assert store.database.cautions() == []
            store.close()
        yield made


def test_control_before_compaction_transactions_and_the_log_tell_all(worlds) -> None:
    for _, truth, joined, log in worlds:
        assert joined == truth
        assert all(log.values())
    (_, truth, _, _), (_, other, _, _) = worlds
    assert sum(truth[code] == other[code] for code in truth) < 10  # The pairs do differ.


def test_once_compacted_one_transaction_wrote_all_and_the_order_is_that_of_any_other_world(
    worlds,
) -> None:
    """PostgreSQL fills a page with a later short row, so the order is not exactly that of the keys.

    But the order follows from the keys alone.
    """
    (first, *_), (second, *_) = worlds
    for table in ("responses_health", "invitations"):
        assert order_of(first, table) == order_of(second, table)
    assert order_of(first, "invitations") == sorted(pairs(2))  # all rows of one length
    for address, *_ in worlds:
        for table in COMPACTED:
            assert transactions(address, table) == 1
        assert len(order_of(address, "waiting")) == N % 7
        assert transactions(address, "counts") == 1
        joined = joined_by_transaction(address)
        assert joined == {}


def test_once_compacted_every_byte_of_a_key_lies_where_it_does_in_the_other_world(
    worlds, postgresql_server: Cluster
) -> None:
    """The files are equal, apart from the waiting rows, which show the order of the last few.

    Therefore the test closes and releases both worlds first.
    """
    found = []
    for address, truth, _, _ in worlds:
        store = open_store(address)
        store.lifecycle.set_state("health", "closed")
        assert store.counts.published_and_waiting("health") in ((N, 0), (N - N % 7, N % 7))
        with connected(address) as db:
            db.execute("DELETE FROM waiting")
        store.compact()
        store.close()
        keys = some(truth) | some(truth.values())
        found.append(places(files_of(postgresql_server, address), keys))
    assert all(found[0].values())
    assert found[0] == found[1]


def test_once_compacted_the_log_holds_no_response_and_no_code(
    worlds, postgresql_server: Cluster
) -> None:
    for address, truth, _, _ in worlds:
        store = open_store(address)
        store.compact()
        store.close()
        keys = some(truth) | some(truth.values())
        left = places(postgresql_server.data / "pg_wal", keys)
        assert not any(left.values())


def test_a_withdrawn_response_is_in_no_file_once_compacted(
    postgresql_server: Cluster, database: str, store: Store
) -> None:
    opened(store, definition(receipts=True))
    ids = {random.Random(number).randbytes(16) for number in range(30)}
    for id in ids:
        store.responses.add_response("health", Response(id, (1,)))
    gone = min(ids)
    assert store.responses.withdraw("health", gone)
    # The search covers the right files.
    assert places(postgresql_server.data / "pg_wal", {gone})[gone]
    store.compact()
    left = places(postgresql_server.data, ids)
    assert {id for id, at in left.items() if not at} == {gone}


def test_what_a_server_keeps_of_the_order_is_said(
    postgresql_server: Cluster, settings: Settings
) -> None:
    """A role that may not empty the log, on a server that logs every statement."""
    server = postgresql_server
    server.administer("CREATE ROLE poor LOGIN")
    with server.database() as address:
        name = name_of(address)
        server.administer(f"ALTER DATABASE {name} OWNER TO poor")
        server.administer(f"ALTER DATABASE {name} SET log_statement = 'all'")
        store = open_store(address.replace("candor@", "poor@"))
        said = store.database.cautions()
        assert [sentence.partition(",")[0] for sentence in said] == [
            "PostgreSQL has log_statement = all",
            "This role of PostgreSQL may not empty the log",
        ]
        opened(store, definition())
        store.responses.add_response("health", Response(bytes(16), (1,)))
        store.compact()  # It compacts everything but the log.
        assert transactions(address, "responses_health") == 1
        app = create_app(replace(settings, database=address.replace("candor@", "poor@")))
        output = app.test_cli_runner().invoke(args=["database", "compact"]).output
        assert [line.removeprefix("Warning: ") for line in output.splitlines()[1:]] == said
        app.extensions["candor.store"].close()
        store.close()
        server.administer(f"ALTER DATABASE {name} RESET log_statement")
        server.administer("GRANT pg_checkpoint TO poor")
        with connected(address) as db:
            db.execute("GRANT EXECUTE ON FUNCTION pg_switch_wal() TO poor")
        store = open_store(address.replace("candor@", "poor@"))
        assert store.database.cautions() == []
        store.compact()
        store.close()
    server.administer("DROP ROLE poor")


def test_a_compaction_waits_for_a_reader_no_longer_than_it_was_told(
    database: str, store: Store
) -> None:
    opened(store, definition())
    store.responses.add_response("health", Response(bytes(16), (1,)))
    with psycopg.connect(database) as reader:
        reader.execute("SELECT * FROM responses_health")
        with pytest.raises(StoreUnavailable, match="in use, so it was not compacted"):
            store.compact(0.1)
        assert store.database.uncompacted == 1
    store.compact(5)
    assert store.database.uncompacted == 0


def test_a_fault_in_a_release_leaves_responses_waiting_for_the_next_one_or_a_compaction(
    database: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Acknowledged responses raise no error, and the counts have all of them or none."""
    opened(store, definition(batch=3))

    def broken(*arguments: object) -> None:
        raise psycopg.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(store.counts, "add_to_counts", broken)
        for number in range(4):
            assert store.responses.add_response("health", Response(bytes([number] * 16), (1,)))
    assert store.counts.published_and_waiting("health") == (0, 4)
    assert store.counts.by_question("health") == {}
    assert store.responses.add_response("health", Response(bytes([4] * 16), (1,)))
    assert store.counts.published_and_waiting("health") == (3, 2)
    with monkeypatch.context() as patch:
        patch.setattr(store.counts, "add_to_counts", broken)
        assert store.responses.add_response("health", Response(bytes([5] * 16), (1,)))
    assert store.counts.published_and_waiting("health") == (3, 3)
    store.compact()
    assert store.counts.published_and_waiting("health") == (6, 0)
    assert store.counts.by_question("health") == {"smokes": {1: 6}}


def test_what_waited_is_cleared_away_so_that_counting_what_waits_stays_quick(
    database: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each response waits for a moment and leaves a dead row. The control keeps them all."""
    opened(store, definition(batch=3))
    r = random.Random(2)

    def grown(cleared_after: int) -> int:
        monkeypatch.setattr(connections, "VACUUM_AFTER_RESPONSES", cleared_after)
        for _ in range(25):
            group = [("health", Response(r.randbytes(16), (1,))) for _ in range(100)]
            assert store.responses.add_all(group) == [True] * 100
        with connected(database) as db:
            [size] = db.execute("SELECT pg_relation_size('waiting') / 8192").fetchone()
        return size

    assert grown(200) <= 6  # pages, each with some 120 rows
    assert grown(10**9) > 12


def test_a_survey_that_was_changed_is_never_taken_for_what_it_was(
    database: str, store: Store
) -> None:
    """A store remembers surveys by the version of their row. Here another server changes it."""
    one, other = store, open_store(database)
    opened(one, definition())
    assert one.surveys.by_slug("health").state == other.surveys.by_slug("health").state == "open"
    one.lifecycle.set_state("health", "closed")
    assert other.surveys.by_slug("health").state == "closed"
    one.lifecycle.set_limits("health", Limits(target=7))
    assert other.surveys.by_slug("health").limits.target == 7
    one.lifecycle.delete_survey("health")
    with pytest.raises(UnknownSurvey):
        other.surveys.by_slug("health")
    opened(one, definition(yes_no("drinks")))
    assert [q.name for q in other.surveys.by_slug("health").survey.fields] == ["drinks"]
    other.close()


def test_two_servers_do_not_compact_at_once(database: str, store: Store) -> None:
    with psycopg.connect(database, autocommit=True) as other:
        other.execute(f"SELECT pg_advisory_lock({connections.COMPACTING}, 0)")
        with pytest.raises(StoreUnavailable, match="Another server is compacting or backing up"):
            store.compact(0.1)
        other.execute("SELECT pg_advisory_unlock_all()")
        store.compact()


@pytest.fixture
def dump(database: str, store: Store) -> Iterator[psycopg.Connection]:
    """Another connection with an old view of the database, and a survey with 300 responses.

    The connection has read the database already, like pg_dump before it reads each table.
    """
    opened(store, definition())
    store.responses.add_all([("health", each) for each in some_responses(300)])
    with psycopg.connect(database) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("SELECT 1")
        yield connection


def some_responses(n: int) -> list[Response]:
    r = random.Random(8)
    return [Response(r.randbytes(16), (1,)) for _ in range(n)]


def count_of(connection: psycopg.Connection) -> int:
    row = connection.execute("SELECT count(*) FROM responses_health").fetchone()
    return 0 if row is None else int(row[0])


def test_a_dump_that_waited_for_a_compaction_has_every_response(
    store: Store, dump: psycopg.Connection
) -> None:
    store.compact()
    assert count_of(dump) == 300


def test_control_a_compaction_by_statements_would_leave_a_dump_empty(
    store: Store, dump: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def insert(db, table: str) -> None:
        db.execute(f"INSERT INTO {table} SELECT * FROM compacted")

    monkeypatch.setattr(compaction, "refill", insert)
    store.compact()
    assert count_of(dump) == 0
    dump.rollback()
    assert count_of(dump) == 300


def test_a_compaction_in_pieces_leaves_every_response_as_it_was(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long texts and empty ones of 300 respondents, copied one page at a time."""
    monkeypatch.setattr(compaction, "BLOCKS_AT_ONCE", 1)
    opened(store, SAMPLED)
    r = random.Random(4)
    rows = [stored(drawn(r, PICKED)) for _ in range(300)]
    text = FIELDS.index("remarks")
    rows = [(*row[:text], "ก" * 3 * n, *row[text + 1 :]) for n, row in enumerate(rows)]
    sent = [("health", Response(r.randbytes(16), row)) for row in rows]
    store.responses.add_all(sent)
    expected = [each.reports for _, each in sorted(sent, key=lambda pair: pair[1].id)]
    for _ in range(2):
        assert list(store.responses.rows("health")) == expected
        store.compact()
    assert list(store.responses.rows("health")) == expected


def test_a_compaction_waits_for_whoever_reads_several_tables_at_one_moment(store: Store) -> None:
    """Otherwise readers would see old counts with new waiting rows, or the reverse."""
    opened(store, definition())
    with store.database.snapshot("counts", "waiting") as db:
        db.execute("SELECT 1")
        with pytest.raises(StoreUnavailable, match="in use, so it was not compacted"):
            store.compact(0.1)
    store.compact()


def test_a_compaction_takes_its_time_whatever_the_longest_statement_is(
    postgresql_server: Cluster, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = name_of(database)
    postgresql_server.administer(f"ALTER DATABASE {name} SET statement_timeout = '5s'")
    store, refill, allowed = open_store(database), compaction.refill, set()

    def noted(db, table: str) -> None:
        allowed.add(db.execute("SHOW statement_timeout").fetchone()[0])
        refill(db, table)

    monkeypatch.setattr(compaction, "refill", noted)
    store.compact()
    assert allowed == {"0"}
    with store.database.reading() as db:
        assert db.execute("SHOW statement_timeout").fetchone() == ("5s",)
    store.close()


def test_a_survey_that_is_deleted_during_a_compaction_is_no_fault(
    database: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(store, definition(batch=2))
    store.responses.add_response("health", Response(bytes(16), (1,)))

    def gone(slug: str) -> None:
        raise UnknownSurvey(f"There is no survey {slug!r}.")

    monkeypatch.setattr(store.counts, "publish_full_batches", gone)
    store.compact()
    assert store.database.uncompacted == 0


def test_samples_of_responses_are_not_kept(database: str, store: Store) -> None:
    """Otherwise, the catalogue of the database would contain some of their values."""
    opened(store, definition())
    with connected(database) as db:
        rows = db.execute(
            "SELECT DISTINCT attstattarget FROM pg_attribute JOIN pg_class c ON attrelid = c.oid"
            " WHERE attnum > 0 AND relkind = 'r' AND relname <> 'migrations'"
            " AND relnamespace = current_schema()::regnamespace"
        ).fetchall()
    assert rows == [(0,)]


def test_a_slot_that_nobody_reads_from_is_said_to_keep_the_log(
    postgresql_server: Cluster, store: Store
) -> None:
    postgresql_server.administer("SELECT pg_create_physical_replication_slot('forgotten', true)")
    try:
        [said] = store.database.cautions()
    finally:
        postgresql_server.administer("SELECT pg_drop_replication_slot('forgotten')")
    assert said.startswith("Nothing reads from the replication slot forgotten")
    assert store.database.cautions() == []
