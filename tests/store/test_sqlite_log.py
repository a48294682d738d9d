"""Overwriting SQLite's log loses nothing that is still in use, whatever happens meanwhile.

tests/system/test_raw_disk.py shows its purpose.
"""

import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import copyfile
from urllib.request import Request, urlopen

import pytest

from survey.core.errors import StoreUnavailable
from survey.store import open_store
from survey.store.sqlite import log as sqlite_log
from survey.store.sqlite.log import begin_log, log_of, overwrite_stale, restart_log
from survey.store.sqlite.store import SQLiteStore
from tests.support.definitions import definition, opened
from tests.support.logged_responses import responses
from tests.support.project import ROOT
from tests.support.servers import serving, stop

SECTOR_BYTES = 512


@pytest.fixture
def filled(tmp_path: Path) -> SQLiteStore:
    """A store whose log has each response in separate transactions."""
    store = SQLiteStore(tmp_path / "candor.db")
    opened(store, definition())
    for response in responses():
        store.responses.add_response("health", response)
    return store


def ids_in(database: Path) -> set[bytes]:
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {id for (id,) in connection.execute("SELECT id FROM responses_health")}


def test_frames_that_are_still_needed_are_never_overwritten(filled: SQLiteStore) -> None:
    """A log that was not restarted, and one with new frames since its restart."""
    with filled.database.reading() as db:
        log = log_of(db)
        for number, start_again in enumerate((False, True), 5):
            if start_again:
                restart_log(db)
                begin_log(db)
            filled.responses.add_response("health", responses(1, seed=number)[0])
            before = log.read_bytes()
            assert overwrite_stale(log) is False
            assert log.read_bytes() == before
    filled.close()


def test_behind_the_first_page_of_a_log_that_was_started_again_all_is_overwritten(
    filled: SQLiteStore,
) -> None:
    with filled.database.reading() as db:
        log = log_of(db)
        restart_log(db)
        begin_log(db)
        before = log.read_bytes()
        assert overwrite_stale(log) is True
        after = log.read_bytes()
    kept = 32 + 24 + 4_096
    assert after[:kept] == before[:kept]
    assert any(response.id in before[kept:] for response in responses())
    assert after[kept:] == bytes(len(before) - kept)
    filled.close()


def test_power_that_fails_while_the_log_is_overwritten_takes_nothing_away(
    filled: SQLiteStore, tmp_path: Path
) -> None:
    """Any of the zeros may have reached the disk, in sectors and in any order."""
    with filled.database.reading() as db:
        log = log_of(db)
        restart_log(db)
        begin_log(db)
        before = log.read_bytes()
        assert overwrite_stale(log)
        after = log.read_bytes()
    there = {response.id for response in responses()}
    for seed in range(20):
        r = random.Random(seed)
        mixed = b"".join(
            r.choice([before, after])[place : place + SECTOR_BYTES]
            for place in range(0, len(before), SECTOR_BYTES)
        )
        copy = tmp_path / f"{seed}.db"
        copyfile(filled.database.path, copy)
        copy.with_name(f"{copy.name}-wal").write_bytes(mixed)
        assert ids_in(copy) == there
    filled.close()


def test_a_disk_that_fails_meanwhile_leaves_the_log_for_the_next_compaction(
    filled: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> int:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(sqlite_log.os, "pwrite", broken)
        with pytest.raises(
            StoreUnavailable, match="cannot overwrite the log of the database: Input/output error"
        ):
            filled.compact()
        with filled.database.reading() as db:
            assert log_of(db).stat().st_size > 0
    more = responses(5, seed=2)
    for response in more:
        filled.responses.add_response("health", response)
    filled.compact()
    filled.close()
    assert ids_in(filled.database.path) == {each.id for each in [*responses(), *more]}


WRITE = """
import sys
from survey.core.errors import StoreUnavailable
from survey.store import open_store
from tests.support.logged_responses import responses
store = open_store(sys.argv[1])
for response in responses(60, seed=3):
    while True:
        try:
            store.responses.add_response("health", response)
            break
        except StoreUnavailable:
            continue
    print("written", flush=True)
"""


@pytest.mark.slow
def test_what_another_process_acknowledges_meanwhile_is_there(filled: SQLiteStore) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITE, str(filled.database.path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        compacts = written = 0
        assert writer.stdout is not None
        for _ in writer.stdout:
            written += 1
            try:
                filled.compact(0.05)
                compacts += 1
            except StoreUnavailable:
                continue
    assert written == 60
    assert compacts
    filled.close()
    assert ids_in(filled.database.path) == {
        each.id for each in [*responses(), *responses(60, seed=3)]
    }


def test_the_last_to_close_overwrites_the_log_before_it_goes(
    filled: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    overwritten: list[bool] = []

    def noted(log: Path) -> bool:
        overwritten.append(overwrite_stale(log))
        return overwritten[-1]

    monkeypatch.setattr(sqlite_log, "overwrite_stale", noted)
    filled.close()
    assert overwritten == [True]
    assert not filled.database.path.with_name("candor.db-wal").exists()
    # Without new frames, nothing is overwritten.
    open_store(str(filled.database.path)).close()
    assert overwritten == [True]


@contextmanager
def log_kept_open(database: Path) -> Iterator[Callable[[], bytes]]:
    """The contents of the log, even without a name, as they remain on the disk."""
    with database.with_name(f"{database.name}-wal").open("rb") as log:

        def read() -> bytes:
            log.seek(0)
            return log.read()

        yield read


KILLED = """
import os, signal, sys
from survey.store import open_store
from tests.support.logged_responses import responses
store = open_store(sys.argv[1])
for response in responses(5, seed=4):
    assert store.responses.add_response("health", response)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_a_command_that_is_the_last_to_let_go_overwrites_what_a_killed_server_left(
    filled: SQLiteStore,
) -> None:
    filled.close()
    subprocess.run([sys.executable, "-c", KILLED, str(filled.database.path)], cwd=ROOT, check=False)
    left = responses(5, seed=4)
    with log_kept_open(filled.database.path) as read:
        assert all(response.id in read() for response in left)
        command = [sys.executable, "-m", "flask", "--app", "app", "survey", "list"]
        environment = {**os.environ, "CANDOR_DATABASE": str(filled.database.path)}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
        assert not filled.database.path.with_name("candor.db-wal").exists()
        assert not any(response.id in read() for response in left)
    assert ids_in(filled.database.path) == {each.id for each in [*responses(), *left]}


def test_a_server_that_is_stopped_overwrites_what_came_since_the_last_compaction(
    filled: SQLiteStore,
) -> None:
    frozen = filled.surveys.by_slug("health").frozen
    assert frozen is not None
    filled.close()
    [sent] = responses(1, seed=5)
    body = {"id": sent.id.hex(), "fingerprint": frozen.fingerprint, "reports": {"smokes": "1"}}
    with (
        serving(filled.database.path) as (address, process, _),
        log_kept_open(filled.database.path) as read,
    ):
        request = Request(
            f"{address}/s/health/responses",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urlopen(request) as reply:
            assert reply.status == 201
        assert sent.id in read()
        stop(process)
        assert sent.id not in read()
    assert sent.id in ids_in(filled.database.path)


def test_nothing_temporary_is_written_to_a_file(filled: SQLiteStore) -> None:
    """Otherwise each VACUUM would free a file with a copy of all responses."""
    in_memory = 2
    with filled.database.reading() as db:
        assert db.execute("PRAGMA temp_store").fetchone() == (in_memory,)
    filled.close()
