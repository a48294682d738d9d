"""The base of the store's classes, so that their SQL is written once.

The SQL uses what SQLite and PostgreSQL have in common: `?` for each value, `ON CONFLICT`, and the
numbers 0 and 1 for no and yes. `SQLiteDatabase` and `PostgreSQLDatabase` contain the differences:
schema, durability, locks and compaction. Both have the same methods. The docstrings of
`SQLiteDatabase` describe them for both. All of them raise StoreUnavailable if the database is
locked, full or gone.
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from survey.definition.survey import Survey

if TYPE_CHECKING:
    from survey.store.postgresql.compaction import PostgreSQLDatabase
    from survey.store.postgresql.connections import PostgreSQL
    from survey.store.sqlite.connections import SQLiteDatabase
    from survey.store.sqlite.pool import SQLite

# Rows held in memory at once.
PAGE_ROWS = 5_000

Connection: TypeAlias = "SQLite | PostgreSQL"
Database: TypeAlias = "SQLiteDatabase | PostgreSQLDatabase"


@dataclass(eq=False)
class Part:
    """A part of the store.

    Each method is one transaction that succeeds or changes nothing. Methods that take a connection
    belong to the transaction of their caller.
    """

    database: Database

    def fetch_one(self, sql: str, *values: Any) -> Any:
        """The first row, or None."""
        with self.database.reading() as db:
            return db.execute(sql, values).fetchone()

    def fetch_all(self, sql: str, *values: Any) -> list[Any]:
        with self.database.reading() as db:
            return db.execute(sql, values).fetchall()

    def change(self, sql: str, *values: Any) -> int:
        """Run one statement, and return the number of rows that it changed."""
        with self.database.transaction() as db:
            return db.execute(sql, values).rowcount


def count(db: Connection, table: str, where: str = "TRUE", values: Sequence[Any] = ()) -> int:
    """The number of rows that satisfy a condition."""
    row = db.execute(f"SELECT count(*) FROM {table} WHERE {where}", values).fetchone()
    return int(row[0])


def random_number() -> int:
    """A number for a new row. A page that was opened before a row was deleted never means another
    row by it."""
    return secrets.randbelow(2**48) + 1


def column_names(db: Connection, table: str) -> list[str]:
    return [each[0] for each in db.execute(f"SELECT * FROM {table} LIMIT 0").description]


def quoted_names(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def pages(
    db: Connection, table: str, key: Sequence[str], names: Sequence[str] = ()
) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a table in the order of their key, in pages that fit into memory.

    Each row has the columns `names`, or all columns in the order of their names. The order of
    creation may differ between two databases.
    """
    names = names or sorted(column_names(db, table))
    select = f"SELECT {quoted_names(names)} FROM {table}"
    ordered = f"ORDER BY {quoted_names(key)} LIMIT {PAGE_ROWS}"
    further = f"WHERE ({quoted_names(key)}) > ({', '.join('?' * len(key))})"
    page = db.execute(f"{select} {ordered}").fetchall()
    while page:
        yield page
        last = [page[-1][names.index(each)] for each in key]
        page = db.execute(f"{select} {further} {ordered}", last).fetchall()


def column_definitions(survey: Survey, integer: str = "INTEGER") -> list[str]:
    """The columns of a survey's responses, each with its type.

    A column allows NULL if random assignment excludes some respondents from the question.
    """
    return [
        f'"{question.name}" {integer if question.form.column_type == "INTEGER" else "TEXT"}'
        f"{' NOT NULL' if survey.always_reported(question) else ''}"
        for question in survey.fields
    ]


class ConcurrentChange(Exception):
    """Another transaction recorded in the meantime what this one missed. Try again."""
