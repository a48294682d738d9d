"""Connections have an owner: few are open, none is closed in use, and nobody waits forever."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from survey.core.errors import StoreUnavailable
from survey.server.http.wsgi_threads import RESEARCHERS_THREADS, STRANGERS_THREADS, THREADS
from survey.store import OWNER, Account
from survey.store.sqlite import pool
from survey.store.sqlite.pool import MAX_CONNECTIONS
from tests.store.open_files import files_open
from tests.support import closing_store
from tests.support.cheaper import migrated
from tests.support.lengths import length, soak
from tests.support.project import ROOT

ADA = Account(name="ada", role=OWNER, password_hash="hash")
# The threads that record responses, compact, watch, notify and recount, and the main thread.
OTHER_THREADS = 6
BOUND_SECONDS = 30  # for events that must happen, on any machine


@contextmanager
def running(work: Any) -> Iterator[threading.Thread]:
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield thread
    finally:
        thread.join(BOUND_SECONDS)
        assert not thread.is_alive()


@soak
def test_a_store_that_closes_under_eight_threads_crashes_nothing(tmp_path: Path) -> None:
    """Connections have an owner, because otherwise the first round already failed.

    The process ended with a segmentation fault, or a late thread continued with its own connection.
    """
    rounds = length(10, 1_000)
    database = tmp_path / "candor.db"
    database.write_bytes(migrated())
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.closing_store", str(database), str(rounds)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1_200,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    assert json.loads(done.stdout) == {"StoreUnavailable": rounds * closing_store.THREADS}


@pytest.mark.slow
def test_threads_that_come_and_go_leave_no_connection_behind(store: Any) -> None:
    """10,000 threads, with more of them at once than connections."""
    most, at_once = 0, 2 * MAX_CONNECTIONS
    for _ in range(10_000 // at_once + 1):
        threads = [threading.Thread(target=store.surveys.all) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        most = max(most, files_open(store.database.path))
        for thread in threads:
            thread.join()
    assert 1 <= files_open(store.database.path) <= most <= MAX_CONNECTIONS
    assert len(store.database.pool.opened) <= MAX_CONNECTIONS


def test_every_thread_of_a_server_can_have_a_connection() -> None:
    """A long read delays nobody."""
    threads = THREADS + RESEARCHERS_THREADS + STRANGERS_THREADS + OTHER_THREADS
    assert threads <= MAX_CONNECTIONS - 1


def test_blocks_within_blocks_use_the_connection_that_the_thread_has(store: Any) -> None:
    with store.database.reading() as outer, store.database.transaction() as db:
        assert db is outer
        db.execute("INSERT INTO setup VALUES ('x')")
        assert store.accounts.setup_token_is(
            "x"
        )  # in its own block, which sees the rows before they are committed
    assert len(store.database.pool.opened) == 1
    with store.database.snapshot() as outer, store.database.reading() as inner:
        assert inner is outer
    with store.database.reading() as after:
        assert after is outer


def test_a_thread_that_reads_does_not_see_what_another_has_not_kept(store: Any) -> None:
    with store.database.transaction() as db:
        db.execute("INSERT INTO setup VALUES ('x')")
        seen: list[bool] = []
        with running(lambda: seen.append(store.accounts.setup_token_is("x"))):
            pass
    assert seen == [False]
    assert store.accounts.setup_token_is("x")


def test_a_transaction_that_was_left_open_is_not_handed_on(store: Any) -> None:
    with store.database.reading() as db:
        db.execute("BEGIN")
    with store.database.reading() as again:
        assert again is db
        assert not again.conn.in_transaction


@contextmanager
def all_read(store: Any) -> Iterator[threading.Event]:
    """Each permitted reader holds a connection until the event is set."""
    held, release = threading.Barrier(MAX_CONNECTIONS), threading.Event()

    def read() -> None:
        with store.database.snapshot() as db:
            db.execute("SELECT 1 FROM accounts").fetchall()
            held.wait(BOUND_SECONDS)
            release.wait(BOUND_SECONDS)

    with ExitStack() as threads:
        threads.callback(release.set)
        for _ in range(MAX_CONNECTIONS - 1):
            threads.enter_context(running(read))
        threads.callback(release.set)  # It has to run first.
        held.wait(BOUND_SECONDS)
        yield release


def test_where_all_read_a_writer_has_a_connection_and_a_reader_is_told_to_come_again(
    store: Any,
) -> None:
    store.database.pool.wait_seconds = 0.01
    with all_read(store):
        store.accounts.add_account(ADA)
        with pytest.raises(StoreUnavailable, match="all connections are in use"):
            store.accounts.has_accounts()
        assert files_open(store.database.path) == MAX_CONNECTIONS
    assert store.accounts.has_accounts()


def test_where_all_read_the_next_reader_waits_for_one_of_them(store: Any) -> None:
    store.database.pool.wait_seconds = BOUND_SECONDS
    found: list[bool] = []
    with all_read(store) as release, running(lambda: found.append(store.accounts.has_accounts())):
        assert found == []
        release.set()
    assert found == [False]


@contextmanager
def closing_meanwhile(store: Any) -> Iterator[threading.Thread]:
    """Another thread has begun to close the store."""
    with running(store.close) as closer:
        with store.database.pool.changed:
            assert store.database.pool.changed.wait_for(
                lambda: store.database.pool.closed, BOUND_SECONDS
            )
        yield closer


def test_closing_waits_for_a_block_which_goes_on_as_before(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "CLOSE_SECONDS", BOUND_SECONDS)
    with ExitStack() as closing, store.database.transaction() as db:
        db.execute("INSERT INTO setup VALUES ('x')")
        closer = closing.enter_context(closing_meanwhile(store))
        assert store.accounts.setup_token_is("x")
        assert closer.is_alive()
    assert files_open(store.database.path) == 0
    assert not Path(f"{store.database.path}-wal").exists()  # The file contains the written rows.
    again = type(store)(store.database.path)
    assert again.accounts.setup_token_is("x")
    again.close()


def test_closing_does_not_wait_forever_and_closes_nothing_that_is_in_use(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "CLOSE_SECONDS", 0.01)
    with store.database.reading() as db:
        with running(store.close):
            pass
        assert db.execute("SELECT count(*) FROM accounts").fetchone() == (0,)
        assert files_open(store.database.path) == 1
    assert files_open(store.database.path) == 0


def test_a_thread_that_closes_within_its_own_block_does_not_wait_for_itself(store: Any) -> None:
    with store.database.reading() as db:
        store.close()
        assert db.execute("SELECT count(*) FROM accounts").fetchone() == (0,)
    store.close()
    for use in (store.surveys.all, store.compact, lambda: store.accounts.add_account(ADA)):
        with pytest.raises(StoreUnavailable, match="The database is closed"):
            use()


def test_a_block_that_ends_in_another_thread_gives_the_connection_back_once(store: Any) -> None:
    """Like an abandoned generator."""
    block = store.database.reading()
    db = block.__enter__()
    with running(lambda: block.__exit__(None, None, None)):
        pass
    assert store.database.pool.free == [db]
    with store.database.reading() as again:
        assert again is db
        assert store.database.pool.free == []
