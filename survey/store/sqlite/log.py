"""Overwriting of data that SQLite leaves on the disk, before its blocks are free.

SQLite's write-ahead log is in the order of arrival, and one transaction in it connects a response
to its invitation. Emptying the log, or removing it with the last connection, frees its blocks and
leaves their bytes on the disk. VACUUM frees the end of the database file in the same way.

**The log.** `overwrite_log` writes zeros over it, and then empties it. It never overwrites a frame
that somebody may need:

1. A RESTART checkpoint returns without "busy" only under three conditions. Every frame is in the
   database file. The file is synced. No connection of any process reads from the log any more.
2. `begin_log` then writes and commits one page, that of the schema. SQLite starts the log again at
   its beginning, with a new header that has new salts. A frame is part of the log only while it has
   the salts of the header (https://www.sqlite.org/fileformat2.html#walformat). So everything behind
   this page is stale: no reader looks at it, and no recovery does.
3. `BEGIN IMMEDIATE` then excludes all writers of all processes while the rest is overwritten. Under
   it, the code reads the header from the file, and counts the frames with its salts. If there is
   more than one, the log was not started again, or another process has written since. Then nothing
   is overwritten, and the caller tries again, or later.

A crash at any moment leaves the header, the first frame and the salts intact. So recovery finds
that one frame, whatever happened to the stale ones. The order in which the zeros reach the disk
does not matter. SQLite holds no lock on the file of the log. So opening and closing it here
releases no lock, as it would for the database file (https://www.sqlite.org/howtocorrupt.html,
section 2.2).

After a kill -9 the log stays as a file. The next start reads it, and its compaction overwrites it.

**The end of the file.** Opening the database file here would endanger its locks, so `rewrite_file`
makes SQLite itself write the zeros. After VACUUM, the new contents are only in the log. At this
point the file gets as many new pages as it is about to lose. The same transaction frees them, and
`secure_delete` fills them with zeros. The checkpoint writes these over the old pages, and a second
VACUUM removes them. A reader is open from before the first VACUUM until the zeros are committed,
because no checkpoint of another process can shorten the file while it exists.

**Temporary files** would be removed without being overwritten. So connections keep temporary data
in memory (`temp_store`), including copies for VACUUM.

This method has four limits:

* Between overwriting and emptying the log, another process (never a thread of this one) may commit
  data that is then freed without being overwritten.
* The process may be killed, or power lost, between VACUUM and the zeros.
* A program other than Candor may be the last to close the database.
* Disks and file systems may write to another place. SECURITY.md says what they keep.
"""

import os
from pathlib import Path
from typing import Any

from survey.core.errors import StoreUnavailable

HEADER_BYTES = 32
FRAME_HEADER_BYTES = 24
PIECE_BYTES = 2**20
# The size of one insertion. SQLite accepts no value above 1,000,000,000 bytes.
MAX_BLOB_BYTES = 2**26
MAX_TRIES = 3
# SQLite's default number of pages before an automatic checkpoint.
AUTOMATIC_PAGES = 1_000
BUSY = "The database is in use, so it was not compacted. Try again later."


def restart_log(db: Any) -> None:
    """Copy the whole log into the database file, and wait until nobody reads from it.

    Raises StoreUnavailable if somebody reads for longer than a statement waits.
    """
    checkpoint(db, "RESTART")


def overwrite_log(db: Any) -> None:
    """Overwrite the log with zeros, then empty it.

    Raises StoreUnavailable if it is in use, and leaves it unchanged.
    """
    for _ in range(MAX_TRIES):
        restart_log(db)
        begin_log(db)
        db.execute("BEGIN IMMEDIATE")
        try:
            overwritten = overwrite_stale(log_of(db))
        except OSError as error:
            raise StoreUnavailable(
                f"Candor cannot overwrite the log of the database: {error.strerror}. Check the "
                "rights of its files."
            ) from error
        finally:
            db.rollback()
        if overwritten:
            checkpoint(db, "TRUNCATE")
            return
    raise StoreUnavailable(BUSY)


def rewrite_file(db: Any, reader: Any) -> None:
    """VACUUM the file, and overwrite with zeros what it loses. The log then has the new contents.

    `reader` is another connection, which reads nothing yet.
    """
    db.execute("PRAGMA wal_autocheckpoint = 0")
    try:
        before = page_count(db)
        reader.execute("BEGIN")
        try:
            reader.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
            db.execute("VACUUM")
            # At least one page, so that SQLite's own counters do not reveal the number.
            append_zeros(db, max(1, before - page_count(db)))
        finally:
            reader.rollback()
        restart_log(db)
        db.execute("VACUUM")
    finally:
        db.execute(f"PRAGMA wal_autocheckpoint = {AUTOMATIC_PAGES}")


def has_log(database: Path) -> bool:
    """Whether the log of a database file contains anything."""
    log = Path(f"{os.path.realpath(database)}-wal")
    return log.exists() and log.stat().st_size > 0


def checkpoint(db: Any, kind: str) -> None:
    busy, _, _ = db.execute(f"PRAGMA wal_checkpoint({kind})").fetchone()
    if busy:
        raise StoreUnavailable(BUSY)


def begin_log(db: Any) -> None:
    """Commit the first page of the file without changing it."""
    [version] = db.execute("PRAGMA user_version").fetchone()
    db.execute(f"PRAGMA user_version = {version}")


def log_of(db: Any) -> Path:
    file = next(file for _, name, file in db.execute("PRAGMA database_list") if name == "main")
    return Path(f"{file}-wal")


def overwrite_stale(log: Path) -> bool:
    """Overwrite the log behind its first frame with zeros, and sync it.

    Returns False if the log has more than one valid frame. The caller holds the write lock. Raises
    OSError.
    """
    descriptor = os.open(log, os.O_RDWR)
    try:
        header = os.pread(descriptor, HEADER_BYTES, 0)
        frame_bytes = FRAME_HEADER_BYTES + int.from_bytes(header[8:12], "big")
        salts = header[16:24]
        first, second = (
            os.pread(descriptor, FRAME_HEADER_BYTES, HEADER_BYTES + place * frame_bytes)[8:16]
            for place in (0, 1)
        )
        if first != salts or second == salts:
            return False
        place, end = HEADER_BYTES + frame_bytes, os.fstat(descriptor).st_size
        zeros = bytes(PIECE_BYTES)
        while place < end:
            place += os.pwrite(descriptor, zeros[: end - place], place)
        os.fsync(descriptor)
        return True
    finally:
        os.close(descriptor)


def page_count(db: Any) -> int:
    return int(db.execute("PRAGMA page_count").fetchone()[0])


def append_zeros(db: Any, pages: int) -> None:
    """Add pages of zeros to the file that belong to no table."""
    [page_bytes] = db.execute("PRAGMA page_size").fetchone()
    with db.atomic():
        db.execute("CREATE TABLE overwritten (zeros BLOB NOT NULL)")
        left = pages * page_bytes
        while left > 0:
            db.execute("INSERT INTO overwritten VALUES (zeroblob(?))", [min(left, MAX_BLOB_BYTES)])
            left -= MAX_BLOB_BYTES
        db.execute("DROP TABLE overwritten")
