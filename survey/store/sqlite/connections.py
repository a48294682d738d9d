"""Connections to SQLite: durable, with compaction on request.

Durability: `journal_mode=WAL` with `synchronous=FULL` syncs the log at each commit, before the
acknowledgement is sent. NORMAL lost acknowledged responses at a loss of power in measurements.
Privacy: `secure_delete` overwrites deleted data. `compact` overwrites the log, whose pages are in
the order of arrival (survey/store/sqlite/log.py), and rewrites the file. Its response tables are
WITHOUT ROWID, so their rows are in the order of the random ids.
"""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from survey.core.errors import DamagedStore, SettingsError, StoreUnavailable
from survey.store.database import Connection
from survey.store.durable_files import OWNERS_FILE, make_folder, shut_out_others
from survey.store.sqlite.log import has_log, overwrite_log, restart_log, rewrite_file
from survey.store.sqlite.migrations import migrate, missing_steps, schema_fault
from survey.store.sqlite.pool import SQLite, SQLitePool
from survey.store.sqlite.response_table import create_table_on_sqlite, response_table_on_sqlite

# The value of `PRAGMA synchronous` for FULL.
SYNCHRONOUS_FULL = 2
# The time that a statement waits for another writer.
BUSY_SECONDS = 8
# Free space on the disk. A group of responses takes a few thousand bytes.
MIN_FREE_BYTES = 1024 * 1024
# The time that others may wait while a withdrawal is removed from the log.
FORGET_SECONDS = 0.2


class SQLiteDatabase:
    """One file, and a pool of connections to it.

    Attributes
    ----------
    uncompacted : the number of responses recorded or withdrawn since the start or last compaction
    compaction_due : whether compaction is due for any number, after a start or an automatic closing
    migrated : the names of the schema steps that were applied when the database was opened
    warnings : sentences for the operator about faults found then
    shared : whether several servers use the database
    row_version : SQL for a value that differs whenever a row differs, or for NULL
    """

    shared = False
    row_version = "NULL"
    response_table = staticmethod(response_table_on_sqlite)
    add_response_table = staticmethod(create_table_on_sqlite)

    def __init__(self, path: Path):
        self.path = path
        self.pool = SQLitePool(lambda: self.connect(), BUSY_SECONDS)
        self.writing = threading.Lock()
        self.uncompacted = 0
        self.compaction_due = False
        try:
            make_folder(path.parent)
            path.touch(OWNERS_FILE)  # SQLite gives its log and index the same rights.
        except OSError as error:
            raise StoreUnavailable(
                f"Cannot write to {path}: {error.strerror}. Check the path and its rights."
            ) from error
        self.warnings = restrict_to_owner(path)
        self.file = self.present()
        try:
            self.migrate()
        except BaseException:
            self.close()
            raise

    def migrate(self) -> None:
        """Bring the schema up to date.

        Raises SettingsError if this version cannot read the file.
        """
        with self.reading() as db:
            fault = schema_fault(db, str(self.path))
            due = bool(missing_steps(db))
        if fault is not None:
            raise SettingsError(fault)
        self.migrated: tuple[str, ...] = ()
        if due:
            # All steps run in one transaction, so a killed process leaves no partial change.
            with self.exclusive_transaction() as db:
                self.migrated = migrate(db)

    def present(self) -> tuple[int, int]:
        """The identity (device and inode) of the file that is now at the path."""
        try:
            status = self.path.stat()
        except OSError as error:
            raise StoreUnavailable(f"{self.path} is gone: {error.strerror}. Restore it.") from error
        return status.st_dev, status.st_ino

    def damage(self) -> str | None:
        """The first fault that the database reports in its structure; None if there is none."""
        with self.reading() as db:
            result = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
        return None if result == "ok" else result

    def connect(self) -> SQLite:
        """A new connection that is durable and overwrites deleted data."""
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, check_same_thread=False)
        try:
            db = SQLite(connection, execute_plugins=False)
            for pragma in (
                *("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"),
                # Temporary files would be freed on the disk without being overwritten.
                "temp_store=MEMORY",
            ):
                db.execute(f"PRAGMA {pragma}")
            if db.execute("PRAGMA synchronous").fetchone()[0] < SYNCHRONOUS_FULL:
                raise SettingsError(
                    "SQLite does not accept synchronous=FULL here. Use another build of SQLite."
                )
        except BaseException:
            connection.close()
            raise
        return db

    @contextmanager
    def reading(self, *, to_write: bool = False) -> Iterator[SQLite]:
        """A connection for statements that change nothing, each of which sees the latest state.

        Nested blocks of a thread share one connection. With `to_write`, which only the thread that
        holds `writing` may pass, a connection is always available.
        """
        with report_sqlite_errors():
            if self.present() != self.file:
                # Responses written to a deleted file would be acknowledged, and then lost.
                raise StoreUnavailable(
                    f"Another file has replaced {self.path}. Start the server again."
                )
            with self.pool.borrow(to_write=to_write) as db:
                yield db

    @contextmanager
    def transaction(self, *held: str) -> Iterator[SQLite]:
        """A transaction that succeeds or changes nothing, while no other such block runs.

        In the meantime nobody answers the surveys in `held`, or withdraws from them. SQLite's write
        lock excludes all writers.
        """
        # Threads of one process queue here. SQLite makes other processes poll, which is slow.
        if not self.writing.acquire(timeout=BUSY_SECONDS):
            raise StoreUnavailable("The database is busy. Try again in a moment.")
        try:
            with self.exclusive_transaction() as db:
                yield db
        finally:
            self.writing.release()

    def answering(self, *slugs: str, alone: bool = False) -> AbstractContextManager[SQLite]:
        """A transaction that succeeds or changes nothing, while nobody changes these surveys.

        Others may answer them at the same time, unless `alone` is set or a survey has a cap.
        """
        return self.transaction()  # SQLite allows only one writer at a time.

    def publishing(self, slug: str) -> AbstractContextManager[SQLite]:
        """Like `answering`, while nobody else counts the waiting responses of this survey."""
        return self.transaction()

    def take_waiting(self, db: Connection, slug: str, most: int) -> list[Any]:
        """The rows of at most `most` waiting responses, which stop waiting."""
        first = "(SELECT id FROM waiting WHERE survey = ? ORDER BY id LIMIT ?)"
        table = self.response_table(slug)
        rows = db.execute(f"SELECT * FROM {table} WHERE id IN {first}", [slug, most]).fetchall()
        db.execute(f"DELETE FROM waiting WHERE survey = ? AND id IN {first}", [slug, slug, most])
        return rows

    @contextmanager
    def exclusive_transaction(self) -> Iterator[SQLite]:
        """A transaction that excludes other processes. Only one thread at a time may call it."""
        with self.reading(to_write=True) as db:
            # IMMEDIATE takes the lock now, not at the first write. So no other writer can change
            # what the block has read.
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                # A failed COMMIT leaves the transaction open, so roll back after it too.
                db.rollback()
                raise

    def require_room(self) -> None:
        """Raises StoreUnavailable if the disk is full, which only a write would show otherwise."""
        try:
            free = shutil.disk_usage(self.path.parent).free
        except OSError as error:
            raise StoreUnavailable(f"{self.path} is gone: {error.strerror}. Restore it.") from error
        if free < MIN_FREE_BYTES:
            raise StoreUnavailable("The disk is full. Free some space.")

    def close(self) -> None:
        """Close the database. The store cannot be used after this."""
        # The last connection removes the log without overwriting it, so do that first.
        if has_log(self.path):
            self.forget()
        self.pool.close_all()

    def rewrite(self, patience: float | None) -> None:
        """Do what `Store.compact` promises for the bytes of the file."""
        with self.alone(BUSY_SECONDS if patience is None else patience) as db:
            restart_log(db)  # Fail here, before the file is rewritten in vain.
            with closing(self.connect()) as reader:
                rewrite_file(db, reader)
            overwrite_log(db)
            self.uncompacted, self.compaction_due = 0, False

    def leads(self) -> bool:
        """Whether this server does the work that one server must do for all.

        It is the first server that asked, as long as it runs.
        """
        return True

    def cautions(self) -> list[str]:
        """Warnings about traces of the order of arrival that compaction cannot remove, and about an
        unprotected connection."""
        return []

    @contextmanager
    def snapshot(self, *tables: str) -> Iterator[SQLite]:
        """A connection that sees these tables as they are at one moment."""
        with self.reading() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.rollback()

    def everything(self) -> AbstractContextManager[SQLite]:
        """A connection that sees the whole database as it is at one moment.

        Others may write, but nobody compacts the database meanwhile, and nobody drops its tables.
        """
        return self.snapshot()  # The log keeps everything that a reader can see.

    @contextmanager
    def alone(self, patience: float) -> Iterator[SQLite]:
        """A connection for work that needs the whole file, while the writers of this process queue.

        Without the queue, it would never succeed under load. It waits `patience` seconds for all
        others.
        """
        if not self.writing.acquire(timeout=patience):
            raise StoreUnavailable(
                "The database is busy, so it was not compacted. Try again later."
            )
        try:
            with self.reading(to_write=True) as db:
                db.execute(f"PRAGMA busy_timeout = {round(1_000 * patience)}")
                try:
                    yield db
                finally:
                    db.execute(f"PRAGMA busy_timeout = {round(1_000 * BUSY_SECONDS)}")
        finally:
            self.writing.release()

    def forget(self) -> None:
        """Remove deleted data from the log too. If somebody is reading, the next compaction does
        it."""
        with suppress(StoreUnavailable), self.alone(FORGET_SECONDS) as db:
            overwrite_log(db)

    def go_on_counting(self, db: Connection) -> None:
        """After rows were copied with their numbers, continue numbering above them.

        SQLite does this by itself.
        """


@contextmanager
def report_sqlite_errors() -> Iterator[None]:
    """Turn errors of the database, as opposed to errors of the code, into StoreUnavailable."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter: a damaged file
        # Use SQLite's own message. Python's message quotes a text that it cannot decode.
        name = getattr(error, "sqlite_errorname", "")
        message = error if name else "a text in it cannot be read"
        damaged = not name or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))
        kind = DamagedStore if damaged else StoreUnavailable
        denied = name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN"))
        advice = " Check the permissions of the file and its folder." if denied else ""
        raise kind(f"The database cannot be used just now: {message}.{advice}") from error


def restrict_to_owner(path: Path) -> list[str]:
    """Let only the owner read a database and its log; warnings for the operator about this."""
    files = [path, *(Path(f"{path}-{part}") for part in ("wal", "shm", "journal"))]
    try:
        others = [file for file in files if shut_out_others(file)]
    except OSError as error:
        return [
            f"Other users of this machine may read {path}, and Candor cannot change its rights: "
            f"{error.strerror}. Run chmod 600 on it, its -wal and its -shm as its owner."
        ]
    if not others:
        return []
    return [
        f"Other users of this machine could read {path}. Now only its owner can. Check the copies "
        "of it. If somebody may have read it, renew passwords and API tokens."
    ]
