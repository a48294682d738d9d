"""Sealing in PostgreSQL: what responses and invitations lie in is written anew, in key order.

Each row of PostgreSQL carries the number of the transaction that wrote it (xmin), which joins a
response to the invitation that was spent with it, and its place (ctid), which is the order of
arrival. VACUUM FULL and CLUSTER keep the first, so each table is emptied and filled again by one
transaction, in the order of its random keys; the old file is deleted. The write-ahead log holds
every transaction in order: it is switched to a new file, and a checkpoint lets go of the old ones.
What of that the server's settings forbid, `cautions` says.

A table that was emptied and filled by statements would be empty for whoever looked at the database
before, and looks at this table after: pg_dump, waiting for its turn, would back up nothing of it.
So it is filled by COPY with FREEZE, whose rows everyone sees.

What a researcher deleted stays in the files of its table, too. So after a deletion, and once after
each start, all tables are written anew, not only those that respondents fill.
"""

from collections.abc import Iterable, Mapping

from psycopg import errors

from survey.core.errors import StoreUnavailable
from survey.store.copy_database import TABLES
from survey.store.postgresql.connections import (
    BUSY_SECONDS,
    SEALING,
    PostgreSQL,
    PostgreSQLConnections,
)

KEY_COLUMNS = {
    name: ", ".join(key) for name, key in TABLES.items() if name != "acts"
}  # only ever added
RESPONDENT_TABLES = ("waiting", "invitations", "counts")  # changed by respondents

SETTINGS_WITH_TRACES = {  # settings, the values that leave no trace, and what others leave
    "archive_mode": (("off",), "keeps every transaction in the order of arrival"),
    "wal_recycle": (("off",), "keeps old parts of the log in files that are used again"),
    "wal_keep_size": (("0",), "keeps old parts of the log"),
    "track_commit_timestamp": (("off",), "keeps the moment of every transaction"),
    "log_statement": (("none", "ddl"), "writes responses into the server's log, with the moment"),
    "log_min_duration_statement": (("-1",), "writes slow statements into the log, with values"),
    "log_min_duration_sample": (("-1",), "writes some slow statements into the log, with values"),
    "log_transaction_sample_rate": (("0",), "writes some transactions into the log, with values"),
    "log_parameter_max_length_on_error": (("0",), "writes into the log what a fault was about"),
    "log_error_verbosity": (("terse",), "writes rows that are refused into the log, with values"),
}
MAY_EMPTY_LOG = """
    SELECT has_function_privilege('pg_switch_wal()', 'EXECUTE')
        AND (rolsuper OR pg_has_role('pg_checkpoint', 'MEMBER'))
    FROM pg_roles WHERE rolname = current_user
"""
UNREAD_SLOTS = "SELECT slot_name FROM pg_replication_slots WHERE NOT active"
BLOCKS_AT_ONCE = (
    64  # of 8 kB, which are in memory at once; long texts lie outside, and come with them
)


class PostgreSQLDatabase(PostgreSQLConnections):
    """Connections to a database that can leave no order behind."""

    def rewrite(self, patience: float | None) -> None:
        covered = self.unsealed
        with self.reading() as db:
            if not try_compaction_lock(db):
                raise StoreUnavailable("Another server is sealing or backing up the database.")
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
                db.execute("SELECT pg_advisory_unlock(?::integer, 0)", [SEALING])
        self.unsealed, self.seal_due = self.unsealed - covered, False

    def damage(self) -> str | None:
        return None  # every read would have said so

    def cautions(self) -> list[str]:
        sentences = []
        with self.reading() as db:
            for name, (good, trace) in SETTINGS_WITH_TRACES.items():
                [value] = db.execute(f"SHOW {name}").fetchone()
                if value not in good:
                    sentences.append(f"PostgreSQL has {name} = {value}, which {trace}.")
            [may] = db.execute(MAY_EMPTY_LOG).fetchone()
            slots = db.execute(UNREAD_SLOTS).fetchall()
            about, encrypted = db.connection.info, db.connection.pgconn.ssl_in_use
            sentences += unprotected(about.host, about.get_parameters(), encrypted)
        sentences += [
            f"PostgreSQL has the replication slot {name}, which nobody reads from, and keeps the "
            "log for it, with every transaction in the order of arrival."
            for (name,) in slots
        ]
        if not may:
            sentences.append(
                "This role of PostgreSQL may not empty the log, which keeps the order of arrival: "
                "GRANT pg_checkpoint, and EXECUTE ON FUNCTION pg_switch_wal, to it."
            )
        return sentences


def unprotected(host: str, way: Mapping[str, str], encrypted: bool) -> list[str]:
    """What somebody between this server and the database could do."""
    if host.startswith("/") or host in ("", "localhost", "127.0.0.1", "::1"):
        return []
    if not encrypted:
        return [f"Responses go to {host} unencrypted; add sslmode=verify-full to CANDOR_DATABASE."]
    if way.get("sslmode") != "verify-full":
        return [
            f"Another machine could pass for {host}, and be sent responses and the password; add "
            "sslmode=verify-full to CANDOR_DATABASE."
        ]
    return []


def try_compaction_lock(db: PostgreSQL) -> bool:
    """Whether it is this server's turn to seal."""
    [turn] = db.execute("SELECT pg_try_advisory_lock(?::integer, 0)", [SEALING]).fetchone()
    return bool(turn)


def tables_to_rewrite(db: PostgreSQL, others: Iterable[str]) -> dict[str, str]:
    """Those of responses, and some others, each with its key."""
    names = db.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        " AND starts_with(tablename, 'responses_') ORDER BY tablename"
    )
    return {f'"{name}"': "id" for (name,) in names} | {name: KEY_COLUMNS[name] for name in others}


def rewrite_table(db: PostgreSQL, table: str, key: str, patience: float) -> None:
    """Whoever wants to read or write this one table waits for it, and it waits for them so many
    seconds. Raises StoreUnavailable."""
    try:
        with db.connection.transaction():
            db.execute(f"SET LOCAL lock_timeout = '{round(1_000 * patience)}ms'")
            db.execute("SET LOCAL statement_timeout = 0")  # a seal takes as long as it takes
            db.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            db.execute(
                "CREATE TEMPORARY TABLE sealed ON COMMIT DROP AS"
                f" SELECT * FROM {table} ORDER BY {key}"
            )
            db.execute(f"TRUNCATE {table}")
            refill(db, table)
    except errors.UndefinedTable:
        return  # deleted meanwhile
    except errors.LockNotAvailable as error:
        raise StoreUnavailable(
            "The database is being read, and not sealed. Try again later."
        ) from error


def refill(db: PostgreSQL, table: str) -> None:
    """Copy `sealed`, as it lies, into a table that this transaction has emptied."""
    size = "current_setting('block_size')::integer"
    [blocks] = db.execute(f"SELECT pg_relation_size('sealed') / {size}").fetchone()
    for first in range(0, blocks, BLOCKS_AT_ONCE):
        within = f"ctid >= '({first},0)' AND ctid < '({first + BLOCKS_AT_ONCE},0)'"
        some = f"COPY (SELECT * FROM sealed WHERE {within}) TO STDOUT (FORMAT BINARY)"
        with db.connection.cursor() as cursor:
            with cursor.copy(some.encode()) as leaving:
                content = b"".join(leaving)
            into = f"COPY {table} FROM STDIN (FORMAT BINARY, FREEZE)"
            with cursor.copy(into.encode()) as arriving:
                arriving.write(content)


def renew_log(db: PostgreSQL) -> None:
    """Let go of the log as it is so far, where the role may."""
    [may] = db.execute(MAY_EMPTY_LOG).fetchone()
    if may:
        db.execute("SELECT pg_switch_wal()")
        db.execute("CHECKPOINT")
