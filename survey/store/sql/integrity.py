"""Checks of the stored data: whether the counts agree with the responses.

A database detects damage to its own structure. It does not detect a changed digit within a row. The
methods here read each response and each count, and so find wrong totals.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from survey.core.errors import SettingsError, StoreUnavailable
from survey.definition.frozen import FrozenSurvey
from survey.definition.sub_surveys import PRACTICE_TEXTS, sub_survey_kind
from survey.store.database import Connection, Part
from survey.store.sql.counts import Counts
from survey.store.sql.surveys import Surveys


@dataclass(eq=False)
class Integrity(Part):
    """Looks for damage.

    A shared database is not checked when a server starts. It compares pages with their checksums at
    each read, and each of its servers would repeat the check.
    """

    surveys: Surveys
    counts: Counts

    def reports_to_check(self) -> int:
        """The number of reports that `require_sound` compares. Several bits count separately."""
        if self.database.shared:
            return 0
        return int(self.fetch_one("SELECT coalesce(sum(responses), 0) FROM counts")[0])

    def require_intact(self) -> None:
        """Raises SettingsError if the database reports damage to its structure.

        Takes a tenth of the time of `require_sound`, which includes it.
        """
        damage = self.database.damage()
        if damage is not None:
            raise SettingsError(f"The database is damaged ({damage}). Restore it from a backup.")

    def require_sound(self) -> None:
        """Raises SettingsError for the first of `faults`."""
        for fault in [] if self.database.shared else self.faults():
            raise SettingsError(f"The database is damaged ({fault}). Restore it from a backup.")

    def faults(self) -> Iterator[str]:
        """All faults of the stored data at one moment.

        They are damage to the structure, unreadable surveys, and counts that do not agree with the
        responses. Takes time proportional to the size of the database.
        """
        damage = self.database.damage()
        if damage is not None:
            yield damage
            return
        with self.database.everything() as db:
            survey_rows = db.execute(
                "SELECT slug FROM surveys WHERE document IS NOT NULL"
            ).fetchall()
            slugs = sorted(slug for (slug,) in survey_rows)
            for slug in slugs:
                try:
                    frozen = self.surveys.find(db, slug).frozen
                    if frozen is not None:
                        yield from self.faults_of(db, frozen)
                except StoreUnavailable as error:
                    yield f"survey {slug!r}: {error}"
            for table in ("counts", "waiting"):
                slug_rows = db.execute(f"SELECT DISTINCT survey FROM {table}").fetchall()
                for (slug,) in slug_rows:
                    if slug not in slugs:
                        yield f"{table} of {str(slug)[:63]!r}, which is not a survey"

    def faults_of(self, db: Connection, frozen: FrozenSurvey) -> Iterator[str]:
        slug = frozen.survey.slug
        rows = db.execute("SELECT id FROM waiting WHERE survey = ?", [slug]).fetchall()
        waiting = {row[0] for row in rows}
        try:
            kept, met = self.counts.recount(db, frozen, waiting)
        except (ValueError, TypeError, IndexError):  # The message could quote the response.
            yield f"survey {slug!r} has a response that no browser could send"
            return
        if met != len(waiting):
            yield f"survey {slug!r} lacks responses that wait for publication"
        if self.is_counted(db, slug) and kept != self.counts.read_counts(db, slug):
            yield f"the counts of survey {slug!r} do not agree with its responses"

    def is_counted(self, db: Connection, slug: str) -> bool:
        """Whether the stored counts are those of the responses; not for texts that are unread."""
        return sub_survey_kind(slug) != PRACTICE_TEXTS and not self.surveys.find(db, slug).unread
