"""Health and readiness: immediate under any load, and until a server has stopped."""

import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask

from survey.core.errors import StoreUnavailable
from survey.server import group_commit, health
from survey.server.health import LEAVING_SECONDS, STALE_SECONDS, HealthMonitor
from survey.server.http import wsgi_threads
from survey.server.settings import Settings
from survey.store import Store, open_store
from tests.server.read_metrics import BEARER, TOKEN, Hands, figures, samples
from tests.support.asgi_servers import Running, started
from tests.support.definitions import definition, opened, yes_no


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, metrics_token=TOKEN)


@pytest.fixture
def there(app: Flask, settings: Settings, store: Store) -> Iterator[Running]:
    with started(app, settings, opened(store, definition(yes_no()))) as running:
        yield running


# --- alive and ready ------------------------------------------------------------------------------
def test_it_is_alive_and_ready_whatever_the_name_that_it_is_asked_by(
    app: Flask, settings: Settings, store: Store
) -> None:
    settings = replace(settings, admin_url="http://research.example:8000", requests_a_minute=1)
    with started(app, settings, opened(store, definition(yes_no()))) as running:
        for host in ("127.0.0.1", "research.example:8000", "10.0.0.7", "x" * 300):
            for path, state in (("/healthz", b"alive"), ("/readyz", b"ready")):
                for method in ("GET", "HEAD"):
                    status, headers, content = running.ask(method, path, Host=host)
                    assert status == 200
                    assert content == (b'{"status": "%b"}' % state if method == "GET" else b"")
                    assert "server" not in headers
        status, headers, _ = running.ask("POST", "/readyz", b"")
        assert (status, headers["allow"]) == (405, "GET, HEAD")


def test_they_are_not_throttled_and_not_counted(there: Running) -> None:
    there.front.limit = replace(there.front.limit, most=2)
    there.front.sender = lambda scope: "203.0.113.9"
    for _ in range(5):
        assert there.ask("GET", "/healthz")[0] == there.ask("GET", "/readyz")[0] == 200
    assert sum(there.front.metrics.counts["candor_requests"].values()) == 0
    assert [there.ask("GET", "/how")[0] for _ in range(3)] == [200, 200, 429]


def test_they_answer_at_once_while_500_requests_wait_for_a_thread(
    there: Running, app: Flask
) -> None:
    free = threading.Event()

    @app.get("/slow")
    def slow() -> str:
        free.wait(30)
        return "done"

    request = b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"
    waiting = [
        there.connect(request)
        for _ in range(wsgi_threads.THREADS + wsgi_threads.MAX_WAITING_REQUESTS)
    ]
    end = time.monotonic() + 20
    while not there.front.threads.respondents.full and time.monotonic() < end:
        time.sleep(0.01)
    assert there.ask("GET", "/")[0] == 503  # Respondents' pages are not available.
    assert there.ask("GET", "/how")[0] == 200  # Explanations have a thread of their own.
    began = time.monotonic()
    for path in ("/healthz", "/readyz", "/metrics"):
        assert there.ask("GET", path, **BEARER)[0] == 200, path
    assert time.monotonic() - began < 10  # The slow requests last 30 s.
    free.set()
    for connection in waiting:
        connection.close()


def test_without_a_database_it_is_alive_and_not_ready(
    there: Running, settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    database = Path(settings.database)
    moved = database.with_name("moved.db")
    database.rename(moved)
    there.front.watch.look()
    assert there.ask("GET", "/healthz")[0] == 200
    status, headers, content = there.ask("GET", "/readyz")
    assert (status, headers["retry-after"]) == (503, "5")
    assert content == b'{"error": "The database cannot be written just now."}'
    assert figure(there, "candor_ready") == 0
    assert figure(there, "candor_database_failed_looks_total") >= 1
    moved.rename(database)
    there.front.watch.look()
    assert there.ask("GET", "/readyz")[0] == 200
    assert figure(there, "candor_ready") == 1


def test_the_server_looks_by_itself(
    app: Flask, settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "LOOK_SECONDS", 0.01)
    looks = threading.Semaphore(0)
    monkeypatch.setattr(store.responses, "require_writable", looks.release)
    with started(app, settings, opened(store, definition(yes_no()))):
        assert all(looks.acquire(timeout=20) for _ in range(4))


def test_a_database_that_others_hold_is_not_writable_and_nothing_is_written(
    store: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: path.read_bytes() for path in Path(settings.database).parent.glob("candor.db*")}
    store.responses.require_writable()
    after = {path: path.read_bytes() for path in Path(settings.database).parent.glob("candor.db*")}
    assert {k: v for k, v in before.items() if "shm" not in k.name} == {
        k: v for k, v in after.items() if "shm" not in k.name
    }
    monkeypatch.setattr("survey.store.sqlite.connections.BUSY_SECONDS", 0.05)
    other = open_store(settings.database)
    with closing(sqlite3.connect(settings.database)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable):
            other.responses.require_writable()
    other.responses.require_writable()
    other.close()


def test_a_full_disk_is_not_writable(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 4_096}))
    with pytest.raises(StoreUnavailable, match="full"):
        store.responses.require_writable()


def test_a_full_queue_and_a_look_that_does_not_end_are_not_ready(store: Store) -> None:
    clock = Hands()
    watch = HealthMonitor(store, clock=clock)
    assert watch.unready(crowded=False) == health.STARTING
    watch.look()
    assert watch.unready(crowded=False) == ""
    assert watch.unready(crowded=True) == health.CROWDED
    clock.seconds += STALE_SECONDS + 1
    assert watch.unready(crowded=False) == health.NO_DATABASE


def test_a_full_queue_is_seen_at_the_address(
    there: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "MAX_WAITING_ITEMS", 0)
    status, _, content = there.ask("GET", "/readyz")
    assert (status, content) == (503, b'{"error": "Too many people are here at this moment."}')


# --- the end of a server --------------------------------------------------------------------------
def test_it_says_that_it_stops_before_it_does_if_anyone_asks(store: Store) -> None:
    clock = Hands()
    watch = HealthMonitor(store, clock=clock)
    watch.look()
    assert not watch.may_stop
    watch.answer("GET", "/readyz", b"", crowded=False)
    clock.seconds += 5
    watch.leave()
    said = watch.answer("GET", "/readyz", b"", crowded=False)
    assert said is not None
    assert said.status == 503
    assert b"being stopped" in said.content
    clock.seconds += LEAVING_SECONDS - 1
    assert not watch.may_stop
    clock.seconds += 1
    assert watch.may_stop


@pytest.mark.parametrize("asked", [None, health.LATELY_SECONDS + 1])
def test_it_stops_at_once_if_nobody_asked_lately(store: Store, asked: float | None) -> None:
    clock = Hands()
    watch = HealthMonitor(store, clock=clock)
    if asked is not None:
        watch.answer("GET", "/readyz", b"", crowded=False)
        clock.seconds += asked
    watch.leave()
    assert watch.may_stop


def test_told_to_stop_the_server_serves_on_until_the_proxy_knows(there: Running) -> None:
    serving = there.listening
    assert there.ask("GET", "/readyz")[0] == 200
    serving.handle_exit(signal.SIGTERM, None)
    assert not serving.should_exit
    assert there.ask("GET", "/readyz")[0] == 503
    assert there.post()[0] == 201
    serving.handle_exit(signal.SIGTERM, None)  # a second signal, for an immediate end
    assert serving.should_exit


def figure(client: Running, *key: str) -> float:
    return samples(figures(client))[key]
