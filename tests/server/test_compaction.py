"""The server compacts its database while it runs: often enough, not too often, and by itself."""

import json
import random
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from shutil import copyfile
from types import SimpleNamespace
from typing import Any

import pytest

from survey.core.errors import StoreUnavailable
from survey.definition.responses.parse_response import Response
from survey.server import compaction as module
from survey.server.compaction import (
    MAX_UNCOMPACTED_SECONDS,
    MIN_UNCOMPACTED_RESPONSES,
    MIN_UNCOMPACTED_SHARE,
    begin_compacting,
    compacting,
    due,
    look,
)
from survey.server.periodic import keep_on
from survey.server.settings import Settings
from survey.store import Store, open_store
from tests.support.at_once import serving_at_once
from tests.support.definitions import definition, opened
from tests.support.every_type import PICKED, SAMPLED, drawn, sent, stored
from tests.support.posting import post
from tests.support.waiting import wait_until


def responses(n: int, seed: int = 1) -> list[Response]:
    r = random.Random(seed)
    return [Response(r.randbytes(16), (r.randrange(2),)) for _ in range(n)]


def log_of(database: str | Path) -> bytes:
    log = Path(f"{database}-wal")
    return log.read_bytes() if log.exists() else b""


@pytest.fixture
def survey(store: Store) -> Store:
    opened(store, definition())
    return store


def fill(store: Store, n: int, seed: int = 1) -> None:
    for response in responses(n, seed):
        assert store.responses.add_response("health", response)


# --- when it is due


def test_a_few_responses_are_not_compacted_each_by_itself(survey: Store) -> None:
    """With so few responses, each is known to be one of so few."""
    fill(survey, MIN_UNCOMPACTED_RESPONSES - 1)
    assert survey.database.uncompacted == MIN_UNCOMPACTED_RESPONSES - 1
    assert not due(survey)
    fill(survey, 1, seed=2)
    assert due(survey)


def test_what_changes_nothing_does_not_count(survey: Store) -> None:
    [response] = responses(1)
    survey.responses.add_response("health", response)
    for _ in range(2 * MIN_UNCOMPACTED_RESPONSES):
        assert survey.responses.add_response("health", response) is False
    survey.lifecycle.set_state("health", "closed")
    for each in responses(2 * MIN_UNCOMPACTED_RESPONSES, seed=5):
        with pytest.raises(Exception, match="closed"):
            survey.responses.add_response("health", each)
    assert survey.database.uncompacted == 1


def test_a_compaction_begins_the_count_anew_and_a_failed_one_does_not(
    survey: Store, settings: Settings
) -> None:
    fill(survey, MIN_UNCOMPACTED_RESPONSES)
    with closing(sqlite3.connect(settings.database)) as reader:
        reader.execute("BEGIN").execute("SELECT * FROM responses_health").fetchone()
        with pytest.raises(Exception, match="not compacted"):
            survey.compact(patience=0.05)
        assert survey.database.uncompacted == MIN_UNCOMPACTED_RESPONSES
    survey.compact()
    assert survey.database.uncompacted == 0
    assert log_of(settings.database) == b""


@pytest.mark.parametrize("n", [2_000, 10_000])
def test_the_more_there_are_the_more_have_to_come(store: Store, n: int) -> None:
    """Each response pays for the writing of at most 1 / MIN_UNCOMPACTED_SHARE others, at any size.

    The share is that of all surveys together, since they are in one file.
    """
    opened(store, definition(slug="before"), "closed")
    store.responses.add_batches("before", [responses(n, seed=3)], "simulated")
    opened(store, definition())
    needed = n / (1 / MIN_UNCOMPACTED_SHARE - 1)  # k >= (n + k) MIN_UNCOMPACTED_SHARE
    fill(store, max(MIN_UNCOMPACTED_RESPONSES, int(needed)))
    assert due(store) == (int(needed) >= needed or int(needed) < MIN_UNCOMPACTED_RESPONSES)
    fill(store, 1, seed=4)
    assert due(store)


def test_nothing_is_asked_of_the_database_while_nothing_comes(store: Store) -> None:
    """A closed store shows it, because each query fails."""
    store.close()
    with pytest.raises(StoreUnavailable):
        store.surveys.all()
    assert not due(store)


# --- at the start


def test_a_start_compacts_what_a_killed_server_left(survey: Store, settings: Settings) -> None:
    fill(survey, 3)
    begin_compacting(survey)
    assert log_of(settings.database) == b""
    assert not due(survey)


def test_a_large_database_is_compacted_once_it_is_served(survey: Store, settings: Settings) -> None:
    """The server answers at once, and the number of responses does not matter."""
    fill(survey, 3)
    survey.counts.withheld = True
    begin_compacting(survey)
    assert log_of(settings.database)
    with compacting(survey, look_seconds=0.01):
        wait_until(lambda: not survey.database.compaction_due)
    assert log_of(settings.database) == b""


def test_a_start_that_could_not_compact_leaves_it_to_the_thread(
    survey: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(survey, 3)
    compact = survey.compact
    monkeypatch.setattr(survey, "compact", lambda: compact(0.02))
    with closing(sqlite3.connect(settings.database)) as reader:
        reader.execute("BEGIN").execute("SELECT * FROM responses_health").fetchone()
        begin_compacting(survey)
        assert log_of(settings.database)
    assert due(survey)
    monkeypatch.undo()
    assert look(survey)
    assert log_of(settings.database) == b""
    assert not due(survey)


# --- the thread


def test_it_compacts_when_enough_have_come_and_ends_with_the_block(
    survey: Store, settings: Settings
) -> None:
    with compacting(survey, look_seconds=0.01):
        for seed in range(3):
            fill(survey, MIN_UNCOMPACTED_RESPONSES, seed)
            wait_until(lambda: survey.database.uncompacted == 0)
            assert log_of(settings.database) == b""
        assert "compacting" in {thread.name for thread in threading.enumerate()}
    assert "compacting" not in {thread.name for thread in threading.enumerate()}
    assert survey.counts.by_question("health")["smokes"].keys() == {0, 1}
    assert (
        sum(survey.counts.by_question("health")["smokes"].values()) == 3 * MIN_UNCOMPACTED_RESPONSES
    )


def test_what_is_compacted_while_serving_does_not_depend_on_the_order_of_arrival(
    tmp_path: Path,
) -> None:
    store = open_store(str(tmp_path / "origin.db"))
    opened(store, definition())
    store.close()
    files = []
    for seed in (1, 2):
        database = tmp_path / f"{seed}.db"
        copyfile(tmp_path / "origin.db", database)
        store = open_store(str(database))
        for response in random.Random(seed).sample(
            responses(MIN_UNCOMPACTED_RESPONSES), MIN_UNCOMPACTED_RESPONSES
        ):
            store.responses.add_response("health", response)
        with compacting(store, look_seconds=0.01):
            wait_until(lambda store=store: store.database.uncompacted == 0)
        store.close()
        files.append(database.read_bytes())
    assert files[0] == files[1]


def test_while_the_database_is_in_use_it_waits_and_then_compacts(
    survey: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.02)
    tries: list[float] = []
    compact = survey.compact

    def noted(*arguments: Any) -> None:
        tries.append(time.monotonic())
        compact(*arguments)

    monkeypatch.setattr(survey, "compact", noted)
    fill(survey, MIN_UNCOMPACTED_RESPONSES)
    with closing(sqlite3.connect(settings.database)) as reader:
        # The reader begins first: otherwise, a slow machine compacts before it reads.
        reader.execute("BEGIN").execute("SELECT * FROM responses_health").fetchone()
        with compacting(survey, look_seconds=0.01):
            wait_until(lambda: len(tries) >= 4)
            assert survey.database.uncompacted >= MIN_UNCOMPACTED_RESPONSES
            # Respondents can send meanwhile.
            fill(survey, 5, seed=2)
            pauses = [late - early for early, late in pairwise(tries)]
            assert all(pause >= 0.02 * 2**place for place, pause in enumerate(pauses)), pauses
            reader.rollback()
            wait_until(lambda: survey.database.uncompacted == 0)
    assert log_of(settings.database) == b""


@pytest.mark.slow
def test_responses_that_come_while_it_compacts_are_all_recorded(survey: Store) -> None:
    """Four threads write as fast as possible while another compacts as often as possible."""
    ending = threading.Event()
    compacted = 0
    faults: list[BaseException] = []

    def write(seed: int) -> None:
        try:
            fill(survey, 150, seed)
        except BaseException as error:
            faults.append(error)
            raise

    def keep_compacting() -> None:
        nonlocal compacted
        while not ending.is_set():
            survey.compact()
            compacted += 1

    writers = [threading.Thread(target=write, args=[seed]) for seed in range(4)]
    compactor = threading.Thread(target=keep_compacting)
    for thread in [compactor, *writers]:
        thread.start()
    for thread in writers:
        thread.join()
    ending.set()
    compactor.join()
    assert not faults
    assert compacted > 3
    assert sum(survey.counts.by_question("health")["smokes"].values()) == 600
    assert len(list(survey.responses.rows("health"))) == 600


@pytest.mark.slow
def test_the_real_server_compacts_itself(tmp_path: Path) -> None:
    """Over HTTP, until the log with the order of arrival is empty. Then the server continues."""
    database = tmp_path / "candor.db"
    store = open_store(str(database))
    fingerprint = opened(store, SAMPLED).fingerprint
    store.close()
    r = random.Random(6)

    def body() -> bytes:
        content = {
            "id": r.randbytes(16).hex(),
            "fingerprint": fingerprint,
            "reports": sent(stored(drawn(r, PICKED))),
        }
        return json.dumps(content).encode()

    with serving_at_once(database) as (address, _, _):
        port = int(address.rsplit(":", 1)[1])
        for _ in range(2):
            assert [post(port, body())[0] for _ in range(MIN_UNCOMPACTED_RESPONSES - 1)] == [
                201
            ] * (MIN_UNCOMPACTED_RESPONSES - 1)
            assert log_of(database)
            assert post(port, body())[0] == 201
            wait_until(lambda: log_of(database) == b"")
        assert post(port, body())[0] == 201
    store = open_store(str(database))
    assert len(list(store.responses.rows("health"))) == 2 * MIN_UNCOMPACTED_RESPONSES + 1
    store.close()


# --- errors that must not end it


def test_a_fault_that_nobody_foresaw_is_logged_and_ends_no_thread(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ending, looks = threading.Event(), []

    def look() -> None:
        looks.append(len(looks))
        if len(looks) == 1:
            raise ValueError("nobody foresaw this")
        ending.set()

    keep_on(look, ending, 0.01)
    assert looks == [0, 1]
    assert "nobody foresaw this" in caplog.text


def test_a_survey_that_is_deleted_meanwhile_counts_for_nothing(
    survey: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = survey.surveys.list_surveys()
    fill(survey, MIN_UNCOMPACTED_RESPONSES)
    survey.lifecycle.set_state("health", "closed")
    survey.lifecycle.delete_survey("health")
    monkeypatch.setattr(survey.surveys, "list_surveys", lambda: listed)
    assert due(survey)


def test_after_a_day_it_is_compacted_however_few_came(survey: Store) -> None:
    assert not due(survey, MAX_UNCOMPACTED_SECONDS)
    fill(survey, 1)
    assert not due(survey, MAX_UNCOMPACTED_SECONDS - 1)
    assert due(survey, MAX_UNCOMPACTED_SECONDS)
    assert not look(survey, MAX_UNCOMPACTED_SECONDS - 1)
    assert look(survey, MAX_UNCOMPACTED_SECONDS)
    assert survey.database.uncompacted == 0


def test_the_day_begins_anew_with_each_compaction(
    survey: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three looks, each nine hours after the one before, with one response each time."""
    asked: list[float] = []
    clock = iter(range(0, 10**9, 9 * 3600))
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    looks: list[Callable[[], None]] = []
    monkeypatch.setattr(module, "repeating", lambda name, look, seconds: looks.append(look))
    monkeypatch.setattr(module, "look", lambda store, seconds: asked.append(seconds) or True)
    compacting(survey)
    for _ in range(3):
        looks[0]()
    assert asked == [9 * 3600] * 3


def test_a_response_that_is_alone_is_compacted_at_the_end_of_a_day_and_not_when_it_comes(
    survey: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A response comes after a day and an hour without any. The day ended over an hour ago."""
    now, compacted, looks = [0.0], list[float](), list[Callable[[], None]]()
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(module, "repeating", lambda name, look, seconds: looks.append(look))
    compacting(survey, told=lambda seconds: compacted.append(now[0]))
    for hour in range(60):
        now[0] = 3_600.0 * hour
        if hour == 25:
            fill(survey, 1)
        looks[0]()
    assert compacted == [48 * 3_600.0]
