"""The front: it acknowledges like the route, in order, and slow clients harm nobody."""

import json
import resource
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, g
from flask.testing import FlaskClient

from app import MAX_FORM_BYTES, create_app
from bench import ingestion
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.parse_response import MAX_BODY_BYTES
from survey.server import group_commit
from survey.server.http import connection_limits, wsgi_threads
from survey.server.http.security_headers import HEADERS
from survey.server.settings import Settings
from survey.store import Store, open_store
from survey.store.sqlite import connections
from tests.support.asgi_servers import HALVES, JSON, PATH, Client, Running, started
from tests.support.definitions import definition, opened, yes_no
from tests.support.lengths import length, soak
from tests.support.servers import serving
from tests.support.waiting import wait_until

SCRIPT = "/static/respondent/respond.js"


@pytest.fixture
def frozen(store: Store) -> FrozenSurvey:
    return opened(store, definition(yes_no(), batch=1))


@pytest.fixture
def there(app: Flask, settings: Settings, frozen: FrozenSurvey) -> Iterator[Running]:
    with started(app, settings, frozen) as running:
        yield running


# --- its answers ----------------------------------------------------------------------------------


def test_it_acknowledges_in_the_very_bytes_of_the_route(there: Running, app: Flask) -> None:
    client: FlaskClient = app.test_client()
    one, other = there.body(), there.body()
    for status in (201, 200):  # The second answer is for a stored response.
        found, headers, content = there.post(one)
        headers.pop("date")
        reply = client.post(PATH, data=other, headers=JSON)
        assert found == reply.status_code == status
        assert content == reply.data
        assert headers == {name.lower(): value for name, value in reply.headers.items()}


def test_a_site_with_https_says_so_on_both_ways(
    settings: Settings, store: Store, frozen: FrozenSurvey
) -> None:
    secure = replace(settings, url="https://survey.example.org")
    app = create_app(secure)
    with started(app, secure, frozen) as running:
        _, headers, _ = running.post()
    assert headers["strict-transport-security"].startswith("max-age=")
    app.extensions["candor.store"].close()


def test_what_is_refused_is_refused_by_the_route(there: Running, store: Store) -> None:
    first = there.body()
    number = json.loads(first)["id"]
    refused = {
        400: [b"{}", b"no JSON", there.body(id="0")],
        404: [],
        409: [there.body(fingerprint="0"), there.body(id=number, reports={"smokes": "0"})],
        422: [there.body(reports={"smokes": "9"}), there.body(reports={})],
    }
    assert there.post(first)[0] == 201
    for status, bodies in refused.items():
        for body in bodies:
            found, headers, content = there.post(body)
            assert found == status, content
            assert json.loads(content)["error"].endswith(".")
            assert headers["content-security-policy"]
    assert there.post(path="/s/nowhere/responses")[0] == 404
    assert there.post(Content_Type="text/plain")[0] == 415
    assert there.post(Content_Encoding="gzip")[0] == 415
    assert there.post(Sec_Fetch_Site="cross-site")[0] == 403
    assert there.post(Origin="http://elsewhere.example")[0] == 403
    assert there.ask("GET", PATH)[0] == 405
    store.lifecycle.set_state("health", "closed")
    assert there.post()[0] == 410
    assert there.post(first)[0] == 200
    assert store.counts.number_of_responses("health") == 1


def test_this_site_and_programs_are_served(there: Running) -> None:
    assert there.post(Sec_Fetch_Site="same-origin", Origin="http://whatever")[0] == 201
    assert there.post(Origin=f"http://127.0.0.1:{there.port}")[0] == 201
    assert there.post(path=f"{PATH}?language=th")[0] == 201


def test_on_the_host_of_researchers_no_response_is_taken(
    settings: Settings, store: Store, frozen: FrozenSurvey
) -> None:
    apart = replace(settings, url="http://survey.example.org", admin_url="http://admin.example.org")
    app = create_app(apart)
    with started(app, apart, frozen) as running:
        assert running.post(Host="admin.example.org")[0] == 404
        assert running.post(Host="survey.example.org")[0] == 201
    app.extensions["candor.store"].close()


def test_a_name_that_is_not_the_servers_is_answered_nothing(there: Running, store: Store) -> None:
    """Any domain name may resolve to this server, and its pages would count as ours."""
    rebound = {"Host": "evil.example", "Origin": "http://evil.example"}
    status, headers, content = there.post(Sec_Fetch_Site="same-origin", **rebound)
    assert status == 421
    assert "CANDOR_URL" in json.loads(content)["error"]
    assert headers["content-security-policy"]
    assert store.counts.number_of_responses("health") == 0
    for path in ("/", "/s/health", "/s/health.json", "/admin/sign-in", SCRIPT):
        assert there.ask("GET", path, Host="evil.example")[0] == 421, path
    assert there.ask("GET", "/healthz", Host="evil.example")[0] == 200
    assert there.post(Host="localhost")[0] == 201


def test_pages_files_and_errors_come_through(there: Running, app: Flask) -> None:
    client = app.test_client()
    for path in ("/", "/s/health", "/s/health.json", SCRIPT, "/nowhere", "/%ff%00"):
        for method in ("GET", "HEAD"):
            status, headers, content = there.ask(method, path)
            with client.open(path, method=method) as reply:
                assert (status, content) == (reply.status_code, reply.data), path
                assert headers["content-type"] == reply.headers["Content-Type"]
    status, headers, _ = there.ask("GET", "/s/health", Accept_Language="vi", Cookie="a=b")
    assert "set-cookie" not in headers


def test_requests_share_nothing_of_what_flask_keeps_for_each(there: Running, app: Flask) -> None:
    @app.get("/kept")
    def kept() -> str:
        before = g.get("visitor", "nobody")
        g.visitor = "somebody"
        return str(before)

    for _ in range(3):
        assert there.ask("GET", "/kept")[2] == b"nobody"


def test_many_at_once_share_commits(
    there: Running, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups: list[int] = []
    add_all = store.responses.add_all

    def counted(sent: Any) -> Any:
        groups.append(len(sent))
        if len(groups) == 1:  # a disk that is so slow that all others arrive meanwhile
            wait_until(lambda: len(sent) + len(there.front.gathering.waiting) == 64)
        return add_all(sent)

    monkeypatch.setattr(store.responses, "add_all", counted)
    bodies = [there.body() for _ in range(64)]
    statuses: list[int] = []
    clients = [
        threading.Thread(target=lambda body=body: statuses.append(there.post(body)[0]))
        for body in bodies
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert statuses == [201] * 64
    assert store.counts.number_of_responses("health") == sum(groups) == 64
    assert len(groups) == 2


# --- too much -------------------------------------------------------------------------------------


def test_a_full_queue_is_503_with_a_time_to_come_again_and_then_all_is_taken(
    there: Running, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "MAX_WAITING_ITEMS", 4)
    free = threading.Event()
    add_all = store.responses.add_all
    monkeypatch.setattr(store.responses, "add_all", lambda sent: free.wait(20) and add_all(sent))
    bodies = [there.body() for _ in range(40)]
    told: dict[bytes, tuple[int, dict[str, str], bytes]] = {}
    clients = [
        threading.Thread(target=lambda body=body: told.update({body: there.post(body)}))
        for body in bodies
    ]
    for client in clients:
        client.start()
    end = time.monotonic() + 20
    while len(told) < 20 and time.monotonic() < end:
        time.sleep(0.01)
    assert len(told) >= 20  # while the database does not respond
    for status, headers, content in list(told.values()):  # More replies arrive meanwhile.
        assert status == 503
        assert headers["retry-after"] == "5"
        assert json.loads(content)["error"].endswith(".")
    free.set()
    for client in clients:
        client.join()
    again = [body for body, (status, _, _) in told.items() if status == 503]
    assert all(there.post(body)[0] == 201 for body in again)
    assert store.counts.number_of_responses("health") == 40


@contextmanager
def locked(store: Any) -> Iterator[None]:
    with closing(sqlite3.connect(store.database.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def full(store: Any) -> Iterator[None]:
    """No file may grow, so the commit itself finds no room."""
    size = Path(f"{store.database.path}-wal").stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def read_only(store: Any) -> Iterator[None]:
    for switch in ("ON", "OFF"):
        for db in store.database.pool.opened:
            db.execute(f"PRAGMA query_only = {switch}")
        if switch == "ON":
            yield


@pytest.mark.parametrize("fault", [locked, full, read_only], ids=lambda fault: fault.__name__)
def test_what_the_database_suffers_is_503_for_all_and_then_all_are_taken(
    there: Running, store: Any, fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BUSY_SECONDS", 0.3)
    assert there.post()[0] == 201  # The thread that writes has its connection.
    for db in store.database.pool.opened:
        db.execute("PRAGMA busy_timeout = 300")
    bodies = [there.body() for _ in range(40)]
    replies: list[tuple[int, float]] = []

    def send(body: bytes) -> None:
        start = time.monotonic()
        status, headers, content = there.post(body)
        assert headers["retry-after"] == "5"
        assert json.loads(content)["error"].endswith(".")
        replies.append((status, time.monotonic() - start))

    with fault(store):
        clients = [threading.Thread(target=send, args=[body]) for body in bodies]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        assert there.ask("GET", "/s/health")[0] == 200
    assert [status for status, _ in replies] == [503] * 40
    # No group waits twice for the database.
    assert max(took for _, took in replies) < 10
    assert not any(db.conn.in_transaction for db in store.database.pool.opened)
    assert store.counts.number_of_responses("health") == 1
    assert [there.post(body)[0] for body in bodies] == [201] * 40
    assert store.counts.number_of_responses("health") == 41


def test_a_database_that_is_gone_is_503_and_works_again_when_it_is_back(
    there: Running, settings: Settings, store: Store
) -> None:
    body = there.body()
    database = Path(settings.database)
    away = database.with_suffix(".away")
    database.rename(away)
    status, headers, _ = there.post(body)
    assert (status, headers["retry-after"]) == (503, "5")
    assert there.ask("GET", "/s/health")[0] == 503
    assert not database.exists()  # No empty one was made in its place.
    away.rename(database)
    assert there.post(body)[0] == 201
    assert store.counts.number_of_responses("health") == 1


def test_another_database_in_its_place_is_not_written_to(
    there: Running, settings: Settings
) -> None:
    database = Path(settings.database)
    away = database.rename(database.with_suffix(".away"))
    database.write_bytes(away.read_bytes())
    before = database.read_bytes()
    assert there.post()[0] == 503
    assert database.read_bytes() == before
    database.unlink()
    away.rename(database)
    assert there.post()[0] == 201


def test_a_flood_from_one_address_is_429_and_others_are_served(
    app: Flask, settings: Settings, frozen: FrozenSurvey
) -> None:
    bounded = replace(settings, proxies=1, requests_a_minute=5)
    with started(app, bounded, frozen) as running:
        flood = [running.post(X_Forwarded_For="192.0.2.9, 203.0.113.7") for _ in range(12)]
        # The server accepts five, or ten if a minute ends meanwhile.
        _, headers, content = next(reply for reply in flood if reply[0] == 429)
        assert headers["retry-after"] == "60"
        assert json.loads(content)["error"].endswith(".")
        assert running.post(X_Forwarded_For="192.0.2.9, 203.0.113.8")[0] == 201
        assert all(running.post()[0] == 201 for _ in range(12))  # from the machine itself
        kept = running.front.limiter.counts
        assert "203.0.113" not in repr(kept)
        assert len(kept) <= 2  # The machine itself is not counted.


def test_bodies_have_an_end_and_researchers_a_later_one(there: Running) -> None:
    for path, longest in (
        ("/s/health/responses", 2 * MAX_BODY_BYTES),
        ("/admin/sign-in", MAX_FORM_BYTES),
    ):
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {longest + 1}\r\n\r\n"
        with closing(there.connect(head.encode())) as connection:
            answer = connection.recv(65_536)
            assert answer.startswith(b"HTTP/1.1 413")
            for name in HEADERS:
                assert name.lower().encode() in answer
            assert not connection.recv(65_536).startswith(b"HTTP")


def test_a_gigabyte_is_refused_and_not_held(there: Running) -> None:
    """A body with a length, and one in chunks without an end."""
    before = peak()
    announced = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: {2**30}\r\n\r\n".encode()
    chunked = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    million = b" " * 1_000_000
    for head, piece in ((announced, million), (chunked, b"f4240\r\n" + million + b"\r\n")):
        sent = 0
        with closing(there.connect(head)) as connection:
            with suppress(ConnectionError):
                for _ in range(1_000):
                    connection.sendall(piece)
                    sent += len(piece)
            with suppress(ConnectionError):
                assert connection.recv(65_536)[:12] in (b"HTTP/1.1 413", b"")
        assert sent < 100_000_000
    assert peak() - before < 20_000
    assert there.post()[0] == 201


@soak
def test_what_is_compressed_is_refused_and_never_unpacked(there: Running) -> None:
    """A megabyte that expands to a gigabyte, and a part of it as large as a response may be."""
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(2**20)) for _ in range(length(4, 1024)))
    bomb += packer.flush()
    before = peak()
    for path in (PATH, "/admin/sign-in"):
        for content in (bomb, bomb[: MAX_BODY_BYTES // 2]):  # As a form it has no token.
            refusals = (413, 400) if path.startswith("/admin") else (413, 415)
            assert there.post(content, path, Content_Encoding="gzip")[0] in refusals
    assert peak() - before < 20_000
    assert there.post()[0] == 201


def peak() -> int:
    """The largest memory of this process so far, in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_a_head_without_an_end_is_refused(there: Running) -> None:
    with closing(there.connect(b"GET / HTTP/1.1\r\n")) as connection:
        answer = b""
        with suppress(ConnectionError):
            for _ in range(2_000):
                connection.sendall(b"X-A: " + b"a" * 1_000 + b"\r\n")
            answer = connection.recv(65_536)
        assert answer[:12] in (b"HTTP/1.1 431", b"")
    assert there.post()[0] == 201


# --- too slow -------------------------------------------------------------------------------------


@pytest.mark.slow
@soak
def test_slow_and_idle_clients_keep_nobody_waiting(tmp_path: Path) -> None:
    """Slow clients of the real server, which is its own process.

    It has as many open files as there are clients. `make soak` uses the number of research on
    servers' fronts, where most stop answering at some 20.
    """
    counts = {name: length(150, 10_000 if name == "idle" else 1_000) for name in HALVES}
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, sum(counts.values()) + 500), hard))
    database = tmp_path / "candor.db"
    store = open_store(str(database))
    fingerprint = opened(store, definition(yes_no(), batch=1)).fingerprint
    store.close()
    try:
        with serving(database) as (address, _, _), ExitStack() as held:
            there = Client(int(address.rsplit(":", 1)[1]), fingerprint)
            for name, half in HALVES.items():
                for _ in range(counts[name]):
                    held.enter_context(closing(there.connect(half)))
            took = []
            for _ in range(20):
                start = time.monotonic()
                assert there.post()[0] == 201
                took.append(time.monotonic() - start)
            assert there.ask("GET", "/s/health")[0] == 200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert max(took) < 5  # on a busy machine; 0.01 s alone


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_whoever_sends_no_whole_request_in_time_is_closed(
    there: Running, half: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "CONNECTION_TIMEOUT_SECONDS", 0.5)
    start = time.monotonic()
    with closing(there.connect(half)) as connection:
        with suppress(ConnectionError):
            assert connection.recv(65_536) == b""
        assert 0.3 < time.monotonic() - start < 15
    assert not there.listening.waiting.since


def test_a_drop_at_a_time_does_not_prolong_it(
    there: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "CONNECTION_TIMEOUT_SECONDS", 1)
    with closing(there.connect(HALVES["body"])) as connection:
        start = time.monotonic()
        with suppress(ConnectionError):
            while time.monotonic() - start < 15:
                connection.sendall(b" ")
                time.sleep(0.02)
        assert time.monotonic() - start < 10


@pytest.mark.slow
def test_whoever_does_not_read_is_closed(
    there: Running, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reply without an end. A thread makes a piece only after the last one was taken."""
    made = []

    @app.get("/endless")
    def endless() -> Any:
        def pieces() -> Iterator[bytes]:
            try:
                while True:
                    made.append(1)
                    yield b" " * 100_000
            finally:
                made.append(0)

        return app.response_class(pieces())

    monkeypatch.setattr(connection_limits, "CONNECTION_TIMEOUT_SECONDS", 1)
    with closing(there.connect(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")):
        time.sleep(0.5)
        assert there.ask("GET", "/")[0] == 200
        end = time.monotonic() + 15
        while not made or made[-1]:
            assert time.monotonic() < end
            time.sleep(0.05)
    assert len(made) < 500


def test_of_too_many_connections_the_one_that_waits_longest_gives_way(
    there: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    there.listening.waiting.most = 30
    with ExitStack() as held:
        first = held.enter_context(closing(there.connect(HALVES["head"])))
        for _ in range(60):
            held.enter_context(closing(there.connect(HALVES["body"])))
            if not _ % 10:
                assert there.post()[0] == 201
        with suppress(ConnectionError):
            assert first.recv(10) == b""
        assert len(there.listening.waiting.since) <= 30
        assert there.post()[0] == 201


def test_unfinished_requests_take_only_so_much_memory(
    there: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "MAX_UNFINISHED_BYTES", 1_000_000)
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n".encode()
    with ExitStack() as held:
        for _ in range(30):
            with suppress(ConnectionError):
                held.enter_context(closing(there.connect(head + b" " * 60_000)))
        assert there.post()[0] == 201
        assert there.listening.waiting.unread <= 1_000_000 + 60_000
    end = time.monotonic() + 20
    while there.listening.waiting.unread and time.monotonic() < end:
        time.sleep(0.02)
    assert there.listening.waiting.unread == 0


def test_requests_that_wait_for_a_thread_are_bounded(there: Running, app: Flask) -> None:
    there.front.threads.respondents.most = wsgi_threads.THREADS + 2
    free = threading.Event()

    @app.get("/slow")
    def slow() -> str:
        free.wait(20)
        return "done"

    statuses: list[int] = []
    clients = [
        threading.Thread(target=lambda: statuses.append(there.ask("GET", "/slow")[0]))
        for _ in range(wsgi_threads.THREADS + 6)
    ]
    for client in clients:
        client.start()
    end = time.monotonic() + 20
    while len(statuses) < 4 and time.monotonic() < end:
        time.sleep(0.01)
    assert statuses == [503] * 4
    assert there.post()[0] == 201  # Responses do not wait for pages.
    free.set()
    for client in clients:
        client.join()
    assert sorted(statuses) == [200] * (wsgi_threads.THREADS + 2) + [503] * 4


def test_an_answer_that_is_on_its_way_is_given_before_the_end(
    app: Flask, settings: Settings, frozen: FrozenSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = app.extensions["candor.store"]
    add_all = store.responses.add_all
    under_way = threading.Event()

    def slow(sent: Any) -> Any:
        under_way.set()
        time.sleep(0.3)
        return add_all(sent)

    monkeypatch.setattr(store.responses, "add_all", slow)
    told = []
    with started(app, settings, frozen) as running:
        client = threading.Thread(target=lambda: told.append(running.post()[0]))
        client.start()
        assert under_way.wait(20)
    client.join()
    assert told == [201]
    assert store.counts.number_of_responses("health") == 1


def test_a_fault_that_nobody_foresaw_is_500_for_that_response_alone(
    there: Running, app: Flask, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.config["TESTING"] = False  # Otherwise Flask raises it.
    add_all = store.responses.add_all

    def faulty(sent: Any) -> Any:
        if any(response.id == bytes(15) + b"\x02" for _, response in sent):
            raise ZeroDivisionError
        return add_all(sent)

    monkeypatch.setattr(store.responses, "add_all", faulty)
    assert [there.post()[0] for _ in range(3)] == [201, 500, 201]


# --- the benchmark --------------------------------------------------------------------------------


def test_the_benchmark_counts_what_is_recorded(
    app: Flask, settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion, "WARM", 0.0)
    frozen = ingestion.opened(store)
    with started(app, settings, frozen) as running:
        speed = ingestion.load(running.port, ingestion.requests(frozen, 1), seconds=0.5)
    found = store.counts.number_of_responses("ten")
    # Unfinished requests at the end are recorded and not counted.
    assert 0 < found - speed.per_second * 0.5 <= ingestion.CONNECTIONS
    assert 0 < speed.slowest < 5_000


@pytest.mark.parametrize(
    ("answer", "whole"),
    [
        (b"HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\nabc", True),
        (b"HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\nab", False),
        (b"HTTP/1.1 201 Created\r\nContent-Le", False),
        (b"HTTP/1.1 204 No Content\r\n\r\n", True),
    ],
)
def test_the_benchmark_waits_for_whole_answers(answer: bytes, whole: bool) -> None:
    assert ingestion.whole(answer) == whole


def test_the_benchmark_stops_where_an_answer_is_a_refusal() -> None:
    with pytest.raises(RuntimeError, match="503"):
        ingestion.whole(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
