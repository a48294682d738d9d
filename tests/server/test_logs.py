"""The log: an operator finds what failed and where, and nobody finds who was there."""

import json
import logging
import sqlite3
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from flask import Flask, request

from survey.core.errors import StoreUnavailable
from survey.server import logs
from survey.server.health import HealthMonitor
from survey.server.http.rate_limiter import FLOOD_SECONDS
from survey.server.periodic import repeating
from survey.server.settings import Settings
from survey.store import Store
from survey.store.baseline import BASELINE
from tests.support.asgi_servers import JSON, Running, started
from tests.support.canaries import Canary, address, sweep
from tests.support.definitions import definition, opened, yes_no
from tests.support.servers import serving

SLUG = "canaryslug"
ID = "c0ffee" * 5 + "c0"
WHO = {
    "answer": Canary("CanaryAnswer"),
    "id": Canary(ID),
    "invitation": Canary("CanaryInvitation"),
    "password": Canary("CanaryPassword"),
    "token": Canary("CanaryToken"),
    "query": Canary("CanaryQuery"),
    "header": Canary("CanaryHeader"),
    "slug": Canary(SLUG),
    "local": Canary("CanaryLocal"),
    "detail": Canary("CanaryDetail"),
    "said by a library": Canary("CanaryLibrary"),
    "warned": Canary("CanaryWarning"),
    "address": address("203.0.113.77"),
}


@contextmanager
def kept() -> Iterator[None]:
    """Restore what `configure_logging` changes for the whole process."""
    root, ours = logging.getLogger(), logging.getLogger("candor")
    before = root.handlers[:], root.level, ours.level
    hooks = threading.excepthook, sys.excepthook, sys.unraisablehook
    try:
        yield
    finally:
        logging.captureWarnings(False)
        root.handlers[:], level, our_level = before
        root.setLevel(level)
        ours.setLevel(our_level)
        threading.excepthook, sys.excepthook, sys.unraisablehook = hooks


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


@pytest.fixture
def log() -> Iterator[None]:
    with kept():
        yield


# --- every kind of error --------------------------------------------------------------------------


def failing(canary: str) -> None:
    """An error with a quotation, a note, a local variable, and another error as its cause."""
    local = "CanaryLocal"
    try:
        int(local)
    except ValueError as error:
        error.add_note("CanaryLocal")
        raise KeyError(canary) from error


def by_its_route(running: Running) -> None:
    """A page that fails with the sent text."""
    headers = {
        "Content-Type": "text/plain",
        "X-Forwarded-For": "203.0.113.77",
        "Cookie": "candor=CanaryHeader",
    }
    body = {"id": ID, "answer": "CanaryAnswer", "invitation": "CanaryInvitation"}
    assert running.ask(
        "POST", f"/failing/{SLUG}?token=CanaryToken&q=CanaryQuery", json.dumps(body).encode(),
        **headers,
    )[0] == 500  # fmt: skip


def by_its_database(running: Running, app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failing statement of both databases, and one that cannot be made at all."""
    store = app.extensions["candor.store"]
    detail = f"duplicate key\nDETAIL:  Key (id, reports)=({ID}, CanaryDetail) already exists."
    sent = running.body(id=ID)
    for error in (
        psycopg.errors.UniqueViolation(detail),
        sqlite3.IntegrityError(detail),
        psycopg.errors.InvalidTextRepresentation(f"invalid input: {detail}"),
        OverflowError("CanaryDetail"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(store.responses, "add_all", raising(error))
            assert running.post(sent)[0] == 500
    with monkeypatch.context() as patched:
        patched.setattr(
            store.responses, "require_writable", raising(StoreUnavailable("CanaryDetail"))
        )
        running.front.watch.look()
    running.front.watch.look()


def raising(error: Exception) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail


def by_the_front(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors before the application, in the loop, and in a thread."""
    with monkeypatch.context() as patched:
        patched.setattr(running.front, "read_posted", lambda scope, body: failing(str(body)))
        assert running.post(running.body(id=ID))[0] == 500
    loop = running.listening.servers[0].get_loop()
    loop.call_soon_threadsafe(failing, "CanaryQuery")
    thread = threading.Thread(target=failing, args=["CanaryToken"])
    thread.start()
    thread.join()
    asked = threading.Event()

    def look() -> None:
        asked.set()
        failing("CanaryToken")

    with repeating("compacting", look, 0.001):
        assert asked.wait(20)


class Unraisable:
    """Raises an error in a place without a caller."""

    def __del__(self) -> None:
        failing("CanaryToken")


def by_libraries() -> None:
    """Messages of other libraries, in every form."""
    library = logging.getLogger("psycopg.pool")
    library.warning("error connecting: %s", "CanaryLibrary for 203.0.113.77")
    library.error("CanaryLibrary")
    library.error("values", extra={"facts": {"who": "CanaryLibrary"}})
    library.error("stack", stack_info=True)
    warnings.warn("CanaryWarning", stacklevel=1)
    Unraisable()


def provoke(app: Flask, settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of error, from a visitor whose traces are easy to find."""
    frozen = opened(store, definition(yes_no(), slug=SLUG))
    app.config["TESTING"] = False

    @app.post(f"/failing/{SLUG}")
    def failing_page() -> str:
        password = "CanaryPassword"
        failing(f"{request.url} {request.get_data(as_text=True)} {request.headers} {password}")
        return ""

    app.extensions["csrf"].exempt(failing_page)
    monkeypatch.setattr("tests.support.asgi_servers.PATH", f"/s/{SLUG}/responses")
    with started(app, settings, frozen) as running:
        monkeypatch.setattr(
            Running,
            "post",
            lambda self, body: self.ask("POST", f"/s/{SLUG}/responses", body, **JSON),
        )
        by_its_route(running)
        by_its_database(running, app, monkeypatch)
        by_the_front(running, monkeypatch)
    by_libraries()


@pytest.mark.filterwarnings("default")
def test_no_line_tells_who_was_there(
    app: Flask,
    settings: Settings,
    store: Store,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    log: None,
) -> None:
    logs.configure_logging("json")
    provoke(app, settings, store, monkeypatch)
    said = capsys.readouterr().err
    assert not sweep({"log": said.encode()}, WHO)
    found = [json.loads(line) for line in said.splitlines()]
    assert {key for line in found for key in line} <= {
        "time", "level", "event", "logger", "where", "kinds", "trace", "again", "why",
    }  # fmt: skip
    events = [line["event"] for line in found]
    for event in ("fault in a thread", "fault while compacting", "fault in passing"):
        assert event in events
    assert events.count("database lost") == events.count("database back") == 1
    loggers = {line.get("logger") for line in found}
    assert {"app", "uvicorn.error", "asyncio", "psycopg.pool", "py.warnings"} <= loggers
    # The log is still useful: it has the kinds of the errors, in the order of causes, and the
    # place.
    (page,) = [
        each
        for each in found
        if each.get("trace", [""])[-2:-1] and "failing_page" in each["trace"][-2]
    ]
    assert page["kinds"] == ["KeyError", "ValueError"]
    assert page["trace"][-1].startswith("tests/server/test_logs.py:")
    assert page["trace"][-1].endswith(" failing")
    kinds = {kind for line in found for kind in line.get("kinds", [])}
    assert {"UniqueViolation 23505", "IntegrityError", "OverflowError"} <= kinds
    assert str(Path(__file__).parent.parent.parent) not in said  # nor the folder of the code


@pytest.mark.filterwarnings("default")
def test_the_search_finds_what_logs_usually_tell(
    app: Flask,
    settings: Settings,
    store: Store,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control: the same errors, as Python writes them."""
    with kept():
        handler = logging.StreamHandler(sys.stderr)
        logging.getLogger().handlers[:] = [handler]
        logging.captureWarnings(True)
        threading.excepthook, sys.unraisablehook = threading.__excepthook__, sys.__unraisablehook__
        provoke(app, settings, store, monkeypatch)
    found = sweep({"log": capsys.readouterr().err.encode()}, WHO)
    assert found == {"log": set(WHO)}


# --- the entries ----------------------------------------------------------------------------------


def test_a_fault_that_everybody_meets_is_no_list_of_who_came(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, log: None
) -> None:
    logs.configure_logging("json")
    clock = [1_000.0]
    monkeypatch.setattr(logs.time, "monotonic", lambda: clock[0])

    def meet(times: int) -> None:
        for number in range(times):
            try:
                failing(f"CanaryAnswer {number}")
            except KeyError as error:
                logs.fault("fault", error)

    meet(50)
    assert len(lines(capsys)) == 1
    clock[0] += logs.QUIET_SECONDS - 1
    meet(1)
    assert lines(capsys) == []
    clock[0] += 1
    meet(3)
    (again,) = lines(capsys)
    assert again["again"] == 50
    # A different error is logged again.
    logs.fault("fault", ZeroDivisionError())
    assert len(lines(capsys)) == 1


def test_the_database_is_lost_and_back_once_each(
    store: Store,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    log: None,
) -> None:
    logs.configure_logging("json")
    watch = HealthMonitor(store)
    watch.look()
    with monkeypatch.context() as patched:
        patched.setattr(store.responses, "require_writable", raising(StoreUnavailable("gone")))
        for _ in range(3):
            watch.look()
    for _ in range(3):
        watch.look()
    found = lines(capsys)
    assert [line["event"] for line in found] == ["database lost", "database back"]
    assert found[0]["why"] == "StoreUnavailable"
    assert found[0]["level"] == "warning"


def test_throttling_begins_and_ends_with_a_count_alone(
    store: Store, capsys: pytest.CaptureFixture[str], log: None
) -> None:
    logs.configure_logging("json")
    clock = [1_000.0]
    watch = HealthMonitor(store, clock=lambda: clock[0])
    watch.look()
    for turn in range(2):
        for _ in range(7):
            watch.held_back()
        watch.look()
        for _ in range(4):
            watch.held_back()
        watch.look()
        clock[0] += FLOOD_SECONDS
        watch.look()
        assert [line["event"] for line in lines(capsys)] == ["throttling began"], turn
        clock[0] += 1
        watch.look()
        watch.look()
        (ended,) = lines(capsys)
        assert (ended["event"], ended["requests"]) == ("throttling ended", 11)


def test_a_line_for_people_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    with kept():
        logs.configure_logging("plain")
        logs.note("compacted", seconds=0.5)
        logs.warn("database lost", why="OperationalError SQLITE_FULL")
    compacted, lost = capsys.readouterr().err.splitlines()
    assert compacted[20:] == " info: compacted seconds=0.5"
    assert lost[20:] == ' warning: database lost why="OperationalError SQLITE_FULL"'
    time.strptime(compacted[:20], "%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize(
    ("database", "shown"),
    [
        ("instance/candor.db", "instance/candor.db"),
        ("postgresql://ada:CanaryPassword@db.example/candor", "postgresql://db.example/candor"),
        ("postgresql://ada@a,b/candor?password=CanaryPassword", "postgresql://a,b/candor"),
        (
            "postgresql://ada:p@CanaryPassword@db/candor?sslmode=verify-full",
            "postgresql://db/candor",
        ),
    ],
)
def test_the_start_tells_no_secret(settings: Settings, database: str, shown: str) -> None:
    settings = replace(
        settings, database=database, secret_key="CanaryToken" * 4, metrics_token="CanaryToken" * 4
    )
    said = settings.shown
    assert said["database"] == shown
    assert said["metrics"] == "yes"
    assert "Canary" not in str(said)


@pytest.mark.slow
def test_the_server_says_that_it_starts_migrates_and_stops(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    secrets = {"CANDOR_SECRET_KEY": "CanaryToken" * 4, "CANDOR_METRICS_TOKEN": "CanaryToken" * 4}
    with serving(tmp_path / "candor.db", CANDOR_LOG="json", **secrets) as (
        _,
        process,
        _,
    ):
        process.terminate()
        process.wait(20)
    said = capfd.readouterr().err
    assert "CanaryToken" not in said
    # The disk of this machine may add one line.
    lines = [json.loads(line) for line in said.splitlines()]
    started, stopped = (line for line in lines if line["event"] != "disk not encrypted")
    assert started["event"] == "started"
    assert started["migrated"] == [BASELINE]
    assert started["metrics"] == "yes"
    assert (stopped["event"], stopped["level"]) == ("stopped", "info")
