"""Connections to PostgreSQL: durable, with few locks that each have one purpose.

SQLite allows one writer at a time. PostgreSQL allows many, so locks define what waits for what.
Changes by researchers wait for each other. Recording a response waits for changes of its survey.
Respondents do not wait for each other. The locks are advisory locks that end with their
transaction. PostgreSQL ends an idle connection in the middle of a transaction, so that a machine
that disappeared holds no lock.
"""

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool

from survey.core.errors import SettingsError, StoreUnavailable
from survey.definition.sub_surveys import whole_of
from survey.store.database import Connection, count
from survey.store.postgresql.migrations import migrate
from survey.store.postgresql.response_table import (
    create_table_on_postgresql,
    response_table_on_postgresql,
)

# The time that a statement waits for a lock, and a thread for a connection.
BUSY_SECONDS = 8
# The time that a read of the whole database waits for a compaction.
COMPACTION_SECONDS = 600
# PostgreSQL ends a transaction that is idle for this time.
VANISHED_SECONDS = 120
# The connections of one server: its threads, and those that record, compact and send webhooks.
MAX_POOL_CONNECTIONS = 16
# Rows in one statement.
STATEMENT_ROWS = 5_000
# Dead rows in the table `waiting` slow down counting, so it is vacuumed after this many responses.
VACUUM_AFTER_RESPONSES = 5_000
# After these times a silent machine counts as gone. The URL may set other values.
NETWORK_TIMEOUTS = {
    "connect_timeout": "5",
    "tcp_user_timeout": "10000",  # milliseconds without an acknowledgement
    "keepalives_idle": "5",  # seconds, like the next
    "keepalives_interval": "2",
    "keepalives_count": "3",
}
INSERT_PATTERN = re.compile(r"(INSERT INTO .*) VALUES \([?, ]+\)(.*)", re.DOTALL)
ARRAY_TYPES = {bytes: "bytea", int: "bigint", str: "text"}

# Tables whose rows the database numbers.
NUMBERED_TABLES = ("surveys", "acts", "shares", "releases")

# The first half of the number of each lock. The second half identifies the survey.
RESEARCHERS = 67_110
ANSWERING = 67_111
PUBLISHING = 67_112
COMPACTING = 67_113
LEADING = 67_114


@lru_cache(maxsize=1_024)
def psycopg_statement(sql: str) -> bytes:
    """The store's SQL with the placeholders of psycopg."""
    return sql.replace("%", "%%").replace("?", "%s").encode()


class PostgreSQL:
    """A connection to PostgreSQL that understands the store's SQL.

    Values are always bound on the server. Otherwise its log would contain refused values.
    """

    def __init__(self, connection: psycopg.Connection):
        self.connection = connection

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        if not parameters:
            return self.connection.execute(sql.encode())
        return self.connection.execute(psycopg_statement(sql), parameters)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> int:
        insert, arriving, changed = INSERT_PATTERN.fullmatch(sql), iter(rows), 0
        while page := list(islice(arriving, STATEMENT_ROWS)):
            columns = [list(column) for column in zip(*page, strict=True)]
            kinds = [array_element_type(column) for column in columns]
            if insert is None or None in kinds:
                with self.connection.cursor() as cursor:
                    cursor.executemany(psycopg_statement(sql), page)
                    changed += max(0, cursor.rowcount)
                continue
            # One statement with one array for each column takes a quarter of the time of many rows.
            arrays = ", ".join(f"%s::{kind}[]" for kind in kinds)
            statement = f"{insert[1]} SELECT * FROM unnest({arrays}) {insert[2]}"
            changed += self.connection.execute(statement.encode(), columns).rowcount
        return changed


def array_element_type(column: Sequence[Any]) -> str | None:
    """The PostgreSQL type of these values; None if all are None, or for other types."""
    return next((ARRAY_TYPES.get(type(value)) for value in column if value is not None), None)


class PostgreSQLConnections:
    """One database that several servers can share, and a pool of connections to it."""

    shared = True
    # The number of the row, its place, and the transaction that wrote it.
    row_version = "number::text || ctid::text || xmin::text"
    response_table = staticmethod(response_table_on_postgresql)
    add_response_table = staticmethod(create_table_on_postgresql)

    def __init__(self, url: str):
        self.url = connection_string(url)
        self.leading: psycopg.Connection | None = None
        self.uncompacted = 0
        self.compaction_due = False
        self.warnings: list[str] = []
        self.deleted = True  # Deletions before this start are unknown.
        self.taken = 0  # waiting responses that were published since the last VACUUM
        with report_postgresql_errors():
            with psycopg.connect(self.url) as connection:
                require_durable(PostgreSQL(connection))
            self.pool = ConnectionPool(
                self.url,
                min_size=1,
                max_size=MAX_POOL_CONNECTIONS,
                timeout=BUSY_SECONDS,
                configure=configure,
                check=ConnectionPool.check_connection,  # It drops connections that a restart cut.
                # Prepared statements break when another server recreates a table.
                kwargs={"autocommit": True, "prepare_threshold": None},
                open=True,
            )
        try:
            with self.transaction() as db:
                self.migrated = migrate(db)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[PostgreSQL]:
        with report_postgresql_errors(), self.pool.connection() as connection:
            yield PostgreSQL(connection)

    @contextmanager
    def snapshot(self, *tables: str) -> Iterator[PostgreSQL]:
        with self.reading() as db:
            db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                # A compaction is visible to all transactions at once, so it has to wait.
                db.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS SHARE MODE")
                yield db
            finally:
                db.connection.rollback()

    @contextmanager
    def everything(self) -> Iterator[PostgreSQL]:
        with self.reading() as db:
            # A compaction is visible even to transactions that began before it. So this waits for
            # a running one, in a separate transaction, and prevents the next. If the compaction
            # waited for the tables instead, respondents would have to wait behind it.
            with db.connection.transaction():
                db.execute(f"SET LOCAL lock_timeout = '{COMPACTION_SECONDS}s'")
                db.execute("SELECT pg_advisory_lock(?::integer, 0)", [COMPACTING])
            try:
                own = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
                names = ", ".join(f'"{name}"' for (name,) in db.execute(own).fetchall())
                db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                # The table locks prevent DROP TABLE.
                db.execute(f"LOCK TABLE {names} IN ACCESS SHARE MODE")
                yield db
            finally:
                db.connection.rollback()
                db.execute("SELECT pg_advisory_unlock(?::integer, 0)", [COMPACTING])

    @contextmanager
    def transaction(self, *held: str) -> Iterator[PostgreSQL]:
        with self.reading() as db, db.connection.transaction():
            lock(db, RESEARCHERS)
            for number in sorted({number_of(slug) for slug in held}):
                lock(db, ANSWERING, number)
            yield db

    @contextmanager
    def answering(self, *slugs: str, alone: bool = False) -> Iterator[PostgreSQL]:
        while True:
            with self.reading() as db, db.connection.transaction():
                for number in sorted({number_of(slug) for slug in slugs}):
                    lock(db, ANSWERING, number, shared=not alone)
                # Nobody can set a cap while these locks are held, so the check is reliable now.
                if alone or not any(has_cap(db, whole_of(slug)) for slug in slugs):
                    yield db
                    return
            alone = True

    @contextmanager
    def publishing(self, slug: str) -> Iterator[PostgreSQL]:
        with self.answering(slug) as db:
            lock(db, PUBLISHING, number_of(slug))
            yield db
        if self.taken >= VACUUM_AFTER_RESPONSES:
            self.taken = 0
            with self.reading() as db:
                db.execute("VACUUM (SKIP_LOCKED, INDEX_CLEANUP ON, TRUNCATE OFF) waiting")

    def take_waiting(self, db: Connection, slug: str, most: int) -> list[Any]:
        # One statement, because rows that others add between two statements would be deleted and
        # never counted. The condition is an upper bound of the ids. A list of ids would take
        # quadratic time if PostgreSQL's last statistics saw an empty table.
        rows = db.execute(
            "WITH taken AS (DELETE FROM waiting WHERE survey = ? AND id <="
            " (SELECT id FROM waiting WHERE survey = ? ORDER BY id LIMIT 1 OFFSET ?) RETURNING id)"
            f" SELECT responses.* FROM {self.response_table(slug)} AS responses JOIN taken"
            " USING (id)",
            [slug, slug, most - 1],
        ).fetchall()
        self.taken += len(rows)
        return rows

    def require_room(self) -> None:
        """PostgreSQL itself refuses statements when its disk is full, so there is no check."""

    def go_on_counting(self, db: Connection) -> None:
        for table in NUMBERED_TABLES:
            db.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'number'),"
                f" coalesce(max(number), 0) + 1, false) FROM {table}"
            )

    def forget(self) -> None:
        """Note that all tables need compaction.

        Deleted data stays in the pages and the log until the next compaction.
        """
        self.deleted = True

    def leads(self) -> bool:
        # The lock belongs to a separate connection of this server. Only one thread asks at a time.
        with report_postgresql_errors():
            if self.leading is None or self.leading.closed:
                self.leading = psycopg.connect(self.url, autocommit=True)
            ask = psycopg_statement("SELECT pg_try_advisory_lock(?::integer, 0)")
            row = self.leading.execute(ask, [LEADING]).fetchone()
        return row == (True,)

    def close(self) -> None:
        if self.leading is not None:
            self.leading.close()
        self.pool.close()


def connection_string(url: str) -> str:
    """The URL for psycopg, with default time-outs.

    Raises SettingsError. Its message never quotes the URL, which may contain a password.
    """
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        parts = {"port": ""}
    if not re.fullmatch(r"\d+(,\d*)*", str(parts.get("port", "5432"))):
        raise SettingsError(
            "CANDOR_DATABASE is not a valid PostgreSQL address. Write it as "
            "postgresql://USER:PASSWORD@HOST/NAME. Write each character of the password that is "
            "not a letter or digit as % and its two hexadecimal digits."
        )
    return make_conninfo("", **(NETWORK_TIMEOUTS | parts))


def number_of(slug: str) -> int:
    """The second half of the numbers of a survey's locks; its sub-surveys have the same.

    Two surveys may share a number. They then wait for each other without need.
    """
    return zlib.crc32(whole_of(slug).encode()) - 2**31


def lock(db: PostgreSQL, purpose: int, number: int = 0, shared: bool = False) -> None:
    """Wait for a lock. The transaction holds it until its end."""
    function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    db.execute(f"SELECT {function}(?::integer, ?::integer)", [purpose, number])


def has_cap(db: PostgreSQL, slug: str) -> bool:
    return count(db, "surveys", "slug = ? AND cap IS NOT NULL", [slug]) > 0


def configure(connection: psycopg.Connection) -> None:
    """Set up a new connection, possibly to a standby that took over. Raises SettingsError."""
    require_durable(PostgreSQL(connection))
    # Fix the present value, in case the server's configuration changes later.
    connection.execute(
        "SELECT set_config('synchronous_commit', current_setting('synchronous_commit'), false)"
    )
    # After waiting for a lock, a transaction must see the data of that moment. This does not
    # depend on the default of the database.
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    connection.execute(f"SET lock_timeout = '{BUSY_SECONDS}s'".encode())
    connection.execute(f"SET idle_in_transaction_session_timeout = '{VANISHED_SECONDS}s'".encode())


def require_durable(db: PostgreSQL) -> None:
    """Raises SettingsError if the server could lose acknowledged responses."""
    needed: dict[str, tuple[str, ...]] = {"fsync": ("on",), "full_page_writes": ("on",)}
    needed["synchronous_commit"] = ("on", "remote_apply")
    for name, good in needed.items():
        [value] = db.execute(f"SHOW {name}").fetchone()
        if value not in good:
            raise SettingsError(
                f"PostgreSQL has {name} = {value}, and could lose responses that were "
                f"acknowledged. Set {name} = on."
            )


@contextmanager
def report_postgresql_errors() -> Iterator[None]:
    """Turn errors of the database, as opposed to errors of the code, into StoreUnavailable."""
    try:
        yield
    except (psycopg.IntegrityError, psycopg.DataError, psycopg.NotSupportedError) as error:
        # PostgreSQL's message may contain the values of a row, and would end up in a log.
        where = error.diag.constraint_name or error.diag.column_name or "no constraint"
        raise type(error)(f"PostgreSQL refuses a statement ({error.sqlstate}, {where}).") from None
    except psycopg.DatabaseError as error:
        message = str(error).strip().partition("\n")[0].rstrip(".")
        raise StoreUnavailable(f"The database cannot be used just now: {message}.") from error
