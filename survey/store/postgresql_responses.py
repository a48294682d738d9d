"""Responses in PostgreSQL: respondents wait for nobody, and no row is written by all of them.

A response only adds rows: itself, and its id among those that wait. What waits is counted after
that, in a transaction of its own that one server at a time carries out for all: so counts are
written once for as many as came meanwhile. Between the two a crash may leave more waiting than a
batch; the next response, or the next seal, releases them.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ..admission import Verdict
from ..errors import SpentInvitation, StoreUnavailable, UnknownSurvey
from ..frozen import FrozenSurvey
from ..intake import Response
from .database import Database, Overtaken
from .postgresql_connections import (
    RELEASING,
    PostgreSQLConnections,
    lock,
    number_of,
)
from .sql_lifecycle import with_parts
from .sql_responses import SQLResponses

TRIES = 5  # of a transaction that another one was in the way of


class PostgreSQLResponses(SQLResponses, PostgreSQLConnections):
    """The part of the store that several servers fill at the same time."""

    def add_all(self, sent: Sequence[tuple[str, Response]]) -> list[Verdict]:
        verdicts = self.tried(sent)
        # what spent it may be this very response, which another server recorded meanwhile
        again = [n for n, each in enumerate(verdicts) if isinstance(each, SpentInvitation)]
        if again:
            for n, verdict in zip(again, self.tried([sent[n] for n in again]), strict=True):
                verdicts[n] = verdict
        for slug in sorted({slug for slug, _ in sent}):
            with suppress(StoreUnavailable, UnknownSurvey):  # recorded; the next one releases it
                self.release_full(slug)
        return verdicts

    def tried(self, sent: Sequence[tuple[str, Response]]) -> list[Verdict]:
        for _ in range(TRIES):
            with suppress(Overtaken):
                return super().add_all(sent)
        raise StoreUnavailable("The database is busy.")

    def take_in(self, db: Database, frozen: FrozenSurvey, new: list[Response]) -> None:
        db.executemany(
            "INSERT INTO waiting VALUES (?, ?)", [(frozen.survey.slug, each.id) for each in new]
        )

    def take_waiting(self, db: Database, slug: str, most: int | None = None) -> list[Any]:
        # one statement: what others add between two would be deleted and never counted
        return db.execute(
            "WITH taken AS (DELETE FROM waiting WHERE survey = ? AND id IN"
            " (SELECT id FROM waiting WHERE survey = ? ORDER BY id LIMIT ?) RETURNING id)"
            f" SELECT responses.* FROM {self.response_table(slug)} AS responses JOIN taken"
            " USING (id)",
            [slug, slug, most],
        ).fetchall()

    def release_full(self, slug: str) -> None:
        """Count as many whole batches as wait."""
        with self.reading() as db:
            if not self.due(db, slug):
                return
        with self.answering(slug) as db:
            lock(db, RELEASING, number_of(slug))
            self.release_due(db, slug)

    def release_due(self, db: Database, slug: str) -> None:
        frozen, due = self.find(db, slug).frozen, self.due(db, slug)
        if frozen is not None and due:  # no other server was faster
            self.count_taken(db, frozen, self.take_waiting(db, slug, due))

    def end(self, db: Database, frozen: FrozenSurvey) -> None:
        for slug in with_parts(frozen):
            self.release_due(db, slug)  # whether the rest is released depends on how few it is
        super().end(db, frozen)

    def due(self, db: Database, slug: str) -> int:
        """How many of those that wait fill batches."""
        waits = self.count_waiting(db, slug)
        return waits - waits % self.find(db, slug).survey.fieldwork.batch
