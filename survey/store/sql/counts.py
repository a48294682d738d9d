"""Counts in SQL. They contain only published responses.

A response is in its table from its arrival. Its id is in `waiting` until a full batch waits. Counts
and exports leave out waiting responses, so they stay the same to the byte between two batches. The
table `waiting` shows which responses are the latest, but only until they are published. Nothing
records their order, or the batch of a response.

Texts that are stored apart never wait there, and are counted only when all of them are published
(survey/store/sql/texts_apart.py).

If several servers share a database, a response changes no row that other responses change. So
respondents wait for nobody. A separate transaction then counts the waiting responses. One server at
a time runs it for all, so counts are written once for all responses that arrived in the meantime. A
crash between the two may leave more than a batch waiting. The next response or compaction publishes
them.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from survey.core.errors import StoreUnavailable, UnknownSurvey
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.definition.report_formats import Stored, tally_codes
from survey.definition.responses.admission import published_at_once
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import (
    PAPER_AND_COIN,
    PRACTICE_TEXTS,
    SUB_SURVEYS_OF_TEXTS,
    TEXTS,
    sub_survey_kind,
    sub_survey_slug,
)
from survey.estimation.build_results import responses_behind
from survey.store.database import Connection, Part, column_names, count, pages
from survey.store.sql.surveys import Surveys
from survey.store.stored import unknown_survey

CountsByQuestion = dict[str, dict[int, int]]


@dataclass(eq=False)
class Counts(Part):
    """The numbers of responses and reports.

    While a server counts all responses again, `withheld` is set. Methods that return numbers or
    responses then raise StoreUnavailable.
    """

    surveys: Surveys
    withheld: bool = False

    def require_figures(self) -> None:
        """Raises StoreUnavailable while no number may be shown (survey/server/recount.py)."""
        if self.withheld:
            raise StoreUnavailable("All responses are being counted again. Try again in a moment.")

    def by_question(self, slug: str) -> CountsByQuestion:
        """The number of times that each report occurs in published responses.

        By question and report code (survey/definition/report_formats.py), without codes that do not
        occur. It takes the same time for any number of responses. Like `by_group` and
        `Responses.rows`, it is empty while withdrawals have left too few responses
        (`StoredSurvey.isolates`), and while texts are unread (`StoredSurvey.unread`).
        """
        with self.database.reading() as db:
            return self.shown_counts(db, slug)

    def shown_counts(self, db: Connection, slug: str) -> CountsByQuestion:
        """The counts that may be shown."""
        self.require_figures()
        if sub_survey_kind(slug) == PRACTICE_TEXTS:
            # No respondent answers test mode, so its texts are published at once. They are few, and
            # nothing else counts them.
            frozen = self.surveys.find(db, slug).frozen
            return {} if frozen is None else self.recount(db, frozen, ())[0]
        counts = self.read_counts(db, slug)
        return {} if self.withholds(db, slug, counts) else counts

    def withholds(self, db: Connection, slug: str, counts: CountsByQuestion) -> bool:
        """Whether nothing published may be shown.

        Either it is texts that are unread, or withdrawals have left too few responses.
        """
        if not counts and sub_survey_kind(slug) != TEXTS:
            return False
        stored_survey = self.surveys.find(db, slug)
        few = stored_survey.isolates(responses_behind(stored_survey.survey, counts))
        return stored_survey.unread or few

    def read_counts(self, db: Connection, slug: str) -> CountsByQuestion:
        counts: CountsByQuestion = {}
        rows = db.execute(
            "SELECT question, report, responses FROM counts WHERE survey = ?", [slug]
        ).fetchall()
        for question, code, responses in rows:
            counts.setdefault(question, {})[code] = responses
        return counts

    def by_group(self, slug: str, by: Question) -> dict[int, CountsByQuestion]:
        """The same counts, separately for each answer to a non-private question, by answer code.

        It reads all responses, so it takes time proportional to their number.
        """
        self.require_figures()
        groups: dict[int, CountsByQuestion] = {}
        table = self.database.response_table(slug)
        frozen = self.surveys.by_slug(slug).frozen
        if frozen is None:
            raise unknown_survey(slug)
        # Without a snapshot, a batch published in between would be counted in some questions only.
        with self.database.snapshot(table, "waiting", "counts") as db:
            if self.withholds(db, slug, self.read_counts(db, slug)):
                return {}
            for question in frozen.survey.fields:
                rows = db.execute(
                    f'SELECT "{by.name}", "{question.name}", count(*) FROM {table}'
                    " WHERE id NOT IN (SELECT id FROM waiting WHERE survey = ?) GROUP BY 1, 2",
                    [slug],
                )
                for group, report, times in rows:
                    if report is None:
                        continue
                    counts = groups.setdefault(group, {}).setdefault(question.name, {})
                    for code in question.form.codes(report):
                        counts[code] = counts.get(code, 0) + times
        return groups

    def number_of_responses(self, slug: str) -> int:
        """The number of responses, published or waiting. It takes the same time for any number."""
        return sum(self.published_and_waiting(slug))

    def published_and_waiting(self, slug: str) -> tuple[int, int]:
        """The numbers of published and of waiting responses, at one moment.

        Fewer than a batch wait. Texts that are stored apart are all published, or none is.
        """
        if sub_survey_kind(slug) in SUB_SURVEYS_OF_TEXTS:
            with self.database.reading() as db:
                texts = count(db, self.database.response_table(slug))
                unread = self.surveys.find(db, slug).unread
            return (0, texts) if unread else (texts, 0)
        # Without a snapshot, a batch published in between would be counted twice or not at all.
        with self.database.snapshot("counts", "waiting") as db:
            return self.number_published(db, slug), self.count_waiting(db, slug)

    def number_published(self, db: Connection, slug: str) -> int:
        """The number of published responses, as it may be shown."""
        self.require_figures()
        return self.count_published(db, slug)

    def count_published(self, db: Connection, slug: str) -> int:
        return responses_behind(self.surveys.find(db, slug).survey, self.read_counts(db, slug))

    def count_waiting(self, db: Connection, slug: str) -> int:
        return count(db, "waiting", "survey = ?", [slug])

    def count_people(self, db: Connection, frozen: FrozenSurvey) -> int:
        """The number of people who answered, including those in paper-and-coin mode."""
        slug = frozen.survey.slug
        slugs = (
            [slug, sub_survey_slug(PAPER_AND_COIN, slug)]
            if frozen.survey.fieldwork.by_hand
            else [slug]
        )
        return sum(self.count_published(db, each) + self.count_waiting(db, each) for each in slugs)

    def take_in(self, db: Connection, frozen: FrozenSurvey, new: list[Response]) -> None:
        """Add new responses to those that wait, or publish all that complete a batch.

        In a shared database all of them wait for `publish_full_batches`.
        """
        slug, published = frozen.survey.slug, 0
        if not self.database.shared:
            waits = self.count_waiting(db, slug)
            published = published_at_once(waits, len(new), frozen.survey.fieldwork.batch)
            if published:
                self.publish_responses(db, frozen, waits, new[:published])
        db.executemany(
            "INSERT INTO waiting VALUES (?, ?)", [(slug, each.id) for each in new[published:]]
        )

    def publish_responses(
        self, db: Connection, frozen: FrozenSurvey, waits: int, new: Sequence[Response] = ()
    ) -> None:
        """Count `waits` waiting responses and the new ones."""
        rows = self.database.take_waiting(db, frozen.survey.slug, waits) if waits else []
        waited = [Response(id, tuple(reports)) for id, *reports in rows]
        self.add_to_counts(db, frozen, [*waited, *new])

    def publish_full_batches(self, slug: str, at_least: int = 0) -> None:
        """Publish the full batches that wait.

        `at_least` is a lower bound of the number of waiting responses, unless another server
        publishes some.
        """
        _, stored_survey = self.surveys.remembered.get(slug, (None, None))
        if stored_survey is None or at_least < stored_survey.survey.fieldwork.batch:
            with self.database.reading() as db:
                batch = (stored_survey or self.surveys.find(db, slug)).survey.fieldwork.batch
                if self.count_waiting(db, slug) < batch:
                    return
        with self.database.publishing(slug) as db:
            self.publish_due_batches(db, slug)

    def publish_due_batches(self, db: Connection, slug: str) -> None:
        """Like `publish_full_batches`, within the transaction of the caller."""
        stored_survey, waits = self.surveys.find(db, slug), self.count_waiting(db, slug)
        due = waits - waits % stored_survey.survey.fieldwork.batch
        if stored_survey.frozen is not None and due:  # Another server may have been faster.
            self.publish_responses(db, stored_survey.frozen, due)

    def publish_left_batches(self) -> None:
        """Publish the full batches of all surveys, which a stopped server may have left."""
        for (slug,) in self.fetch_all("SELECT DISTINCT survey FROM waiting"):
            with suppress(UnknownSurvey):  # The survey may be deleted in the meantime.
                self.publish_full_batches(slug)

    def recount(
        self, db: Connection, frozen: FrozenSurvey, waiting: Collection[bytes]
    ) -> tuple[CountsByQuestion, int]:
        """The counts of all responses but those that wait, and how many of those there are.

        It reads all responses. Raises ValueError for an impossible report.
        """
        fields = frozen.survey.fields
        counts = [Counter[int]() for _ in fields]
        met = 0
        for rows in self.pages_of(db, frozen.survey.slug):
            published = [row[1:] for row in rows if row[0] not in waiting]
            met += len(rows) - len(published)
            for place, (question, total) in enumerate(zip(fields, counts, strict=True)):
                stored = [row[place] for row in published]
                reports: list[Stored] = [report for report in stored if report is not None]
                total.update(tally_codes(question.form, reports))
        named = zip(fields, counts, strict=True)
        return {question.name: dict(total) for question, total in named if total}, met

    def pages_of(self, db: Connection, slug: str) -> Iterator[list[tuple[Any, ...]]]:
        """All responses in the order of their ids, in pages."""
        table = self.database.response_table(slug)
        return pages(db, table, ["id"], column_names(db, table))

    def add_to_counts(
        self, db: Connection, frozen: FrozenSurvey, batch: list[Response], sign: int = 1
    ) -> None:
        """Add these responses to the counts, or subtract them if `sign` is -1."""
        changes: list[list[Any]] = []
        for place, question in enumerate(frozen.survey.fields):
            stored = (response.reports[place] for response in batch)
            reports = [report for report in stored if report is not None]
            changes += (
                [frozen.survey.slug, question.name, code, sign * times]
                for code, times in tally_codes(question.form, reports).items()
            )
        db.executemany(
            "INSERT INTO counts VALUES (?, ?, ?, ?) ON CONFLICT (survey, question, report)"
            " DO UPDATE SET responses = counts.responses + excluded.responses",
            changes,
        )
        if sign < 0:  # A code that no longer occurs must leave no trace.
            db.execute(
                "DELETE FROM counts WHERE survey = ? AND responses = 0", [frozen.survey.slug]
            )

    def count_again(self, db: Connection, frozen: FrozenSurvey) -> None:
        """Count all responses of a survey in place of those that are counted."""
        slug, (counts, _) = frozen.survey.slug, self.recount(db, frozen, ())
        db.execute("DELETE FROM counts WHERE survey = ?", [slug])
        db.executemany(
            "INSERT INTO counts VALUES (?, ?, ?, ?)",
            [
                (slug, question, code, responses)
                for question, by_code in counts.items()
                for code, responses in by_code.items()
            ],
        )
