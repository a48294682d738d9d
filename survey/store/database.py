"""What the parts of the store are written against, so that their SQL is written once.

The SQL is what SQLite and PostgreSQL have in common: `?` for each value, `ON CONFLICT`, numbers 0
and 1 for no and yes. What differs (the schema, durability, who waits for whom, how it is sealed) is
in `SQLiteDatabase` and `PostgreSQLDatabase`. They have the same methods. Those of SQLite say what
both promise, and raise StoreUnavailable where the database is locked, full or gone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from survey.definition.survey import Survey

if TYPE_CHECKING:
    from survey.store.postgresql.compaction import PostgreSQLDatabase
    from survey.store.postgresql.connections import PostgreSQL
    from survey.store.sqlite.connections import SQLiteDatabase
    from survey.store.sqlite.pool import SQLite

PAGE_ROWS = 5_000  # rows held in memory at once

Connection: TypeAlias = "SQLite | PostgreSQL"
Database: TypeAlias = "SQLiteDatabase | PostgreSQLDatabase"


@dataclass(eq=False)
class Part:
    """A part of the store. Every method is one transaction, or refuses whole, but for those that
    are given a connection, which belong to the transaction of their caller."""

    database: Database

    def fetch_one(self, sql: str, *values: Any) -> Any:
        """The first row, or None."""
        with self.database.reading() as db:
            return db.execute(sql, values).fetchone()

    def fetch_all(self, sql: str, *values: Any) -> list[Any]:
        with self.database.reading() as db:
            return db.execute(sql, values).fetchall()

    def change(self, sql: str, *values: Any) -> int:
        """Run one statement; how many rows it changed."""
        with self.database.transaction() as db:
            return db.execute(sql, values).rowcount


def count(db: Connection, table: str, where: str = "TRUE", values: Sequence[Any] = ()) -> int:
    """How many rows there are of which this is so."""
    row = db.execute(f"SELECT count(*) FROM {table} WHERE {where}", values).fetchone()
    return int(row[0])


def column_names(db: Connection, table: str) -> list[str]:
    return [each[0] for each in db.execute(f"SELECT * FROM {table} LIMIT 0").description]


def quoted_names(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def pages(
    db: Connection, table: str, key: Sequence[str], names: Sequence[str] = ()
) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a table, which may not fit into memory at once, in the order of their key; of
    these columns, or of all in the order of their names, since two databases may have got them in
    different orders."""
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
    """The columns of a survey's responses, each with its type; NULL is for those whom chance did
    not have report on a question."""
    return [
        f'"{question.name}" {integer if question.form.column_type == "INTEGER" else "TEXT"}'
        f"{' NOT NULL' if survey.always_reported(question) else ''}"
        for question in survey.fields
    ]


class ConcurrentChange(Exception):
    """Another transaction recorded meanwhile what this one found missing: to be tried again."""
