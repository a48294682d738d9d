"""Texts that are stored apart, in SQL: unread until the survey closes, then published all together.

Texts wait in no table. If a table named the texts of the last responses, it would show which texts
belong to the responses that wait for a batch. So no row says whether its text is published: either
all texts of a survey can be read, or none. The row of their sub-survey says which: `closed_before`
is 1 if the last closing has published them, and only then they are counted. `texts_published` says
how many were published when the survey opened again.
"""

from contextlib import suppress
from dataclasses import dataclass

from survey.core.errors import UnknownSurvey
from survey.definition.fieldwork import MIN_NEW_TEXTS, MIN_RESPONSES_AT_CLOSING
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import TEXTS, sub_survey_kind
from survey.estimation.progress import TextsProgress
from survey.store.database import Connection, Part, count
from survey.store.sql.codes import delete_codings
from survey.store.sql.counts import Counts
from survey.store.sql.surveys import Surveys


@dataclass(eq=False)
class TextsApart(Part):
    """The texts of surveys that store them apart. Each method takes the slug of their part."""

    surveys: Surveys
    counts: Counts

    def progress(self, slug: str) -> TextsProgress:
        """How many people sent texts, and whether they can be read. It counts the rows."""
        with self.database.snapshot("surveys", self.database.response_table(slug)) as db:
            return TextsProgress(*self.numbers(db, slug), self.surveys.find(db, slug).unread)

    def numbers(self, db: Connection, slug: str) -> tuple[int, int]:
        """How many people sent texts, and of how many they were published before a reopening."""
        select = "SELECT texts_published FROM surveys WHERE slug = ?"
        [published] = db.execute(select, [slug]).fetchone()
        return count(db, self.database.response_table(slug)), published

    def publish_texts(self, db: Connection, frozen: FrozenSurvey) -> None:
        """Publish all texts of a survey that closes, unless too few of them are new.

        Then all of them are unread, also those that were published before. If these could be read,
        everyone who has the database would know the others, and that they belong to the latest
        responses.
        """
        slug = frozen.survey.slug
        texts, published = self.numbers(db, slug)
        new = texts - published
        fewest = MIN_NEW_TEXTS if published else MIN_RESPONSES_AT_CLOSING
        readable = new >= fewest or (published > 0 and not new)
        if readable:
            self.counts.count_again(db, frozen)
        db.execute("UPDATE surveys SET closed_before = ? WHERE slug = ?", [int(readable), slug])

    def hide_texts(self, db: Connection, slug: str) -> None:
        """Make the texts of a closed survey that opens again unread, if it stores some apart."""
        with suppress(UnknownSurvey):
            if self.surveys.find(db, slug).unread:
                return
            texts, _ = self.numbers(db, slug)
            db.execute("DELETE FROM counts WHERE survey = ?", [slug])
            db.execute(
                "UPDATE surveys SET closed_before = 0, texts_published = ? WHERE slug = ?",
                [texts, slug],
            )

    def withdraw_texts(self, db: Connection, frozen: FrozenSurvey, id: bytes) -> None:
        """Delete the texts of one respondent, within a transaction, if they exist."""
        slug, table = frozen.survey.slug, self.database.response_table(frozen.survey.slug)
        row = db.execute(f"SELECT * FROM {table} WHERE id = ?", [id]).fetchone()
        if row is None:
            return
        if sub_survey_kind(slug) == TEXTS and not self.surveys.find(db, slug).unread:
            self.counts.add_to_counts(db, frozen, [Response(id, tuple(row[1:]))], sign=-1)
        elif sub_survey_kind(slug) == TEXTS:
            self.withdraw_unread(db, slug)
        db.execute(f"DELETE FROM {table} WHERE id = ?", [id])
        delete_codings(db, frozen.survey, id)

    def withdraw_unread(self, db: Connection, slug: str) -> None:
        """Note that one of the texts is withdrawn, which may be new or have been published.

        Nobody knows which. It counts as a new one, but one text always stays new. Otherwise people
        could withdraw published texts, so that the next closing shows a new one in their place.
        """
        texts, published = self.numbers(db, slug)
        if published and texts - published <= 1:
            db.execute(
                "UPDATE surveys SET texts_published = texts_published - 1 WHERE slug = ?", [slug]
            )
