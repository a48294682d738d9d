"""Overwrite what SQLite leaves on the disk, before the file system has the blocks back.

SQLite's write-ahead log lies in the order of arrival, and one transaction in it joins a response to
its invitation. Emptying the log, or removing it with the last connection, frees its blocks and
leaves their bytes on the disk. VACUUM frees the end of the database file in the same way.

**The log.** `overwrite_log` writes zeros over it, and then empties it. It never writes over a frame
that anybody may need, for these reasons:

1. A checkpoint of the kind RESTART returns without "busy" only when every frame is in the database
   file, the file is synced, and no connection of any process reads from the log any more.
2. One page, that of the schema, is then written and committed. SQLite starts the log again at its
   beginning for it: with a new header, and new salts in it. A frame is part of the log only while
   it has the salts of the header (https://www.sqlite.org/fileformat2.html#walformat), so that
   everything behind this page is stale: no reader looks at it, and no recovery does.
3. `BEGIN IMMEDIATE` then keeps all writers of all processes out while the rest is overwritten.
   Under it the header is read from the file, and the frames with its salts are counted. Where there
   are more than one, the log was not started again, or another process has written since: nothing
   is overwritten, and the caller tries again, or later.

A crash at any moment leaves the header, the first frame and the salts as they are, so that
recovery finds that one frame, whatever became of the stale ones. It does not matter in which order
the zeros reach the disk. SQLite holds no lock on the file of the log, so that opening and closing
it here takes none away, as it would for the database file
(https://www.sqlite.org/howtocorrupt.html, section 2.2).

After a kill -9 the log stays as a file. The next start reads it, and its seal overwrites it.

**The end of the file.** Opening the database file here would endanger its locks, so `rewrite_file`
has SQLite itself write the zeros. After VACUUM, while the new contents are in the log alone, the
file gets as many new pages as it is about to lose; they are freed in the same transaction, and
`secure_delete` makes zeros of them. The checkpoint writes these over the old pages, and a second
VACUUM takes them off. A reader is open from before the first VACUUM until the zeros are committed,
since no checkpoint of another process can shorten the file as long as there is one.

**Temporary files** would be removed with their contents in them, so connections keep what is
temporary in memory (`temp_store`), copies for VACUUM included.

What this does not reach: the moment between overwriting and emptying the log, in which another
process (never a thread of this one) may commit what is then freed as it is; a kill or a loss of
power between VACUUM and the zeros; a program other than Candor that is the last to close the
database; and disks and file systems that write elsewhere than over what was there. SECURITY.md says
what the last ones keep.
"""

import os
from pathlib import Path
from typing import Any

from survey.core.errors import StoreUnavailable

HEADER_BYTES = 32
FRAME_HEADER_BYTES = 24
PIECE_BYTES = 2**20
# Of one insertion; SQLite takes no value above 1,000,000,000 bytes.
MAX_BLOB_BYTES = 2**26
MAX_TRIES = 3
AUTOMATIC_PAGES = 1_000  # after which SQLite makes a checkpoint by itself, unless told otherwise
BUSY = "The database is being read, and not sealed. Try again later."


def restart_log(db: Any) -> None:
    """Copy all of the log into the database file, and wait until nobody reads from it.

    Raises StoreUnavailable where somebody goes on reading for longer than a statement waits."""
    checkpoint(db, "RESTART")


def overwrite_log(db: Any) -> None:
    """Write zeros over the log, then empty it. Raises StoreUnavailable where it is in use; then it
    is left as it is."""
    for _ in range(MAX_TRIES):
        restart_log(db)
        begin_log(db)
        db.execute("BEGIN IMMEDIATE")
        try:
            overwritten = overwrite_stale(log_of(db))
        except OSError as error:
            raise StoreUnavailable(
                f"The log of the database cannot be overwritten: {error.strerror}."
            ) from error
        finally:
            db.rollback()
        if overwritten:
            checkpoint(db, "TRUNCATE")
            return
    raise StoreUnavailable(BUSY)


def rewrite_file(db: Any, reader: Any) -> None:
    """VACUUM, and zeros over what the file loses by it. The log holds the new contents afterwards.

    `reader` is another connection, which reads nothing yet."""
    db.execute("PRAGMA wal_autocheckpoint = 0")
    try:
        before = page_count(db)
        reader.execute("BEGIN")
        try:
            reader.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
            db.execute("VACUUM")
            # At least one, so that SQLite's own counters tell nothing of how many there were.
            append_zeros(db, max(1, before - page_count(db)))
        finally:
            reader.rollback()
        restart_log(db)
        db.execute("VACUUM")
    finally:
        db.execute(f"PRAGMA wal_autocheckpoint = {AUTOMATIC_PAGES}")


def has_log(database: Path) -> bool:
    """Whether there is anything in the log of a database file."""
    log = Path(f"{os.path.realpath(database)}-wal")
    return log.exists() and log.stat().st_size > 0


def checkpoint(db: Any, kind: str) -> None:
    busy, _, _ = db.execute(f"PRAGMA wal_checkpoint({kind})").fetchone()
    if busy:
        raise StoreUnavailable(BUSY)


def begin_log(db: Any) -> None:
    """Commit the first page of the file as it is."""
    [version] = db.execute("PRAGMA user_version").fetchone()
    db.execute(f"PRAGMA user_version = {version}")


def log_of(db: Any) -> Path:
    file = next(file for _, name, file in db.execute("PRAGMA database_list") if name == "main")
    return Path(f"{file}-wal")


def overwrite_stale(log: Path) -> bool:
    """Write zeros behind the first frame, and wait for the disk; False where that is not the only
    one. The caller holds the write lock. Raises OSError."""
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
    """Make the file longer by pages of zeros, which belong to no table."""
    [page_bytes] = db.execute("PRAGMA page_size").fetchone()
    with db.atomic():
        db.execute("CREATE TABLE overwritten (zeros BLOB NOT NULL)")
        left = pages * page_bytes
        while left > 0:
            db.execute("INSERT INTO overwritten VALUES (zeroblob(?))", [min(left, MAX_BLOB_BYTES)])
            left -= MAX_BLOB_BYTES
        db.execute("DROP TABLE overwritten")
