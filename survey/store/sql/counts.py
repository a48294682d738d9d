"""Counts in SQL, which know only the responses that are released.

A response lies in its table from the moment it arrives, and its id in `waiting` until as many wait
as the survey releases at once. Counts and exports leave out what waits, so that they stay the same
to the byte from one release to the next. Which responses wait does tell that they came last; it is
gone with the release, and nothing tells in which order they came, or which came with which batch.

Where several servers fill a database, a response only adds rows: respondents wait for nobody, and
no row is written by all of them. What waits is counted after that, in a transaction of its own that
one server at a time carries out for all: so counts are written once for as many as came meanwhile.
Between the two a crash may leave more waiting than a batch; the next response, or the next seal,
releases them.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from survey.core.errors import StoreUnavailable, UnknownSurvey
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.definition.report_formats import tallied
from survey.definition.responses.acceptance import released_at_once
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import BY_HAND, part_slug
from survey.estimation.build_results import responses_behind
from survey.store.database import Connection, Part, count
from survey.store.sql.surveys import Surveys

CountsByQuestion = dict[str, dict[int, int]]


@dataclass(eq=False)
class Counts(Part):
    """How much has come, and what it adds up to. While a server counts all responses again, figures
    and responses are `withheld`: what gives them raises StoreUnavailable."""

    surveys: Surveys
    withheld: bool = False

    def require_figures(self) -> None:
        """Raises StoreUnavailable while no figure may be shown (survey/server/recount.py)."""
        if self.withheld:
            raise StoreUnavailable("All responses are being counted again. Try again in a moment.")

    def by_question(self, slug: str) -> CountsByQuestion:
        """How often each report came in the responses that are released, by question and code
        (survey/definition/report_formats.py), those that never came left out; costs the same at any
        number of responses. Empty, like `by_group` and `Responses.rows`, while withdrawals
        have left too few (`StoredSurvey.isolates`)."""
        with self.database.reading() as db:
            return self.shown_counts(db, slug)

    def shown_counts(self, db: Connection, slug: str) -> CountsByQuestion:
        """The counts that anyone sees."""
        self.require_figures()
        counts = self.read_counts(db, slug)
        return {} if self.too_few(db, slug, counts) else counts

    def too_few(self, db: Connection, slug: str, counts: CountsByQuestion) -> bool:
        """Whether withdrawals have left so few published responses that none is shown."""
        if not counts:
            return False
        stored_survey = self.surveys.find(db, slug)
        return stored_survey.isolates(responses_behind(stored_survey.survey, counts))

    def read_counts(self, db: Connection, slug: str) -> CountsByQuestion:
        counts: CountsByQuestion = {}
        rows = db.execute(
            "SELECT question, report, responses FROM counts WHERE survey = ?", [slug]
        ).fetchall()
        for question, code, responses in rows:
            counts.setdefault(question, {})[code] = responses
        return counts

    def by_group(self, slug: str, by: Question) -> dict[int, CountsByQuestion]:
        """The same counts apart for each answer to one plain question, by the code of the answer;
        takes time proportional to the responses, from which they are read."""
        self.require_figures()
        groups: dict[int, CountsByQuestion] = {}
        table = self.database.response_table(slug)
        frozen = self.surveys.by_slug(slug).frozen
        if frozen is None:
            raise UnknownSurvey(f"There is no survey {slug!r}.")
        # or a release in between would be in some questions alone
        with self.database.snapshot(table, "waiting", "counts") as db:
            if self.too_few(db, slug, self.read_counts(db, slug)):
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

    def arrived(self, slug: str) -> int:
        """How many responses there are, released or waiting; costs the same at any number."""
        return sum(self.released_and_waiting(slug))

    def released_and_waiting(self, slug: str) -> tuple[int, int]:
        """The same in its two parts, as they are at one moment; fewer than a batch wait."""
        # or a release in between would count a batch twice, or never
        with self.database.snapshot("counts", "waiting") as db:
            return self.released(db, slug), self.count_waiting(db, slug)

    def released(self, db: Connection, slug: str) -> int:
        """How many responses the counts are of, as anyone is told."""
        self.require_figures()
        return self.count_released(db, slug)

    def count_released(self, db: Connection, slug: str) -> int:
        return responses_behind(self.surveys.find(db, slug).survey, self.read_counts(db, slug))

    def count_waiting(self, db: Connection, slug: str) -> int:
        return count(db, "waiting", "survey = ?", [slug])

    def count_people(self, db: Connection, frozen: FrozenSurvey) -> int:
        """How many answered a survey, those who tossed real coins among them."""
        slug = frozen.survey.slug
        slugs = [slug, part_slug(BY_HAND, slug)] if frozen.survey.fieldwork.by_hand else [slug]
        return sum(self.count_released(db, each) + self.count_waiting(db, each) for each in slugs)

    def take_in(self, db: Connection, frozen: FrozenSurvey, new: list[Response]) -> None:
        """Let responses wait that were just written, or release those that fill a batch, and what
        waited before them. In a shared database all of them wait for `release_full`."""
        slug, released = frozen.survey.slug, 0
        if not self.database.shared:
            waits = self.count_waiting(db, slug)
            released = released_at_once(waits, len(new), frozen.survey.fieldwork.batch)
            if released:
                self.release(db, frozen, waits, new[:released])
        db.executemany(
            "INSERT INTO waiting VALUES (?, ?)", [(slug, each.id) for each in new[released:]]
        )

    def release(
        self, db: Connection, frozen: FrozenSurvey, waits: int, new: Sequence[Response] = ()
    ) -> None:
        """Count so many that wait, and what comes with the last of its batch."""
        rows = self.database.take_waiting(db, frozen.survey.slug, waits) if waits else []
        waited = [Response(id, tuple(reports)) for id, *reports in rows]
        self.add_to_counts(db, frozen, [*waited, *new])

    def release_full(self, slug: str, at_least: int = 0) -> None:
        """Count as many whole batches as wait; so many wait at least, if nobody took them."""
        _, stored_survey = self.surveys.remembered.get(slug, (None, None))
        if stored_survey is None or at_least < stored_survey.survey.fieldwork.batch:
            with self.database.reading() as db:
                batch = (stored_survey or self.surveys.find(db, slug)).survey.fieldwork.batch
                if self.count_waiting(db, slug) < batch:
                    return
        with self.database.releasing(slug) as db:
            self.release_due(db, slug)

    def release_due(self, db: Connection, slug: str) -> None:
        """As `release_full`, within the transaction of the caller."""
        stored_survey, waits = self.surveys.find(db, slug), self.count_waiting(db, slug)
        due = waits - waits % stored_survey.survey.fieldwork.batch
        if stored_survey.frozen is not None and due:  # no other server was faster
            self.release(db, stored_survey.frozen, due)

    def release_left(self) -> None:
        """Count the whole batches of all surveys that a server was stopped before it could."""
        for (slug,) in self.fetch_all("SELECT DISTINCT survey FROM waiting"):
            with suppress(UnknownSurvey):  # deleted meanwhile
                self.release_full(slug)

    def add_to_counts(
        self, db: Connection, frozen: FrozenSurvey, batch: list[Response], sign: int = 1
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
