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
from typing import Any

from survey.core.errors import DamagedStore, SettingsError, StoreUnavailable
from survey.store.database import Connection
from survey.store.durable_files import OWNERS_FILE, make_folder, shut_out_others
from survey.store.sqlite.log import has_log, overwrite_log, restart_log, rewrite_file
from survey.store.sqlite.migrations import migrations, unknown_steps
from survey.store.sqlite.pool import SQLite, SQLitePool
from survey.store.sqlite.response_table import create_table_on_sqlite, response_table_on_sqlite

SYNCHRONOUS_FULL = 2  # what SQLite calls `synchronous=FULL`
BUSY_SECONDS = 8  # how long a statement waits for another writer
MIN_FREE_BYTES = 1024 * 1024  # bytes on the disk; a group of responses takes a few thousand
FORGET_SECONDS = 0.2  # how long others are kept waiting so that a withdrawal leaves the log


class SQLiteDatabase:
    """One file, and a pool of connections to it.

    `unsealed` is how many responses came or went through this store since it was opened or last
    sealed; `seal_due` is whether it has to be sealed however few they are: a survey closed by
    itself, or the start has not sealed it. `migrated` names the steps by which the schema was
    brought up to date when it was opened. `warnings` are sentences for the operator, of what was
    wrong then. Several servers fill a database that is `shared`. `row_version` is SQL for what
    differs wherever a row of a table differs, or for NULL.
    """

    shared = False
    row_version = "NULL"
    response_table = staticmethod(response_table_on_sqlite)
    add_response_table = staticmethod(create_table_on_sqlite)

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
        """What the database itself finds wrong with its structure."""
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
        """A connection for statements that change nothing, each seeing the latest; that of the
        block around this one if there is one. With `to_write`, which the thread that holds
        `writing` may ask for, there is always one left."""
        with report_sqlite_errors():
            if self.present() != self.file:
                # what is written to a file that is deleted would be acknowledged, and lost
                raise StoreUnavailable(f"Another file has taken the place of {self.path}.")
            with self.pool.borrow(to_write=to_write) as db:
                yield db

    @contextmanager
    def transaction(self, *held: str) -> Iterator[SQLite]:
        """All of the block, or nothing, while no other block of these is run, and nobody answers
        the surveys that are held, or withdraws from them: with the write lock, nobody writes."""
        # threads of one process queue here; SQLite makes those of others poll, which is slow
        if not self.writing.acquire(timeout=BUSY_SECONDS):
            raise StoreUnavailable("The database is busy.")
        try:
            with self.locked() as db:
                yield db
        finally:
            self.writing.release()

    def answering(self, *slugs: str, alone: bool = False) -> AbstractContextManager[SQLite]:
        """All of the block, or nothing, while nobody changes what becomes of these surveys.

        Others may answer them at the same time, unless `alone` is asked for, or a survey's cap
        asks for it."""
        return self.transaction()  # one writer at a time, whoever that is

    def releasing(self, slug: str) -> AbstractContextManager[SQLite]:
        """As `answering`, while nobody else counts what waits in this survey."""
        return self.transaction()

    def take_waiting(self, db: Connection, slug: str, most: int) -> list[Any]:
        """The rows of so many responses that wait, which wait no longer."""
        first = "(SELECT id FROM waiting WHERE survey = ? ORDER BY id LIMIT ?)"
        table = self.response_table(slug)
        rows = db.execute(f"SELECT * FROM {table} WHERE id IN {first}", [slug, most]).fetchall()
        db.execute(f"DELETE FROM waiting WHERE survey = ? AND id IN {first}", [slug, slug, most])
        return rows

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
        """Let go of the database; the store is not to be used any more."""
        # The last connection removes the log, and would leave what was in it on the disk.
        if has_log(self.path):
            self.forget()
        self.pool.close_all()

    def rewrite(self, patience: float | None) -> None:
        """What `Store.seal` promises of the bytes."""
        with self.alone(BUSY_SECONDS if patience is None else patience) as db:
            restart_log(db)  # refused here, nothing is rewritten in vain
            with closing(self.connect()) as reader:
                rewrite_file(db, reader)
            overwrite_log(db)
            self.unsealed, self.seal_due = 0, False

    def leads(self) -> bool:
        """Whether this server does what one of all has to do: the first that asked, as long as it
        is there."""
        return True

    def cautions(self) -> list[str]:
        """Sentences on what the database keeps of the order of arrival even when it is sealed, and
        on a way to it that is not protected."""
        return []

    @contextmanager
    def snapshot(self, *tables: str) -> Iterator[SQLite]:
        """A connection to which nothing changes within the block, in these tables."""
        with self.reading() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.rollback()

    def everything(self) -> AbstractContextManager[SQLite]:
        """The same for as long as it takes to read everything: others go on, but nothing is sealed
        meanwhile, and what is read cannot be deleted."""
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

    def go_on_counting(self, db: Connection) -> None:
        """After rows were copied with their numbers: the next ones get higher ones, which SQLite
        sees to by itself."""


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
