"""Direct access of the tests to a database, for either system."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg

from survey.store.postgresql.connections import PostgreSQL

IntegrityErrors = (sqlite3.IntegrityError, psycopg.IntegrityError)


def is_postgresql(database: object) -> bool:
    return str(database).startswith("postgresql://")


@contextmanager
def connected(database: object) -> Iterator[Any]:
    """A connection of the test itself: one transaction on one state, committed at the end."""
    if is_postgresql(database):
        with psycopg.connect(str(database)) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            yield PostgreSQL(connection)
    else:
        with closing(sqlite3.connect(str(database), timeout=8)) as connection, connection:
            connection.execute("BEGIN")
            yield connection


def tables_with(database: object, column: str | None = None) -> set[str]:
    """The names of all tables, or of the tables with this column."""
    with connected(database) as db:
        if is_postgresql(database):
            rows = db.execute(
                "SELECT table_name, column_name FROM information_schema.columns"
                " WHERE table_schema = current_schema()"
            )
        else:
            rows = db.execute(
                "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c"
                " WHERE t.type = 'table'"
            )
        return {table for table, name in rows if column in (None, name)}


def disk_error(database: object) -> Exception:
    """The error of a database whose disk fails."""
    if is_postgresql(database):
        return psycopg.OperationalError("disk I/O error")
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = "SQLITE_IOERR"  # SQLite sets it on all of its own errors.
    return error
