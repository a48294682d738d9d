"""Versions of public pages, in SQL.

A version is a digest of all rows behind a page. The page is rendered from the same rows, read at
one moment. So two pages with one version are identical.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import blake2b
from typing import Any

from survey.central_dp.budget import Release
from survey.definition.sub_surveys import WITHOUT_PAGE, sub_survey_kind
from survey.formats.field_days import FieldDays
from survey.store.database import Connection, Part
from survey.store.sql.counts import Counts
from survey.store.sql.releases import release_from
from survey.store.sql.surveys import COLUMNS, survey_of_row
from survey.store.stored import StoredSurvey, unknown_survey

COLUMN_PLACES = {name: place for place, name in enumerate(COLUMNS.split(", "))}
OPENED = "opened the survey"
CLOSED = "closed the survey"
RESULT_TABLES = ("surveys", "published", "release_budgets", "releases", "counts", "acts")


@dataclass(frozen=True)
class PublicResults:
    """The data of the page of public results, apart from the survey, at one moment.

    `estimates` says whether the estimates are public. `ledger` has the releases if those are
    public. `field_days` is None if the days on which the survey was open are not known.
    """

    estimates: bool
    ledger: list[Release]
    counts: dict[str, dict[int, int]]
    field_days: FieldDays | None


def page_version(row: tuple[Any, ...], *more: list[Any]) -> bytes:
    """The digest of a survey's row and of other rows."""
    document, state, origin = (row[COLUMN_PLACES[name]] for name in ("document", "state", "origin"))
    # A document can have a megabyte, so it is hashed first.
    document_digest = blake2b(document.encode(), digest_size=32)
    rest = repr((state, origin, more)).encode()
    return blake2b(document_digest.digest() + rest, digest_size=32).digest()


@dataclass(eq=False)
class Versions(Part):
    """Public surveys and results, with their versions."""

    counts: Counts

    def versions(self, slugs: Collection[str], *, results: bool) -> dict[str, bytes]:
        """A digest of the data behind the pages, or the public results, of each public survey.

        It changes whenever these may change, and is the same on every server of a database.
        """
        version_by_slug, database = {}, self.database
        with database.snapshot(*RESULT_TABLES) if results else database.reading() as db:
            for slug in slugs:
                row = self.public_row(db, slug)
                if row is not None:
                    more = self.result_rows(db, slug, row) if results else self.link_rows(db, slug)
                    version_by_slug[slug] = page_version(row, *more)
        return version_by_slug

    def shown_survey(self, slug: str) -> tuple[StoredSurvey, bool, bytes]:
        """A public survey, whether it has public results, and its version.

        Raises UnknownSurvey, also without a page.
        """
        with self.database.reading() as db:
            row = self.known_row(db, slug)
            more = self.link_rows(db, slug)
        return survey_of_row(row), any(more), page_version(row, *more)

    def shown_results(self, slug: str) -> tuple[StoredSurvey, PublicResults, bytes]:
        """Like `shown_survey`, with the public results and their version."""
        with self.database.snapshot(*RESULT_TABLES) as db:
            row = self.known_row(db, slug)
            estimates, public, releases, _, [days] = more = self.result_rows(db, slug, row)
            counts = self.counts.shown_counts(db, slug)
        ledger = [release_from(each) for each in releases] if public else []
        results = PublicResults(bool(estimates), ledger, counts, days)
        return survey_of_row(row), results, page_version(row, *more)

    def known_row(self, db: Connection, slug: str) -> tuple[Any, ...]:
        row = self.public_row(db, slug)
        if row is None:
            raise unknown_survey(slug)
        return row

    def public_row(self, db: Connection, slug: str) -> tuple[Any, ...] | None:
        """The row of a public survey; None for a draft, whose columns are not read.

        It is also None for a part that has no page (survey/definition/sub_surveys.py).
        """
        if sub_survey_kind(slug) in WITHOUT_PAGE:
            return None
        row = db.execute(
            f"SELECT {COLUMNS} FROM surveys WHERE slug = ? AND document IS NOT NULL", [slug]
        ).fetchone()
        return None if row is None else tuple(row)

    def link_rows(self, db: Connection, slug: str) -> tuple[list[Any], ...]:
        """Whether estimates are public, and whether releases are. One row of either is enough."""
        statements = (
            "SELECT survey FROM published WHERE survey = ?",
            "SELECT survey FROM release_budgets WHERE survey = ? AND public = 1"
            " AND EXISTS (SELECT 1 FROM releases WHERE releases.survey = release_budgets.survey)",
        )
        return tuple(
            [tuple(row) for row in db.execute(statement, [slug])] for statement in statements
        )

    def result_rows(self, db: Connection, slug: str, row: tuple[Any, ...]) -> tuple[list[Any], ...]:
        """Whether estimates and releases are public, the releases, the counts, and the days."""
        statements = (
            "SELECT survey FROM published WHERE survey = ?",
            "SELECT survey FROM release_budgets WHERE survey = ? AND public = 1",
            "SELECT number, request, responses, drawn, day FROM releases WHERE survey = ?"
            " ORDER BY number",
            "SELECT question, report, responses FROM counts WHERE survey = ?"
            " ORDER BY question, report",
        )
        rows = ([tuple(row) for row in db.execute(each, [slug]).fetchall()] for each in statements)
        return *rows, [read_field_days(db, survey_of_row(row))]

    def field_days(self, found: StoredSurvey) -> FieldDays | None:
        """The days on which a survey was open, if they are known."""
        with self.database.reading() as db:
            return read_field_days(db, found)


def read_field_days(db: Connection, found: StoredSurvey) -> FieldDays | None:
    """The first and the last opening day; None if the first is unknown or nobody was asked.

    A researcher closes a survey, which the audit log has, or its closing time does. The day stays
    unknown if the number of responses or their precision closed it, or may have closed it.
    """
    first, limits = found.history.opened, found.limits
    if first is None or found.origin != "browser":
        return None
    if found.state != "closed":
        return FieldDays(first, None)
    action, moment = db.execute(
        "SELECT action, moment FROM acts WHERE survey = ? AND action IN (?, ?)"
        " ORDER BY number DESC LIMIT 1",
        [found.survey.slug, OPENED, CLOSED],
    ).fetchone() or ("", 0)
    ends = [moment] if action == CLOSED else []
    by_responses = limits.cap is not None or found.survey.fieldwork.stop_at is not None
    if limits.closes is not None and not by_responses:
        ends.append(limits.closes - 1)
    # The wall clock may have been wrong at the opening.
    return FieldDays(first, max(first, day_of(min(ends))) if ends else None)


def day_of(moment: int) -> date:
    return datetime.fromtimestamp(moment, UTC).date()
