"""What the store's SQL is written against, so that it is written once for every database.

The SQL is what SQLite and PostgreSQL have in common: `?` for each value, `ON CONFLICT`, numbers 0
and 1 for no and yes. What differs (the schema, durability, who waits for whom, how it is sealed)
is in the modules that bear a database's name.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from survey.definition.survey import Survey


class Rows(Protocol):
    """What a statement gave; `rowcount` is how many rows it changed."""

    @property
    def rowcount(self) -> int: ...

    @property
    def description(self) -> Any: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Database(Protocol):
    """A connection, of whichever kind."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Rows: ...

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> int:
        """How many rows were changed in all."""


class Transactions(ABC):
    """What every database brings. All of it raises StoreUnavailable where the database is locked,
    full or gone; `unsealed` and `seal_due` are those of `Store`."""

    unsealed: int
    seal_due: bool

    @abstractmethod
    def reading(self) -> AbstractContextManager[Database]:
        """A connection for statements that change nothing, each seeing the latest."""

    @abstractmethod
    def snapshot(self, *tables: str) -> AbstractContextManager[Database]:
        """A connection to which nothing changes within the block, in these tables."""

    @abstractmethod
    def everything(self) -> AbstractContextManager[Database]:
        """The same for as long as it takes to read everything: others go on, but nothing is sealed
        meanwhile, and what is read cannot be deleted."""

    @abstractmethod
    def transaction(self, *held: str) -> AbstractContextManager[Database]:
        """All of the block, or nothing, while no other block of these is run, and nobody answers
        the surveys that are held, or withdraws from them."""

    @abstractmethod
    def answering(self, *slugs: str, alone: bool = False) -> AbstractContextManager[Database]:
        """All of the block, or nothing, while nobody changes what becomes of these surveys.

        Others may answer them at the same time, unless `alone` is asked for, or a survey's cap
        asks for it."""

    @abstractmethod
    def damage(self) -> str | None:
        """What the database itself finds wrong with its structure."""

    @abstractmethod
    def go_on_counting(self, db: Database) -> None:
        """After rows were copied with their numbers: the next ones get higher ones."""

    @abstractmethod
    def forget(self) -> None:
        """Take what was deleted out of the log as well, where that is soon done."""

    @abstractmethod
    def response_table(self, slug: str) -> str:
        """The quoted name of a survey's table of responses."""

    @abstractmethod
    def add_response_table(self, db: Database, survey: Survey) -> None: ...


def count(db: Database, table: str, where: str = "TRUE", values: Sequence[Any] = ()) -> int:
    """How many rows there are of which this is so."""
    row = db.execute(f"SELECT count(*) FROM {table} WHERE {where}", values).fetchone()
    return int(row[0])


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
