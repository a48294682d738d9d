"""A bounded number of connections to SQLite, each used by one thread at a time.

The argument for why nothing crashes and nobody waits forever:

* SQLite's library crashes when one thread closes a connection on which another runs a statement.
  So a connection has one owner: from `borrow` to the end of its block the thread that borrowed it,
  and otherwise the pool. Only the owner closes it. `close` waits for the borrowers; a connection
  that is given back later is closed by its borrower.
* A thread that borrows again within its block gets the connection that it has, so that it sees its
  own transaction and never waits for itself.
* One connection is kept for the writer. `SQLiteDatabase` lets one thread of the process write at
  a time, so the writer never waits for readers here. Readers wait for other readers a bounded time,
  and get StoreUnavailable then. Nobody who holds a connection waits for a second one.
* A connection is opened when all others are in use, and then kept: opening one for each request
  takes three times as long, and SQLite empties the log into the file when the last one is closed.
  The connection that was given back last is borrowed first, since its caches are warm.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlite_utils

from survey.core.errors import StoreUnavailable

# More than the threads of one server, so that there nobody waits: tests/store/test_pool.py
# compares.
MAX_CONNECTIONS = 24
CLOSE_SECONDS = 5.0


class SQLite(sqlite_utils.Database):
    """A connection to SQLite."""

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        return self.conn.executemany(sql, rows).rowcount


@dataclass
class Lease:
    """What a thread has borrowed, until the block ends: with a generator, in any thread."""

    connection: SQLite
    ended: bool = False


class SQLitePool:
    """The connections of one store.

    Parameters
    ----------
    connect : opens a connection
    wait_seconds : how long a reader waits for a connection when all are in use
    """

    def __init__(self, connect: Callable[[], SQLite], wait_seconds: float):
        self.connect = connect
        self.wait_seconds = wait_seconds
        self.opened: list[SQLite] = []
        self.free: list[SQLite] = []
        self.readers = self.writers = 0
        self.closed = False
        self.changed = threading.Condition()
        self.local = threading.local()

    def held(self) -> SQLite | None:
        """The connection that this thread has borrowed."""
        lease: Lease | None = getattr(self.local, "lease", None)
        return None if lease is None or lease.ended else lease.connection

    @contextmanager
    def borrow(self, *, to_write: bool = False) -> Iterator[SQLite]:
        """A connection for the block, which no other thread uses meanwhile.

        `to_write` is for the one thread that may write. Raises StoreUnavailable when the pool is
        closed, and when no connection is given back in time."""
        held = self.held()
        if held is not None:
            yield held
            return
        self.local.lease = lease = Lease(self.take(to_write))
        try:
            yield lease.connection
        finally:
            lease.ended = True
            self.give_back(lease.connection, to_write)

    def take(self, to_write: bool) -> SQLite:
        with self.changed:
            if not to_write:
                self.changed.wait_for(lambda: self.closed or not self.crowded, self.wait_seconds)
            if self.closed:
                raise StoreUnavailable("The database is closed.")
            if not to_write and self.crowded:
                raise StoreUnavailable("The database is busy: all connections are in use.")
            self.count(to_write, 1)
            if self.free:
                return self.free.pop()
        try:
            connection = self.connect()
        except BaseException:
            with self.changed:
                self.count(to_write, -1)
            raise
        with self.changed:
            self.opened.append(connection)
        return connection

    @property
    def crowded(self) -> bool:
        return self.readers >= MAX_CONNECTIONS - 1

    def count(self, to_write: bool, change: int) -> None:
        if to_write:
            self.writers += change
        else:
            self.readers += change
        if change < 0:
            self.changed.notify_all()

    def give_back(self, connection: SQLite, to_write: bool) -> None:
        try:
            if connection.conn.in_transaction:
                connection.conn.rollback()  # or the next borrower would be within it
        finally:
            with self.changed:
                self.free.append(connection)
                if self.closed:
                    self.close_free()
                self.count(to_write, -1)

    def close_free(self) -> None:
        """Close the connections that nobody uses. The next borrower opens one."""
        with self.changed:
            while self.free:
                unused = self.free.pop()
                self.opened.remove(unused)
                unused.conn.close()

    def close_all(self) -> None:
        """Refuse further borrowers, close what is free, and wait for the other threads' blocks. A
        block that does not end within `CLOSE_SECONDS` closes its connection when it does."""
        own = self.held() is not None
        with self.changed:
            self.closed = True
            self.close_free()
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.readers + self.writers <= own, CLOSE_SECONDS)
