"""Responses in PostgreSQL: respondents wait for nobody, and no row is written by all of them.

A response only adds rows: itself, and its id among those that wait. What waits is counted after
that, in a transaction of its own that one server at a time carries out for all: so counts are
written once for as many as came meanwhile. Between the two a crash may leave more waiting than a
batch; the next response, or the next seal, releases them.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from survey.core.errors import SpentInvitation, StoreUnavailable, UnknownSurvey
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.acceptance import Verdict
from survey.definition.responses.parse_response import Response
from survey.store import StoredSurvey
from survey.store.database import ConcurrentChange, Database
from survey.store.postgresql.connections import RELEASING, PostgreSQLConnections, lock, number_of
from survey.store.sql.lifecycle import with_parts
from survey.store.sql.responses import SQLResponses
from survey.store.sql.surveys import COLUMNS, stored

MAX_TRANSACTION_TRIES = 5  # of a transaction that another one was in the way of
# which version of a row it is: its number, and where it lies and which transaction wrote it
ROW_VERSION = "number, ctid::text, xmin::text"
MAX_REMEMBERED_SURVEYS = 64  # surveys
VACUUM_AFTER_RESPONSES = 5_000  # that waited; what is left of them is in the way of counting others


class PostgreSQLResponses(SQLResponses, PostgreSQLConnections):
    """The part of the store that several servers fill at the same time."""

    def __init__(self, url: str):
        self.remembered: dict[str, tuple[tuple[Any, ...], StoredSurvey]] = {}
        self.taken = 0  # responses that waited, since the last VACUUM
        super().__init__(url)

    def find(self, db: Database, slug: str) -> StoredSurvey:
        """Texts of a survey take longer to fetch and compare than a group of responses to write,
        so they are fetched where the row is another one than it was."""
        row = db.execute(f"SELECT {ROW_VERSION} FROM surveys WHERE slug = ?", [slug]).fetchone()
        version, stored_survey = self.remembered.get(slug, (None, None))
        if stored_survey is not None and row == version:
            return stored_survey
        row = db.execute(f"SELECT {ROW_VERSION}, {COLUMNS} FROM surveys WHERE slug = ?", [slug])
        row = row.fetchone()
        if row is None:
            raise UnknownSurvey(f"There is no survey {slug[:63]!r}.")
        stored_survey = stored(row[3:])
        if len(self.remembered) >= MAX_REMEMBERED_SURVEYS:
            self.remembered.clear()
        self.remembered[slug] = row[:3], stored_survey
        return stored_survey

    def add_all(self, sent: Sequence[tuple[str, Response]]) -> list[Verdict]:
        verdicts = self.tried(sent)
        # what spent it may be this very response, which another server recorded meanwhile
        again = [n for n, each in enumerate(verdicts) if isinstance(each, SpentInvitation)]
        if again:
            for n, verdict in zip(again, self.tried([sent[n] for n in again]), strict=True):
                verdicts[n] = verdict
        new = Counter(slug for (slug, _), each in zip(sent, verdicts, strict=True) if each is True)
        for slug in sorted({slug for slug, _ in sent}):
            with suppress(StoreUnavailable, UnknownSurvey):  # recorded; the next one releases it
                self.release_full(slug, new[slug])
        return verdicts

    def tried(self, sent: Sequence[tuple[str, Response]]) -> list[Verdict]:
        for look in (
            False,
            *[True] * MAX_TRANSACTION_TRIES,
        ):  # nearly all are new, and a look takes as long
            with suppress(ConcurrentChange):
                return self.add_groups(sent, look)
        raise StoreUnavailable("The database is busy.")

    def take_in(self, db: Database, frozen: FrozenSurvey, new: list[Response]) -> None:
        db.executemany(
            "INSERT INTO waiting VALUES (?, ?)", [(frozen.survey.slug, each.id) for each in new]
        )

    def take_waiting(self, db: Database, slug: str, most: int | None = None) -> list[Any]:
        most = self.count_waiting(db, slug) if most is None else most
        if not most:
            return []
        # one statement: what others add between two would be deleted and never counted. It is told
        # up to which id, since a list of ids is compared in the square of its length where the
        # table was empty when PostgreSQL last looked how long it is
        rows = db.execute(
            "WITH taken AS (DELETE FROM waiting WHERE survey = ? AND id <="
            " (SELECT id FROM waiting WHERE survey = ? ORDER BY id LIMIT 1 OFFSET ?) RETURNING id)"
            f" SELECT responses.* FROM {self.response_table(slug)} AS responses JOIN taken"
            " USING (id)",
            [slug, slug, most - 1],
        ).fetchall()
        self.taken += len(rows)
        return rows

    def release_full(self, slug: str, at_least: int = 0) -> None:
        """Count as many whole batches as wait; so many wait at least, if nobody took them."""
        _, stored_survey = self.remembered.get(slug, (None, None))
        if stored_survey is None or at_least < stored_survey.survey.fieldwork.batch:
            with self.reading() as db:
                batch = (stored_survey or self.find(db, slug)).survey.fieldwork.batch
                if self.count_waiting(db, slug) < batch:
                    return
        with self.answering(slug) as db:
            lock(db, RELEASING, number_of(slug))
            self.release_due(db, slug)
        if self.taken >= VACUUM_AFTER_RESPONSES:
            self.taken = 0
            with self.reading() as db:
                db.execute("VACUUM (SKIP_LOCKED, INDEX_CLEANUP ON, TRUNCATE OFF) waiting")

    def release_due(self, db: Database, slug: str) -> None:
        stored_survey, waits = self.find(db, slug), self.count_waiting(db, slug)
        due = waits - waits % stored_survey.survey.fieldwork.batch
        if stored_survey.frozen is not None and due:  # no other server was faster
            self.count_taken(db, stored_survey.frozen, self.take_waiting(db, slug, due))

    def end(self, db: Database, frozen: FrozenSurvey) -> None:
        for slug in with_parts(frozen):
            self.release_due(db, slug)  # whether the rest is released depends on how few it is
        super().end(db, frozen)
