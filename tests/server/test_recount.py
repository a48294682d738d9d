"""A large database is served before the recount of its responses, and displays nothing wrong."""

import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from survey.core.errors import SettingsError, StoreUnavailable
from survey.server import recount
from survey.server.health import HealthMonitor
from survey.server.recount import begin_recount
from tests.support.corruption import PLANTED, fill, responses
from tests.support.every_type import sent
from tests.support.project import ROOT
from tests.support.researchers import Researcher
from tests.support.servers import free_port, stop
from tests.support.waiting import wait_until as until

BOUND_SECONDS = 30
FIGURES = [
    "/admin/",
    "/admin/surveys/health",
    "/admin/surveys/health/results",
    "/admin/surveys/health/responses.csv",
]
RESPONDENTS = ["/s/health", "/s/health.json", "/s/health/verify"]


@pytest.fixture
def large(store: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A store with more reports than are counted before the start."""
    fill(store)
    monkeypatch.setattr(recount, "MAX_REPORTS", 100)
    return store


def plant(store: Any, statement: str) -> None:
    """Damage that SQLite does not find."""
    with closing(sqlite3.connect(store.database.path)) as connection, connection:
        assert connection.execute(statement).rowcount > 0


@contextmanager
def counted_slowly(store: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The thread counts during the block, but finishes no count until the event is set.

    Damage that it finds before it counts ends it at once.
    """
    go_on, pages = threading.Event(), store.counts.pages_of
    seen, require_sound = threading.Event(), store.integrity.require_sound

    def slow(*args: Any) -> Iterator[Any]:
        assert go_on.wait(BOUND_SECONDS)
        yield from pages(*args)

    def begin_when_seen() -> None:
        assert seen.wait(BOUND_SECONDS)
        require_sound()

    monkeypatch.setattr(store.counts, "pages_of", slow)
    begin_recount(store)
    monkeypatch.setattr(store.integrity, "require_sound", begin_when_seen)
    with recount.recount(store, again_seconds=0.01):
        [thread] = [each for each in threading.enumerate() if each.name == "counting again"]
        seen.set()
        try:
            yield go_on
        finally:
            go_on.set()
            thread.join(BOUND_SECONDS)
            assert not thread.is_alive()


def ended(store: Any, go_on: threading.Event) -> None:
    """Let the thread count, and wait for its result."""
    go_on.set()
    until(lambda: not store.counts.withheld or store.database.pool.closed)


def test_few_responses_are_counted_before_and_refuse_the_start(store: Any) -> None:
    fill(store)
    begin_recount(store)
    assert not store.counts.withheld
    plant(store, PLANTED["a count"])
    with pytest.raises(SettingsError, match="the counts of survey 'health' do not agree"):
        begin_recount(store)


def test_of_many_none_is_counted_before(large: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test counts work and not seconds: no row of a response is read."""
    read: list[str] = []
    pages = large.counts.pages_of
    monkeypatch.setattr(
        large.counts, "pages_of", lambda db, slug: read.append(slug) or pages(db, slug)
    )
    begin_recount(large)
    assert (read, large.counts.withheld) == ([], True)
    with recount.recount(large):
        until(lambda: not large.counts.withheld)
    assert read == ["health"]


def test_figures_wait_for_the_count_and_respondents_do_not(
    app: Flask, large: Any, researcher: Researcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = large.surveys.by_slug("health").frozen
    [new] = responses(311)[310:]
    body = {"id": new.id.hex(), "fingerprint": frozen.fingerprint, "reports": sent(new.reports)}
    client = app.test_client()
    before = large.counts.by_question("health"), list(large.responses.rows("health"))
    with counted_slowly(large, monkeypatch) as go_on:
        for path in FIGURES:
            reply = researcher.client.get(path)
            assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5"), path
        assert {client.get(path).status_code for path in RESPONDENTS} == {200}
        assert client.post("/s/health/responses", json=body).status_code == 201
        with large.database.reading() as db, pytest.raises(StoreUnavailable, match="counted again"):
            large.counts.number_published(db, "health")  # Webhooks use it.
        with pytest.raises(StoreUnavailable, match="counted again"):
            large.counts.by_group("health", frozen.survey.fields[0])
        ended(large, go_on)
    assert {researcher.client.get(path).status_code for path in FIGURES} == {200}
    assert (large.counts.by_question("health"), list(large.responses.rows("health"))) == before
    assert large.counts.number_of_responses("health") == 311


DAMAGED = [
    "a count",
    "a count too many",
    "counts of no survey",
    "nobody waits",
    "no document",
]
UNREADABLE = "UPDATE responses_health SET remarks = CAST(X'49206C6965FF' AS TEXT)"


@pytest.mark.parametrize("statement", [*(PLANTED[each] for each in DAMAGED), UNREADABLE])
def test_damage_that_is_found_later_closes_the_store(
    app: Flask,
    large: Any,
    researcher: Researcher,
    statement: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """From then on nothing is displayed or acknowledged.

    The log has the output of `database check`.
    """
    caplog.set_level(logging.INFO, "candor")
    frozen = large.surveys.by_slug("health").frozen
    [new] = responses(311)[310:]
    body = {"id": new.id.hex(), "fingerprint": frozen.fingerprint, "reports": sent(new.reports)}
    plant(large, statement)
    said = app.test_cli_runner().invoke(args=["database", "check"]).stderr
    with counted_slowly(large, monkeypatch) as go_on:
        assert {researcher.client.get(path).status_code for path in FIGURES} == {503}
        ended(large, go_on)
        assert large.database.pool.closed
    client = app.test_client()
    for path in [*FIGURES, *RESPONDENTS]:
        assert researcher.client.get(path).status_code == 503, path
    assert client.post("/s/health/responses", json=body).status_code == 503
    watch = HealthMonitor(large)
    watch.look()
    assert watch.answer("GET", "/readyz", b"", crowded=False).status == 503  # type: ignore[union-attr]
    [line] = [each for each in caplog.records if each.msg == "database damaged"]
    why = line.facts["why"]  # type: ignore[attr-defined]
    fault = why.removeprefix("The database is damaged (").partition("). Restore")[0]
    assert fault.rstrip(".") in said


def test_a_count_that_the_database_does_not_let_through_is_tried_again(
    large: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Figures stay withheld meanwhile, and the store stays open."""
    caplog.set_level(logging.INFO, "candor")
    away = large.database.path.with_suffix(".away")
    with counted_slowly(large, monkeypatch) as go_on:
        large.database.path.rename(away)
        monkeypatch.setattr(
            large.counts, "pages_of", type(large.counts).pages_of.__get__(large.counts)
        )
        go_on.set()
        until(lambda: count_of(caplog, "counted again") + count_of(caplog, "not counted again"))
        away.rename(large.database.path)
        until(lambda: not large.counts.withheld)
    assert count_of(caplog, "counted again") == 1
    assert large.counts.number_of_responses("health") == 310


def count_of(caplog: pytest.LogCaptureFixture, event: str) -> int:
    return sum(each.msg == event for each in caplog.records)


PROGRAM = """
from survey.server import recount
recount.MAX_REPORTS = 0
from app import create_app
"""


@pytest.mark.slow
@pytest.mark.parametrize("damaged", [False, True])
def test_a_real_server_answers_and_shows_nothing_wrong(
    store: Any, tmp_path: Path, damaged: bool
) -> None:
    fill(store)
    store.shares.publish("health", True)
    if damaged:
        plant(store, PLANTED["a count"])
    store.close()
    (tmp_path / "counted_later.py").write_text(PROGRAM)
    port = free_port()
    environment = {"CANDOR_DATABASE": str(store.database.path), "PORT": str(port), "CANDOR_URL": ""}
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "flask", "--app", str(tmp_path / "counted_later.py"), "serve"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )
        try:
            for path in ("/s/health/results", "/s/health", "/readyz"):
                wanted = (path, 503 if damaged else 200)
                until(lambda path=path, wanted=wanted: (path, status_of(port, path)) == wanted, 120)  # type: ignore[misc]
        finally:
            stop(server, signal.SIGKILL)  # After SIGTERM, /readyz would report the end.
    said = (tmp_path / "log").read_text()
    assert ("counted again" in said, "database damaged" in said) == (not damaged, damaged)
    assert ("the counts of survey 'health' do not agree with its responses" in said) == damaged


def status_of(port: int, path: str) -> int:
    """The status, or 0 if nobody answers yet."""
    try:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}{path}", timeout=BOUND_SECONDS
        ) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0
