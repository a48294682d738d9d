"""Connections to PostgreSQL: durable, and few locks, each with one purpose.

Where SQLite lets one writer in at a time, here researchers' changes wait for each other, and
answering a survey waits for what changes that survey; respondents do not wait for each other. These
are advisory locks of transactions, which end with them. A connection on which nothing happens in
the middle of a transaction is ended by the server, so that a machine that vanished holds no lock.
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

BUSY_SECONDS = 8  # how long a statement waits for a lock, and a thread for a connection
SEAL_SECONDS = 600  # how long what reads everything waits for a seal
VANISHED_SECONDS = 120  # after which whoever holds a transaction open and says nothing is ended
MAX_POOL_CONNECTIONS = 16  # of one server: its threads, and those that record, seal and notify
STATEMENT_ROWS = 5_000  # rows in one statement
VACUUM_AFTER_RESPONSES = 5_000  # that waited; what is left of them is in the way of counting others
# when a machine that says nothing is taken to be gone; an address may say otherwise
NETWORK_TIMEOUTS = {
    "connect_timeout": "5",
    "tcp_user_timeout": "10000",  # milliseconds without an answer to what was sent
    "keepalives_idle": "5",  # seconds
    "keepalives_interval": "2",
    "keepalives_count": "3",
}
INSERT_PATTERN = re.compile(r"(INSERT INTO .*) VALUES \([?, ]+\)(.*)", re.DOTALL)
ARRAY_TYPES = {bytes: "bytea", int: "bigint", str: "text"}

NUMBERED_TABLES = (
    "surveys",
    "acts",
    "shares",
    "releases",
)  # tables whose rows the database numbers

# the first half of each lock's number; the second half says of which survey
RESEARCHERS, ANSWERING, RELEASING, SEALING, LEADING = range(67_110, 67_115)


@lru_cache(maxsize=1_024)
def psycopg_statement(sql: str) -> bytes:
    """The store's SQL with placeholders as psycopg has them."""
    return sql.replace("%", "%%").replace("?", "%s").encode()


class PostgreSQL:
    """A connection to PostgreSQL that understands the store's SQL.

    Values are always bound on the server, or one that is refused would be in its log."""

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
            # one statement with one value for each column: a quarter of the time of a list of rows
            arrays = ", ".join(f"%s::{kind}[]" for kind in kinds)
            statement = f"{insert[1]} SELECT * FROM unnest({arrays}) {insert[2]}"
            changed += self.connection.execute(statement.encode(), columns).rowcount
        return changed


def array_element_type(column: Sequence[Any]) -> str | None:
    """The type that PostgreSQL has for such values; None where there are none, or others."""
    return next((ARRAY_TYPES.get(type(value)) for value in column if value is not None), None)


class PostgreSQLConnections:
    """One database that any number of servers share, and a pool of connections to it."""

    shared = True
    # its number, and where it lies and which transaction wrote it
    row_version = "number::text || ctid::text || xmin::text"
    response_table = staticmethod(response_table_on_postgresql)
    add_response_table = staticmethod(create_table_on_postgresql)

    def __init__(self, url: str):
        self.url = connection_string(url)
        self.leading: psycopg.Connection | None = None
        self.unsealed = 0
        self.seal_due = False
        self.warnings: list[str] = []
        self.deleted = True  # nobody knows what was before this start
        self.taken = 0  # responses that waited, since the last VACUUM
        with report_postgresql_errors():
            with psycopg.connect(self.url) as connection:
                require_durable(PostgreSQL(connection))
            self.pool = ConnectionPool(
                self.url,
                min_size=1,
                max_size=MAX_POOL_CONNECTIONS,
                timeout=BUSY_SECONDS,
                configure=configure,
                check=ConnectionPool.check_connection,  # what a restart cut off is not given out
                # a prepared statement breaks when another server makes a table anew
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
                # a seal makes them anew, and what it writes is seen by all: it has to wait
                db.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS SHARE MODE")
                yield db
            finally:
                db.connection.rollback()

    @contextmanager
    def everything(self) -> Iterator[PostgreSQL]:
        with self.reading() as db:
            # what a seal writes is seen by all, also by those who began before it. So this waits
            # for one that is under way, in a transaction of its own, and holds off the next: a seal
            # that waited for the tables would keep respondents waiting behind it
            with db.connection.transaction():
                db.execute(f"SET LOCAL lock_timeout = '{SEAL_SECONDS}s'")
                db.execute("SELECT pg_advisory_lock(?::integer, 0)", [SEALING])
            try:
                own = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
                names = ", ".join(f'"{name}"' for (name,) in db.execute(own).fetchall())
                db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                db.execute(f"LOCK TABLE {names} IN ACCESS SHARE MODE")  # against DROP TABLE
                yield db
            finally:
                db.connection.rollback()
                db.execute("SELECT pg_advisory_unlock(?::integer, 0)", [SEALING])

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
                # nobody sets a cap while these locks are held: now it is known who has one
                if alone or not any(has_cap(db, whole_of(slug)) for slug in slugs):
                    yield db
                    return
            alone = True

    @contextmanager
    def releasing(self, slug: str) -> Iterator[PostgreSQL]:
        with self.answering(slug) as db:
            lock(db, RELEASING, number_of(slug))
            yield db
        if self.taken >= VACUUM_AFTER_RESPONSES:
            self.taken = 0
            with self.reading() as db:
                db.execute("VACUUM (SKIP_LOCKED, INDEX_CLEANUP ON, TRUNCATE OFF) waiting")

    def take_waiting(self, db: Connection, slug: str, most: int) -> list[Any]:
        # one statement: what others add between two would be deleted and never counted. It is told
        # up to which id, since a list of ids is compared in the square of its length where the
        # table was empty when PostgreSQL last looked how long it is
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
        """A server of PostgreSQL whose disk is full refuses the next statement."""

    def go_on_counting(self, db: Connection) -> None:
        for table in NUMBERED_TABLES:
            db.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'number'),"
                f" coalesce(max(number), 0) + 1, false) FROM {table}"
            )

    def forget(self) -> None:
        """What was deleted is in the pages and the log until the next seal, which then goes through
        all tables."""
        self.deleted = True

    def leads(self) -> bool:
        # a lock of a connection of its own, and so of this server; threads ask, but not at once
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
    """A URL as psycopg takes it, with what it does not say itself. Raises SettingsError, without a
    word of the URL, in which there may be a password."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        parts = {"port": ""}
    if not re.fullmatch(r"\d+(,\d*)*", str(parts.get("port", "5432"))):
        raise SettingsError(
            "CANDOR_DATABASE is not an address of PostgreSQL. Write it as "
            "postgresql://USER:PASSWORD@HOST/NAME, each character of the password that is no "
            "letter or digit as % and its two hexadecimal digits."
        )
    return make_conninfo("", **(NETWORK_TIMEOUTS | parts))


def number_of(slug: str) -> int:
    """The second half of the number of a survey's locks; its parts have the same. Two surveys may
    share one, and then wait for each other in vain."""
    return zlib.crc32(whole_of(slug).encode()) - 2**31


def lock(db: PostgreSQL, purpose: int, number: int = 0, shared: bool = False) -> None:
    """Wait for a lock, which is held to the end of the transaction."""
    function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    db.execute(f"SELECT {function}(?::integer, ?::integer)", [purpose, number])


def has_cap(db: PostgreSQL, slug: str) -> bool:
    return count(db, "surveys", "slug = ? AND cap IS NOT NULL", [slug]) > 0


def configure(connection: psycopg.Connection) -> None:
    """Each new connection, which may be to a standby that has taken over. Raises SettingsError."""
    require_durable(PostgreSQL(connection))
    # as it is now, whatever the server is told later
    connection.execute(
        "SELECT set_config('synchronous_commit', current_setting('synchronous_commit'), false)"
    )
    # what a transaction reads after it has waited for a lock is what is there then, whatever the
    # database was set to
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    connection.execute(f"SET lock_timeout = '{BUSY_SECONDS}s'".encode())
    connection.execute(f"SET idle_in_transaction_session_timeout = '{VANISHED_SECONDS}s'".encode())


def require_durable(db: PostgreSQL) -> None:
    """Raises SettingsError where the server would acknowledge what it may lose."""
    needed: dict[str, tuple[str, ...]] = {"fsync": ("on",), "full_page_writes": ("on",)}
    needed["synchronous_commit"] = ("on", "remote_apply")
    for name, good in needed.items():
        [value] = db.execute(f"SHOW {name}").fetchone()
        if value not in good:
            raise SettingsError(
                f"PostgreSQL has {name} = {value}, and would lose responses that were "
                f"acknowledged. Set {name} = on."
            )


@contextmanager
def report_postgresql_errors() -> Iterator[None]:
    """Turn what the database suffers from, but nobody did wrong, into StoreUnavailable."""
    try:
        yield
    except (psycopg.IntegrityError, psycopg.DataError, psycopg.NotSupportedError) as error:
        # what PostgreSQL says of it may have a row's values in it, and ends up in a log
        where = error.diag.constraint_name or error.diag.column_name or "no constraint"
        raise type(error)(f"PostgreSQL refuses a statement ({error.sqlstate}, {where}).") from None
    except psycopg.DatabaseError as error:
        message = str(error).strip().partition("\n")[0].rstrip(".")
        raise StoreUnavailable(f"The database cannot be used just now: {message}.") from error
