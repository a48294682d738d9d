"""A pool with a limited number of connections to SQLite, each used by one thread at a time.

The argument that nothing crashes and nobody waits forever:

* SQLite's library crashes if one thread closes a connection while another one runs a statement on
  it. So a connection has one owner: the thread that borrowed it, until the end of the block, and
  otherwise the pool. Only the owner closes it. `close_all` waits for the borrowers. A connection
  that is returned later is closed by its borrower.
* A thread that borrows again within its block gets the same connection. So it sees its own
  transaction, and never waits for itself.
* One connection is reserved for the writer. `SQLiteDatabase` lets only one thread of the process
  write at a time, so here the writer never waits for readers. Readers wait for other readers for a
  limited time, and then get StoreUnavailable. No thread that holds a connection waits for another.
* A connection is opened when all others are in use, and then kept. Opening one for each request
  takes three times as long, and SQLite moves the log into the file when the last one is closed.
  The connection that was returned last is borrowed first, because its caches are warm.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlite_utils

from survey.core.errors import StoreUnavailable

# More than the threads of one server, so that none of them waits (tests/store/test_pool.py).
MAX_CONNECTIONS = 24
CLOSE_SECONDS = 5.0


class SQLite(sqlite_utils.Database):
    """A connection to SQLite."""

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        return self.conn.executemany(sql, rows).rowcount


@dataclass
class Lease:
    """The connection of a thread until its block ends. A generator may end it in another thread."""

    connection: SQLite
    ended: bool = False


class SQLitePool:
    """The connections of one store.

    Parameters
    ----------
    connect : opens a connection
    wait_seconds : the time that a reader waits when all connections are in use
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

    def borrowed_connection(self) -> SQLite | None:
        """The connection that this thread has borrowed; None if it has none."""
        lease: Lease | None = getattr(self.local, "lease", None)
        return None if lease is None or lease.ended else lease.connection

    @contextmanager
    def borrow(self, *, to_write: bool = False) -> Iterator[SQLite]:
        """A connection that no other thread uses during the block.

        Only the one thread that may write passes `to_write`. Raises StoreUnavailable if the pool is
        closed, or if no connection is returned in time.
        """
        held = self.borrowed_connection()
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
                raise StoreUnavailable("The database is closed. Start the server again.")
            if not to_write and self.crowded:
                raise StoreUnavailable(
                    "The database is busy: all connections are in use. Try again in a moment."
                )
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
                connection.conn.rollback()  # Otherwise the next borrower would be inside it.
        finally:
            with self.changed:
                self.free.append(connection)
                if self.closed:
                    self.close_free()
                self.count(to_write, -1)

    def close_free(self) -> None:
        """Close the unused connections. The next borrower opens a new one."""
        with self.changed:
            while self.free:
                unused = self.free.pop()
                self.opened.remove(unused)
                unused.conn.close()

    def close_all(self) -> None:
        """Refuse further borrowers, close unused connections, and wait for the other threads.

        A block that does not end within `CLOSE_SECONDS` closes its connection at its end.
        """
        own = self.borrowed_connection() is not None
        with self.changed:
            self.closed = True
            self.close_free()
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.readers + self.writers <= own, CLOSE_SECONDS)
