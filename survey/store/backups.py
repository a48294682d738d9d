"""Backups: one SQLite file each, from either database. Every sqlite3 program can read it.

A backup is a compacted copy. Nothing in it depends on the order of arrival or on the time: two
backups of the same contents are identical to the byte. Sessions and links to set a password are
left out, so that restoring a backup cannot revive them. The table `backup` records what the rest
must contain: the number of rows and the SHA-256 of each table, and all numbers of each survey's
results. A backup file gets its final name only after this was verified.
"""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from survey.core.errors import BackupError
from survey.store import Store
from survey.store.copy_database import CopySummary, copy_all, frozen_surveys, results_json_text
from survey.store.database import pages
from survey.store.durable_files import erase_file, sync_to_disk
from survey.store.sqlite.migrations import schema_fault
from survey.store.sqlite.pool import SQLite
from survey.store.sqlite.store import SQLiteStore

TABLES_LEFT_OUT = ("sessions", "setup", "links", "failed_sign_ins")
TIME_FORMAT = "%Y%m%dT%H%M%SZ"
# The name of a backup, or of what an interrupted backup left.
BACKUP_NAME = re.compile(r"candor-(\d{8}T\d{6}Z)\.db(\.part(-wal|-shm|-journal)?)?")


def write_backup(source: Store, folder: Path, now: datetime) -> tuple[Path, CopySummary]:
    """Write a backup, and return its path and contents. Raises BackupError and MoveError."""
    path = folder / f"candor-{now:{TIME_FORMAT}}.db"
    with report_file_errors(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists():
            raise BackupError(f"{path} exists already. Try again in a second.")
        part = path.with_name(f"{path.name}.part")
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            with closing(SQLiteStore(part)) as copy:
                copied = copy_all(source, copy, TABLES_LEFT_OUT)
            with closing(sqlite3.connect(part, isolation_level=None)) as connection:
                finish_backup(SQLite(connection), copied)
            require_whole(part)
            sync_to_disk(part)
            part.rename(path)
            sync_to_disk(folder)
        except BaseException:
            for left in folder.glob(f"{part.name}*"):
                erase_file(left)
            raise
    return path, copied


def finish_backup(db: SQLite, copied: CopySummary) -> None:
    """Record what the backup must contain, and reduce it to one file."""
    db.disable_wal()
    # The contents of a journal or a temporary file would stay on the disk after its removal.
    # An interrupted backup is deleted, so it needs no journal.
    for pragma in ("journal_mode = MEMORY", "temp_store = MEMORY"):
        db.execute(f"PRAGMA {pragma}")
    db.execute("UPDATE _sqlite_migrations SET applied_at = ''")
    manifest = json.dumps({"tables": digests(db), "figures": copied.figures}, sort_keys=True)
    record = {"contents": manifest, "sha256": sha256(manifest.encode()).hexdigest()}
    db.table("backup").create(dict.fromkeys(record, str), not_null=record, strict=True)
    db.table("backup").insert(record)
    db.vacuum()


def restore_backup(file: Path, target: Store, other_figures: bool = False) -> CopySummary:
    """Restore a backup into an empty database, and say what it contained.

    Raises BackupError and MoveError.
    """
    # Work on a copy, because opening a backup of an earlier version changes its schema.
    with report_file_errors(file), TemporaryDirectory(prefix="candor-") as folder:
        copy = Path(folder) / "backup.db"
        try:
            shutil.copyfile(file, copy)
            promised = require_whole(copy)
            with closing(SQLiteStore(copy)) as store:
                if not other_figures and figures_by_survey(store) != promised:
                    raise BackupError(
                        "The rows are intact, but this version of Candor, or this machine, "
                        "computes other results from them. Nothing was restored. Use the version "
                        "that made the backup, or add --other-figures."
                    )
                return copy_all(store, target)
        finally:
            if copy.exists():
                erase_file(copy)


def require_whole(file: Path) -> dict[str, str]:
    """The results that a backup recorded. Raises BackupError unless the backup is complete."""
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as connection:
            db = SQLite(connection)
            # SQLite reads zeros after the end of a file, so it may not notice that the end is cut.
            [page_count], [page_size] = (
                db.execute(f"PRAGMA {each}").fetchone() for each in ("page_count", "page_size")
            )
            [fault] = db.execute("PRAGMA integrity_check(1)").fetchone()
            schema = schema_fault(db, "this backup")
            if schema is not None:
                raise BackupError(schema)
            [record] = db.table("backup").rows
            manifest, digest = record["contents"], record["sha256"]
            contents = json.loads(manifest)
            whole = fault == "ok" and file.stat().st_size >= page_count * page_size
            whole = whole and sha256(manifest.encode()).hexdigest() == digest
            if not whole or digests(db) != contents["tables"]:
                raise BackupError(
                    "This backup is damaged, and nothing was restored. Use another one."
                )
            return dict(contents["figures"])
    except (sqlite3.Error, ValueError, TypeError, KeyError) as error:
        raise BackupError(
            "This file is not a backup of Candor, or it is damaged. Use another one."
        ) from error


def digests(db: SQLite) -> dict[str, list[int | str]]:
    """The number of rows and their SHA-256, for each table and for the schema (under "").

    Rows are hashed as JSON, in the order of the primary key, with columns in the order of their
    names.
    """
    schema = db.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE tbl_name <> 'backup' ORDER BY 1, 2"
    ).fetchall()
    digest_by_table = {"": rows_digest([schema])}
    for name in (name for kind, name, _ in schema if kind == "table"):
        digest_by_table[name] = rows_digest(pages(db, f'"{name}"', tuple(db.table(name).pks)))
    return digest_by_table


def rows_digest(arriving: Iterable[list[tuple[Any, ...]]]) -> list[int | str]:
    n, hasher = 0, sha256()
    for page in arriving:
        for row in page:
            hasher.update(json.dumps(row, default=bytes.hex).encode() + b"\n")
        n += len(page)
    return [n, hasher.hexdigest()]


def figures_by_survey(store: Store) -> dict[str, str]:
    with store.database.reading() as db:
        return {slug: results_json_text(store, db, slug) for slug in frozen_surveys(db)}


def remove_old(folder: Path, days: int, now: datetime) -> list[str]:
    """Delete backups older than `days`, and what interrupted backups left, and return their names.

    The age is that in the file name.
    """
    gone = []
    with report_file_errors(folder):
        for file in sorted(folder.iterdir()):
            named = BACKUP_NAME.fullmatch(file.name)
            if named and backup_time(named[1]) < now - timedelta(days=days):
                erase_file(file)
                gone.append(file.name)
        sync_to_disk(folder)
    return gone


def backup_time(moment: str) -> datetime:
    return datetime.strptime(moment, TIME_FORMAT).replace(tzinfo=UTC)


@contextmanager
def report_file_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BackupError(f"{error.filename or path}: {error.strerror}.") from error
