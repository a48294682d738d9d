"""Compaction in PostgreSQL: responses and invitations are rewritten in the order of their keys.

Each row of PostgreSQL has the number of the transaction that wrote it (xmin) and its place in the
file (ctid). The first connects a response to the invitation that was used for it. The second shows
the order of arrival. VACUUM FULL and CLUSTER keep xmin. So one transaction empties each table and
fills it again in the order of the random keys, and PostgreSQL deletes the old file.

The write-ahead log contains every transaction in order. So the log is switched to a new file, and a
checkpoint removes the old ones. `cautions` reports the server settings that prevent this.

A table that statements emptied and filled would look empty to a transaction that began before and
reads the table after. For example, pg_dump would back up nothing of it. So the table is filled
by COPY with FREEZE: everyone sees these rows.

Data that a researcher deleted also stays in the files of its table. So after a deletion, and once
after each start, all tables are rewritten, not only those that respondents fill.
"""

from collections.abc import Iterable, Mapping

from psycopg import errors

from survey.core.errors import StoreUnavailable
from survey.store.copy_database import TABLES
from survey.store.postgresql.connections import (
    BUSY_SECONDS,
    COMPACTING,
    PostgreSQL,
    PostgreSQLConnections,
)

# The rows of `acts` are only ever added, so that table needs no compaction.
KEY_COLUMNS = {name: ", ".join(key) for name, key in TABLES.items() if name != "acts"}
# The tables that respondents change.
RESPONDENT_TABLES = ("waiting", "invitations", "counts")

# Each setting with the values that leave no trace, and the trace that other values leave.
SETTINGS_WITH_TRACES = {
    "archive_mode": (("off",), "keeps every transaction in the order of arrival"),
    "wal_recycle": (("off",), "keeps old parts of the log in recycled files"),
    "wal_keep_size": (("0",), "keeps old parts of the log"),
    "track_commit_timestamp": (("off",), "keeps the time of every transaction"),
    "log_statement": (("none", "ddl"), "writes responses with their time into the server's log"),
    "log_min_duration_statement": (("-1",), "writes slow statements into the log, with values"),
    "log_min_duration_sample": (("-1",), "writes some slow statements into the log, with values"),
    "log_transaction_sample_rate": (("0",), "writes some transactions into the log, with values"),
    "log_parameter_max_length_on_error": (
        ("0",),
        "writes the values of failed statements into the log",
    ),
    "log_error_verbosity": (("terse",), "writes refused rows into the log"),
}
MAY_EMPTY_LOG = """
    SELECT has_function_privilege('pg_switch_wal()', 'EXECUTE')
        AND (rolsuper OR pg_has_role('pg_checkpoint', 'MEMBER'))
    FROM pg_roles WHERE rolname = current_user
"""
UNREAD_SLOTS = "SELECT slot_name FROM pg_replication_slots WHERE NOT active"
# Blocks of 8 kB that are in memory at once, with the long texts that are stored outside of them.
BLOCKS_AT_ONCE = 64


class PostgreSQLDatabase(PostgreSQLConnections):
    """A database that can remove the order of arrival from its files."""

    def rewrite(self, patience: float | None) -> None:
        covered = self.uncompacted
        with self.reading() as db:
            if not try_compaction_lock(db):
                raise StoreUnavailable(
                    "Another server is compacting or backing up the database. Try again later."
                )
            thorough, self.deleted = self.deleted, False
            try:
                for table, key in tables_to_rewrite(
                    db, KEY_COLUMNS if thorough else RESPONDENT_TABLES
                ).items():
                    rewrite_table(db, table, key, BUSY_SECONDS if patience is None else patience)
                renew_log(db)
            except BaseException:
                self.deleted |= thorough
                raise
            finally:
                db.execute("SELECT pg_advisory_unlock(?::integer, 0)", [COMPACTING])
        self.uncompacted, self.compaction_due = self.uncompacted - covered, False

    def damage(self) -> str | None:
        return None  # PostgreSQL verifies checksums at every read.

    def cautions(self) -> list[str]:
        sentences = []
        with self.reading() as db:
            for name, (good, trace) in SETTINGS_WITH_TRACES.items():
                [value] = db.execute(f"SHOW {name}").fetchone()
                if value not in good:
                    sentences.append(
                        f"PostgreSQL has {name} = {value}, which {trace}. Set {name} = {good[0]}."
                    )
            [may] = db.execute(MAY_EMPTY_LOG).fetchone()
            slots = db.execute(UNREAD_SLOTS).fetchall()
            about, encrypted = db.connection.info, db.connection.pgconn.ssl_in_use
            sentences += connection_warnings(about.host, about.get_parameters(), encrypted)
        sentences += [
            f"Nothing reads from the replication slot {name}. PostgreSQL keeps the log for it, "
            "with every transaction in the order of arrival. Drop the slot."
            for (name,) in slots
        ]
        if not may:
            sentences.append(
                "This role of PostgreSQL may not empty the log, which keeps the order of arrival. "
                "GRANT pg_checkpoint, and EXECUTE ON FUNCTION pg_switch_wal, to it."
            )
        return sentences


def connection_warnings(host: str, way: Mapping[str, str], encrypted: bool) -> list[str]:
    """Warnings about an unprotected connection between this server and the database."""
    if host.startswith("/") or host in ("", "localhost", "127.0.0.1", "::1"):
        return []
    if not encrypted:
        return [f"Responses go to {host} unencrypted. Add sslmode=verify-full to CANDOR_DATABASE."]
    if way.get("sslmode") != "verify-full":
        return [
            f"Another machine could pretend to be {host}, and receive responses and the password. "
            "Add sslmode=verify-full to CANDOR_DATABASE."
        ]
    return []


def try_compaction_lock(db: PostgreSQL) -> bool:
    """Take the lock for compaction; False if another server holds it."""
    [turn] = db.execute("SELECT pg_try_advisory_lock(?::integer, 0)", [COMPACTING]).fetchone()
    return bool(turn)


def tables_to_rewrite(db: PostgreSQL, others: Iterable[str]) -> dict[str, str]:
    """The tables of responses and the tables in `others`, each with its key."""
    names = db.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        " AND starts_with(tablename, 'responses_') ORDER BY tablename"
    )
    return {f'"{name}"': "id" for (name,) in names} | {name: KEY_COLUMNS[name] for name in others}


def rewrite_table(db: PostgreSQL, table: str, key: str, patience: float) -> None:
    """Rewrite one table in the order of its key.

    Other transactions that use the table wait meanwhile. It waits for them for at most `patience`
    seconds, and then raises StoreUnavailable.
    """
    try:
        with db.connection.transaction():
            db.execute(f"SET LOCAL lock_timeout = '{round(1_000 * patience)}ms'")
            # A large table may take long, so there is no time limit.
            db.execute("SET LOCAL statement_timeout = 0")
            db.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            db.execute(
                "CREATE TEMPORARY TABLE compacted ON COMMIT DROP AS"
                f" SELECT * FROM {table} ORDER BY {key}"
            )
            db.execute(f"TRUNCATE {table}")
            refill(db, table)
    except errors.UndefinedTable:
        return  # The table was deleted in the meantime.
    except errors.LockNotAvailable as error:
        raise StoreUnavailable(
            "The database is in use, so it was not compacted. Try again later."
        ) from error


def refill(db: PostgreSQL, table: str) -> None:
    """Copy `compacted`, in its order, into a table that this transaction has emptied."""
    size = "current_setting('block_size')::integer"
    [blocks] = db.execute(f"SELECT pg_relation_size('compacted') / {size}").fetchone()
    for first in range(0, blocks, BLOCKS_AT_ONCE):
        within = f"ctid >= '({first},0)' AND ctid < '({first + BLOCKS_AT_ONCE},0)'"
        some = f"COPY (SELECT * FROM compacted WHERE {within}) TO STDOUT (FORMAT BINARY)"
        with db.connection.cursor() as cursor:
            with cursor.copy(some.encode()) as leaving:
                content = b"".join(leaving)
            into = f"COPY {table} FROM STDIN (FORMAT BINARY, FREEZE)"
            with cursor.copy(into.encode()) as arriving:
                arriving.write(content)


def renew_log(db: PostgreSQL) -> None:
    """Remove the old files of the log, if the role may do so."""
    [may] = db.execute(MAY_EMPTY_LOG).fetchone()
    if may:
        db.execute("SELECT pg_switch_wal()")
        db.execute("CHECKPOINT")
