"""Counts in SQL, which know only the responses that are released.

A response lies in its table from the moment it arrives, and its id in `waiting` until as many wait
as the survey releases at once. Counts and exports leave out what waits, so that they stay the same
to the byte from one release to the next. Which responses wait does tell that they came last; it is
gone with the release, and nothing tells in which order they came, or which came with which batch.
"""

from collections.abc import Sequence
from typing import Any

from survey.core.errors import StoreUnavailable
from survey.definition.frozen import FrozenSurvey
from survey.definition.report_formats import tallied
from survey.definition.responses.acceptance import released_at_once
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import BY_HAND, part_slug
from survey.estimation.build_results import responses_behind
from survey.store.database import Database
from survey.store.sql.surveys import SQLSurveys

Counts = dict[str, dict[int, int]]


class SQLCounts(SQLSurveys):
    """The part of the store that says how much has come, and what it adds up to."""

    withheld = False

    def require_figures(self) -> None:
        """Raises StoreUnavailable while no figure may be shown (survey/server/recount.py)."""
        if self.withheld:
            raise StoreUnavailable("All responses are being counted again. Try again in a moment.")

    def counts(self, slug: str) -> Counts:
        with self.reading() as db:
            return self.shown_counts(db, slug)

    def shown_counts(self, db: Database, slug: str) -> Counts:
        """The counts that anyone sees."""
        self.require_figures()
        counts = self.read_counts(db, slug)
        return {} if self.isolates(db, slug, counts) else counts

    def isolates(self, db: Database, slug: str, counts: Counts) -> bool:
        """Whether withdrawals have left so few published responses that none is shown."""
        if not counts:
            return False
        stored_survey = self.find(db, slug)
        return stored_survey.isolates(responses_behind(stored_survey.survey, counts))

    def read_counts(self, db: Database, slug: str) -> Counts:
        counts: Counts = {}
        rows = db.execute(
            "SELECT question, report, responses FROM counts WHERE survey = ?", [slug]
        ).fetchall()
        for question, code, responses in rows:
            counts.setdefault(question, {})[code] = responses
        return counts

    def count_waiting(self, db: Database, slug: str) -> int:
        row = db.execute("SELECT count(*) FROM waiting WHERE survey = ?", [slug]).fetchone()
        return int(row[0])

    def arrived(self, slug: str) -> int:
        return sum(self.released_and_waiting(slug))

    def released_and_waiting(self, slug: str) -> tuple[int, int]:
        self.require_figures()
        # or a release in between would count a batch twice, or never
        with self.snapshot("counts", "waiting") as db:
            return self.count_both(db, slug)

    def count_both(self, db: Database, slug: str) -> tuple[int, int]:
        released = responses_behind(self.find(db, slug).survey, self.read_counts(db, slug))
        return released, self.count_waiting(db, slug)

    def count_people(self, db: Database, frozen: FrozenSurvey) -> int:
        """How many answered a survey, those who tossed real coins among them."""
        slug = frozen.survey.slug
        by_hand = [part_slug(BY_HAND, slug)] if frozen.survey.fieldwork.by_hand else []
        return sum(sum(self.count_both(db, each)) for each in (slug, *by_hand))

    def take_in(self, db: Database, frozen: FrozenSurvey, new: list[Response]) -> None:
        """Let responses wait that were just written, or release those that fill a batch, and what
        waited before them."""
        slug = frozen.survey.slug
        waits = self.count_waiting(db, slug)
        released = released_at_once(waits, len(new), frozen.survey.fieldwork.batch)
        if released:
            self.release(db, frozen, new[:released])
        db.executemany(
            "INSERT INTO waiting VALUES (?, ?)", [(slug, each.id) for each in new[released:]]
        )

    def release(self, db: Database, frozen: FrozenSurvey, new: Sequence[Response] = ()) -> None:
        """Count what waits, and what comes with the last of its batch."""
        self.count_taken(db, frozen, self.take_waiting(db, frozen.survey.slug), new)

    def count_taken(
        self, db: Database, frozen: FrozenSurvey, rows: list[Any], new: Sequence[Response] = ()
    ) -> None:
        waited = [Response(id, tuple(reports)) for id, *reports in rows]
        self.add_to_counts(db, frozen, [*waited, *new])

    def take_waiting(self, db: Database, slug: str) -> list[Any]:
        """The rows that wait, which wait no longer."""
        rows = db.execute(
            f"SELECT * FROM {self.response_table(slug)}"
            " WHERE id IN (SELECT id FROM waiting WHERE survey = ?)",
            [slug],
        ).fetchall()
        db.execute("DELETE FROM waiting WHERE survey = ?", [slug])
        return rows

    def add_to_counts(
        self, db: Database, frozen: FrozenSurvey, batch: list[Response], sign: int = 1
    ) -> None:
        """Count these responses, or with a sign of -1 take them out of the counts again."""
        changes: list[list[Any]] = []
        for place, question in enumerate(frozen.survey.fields):
            stored = (response.reports[place] for response in batch)
            reports = [report for report in stored if report is not None]
            changes += (
                [frozen.survey.slug, question.name, code, sign * times]
                for code, times in tallied(question.form, reports).items()
            )
        db.executemany(
            "INSERT INTO counts VALUES (?, ?, ?, ?) ON CONFLICT (survey, question, report)"
            " DO UPDATE SET responses = counts.responses + excluded.responses",
            changes,
        )
        if sign < 0:  # a code that nobody reports any more is as one that never came
            db.execute(
                "DELETE FROM counts WHERE survey = ? AND responses = 0", [frozen.survey.slug]
            )
