"""Faults around the server lose no response and reveal no respondent.

The database is locked, full or read-only. Two servers share it. Replies are lost. The test searches
the logs for people, and reads an export while responses arrive.
"""

import csv
import io
import json
import random
import resource
import signal
import socket
import sqlite3
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.responses.parse_response import MAX_BODY_BYTES, Response
from survey.definition.survey import parse_survey
from survey.formats.csv_export import responses_csv
from survey.server.settings import Settings
from survey.store import Store, open_store
from survey.store.sqlite import connections
from tests.support.at_once import serving_at_once
from tests.support.definitions import opened
from tests.support.every_type import PICKED, SAMPLED, Row, drawn, stored, tallied
from tests.support.lengths import length, soak
from tests.support.researchers import Researcher
from tests.support.servers import Live, serving
from tests.support.waiting import wait_until

PATH = "/s/health/responses"
AT_TWO = length(100, 300)  # responses, each sent to two servers at once


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement waits a tenth of a second for a lock, in place of eight seconds."""
    monkeypatch.setattr(connections, "BUSY_SECONDS", 0.1)


@pytest.fixture
def frozen(store: Store) -> FrozenSurvey:
    return opened(store, SAMPLED)


def body_of(number: int, fingerprint: str) -> dict[str, Any]:
    """The response of the respondent of this number. Its random id is drawn from a seed."""
    generator = random.Random(number)
    return {
        "id": generator.randbytes(16).hex(),
        "fingerprint": fingerprint,
        "reports": drawn(generator, PICKED),
    }


def assert_holds(store: Store, bodies: list[dict[str, Any]]) -> None:
    """The table and the counts have exactly these responses, each once."""
    expected = [stored(body["reports"]) for body in sorted(bodies, key=lambda body: body["id"])]
    assert list(store.responses.rows("health")) == expected
    assert store.counts.by_question("health") == tallied(expected)


def assert_unavailable(reply: TestResponse) -> None:
    """503 with one sentence that does not repeat the database's error, and with Retry-After."""
    assert reply.status_code == 503
    assert reply.mimetype == "application/json"
    assert list(reply.get_json()) == ["error"]
    sentence = reply.get_json()["error"]
    assert sentence.endswith(".")
    assert "again" in sentence
    for inner in (
        "sqlite",
        "locked",
        "full",
        "readonly",
        "query",
        "disk",
        "Traceback",
        "responses_",
    ):
        assert inner not in sentence
    assert int(reply.headers["Retry-After"]) > 0


# --- locked, full, read-only ----------------------------------------------------------------------


@contextmanager
def locked(database: str) -> Iterator[None]:
    """A writer that never finishes. For SQLite it is another process."""
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def full(store: Any) -> Iterator[None]:
    """No page can be added: SQLite reports that the database or disk is full."""
    with store.database.reading() as db:
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        yield
        db.execute("PRAGMA max_page_count = 1000000")


@contextmanager
def read_only(store: Any) -> Iterator[None]:
    with store.database.reading() as db:
        db.execute("PRAGMA query_only = ON")
        yield
        db.execute("PRAGMA query_only = OFF")


@contextmanager
def no_more_bytes(settings: Settings) -> Iterator[None]:
    """The operating system refuses to extend any file beyond the present size of the log.

    The page limit has its effect within INSERT. This limit has its effect within COMMIT.
    """
    size = Path(f"{settings.database}-wal").stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_locked_database_is_503_and_works_again_after(
    client: FlaskClient, store: Store, frozen: FrozenSurvey, settings: Settings
) -> None:
    bodies = [body_of(number, frozen.fingerprint) for number in range(3)]
    assert client.post(PATH, json=bodies[0]).status_code == 201
    with locked(settings.database):
        for body in bodies:
            assert_unavailable(client.post(PATH, json=body))
        # Readers do not wait for writers.
        assert client.get("/s/health").status_code == 200
        assert client.get("/s/health.json").status_code == 200
        assert_holds(store, bodies[:1])
    assert [client.post(PATH, json=body).status_code for body in bodies] == [200, 201, 201]
    assert_holds(store, bodies)


def test_a_short_lock_is_waited_for(
    app: Flask, store: Any, frozen: FrozenSurvey, settings: Settings, monkeypatch
) -> None:
    """No request fails because of another writer's few milliseconds."""
    monkeypatch.setattr(connections, "BUSY_SECONDS", 20)
    store.database.pool.close_free()  # so that the next connection waits longer
    statuses: list[int] = []
    body = body_of(1, frozen.fingerprint)

    def post() -> None:
        statuses.append(app.test_client().post(PATH, json=body).status_code)

    with locked(settings.database):
        thread = threading.Thread(target=post)
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()
        assert statuses == []
    thread.join()
    assert statuses == [201]
    assert_holds(store, [body])


def test_a_read_only_database_is_503_and_works_again_after(
    client: FlaskClient, store: Store, frozen: FrozenSurvey
) -> None:
    bodies = [body_of(number, frozen.fingerprint) for number in range(3)]
    with read_only(store):
        for body in bodies:
            assert_unavailable(client.post(PATH, json=body))
        assert client.get("/s/health").status_code == 200
    assert_holds(store, [])
    assert [client.post(PATH, json=body).status_code for body in bodies] == [201] * 3
    assert_holds(store, bodies)


def post_all(client: FlaskClient, bodies: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """The bodies, by the status of their answers. Refusals are checked."""
    by_status: dict[int, list[dict[str, Any]]] = {}
    for body in bodies:
        reply = client.post(PATH, json=body)
        by_status.setdefault(reply.status_code, []).append(body)
        if reply.status_code != 201:
            assert_unavailable(reply)
    return by_status


@pytest.mark.slow
def test_a_full_disk_is_503_and_everything_succeeds_once_there_is_space(
    client: FlaskClient, store: Store, frozen: FrozenSurvey
) -> None:
    """A row takes about 200 bytes of pages of 4,096, so most of 300 do not fit."""
    bodies = [body_of(number, frozen.fingerprint) for number in range(300)]
    with full(store):
        first = post_all(client, bodies)
        assert set(first) == {201, 503}
        assert len(first[503]) > 150
        assert client.get("/s/health").status_code == 200
        # Stored responses are acknowledged again even now.
        assert client.post(PATH, json=first[201][0]).status_code == 200
        assert_holds(store, first[201])
    second = post_all(client, first[503])
    assert set(second) == {201}  # all of them at once, on the same connection
    assert_holds(store, bodies)


def test_a_commit_that_finds_no_space_is_503_and_all_succeeds_after(
    client: FlaskClient, store: Any, frozen: FrozenSurvey, settings: Settings
) -> None:
    bodies = [body_of(number, frozen.fingerprint) for number in range(100)]
    assert set(post_all(client, bodies[:10])) == {201}
    with no_more_bytes(settings):
        assert set(post_all(client, bodies[10:])) == {503}
        with store.database.reading() as db:
            assert not db.conn.in_transaction
        assert_holds(store, bodies[:10])
    assert set(post_all(client, bodies[10:])) == {201}
    assert_holds(store, bodies)
    with closing(sqlite3.connect(settings.database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_failed_commit_that_leaves_its_transaction_open_does_not_stop_the_next(
    client: FlaskClient, store: Any, frozen: FrozenSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some faults SQLite has ended the transaction by itself, after others it has not.

    In the second case each BEGIN would fail until a rollback.
    """
    bodies = [body_of(number, frozen.fingerprint) for number in range(20)]
    with store.database.reading() as db:
        execute = db.execute

        def no_commit(statement: str, *parameters: Any) -> sqlite3.Cursor:
            if statement == "COMMIT":
                raise sqlite3.OperationalError("database or disk is full")
            return execute(statement, *parameters)

        with monkeypatch.context() as patch:
            patch.setattr(db, "execute", no_commit)
            assert set(post_all(client, bodies)) == {503}
        assert not db.conn.in_transaction
    assert_holds(store, [])
    assert set(post_all(client, bodies)) == {201}
    assert_holds(store, bodies)


def test_a_fault_between_row_and_counts_leaves_neither(
    client: FlaskClient, store: Any, frozen: FrozenSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row and counts are one transaction: a fault in between undoes both."""
    body = body_of(1, frozen.fingerprint)

    def broken(*arguments: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(store.counts, "add_to_counts", broken)
        assert_unavailable(client.post(PATH, json=body))
    assert_holds(store, [])
    assert client.post(PATH, json=body).status_code == 201
    assert_holds(store, [body])


# --- replies lost, servers doubled ----------------------------------------------------------------


def test_a_reply_lost_after_the_commit_is_200_on_retry_and_counted_once(
    live: Live, client: FlaskClient
) -> None:
    """The client sends, closes the connection, and never reads the reply."""
    frozen = opened(live.store, SAMPLED)
    port = int(live.url.rsplit(":", 1)[1])
    bodies = [body_of(number, frozen.fingerprint) for number in range(20)]
    for number, body in enumerate(bodies, start=1):
        content = json.dumps(body)
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(
                f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(content)}\r\n\r\n{content}".encode()
            )
        wait_until(
            lambda n=number: (
                sum(live.store.counts.by_question("health").get("sleep", {}).values()) == n
            )
        )
        assert client.post(PATH, json=body).status_code == 200
    assert_holds(live.store, bodies)


def post(port: int, body: dict[str, Any] | bytes, source: str = "127.0.0.1", **headers: str) -> int:
    """The status of one POST over a connection of its own."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    query = headers.pop("query", "")
    kept = {"Content-Type": "application/json"}
    kept |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = HTTPConnection("127.0.0.1", port, timeout=20, source_address=(source, 0))
    with closing(connection):
        connection.request("POST", PATH + query, content, kept)
        reply = connection.getresponse()
        reply.read()
        return reply.status


def port_of(address: str) -> int:
    return int(address.rsplit(":", 1)[1])


@pytest.mark.slow
@soak
def test_two_servers_given_the_same_ids_at_once_record_each_once(tmp_path: Path) -> None:
    """Two processes on one file. Each id goes to both at the same moment."""
    database = tmp_path / "candor.db"
    store = open_store(str(database))
    frozen = opened(store, SAMPLED | {"batch": 25})
    bodies = [body_of(number, frozen.fingerprint) for number in range(AT_TWO)]
    together = threading.Barrier(2, timeout=60)
    statuses: list[list[int]] = [[], []]

    def feed(server: int, port: int) -> None:
        for body in bodies:
            together.wait()
            statuses[server].append(post(port, body))

    with ExitStack() as stack:
        servers = [stack.enter_context(serving_at_once(database)) for _ in range(2)]
        threads = [
            threading.Thread(target=feed, args=[number, port_of(address)])
            for number, (address, _, _) in enumerate(servers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    pairs = [sorted(pair) for pair in zip(*statuses, strict=True)]
    assert pairs == [[200, 201]] * AT_TWO
    # Both servers won some races. At even odds, one wins all 100 with probability 2^-99.
    assert {200, 201} == set(statuses[0]) == set(statuses[1])
    # All batches are full, and none of them is lost or published twice.
    assert_holds(store, bodies)
    assert store.counts.published_and_waiting("health") == (AT_TWO, 0)
    store.close()


# --- logs -----------------------------------------------------------------------------------------

# All of 127.0.0.0/8 is this machine. No byte of the address is an ASCII letter: the search ignores
# case, so letters would be found by chance more often.
ADDRESS = "127.166.177.188"
CANARIES = {
    "User_Agent": "CanaryAgent",
    "Referer": "http://canary-referer.example",
    "Accept_Language": "CanaryLanguage",
    "Cookie": "CanaryCookie",
    "X_Forwarded_For": "203.0.113.77",
    "X_Real_IP": "203.0.113.78",
    "Forwarded": "203.0.113.79",
    "query": "?CanaryQuery",
}
IN_BODIES = "CanaryAnswer"


def wanted() -> set[bytes]:
    """Everything about the sender that must be nowhere, in lower case.

    It is searched as text and in hexadecimal, the address also as its four bytes and as one number.

    The ids come from seeds, so they are the same in each run. Other random bytes in the files
    (salts, checksums, keys) are fewer than 10,000. Four given bytes are among them with a
    probability of 2^-18.
    """
    packed = socket.inet_aton(ADDRESS)
    found = {packed.lower(), str(int.from_bytes(packed, "big")).encode(), packed.hex().encode()}
    for text in (ADDRESS, IN_BODIES, *(canary.lstrip("?") for canary in CANARIES.values())):
        for spelling in (text, text.lower()):
            found |= {spelling.lower().encode(), spelling.encode().hex().encode()}
    return found


def hits(content: bytes) -> set[bytes]:
    lowered = content.lower()
    return {canary for canary in wanted() if canary in lowered}


@pytest.mark.parametrize(
    "line",
    [
        b'127.166.177.188 - - "POST /s/health/responses HTTP/1.1" 201',
        b"\x00\x10" + socket.inet_aton(ADDRESS) + b"\x00",
        b"peer=7fa6b1bc",
        b"Mozilla canaryAGENT/7.7",
        b"CanaryAnswer".hex().encode(),
        b"canaryanswer".hex().upper().encode(),
    ],
)
def test_control_the_search_finds_each_spelling(line: bytes) -> None:
    assert hits(line)


def send_everything(port: int, fingerprint: str, database: Path) -> dict[str, int]:
    """Every kind of answer to a response, each requested with the canaries."""

    def send(body: dict[str, Any] | bytes, **headers: str) -> int:
        return post(port, body, source=ADDRESS, **{**CANARIES, **headers})

    def changed(number: int, **members: Any) -> dict[str, Any]:
        return {**body_of(number, fingerprint), **members}

    good = body_of(1, fingerprint)
    other = {**good["reports"], "sleep": "0", "remarks": "Other"}
    statuses = {
        "new": send(good),
        "again": send(good),
        "conflict": send({**good, "reports": other}),
        "not JSON": send(f'{{"answer": "{IN_BODIES}"'.encode()),
        "another member": send(changed(2, answer=IN_BODIES)),
        "stale": send(changed(2, fingerprint=IN_BODIES)),
        "wrong report": send(changed(2, reports={**good["reports"], "sleep": IN_BODIES})),
        "wrong text": send(changed(2, reports={**good["reports"], "remarks": IN_BODIES + "\0"})),
        "unknown question": send(changed(2, reports={IN_BODIES: "0"})),
        "all reported": send(changed(2, reports=drawn(random.Random(2)))),
        "too long": send(IN_BODIES.encode() * (MAX_BODY_BYTES // 12 + 1)),
        "another type": send(good, Content_Type=f"text/{IN_BODIES}"),
        "encoded": send(good, Content_Encoding=IN_BODIES),
        "other site": send(good, Origin=f"http://{IN_BODIES}.example"),
    }
    with closing(sqlite3.connect(database, isolation_level=None)) as other_process:
        # An unforeseen fault in the database, so that a traceback is logged.
        other_process.execute(
            "CREATE TRIGGER fault BEFORE INSERT ON responses_health"
            " BEGIN SELECT RAISE(ABORT, 'a fault on purpose'); END"
        )
        statuses["fault"] = send(changed(3))
        other_process.execute("DROP TRIGGER fault")
        other_process.execute("ALTER TABLE counts RENAME TO gone")
        statuses["unavailable"] = send(changed(4))
        other_process.execute("ALTER TABLE gone RENAME TO counts")
    statuses["after"] = send(changed(5))
    return statuses


@pytest.mark.slow
def test_neither_logs_nor_files_tell_who_sent_a_response(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "candor.db"
    store = open_store(str(database))
    frozen = opened(store, SAMPLED)
    store.close()
    with serving(database) as (address, process, greeting):
        statuses = send_everything(port_of(address), frozen.fingerprint, database)
        with socket.create_connection(
            ("127.0.0.1", port_of(address)), source_address=(ADDRESS, 0)
        ) as connection:
            connection.sendall(b"\0 no HTTP at all: " + IN_BODIES.encode() + b"\r\n\r\n")
            while connection.recv(65_536):
                pass
        log = Path(f"{database}-wal").read_bytes() + Path(f"{database}-shm").read_bytes()
        process.send_signal(signal.SIGTERM)  # not SIGKILL, because its last output counts too
        process.wait(20)
        assert process.stdout is not None
        printed = greeting + process.stdout.read()
    printed += capfd.readouterr().err
    assert statuses == {
        "new": 201,
        "again": 200,
        "conflict": 409,
        "not JSON": 400,
        "another member": 400,
        "stale": 409,
        "wrong report": 422,
        "wrong text": 422,
        "all reported": 400,
        "unknown question": 422,
        "too long": 413,
        "another type": 415,
        "encoded": 415,
        "other site": 403,
        "fault": 500,
        "unavailable": 503,
        "after": 201,
    }
    # The search covers the right files: they have the expected content.
    assert "Candor is running" in printed
    assert "SQLITE_CONSTRAINT_TRIGGER" in printed
    assert bytes.fromhex(body_of(1, frozen.fingerprint)["id"]) in log
    assert hits(printed.encode()) == set()
    assert hits(log) == set()
    for file in tmp_path.iterdir():
        assert hits(file.read_bytes()) == set(), file.name
    # Nor is the response itself printed.
    assert not any(body_of(k, frozen.fingerprint)["id"] in printed for k in range(1, 6))


# --- exports --------------------------------------------------------------------------------------


def test_an_export_is_streamed_while_responses_arrive(
    app: Flask, researcher: Researcher, store: Store
) -> None:
    """The export has every row that existed at its start, and nobody waits for its end."""
    frozen = opened(store, SAMPLED)
    early = [body_of(number, frozen.fingerprint) for number in range(200)]
    for body in early:
        reports = stored(body["reports"])
        store.responses.add_response("health", Response(bytes.fromhex(body["id"]), reports))
    # Many more rows. Only the first pieces are read before others arrive.
    generator = random.Random("many")
    insert(store, [Response(generator.randbytes(16), row) for row in rows_in_turn(5_000)])
    reply = researcher.client.get("/admin/surveys/health/responses.csv", buffered=False)
    assert reply.status_code == 200
    assert "Content-Length" not in reply.headers  # Its end is unknown at the start.
    pieces = reply.iter_encoded()
    text = next(pieces).decode()
    late = [body_of(number, frozen.fingerprint) for number in range(1_000, 1_020)]
    client = app.test_client()
    assert [client.post(PATH, json=body).status_code for body in late] == [201] * 20
    text += b"".join(pieces).decode()
    reply.close()
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    assert header[0] == "smokes.randomised"
    assert header[-1] == "remarks"
    assert 5_200 <= len(lines) <= 5_220  # It may contain responses that arrive meanwhile.
    assert {len(line) for line in lines} == {len(header)}
    whole = "".join(responses_csv(frozen, [*map(stored, map(reports_in, early + late)), *ROWS]))
    assert {*map(tuple, lines)} <= {*map(tuple, csv.reader(io.StringIO(whole, newline="")))}
    again = researcher.client.get("/admin/surveys/health/responses.csv").get_data(as_text=True)
    assert len(list(csv.reader(io.StringIO(again, newline="")))) == 1 + 5_220


ROWS = [stored(drawn(random.Random(number), PICKED)) for number in range(100)]


def rows_in_turn(n: int) -> Iterator[Row]:
    """n rows without memory of their own."""
    return islice(cycle(ROWS), n)


def reports_in(body: dict[str, Any]) -> dict[str, str]:
    return body["reports"]


def insert(store: Any, batch: list[Response]) -> None:
    """Rows without their counts."""
    values = [[response.id, *response.reports] for response in batch]
    places = ", ".join("?" * len(values[0]))
    with store.database.transaction() as db:
        db.conn.executemany(f"INSERT INTO responses_health VALUES ({places})", values)


def peak_of_export(frozen: FrozenSurvey, n: int) -> int:
    """The largest memory in bytes while n rows go from a generator through the export."""
    tracemalloc.start()
    try:
        characters = sum(len(piece) for piece in responses_csv(frozen, rows_in_turn(n)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert characters > n * 33  # a character for each cell
    return peak


@pytest.mark.slow
def test_the_memory_of_an_export_does_not_grow_with_it() -> None:
    frozen = freeze(parse_survey(SAMPLED), to_open=False)
    peak_of_export(frozen, 2_000)  # Things that are loaded once are loaded here.
    small, large = peak_of_export(frozen, 2_000), peak_of_export(frozen, 12_000)
    assert large < 2 * small
    # A control: an export that is gathered before it is sent does grow.
    tracemalloc.start()
    gathered = "".join(responses_csv(frozen, rows_in_turn(12_000)))
    assert tracemalloc.get_traced_memory()[1] > 2 * small
    tracemalloc.stop()
    assert gathered


@pytest.mark.slow
def test_the_memory_of_reading_responses_does_not_grow_with_them(store: Any) -> None:
    """Python's memory. SQLite's own page cache has a fixed size."""
    opened(store, SAMPLED)
    peaks = []
    generator = random.Random(8)
    for more in (3_000, 27_000):
        insert(store, [Response(generator.randbytes(16), row) for row in rows_in_turn(more)])
        sum(1 for _ in store.responses.rows("health"))  # The first reading fills its caches.
        tracemalloc.start()
        n = sum(1 for _ in store.responses.rows("health"))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert n >= more
    assert peaks[1] < 2 * peaks[0], peaks
