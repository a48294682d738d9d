"""A whole database copied into an empty one, of the same kind or the other.

Everything is copied in the order of its keys, by one transaction: what is in the copy is sealed,
and there is all of it or nothing. Before that transaction is kept, the copy is read back: every row
must be the same, and every estimate to the last digit.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any

from ..errors import MoveError
from ..export import as_json
from ..figures import survey_results
from .database import Database
from .sql_counts import SQLCounts

PAGE = 5_000  # rows held in memory at once

TABLES = {  # each with its key
    "surveys": "number",
    "counts": "survey, question, report",
    "waiting": "survey, id",
    "invitations": "survey, token_hash",
    "accounts": "name",
    "sessions": "token_hash",
    "setup": "token_hash",
    "links": "token_hash",
    "second_factors": "account",
    "recovery_codes": "code_hash",
    "failed_sign_ins": "account",
    "acts": "number",
    "shares": "number",
    "published": "survey",
    "pilots": "survey",
    "api_tokens": "token_hash",
    "webhooks": "id",
    "thresholds": "webhook, responses",
    "release_budgets": "survey",
    "releases": "number",
    "designs": "survey",
}


@dataclass(frozen=True)
class Copied:
    """How much was copied, and found again."""

    surveys: int
    responses: int
    rows: int


def copy_all(source: SQLCounts, target: SQLCounts) -> Copied:
    """Copy everything, while nobody can change the source. Raises MoveError where the target holds
    anything, and where the copy is not the same; nothing is changed then."""
    with everything_held(source) as old, target.transaction() as new:
        for table in TABLES:
            if new.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None:
                raise MoveError("There is something in the other database; it has to be empty.")
        rows = 0
        for table, key in TABLES.items():
            columns = columns_of(old, table)
            fill(new, table, columns, pages(old, table, columns, key))
            rows += same(table, pages(old, table, columns, key), pages(new, table, columns, key))
        target.go_on_counting(new)
        surveys, responses = 0, 0
        for (slug,) in old.execute("SELECT slug FROM surveys WHERE document IS NOT NULL"):
            frozen = source.find(old, slug).frozen
            if frozen is None:
                raise MoveError(f"Survey {slug!r} cannot be read.")
            target.add_response_table(new, frozen.survey)
            names = ["id", *(question.name for question in frozen.survey.fields)]
            there, here = source.response_table(slug), target.response_table(slug)
            fill(new, here, names, by_id(old, there, names))
            responses += same(slug, by_id(old, there, names), by_id(new, here, names))
            surveys += 1
            if figures(source, old, slug) != figures(target, new, slug):
                raise MoveError(f"The estimates of survey {slug!r} differ; nothing was copied.")
    return Copied(surveys, responses, rows)


@contextmanager
def everything_held(source: SQLCounts) -> Iterator[Database]:
    """A transaction during which nobody answers any survey."""
    with source.reading() as db:
        slugs = [slug for (slug,) in db.execute("SELECT slug FROM surveys").fetchall()]
    with source.transaction(*slugs) as db:
        yield db


def columns_of(db: Database, table: str) -> list[str]:
    return [column[0] for column in db.execute(f"SELECT * FROM {table} LIMIT 0").description]


def quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def fill(
    db: Database, table: str, columns: Sequence[str], arriving: Iterator[list[tuple[Any, ...]]]
) -> None:
    places = ", ".join("?" * len(columns))
    for page in arriving:
        db.executemany(f"INSERT INTO {table} ({quoted(columns)}) VALUES ({places})", page)


def pages(
    db: Database, table: str, columns: Sequence[str], key: str
) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a table, in the order of their keys."""
    rows = iter(db.execute(f"SELECT {quoted(columns)} FROM {table} ORDER BY {key}").fetchall())
    while page := list(islice(rows, PAGE)):
        yield page


def by_id(db: Database, table: str, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a table of responses, which may not fit into memory at once."""
    select = f"SELECT {quoted(columns)} FROM {table} WHERE id > ? ORDER BY id LIMIT {PAGE}"
    last = b""
    while page := db.execute(select, [last]).fetchall():
        yield page
        last = page[-1][0]


def same(
    what: str, first: Iterator[list[tuple[Any, ...]]], second: Iterator[list[tuple[Any, ...]]]
) -> int:
    """How many rows there are in both. Raises MoveError unless they are the same."""
    n = 0
    for page, other in zip_longest(first, second):
        if page != other:
            raise MoveError(f"{what}: not every row came over as it was; nothing was copied.")
        n += len(page)
    return n


def figures(store: SQLCounts, db: Database, slug: str) -> object:
    """Every figure that a survey's results show, at full precision."""
    found = store.find(db, slug)
    if found.frozen is None:
        raise MoveError(f"Survey {slug!r} cannot be read.")
    counts = store.read_counts(db, slug)
    return as_json(survey_results(found.frozen, counts, found.origin))
