"""Connections to SQLite: durable, and sealed when asked.

Durability: `journal_mode=WAL` with `synchronous=FULL` syncs the log at each commit, before the
acknowledgement is sent; NORMAL was measured to lose acknowledged responses at power loss.
Privacy: `secure_delete` overwrites what is deleted; `seal` overwrites the log, whose pages lie in
order of arrival (survey/store/sqlite/log.py), and rewrites the file, whose response tables are
WITHOUT ROWID and so lie in order of their random ids.
"""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from survey.core.errors import DamagedStore, SettingsError, StoreUnavailable
from survey.definition.survey import Survey
from survey.store.database import Database, Transactions
from survey.store.durable_files import OWNERS_FILE, make_folder, shut_out_others
from survey.store.sqlite.log import has_log, overwrite_log, restart_log, rewrite_file
from survey.store.sqlite.migrations import migrations, unknown_steps
from survey.store.sqlite.pool import SQLite, SQLitePool
from survey.store.sqlite.response_table import create_table_on_sqlite, response_table_on_sqlite

SYNCHRONOUS_FULL = 2  # what SQLite calls `synchronous=FULL`
BUSY_SECONDS = 8  # how long a statement waits for another writer
MIN_FREE_BYTES = 1024 * 1024  # bytes on the disk; a group of responses takes a few thousand
FORGET_SECONDS = 0.2  # how long others are kept waiting so that a withdrawal leaves the log


class SQLiteConnections(Transactions):
    """One file, and a pool of connections to it."""

    def __init__(self, path: Path):
        self.path = path
        self.pool = SQLitePool(lambda: self.connect(), BUSY_SECONDS)
        self.writing = threading.Lock()
        self.unsealed = 0
        self.seal_due = False
        try:
            make_folder(path.parent)
            path.touch(OWNERS_FILE)  # SQLite gives its log and its index of that the same rights
        except OSError as error:
            raise StoreUnavailable(f"{path} cannot be written: {error.strerror}.") from error
        self.warnings = restrict_to_owner(path)
        self.file = self.present()
        try:
            self.migrate()
        except BaseException:
            self.close()
            raise

    def migrate(self) -> None:
        """Bring the schema up to date."""
        with self.reading() as db:
            self.refuse_newer(db)
            self.migrated = tuple(step.name for step in migrations.pending(db))
        if self.migrated:
            # all steps or none, so that a process that is killed in the midst changes nothing
            with self.locked() as db:
                migrations.apply(db)

    def refuse_newer(self, db: SQLite) -> None:
        """Raises SettingsError for a file that a later version of Candor has worked on."""
        strange = unknown_steps(db)
        if strange:
            raise SettingsError(
                f"{self.path} was made by a newer version of Candor, which has added "
                f"{', '.join(strange)[:100]}. Start that version, or restore an older backup."
            )

    def present(self) -> tuple[int, int]:
        """Which file the path leads to now."""
        try:
            status = self.path.stat()
        except OSError as error:
            raise StoreUnavailable(f"{self.path} is gone: {error.strerror}.") from error
        return status.st_dev, status.st_ino

    def damage(self) -> str | None:
        with self.reading() as db:
            result = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
        return None if result == "ok" else result

    def connect(self) -> SQLite:
        """A new connection, set to be durable and to overwrite what it deletes."""
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, check_same_thread=False)
        try:
            db = SQLite(connection, execute_plugins=False)
            for pragma in (
                *("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"),
                # What is temporary would be freed on the disk with its contents in it.
                "temp_store=MEMORY",
            ):
                db.execute(f"PRAGMA {pragma}")
            if db.execute("PRAGMA synchronous").fetchone()[0] < SYNCHRONOUS_FULL:
                raise SettingsError("SQLite here does not wait for the disk (synchronous=FULL).")
        except BaseException:
            connection.close()
            raise
        return db

    @contextmanager
    def reading(self, *, to_write: bool = False) -> Iterator[SQLite]:
        """A connection, that of the block around this one if there is one. With `to_write`, which
        the thread that holds `writing` may ask for, there is always one left."""
        with report_sqlite_errors():
            if self.present() != self.file:
                # what is written to a file that is deleted would be acknowledged, and lost
                raise StoreUnavailable(f"Another file has taken the place of {self.path}.")
            with self.pool.borrow(to_write=to_write) as db:
                yield db

    @contextmanager
    def transaction(self, *held: str) -> Iterator[SQLite]:
        """A connection with the write lock held: all of the block, or nothing."""
        # threads of one process queue here; SQLite makes those of others poll, which is slow
        if not self.writing.acquire(timeout=BUSY_SECONDS):
            raise StoreUnavailable("The database is busy.")
        try:
            with self.locked() as db:
                yield db
        finally:
            self.writing.release()

    def answering(self, *slugs: str, alone: bool = False) -> AbstractContextManager[SQLite]:
        return self.transaction()  # one writer at a time, whoever that is

    @contextmanager
    def locked(self) -> Iterator[SQLite]:
        """A connection in a transaction that shuts out other processes. Only one thread may ask."""
        with self.reading(to_write=True) as db:
            # taking the lock at once, not at the first write, means that what the block reads
            # cannot be overtaken by another writer
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                db.rollback()  # also after a failed COMMIT, or the next request would find it open
                raise

    def require_room(self) -> None:
        """Raises StoreUnavailable where the disk is full, which only a write would tell."""
        try:
            free = shutil.disk_usage(self.path.parent).free
        except OSError as error:
            raise StoreUnavailable(f"{self.path} is gone: {error.strerror}.") from error
        if free < MIN_FREE_BYTES:
            raise StoreUnavailable("The disk is full.")

    def close(self) -> None:
        # The last connection removes the log, and would leave what was in it on the disk.
        if has_log(self.path):
            self.forget()
        self.pool.close()

    def seal(self, patience: float | None = None) -> None:
        with self.alone(BUSY_SECONDS if patience is None else patience) as db:
            restart_log(db)  # refused here, nothing is rewritten in vain
            with closing(self.connect()) as reader:
                rewrite_file(db, reader)
            overwrite_log(db)
            self.unsealed, self.seal_due = 0, False

    def leads(self) -> bool:
        return True

    def cautions(self) -> list[str]:
        return []

    @contextmanager
    def snapshot(self, *tables: str) -> Iterator[SQLite]:
        """A connection to which nothing changes within the block."""
        with self.reading() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.rollback()

    def everything(self) -> AbstractContextManager[SQLite]:
        return self.snapshot()  # of a reader the log keeps all that it sees

    @contextmanager
    def alone(self, patience: float) -> Iterator[SQLite]:
        """A connection, while this process's writers queue: under load, what needs the whole file
        would never get its turn otherwise. Waits this many seconds for all others."""
        if not self.writing.acquire(timeout=patience):
            raise StoreUnavailable("The database is busy, and not sealed. Try again later.")
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
        """Take what was deleted out of the log as well, unless somebody is reading; then the next
        seal does it."""
        with suppress(StoreUnavailable), self.alone(FORGET_SECONDS) as db:
            overwrite_log(db)

    def go_on_counting(self, db: Database) -> None:
        """SQLite does by itself."""

    def response_table(self, slug: str) -> str:
        return response_table_on_sqlite(slug)

    def add_response_table(self, db: Database, survey: Survey) -> None:
        create_table_on_sqlite(db, survey)


@contextmanager
def report_sqlite_errors() -> Iterator[None]:
    """Turn what the database suffers from, but nobody did wrong, into StoreUnavailable."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter of a damaged file
        # SQLite's own words, since what Python says of a text that it cannot read quotes it
        name = getattr(error, "sqlite_errorname", "")
        message = error if name else "a text in it cannot be read"
        damaged = not name or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))
        kind = DamagedStore if damaged else StoreUnavailable
        raise kind(f"The database cannot be used just now: {message}.") from error


def restrict_to_owner(path: Path) -> list[str]:
    """Have only the owner read a database and its log; what to tell an operator of that."""
    files = [path, *(Path(f"{path}-{part}") for part in ("wal", "shm", "journal"))]
    try:
        others = [file for file in files if shut_out_others(file)]
    except OSError as error:
        return [
            f"Other users of this machine may read {path}, and its rights cannot be changed: "
            f"{error.strerror}. Run chmod 600 on it and on its -wal and -shm as its owner."
        ]
    if not others:
        return []
    return [
        f"Other users of this machine could read {path}. Now only its owner can. Check your copies "
        "of it. If somebody may have read it, renew passwords and API tokens."
    ]
