"""What is kept, held against itself: the counts against the responses that they are of.

A database knows when its own structure is damaged; a digit that fell over within a row it does not
see. Here each response and each count is looked at, so that a total which is wrong is found.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from survey.core.errors import SettingsError, StoreUnavailable
from survey.definition.frozen import FrozenSurvey
from survey.definition.report_formats import Stored, tallied
from survey.store.database import Database
from survey.store.sql.counts import SQLCounts

PAGE_RESPONSES = 10_000  # responses held in memory


class SQLChecks(SQLCounts):
    """The part of the store that looks for damage."""

    def reports_to_check(self) -> int:
        with self.reading() as db:
            [n] = db.execute("SELECT coalesce(sum(responses), 0) FROM counts").fetchone()
            return int(n)

    def require_intact(self) -> None:
        damage = self.damage()
        if damage is not None:
            raise SettingsError(f"The database is damaged ({damage}). Restore it from a backup.")

    def require_sound(self) -> None:
        for fault in self.faults():
            raise SettingsError(f"The database is damaged ({fault}). Restore it from a backup.")

    def faults(self) -> Iterator[str]:
        damage = self.damage()
        if damage is not None:
            yield damage
            return
        with self.everything() as db:
            survey_rows = db.execute(
                "SELECT slug FROM surveys WHERE document IS NOT NULL"
            ).fetchall()
            slugs = sorted(slug for (slug,) in survey_rows)
            for slug in slugs:
                try:
                    frozen = self.find(db, slug).frozen
                    if frozen is not None:
                        yield from self.faults_of(db, frozen)
                except StoreUnavailable as error:
                    yield f"survey {slug!r}: {error}"
            for table in ("counts", "waiting"):
                slug_rows = db.execute(f"SELECT DISTINCT survey FROM {table}").fetchall()
                for (slug,) in slug_rows:
                    if slug not in slugs:
                        yield f"{table} of {str(slug)[:63]!r}, a survey that there is not"

    def faults_of(self, db: Database, frozen: FrozenSurvey) -> Iterator[str]:
        slug = frozen.survey.slug
        rows = db.execute("SELECT id FROM waiting WHERE survey = ?", [slug]).fetchall()
        waiting = {row[0] for row in rows}
        try:
            kept, met = self.recounted(db, frozen, waiting)
        except (ValueError, TypeError, IndexError):  # what it says of itself may quote the response
            yield f"survey {slug!r} has a response that no browser could send"
            return
        if met != len(waiting):
            yield f"survey {slug!r} lacks responses that wait to be released"
        if kept != self.read_counts(db, slug):
            yield f"the counts of survey {slug!r} do not fit its responses"

    def recounted(
        self, db: Database, frozen: FrozenSurvey, waiting: set[bytes]
    ) -> tuple[dict[str, dict[int, int]], int]:
        """The counts of the responses that do not wait, and how many of them do. Raises ValueError
        for a report that cannot be."""
        fields = frozen.survey.fields
        counts = [Counter[int]() for _ in fields]
        met = 0
        for rows in self.pages(db, frozen.survey.slug):
            released = [row[1:] for row in rows if row[0] not in waiting]
            met += len(rows) - len(released)
            for place, (question, total) in enumerate(zip(fields, counts, strict=True)):
                stored = [row[place] for row in released]
                reports: list[Stored] = [report for report in stored if report is not None]
                total.update(tallied(question.form, reports))
        named = zip(fields, counts, strict=True)
        return {question.name: dict(total) for question, total in named if total}, met

    def pages(self, db: Database, slug: str) -> Iterator[list[Any]]:
        """All responses, in the order of their ids, some at once."""
        last = b""
        while True:
            rows = db.execute(
                f"SELECT * FROM {self.response_table(slug)} WHERE id > ?"
                f" ORDER BY id LIMIT {PAGE_RESPONSES}",
                [last],
            ).fetchall()
            if rows:
                yield rows
            if len(rows) < PAGE_RESPONSES:
                return
            last = rows[-1][0]
