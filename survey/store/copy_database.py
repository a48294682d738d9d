"""Copying of a whole database into an empty one, of the same or the other kind.

It copies the state of one moment, while others continue to work. One transaction writes all rows in
the order of their keys. So the copy is compacted, and it is complete or empty. Before the commit,
the copy is read back: every row must be the same, and every estimate must agree to the last digit.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from survey.core.errors import MoveError
from survey.estimation.build_results import survey_results
from survey.formats.csv_export import results_as_json
from survey.store import Store
from survey.store.database import Connection, column_names, pages, quoted_names

# Each table with its key.
TABLES = {
    "surveys": ("number",),
    "counts": ("survey", "question", "report"),
    "waiting": ("survey", "id"),
    "invitations": ("survey", "token_hash"),
    "accounts": ("name",),
    "sessions": ("token_hash",),
    "setup": ("token_hash",),
    "links": ("token_hash",),
    "second_factors": ("account",),
    "recovery_codes": ("code_hash",),
    "wrapped_key": ("number",),
    "failed_sign_ins": ("account",),
    "acts": ("number",),
    "shares": ("number",),
    "published": ("survey",),
    "pilots": ("survey",),
    "api_tokens": ("token_hash",),
    "webhooks": ("id",),
    "thresholds": ("webhook", "responses"),
    "release_budgets": ("survey",),
    "releases": ("number",),
    "deleted_drafts": ("number",),
    "designs": ("survey",),
    "saved_analyses": ("number",),
    "codes": ("number",),
    "coded_texts": ("survey", "text", "account", "code"),
    "survey_roles": ("account", "survey"),
}
KEY_OF_RESPONSES = ("id",)


@dataclass(frozen=True)
class CopySummary:
    """How much was copied and verified. `figures` has the results of every survey, as text."""

    surveys: int
    responses: int
    rows: int
    figures: dict[str, str]


def copy_all(source: Store, target: Store, left_out: Collection[str] = ()) -> CopySummary:
    """Copy everything except the tables in `left_out`.

    Raises MoveError if the target is not empty, or if the copy differs. Nothing is changed then.
    """
    with source.database.everything() as old, target.database.transaction() as new:
        for table in TABLES:
            if new.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None:
                raise MoveError("The other database is not empty. Choose an empty one.")
        rows, responses, figures_by_slug = 0, 0, {}
        for table, key in TABLES.items():
            if table not in left_out:
                rows += copy_table(old, new, table, table, key)
        target.database.go_on_counting(new)
        for slug in frozen_surveys(old):
            frozen = source.surveys.find(old, slug).frozen
            if frozen is None:
                raise MoveError(f"Survey {slug!r} cannot be read. Run `database check`.")
            target.database.add_response_table(new, frozen.survey)
            there = source.database.response_table(slug)
            here = target.database.response_table(slug)
            responses += copy_table(old, new, there, here, KEY_OF_RESPONSES)
            figures_by_slug[slug] = results_json_text(source, old, slug)
            if results_json_text(target, new, slug) != figures_by_slug[slug]:
                raise MoveError(
                    f"The estimates of survey {slug!r} differ, so nothing was copied. Run "
                    "`database check`."
                )
    return CopySummary(len(figures_by_slug), responses, rows, figures_by_slug)


def copy_table(
    old: Connection, new: Connection, there: str, here: str, key: tuple[str, ...]
) -> int:
    """Copy one table, and return its number of rows. Raises MoveError if the copy differs."""
    n = 0
    for page in pages(old, there, key):
        fill(new, here, sorted(column_names(old, there)), page)
    for page, other in zip_longest(pages(old, there, key), pages(new, here, key)):
        if page != other:
            raise MoveError(
                f"{there}: some rows differ in the copy, so nothing was copied. Run "
                "`database check`."
            )
        n += len(page)
    return n


def frozen_surveys(db: Connection) -> list[str]:
    """The slugs of frozen surveys, in the order in which they were created."""
    rows = db.execute("SELECT slug FROM surveys WHERE document IS NOT NULL ORDER BY number")
    return [slug for (slug,) in rows.fetchall()]


def fill(db: Connection, table: str, columns: list[str], page: list[tuple[Any, ...]]) -> None:
    places = ", ".join("?" * len(columns))
    db.executemany(f"INSERT INTO {table} ({quoted_names(columns)}) VALUES ({places})", page)


def results_json_text(store: Store, db: Connection, slug: str) -> str:
    """All numbers of a survey's results, at full precision, as JSON."""
    stored_survey = store.surveys.find(db, slug)
    if stored_survey.frozen is None:
        raise MoveError(f"Survey {slug!r} cannot be read. Run `database check`.")
    counts = store.counts.read_counts(db, slug)
    results = survey_results(stored_survey.frozen, counts, stored_survey.origin)
    return json.dumps(results_as_json(results), sort_keys=True)
