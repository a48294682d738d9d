"""Webhooks and their thresholds, in SQL.

Nothing is recorded when a response reaches a threshold. The server compares the counts with the
thresholds instead. So no threshold can be missed, and only published responses count. No time is
stored.
"""

from dataclasses import dataclass

from survey.core.errors import StateError
from survey.store.database import Connection, Part, count
from survey.store.sql.counts import Counts
from survey.store.sql.lifecycle import refuse_sub_survey
from survey.store.sql.surveys import Surveys
from survey.store.stored import not_opened

WAITING = "waiting"
DELIVERED = "delivered"
GIVEN_UP = "given up"
MAX_WEBHOOKS_PER_SURVEY = 10


@dataclass(frozen=True)
class Threshold:
    """A number of published responses that triggers a message.

    `state` is WAITING until the message is DELIVERED or GIVEN_UP. `waited` is the total time in
    seconds between failed attempts. With it the store needs no time of the first attempt, which
    would be the time of a response. `outcome` describes the last attempt, or is empty.
    """

    responses: int
    state: str = WAITING
    waited: int = 0
    outcome: str = ""


@dataclass(frozen=True)
class Webhook:
    """A program that receives messages.

    `id` is 16 random bytes, from which survey/server/webhooks/messages.py derives the secret.
    """

    id: bytes
    survey: str
    url: str
    thresholds: tuple[Threshold, ...]


@dataclass(eq=False)
class Webhooks(Part):
    """The webhooks of surveys."""

    surveys: Surveys
    counts: Counts

    def add_webhook(self, webhook: Webhook) -> None:
        """Add a webhook.

        Raises StateError for a sub-survey, a draft, a survey with loaded or simulated responses,
        and a survey with `MAX_WEBHOOKS_PER_SURVEY` webhooks.
        """
        slug = webhook.survey
        refuse_sub_survey(slug)
        with self.database.transaction() as db:
            stored_survey = self.surveys.find(db, slug)
            if stored_survey.frozen is None:
                raise not_opened(slug)
            if stored_survey.origin != "browser":
                raise StateError(
                    "Survey '%(slug)s' holds simulated or imported responses, and takes no "
                    "others. Add webhooks to a survey of real people.",
                    slug=slug,
                )
            if count(db, "webhooks", "survey = ?", [slug]) >= MAX_WEBHOOKS_PER_SURVEY:
                raise StateError(
                    "Survey '%(slug)s' has %(most)s webhooks, the maximum. Delete one that is "
                    "no longer needed.",
                    slug=slug,
                    most=MAX_WEBHOOKS_PER_SURVEY,
                )
            db.execute("INSERT INTO webhooks VALUES (?, ?, ?)", [webhook.id, slug, webhook.url])
            db.executemany(
                "INSERT INTO thresholds VALUES (?, ?, ?, ?, ?, ?)",
                (
                    [webhook.id, slug, each.responses, each.state, each.waited, each.outcome]
                    for each in webhook.thresholds
                ),
            )

    def receivers(self, slug: str) -> list[Webhook]:
        """The webhooks of a survey, ordered by URL."""
        with self.database.reading() as db:
            return self.find_webhooks(db, slug)

    def find_webhooks(self, db: Connection, slug: str) -> list[Webhook]:
        rows = db.execute(
            "SELECT id, url, responses, state, waited, outcome FROM webhooks"
            " JOIN thresholds ON webhook = id WHERE webhooks.survey = ?"
            " ORDER BY url, id, responses",
            [slug],
        ).fetchall()
        thresholds: dict[tuple[bytes, str], list[Threshold]] = {}
        for id, url, *threshold in rows:
            thresholds.setdefault((id, url), []).append(Threshold(*threshold))
        return [Webhook(id, slug, url, tuple(each)) for (id, url), each in thresholds.items()]

    def delete_webhook(self, slug: str, id: bytes) -> bool:
        """Delete a webhook, and return whether it existed."""
        with self.database.transaction() as db:
            db.execute("DELETE FROM thresholds WHERE survey = ? AND webhook = ?", [slug, id])
            gone = db.execute("DELETE FROM webhooks WHERE survey = ? AND id = ?", [slug, id])
        self.database.forget()
        return bool(gone.rowcount)

    def reached_thresholds(self) -> list[tuple[Webhook, Threshold]]:
        """The WAITING thresholds that the published responses of their surveys have reached.

        If none are waiting, it only reads an index.
        """
        with self.database.reading() as db:
            slugs = db.execute(
                "SELECT DISTINCT survey FROM thresholds"
                # The literal value lets the database use the index.
                f" WHERE state = '{WAITING}' ORDER BY survey"
            ).fetchall()
            return [
                (webhook, threshold)
                for (slug,) in slugs
                for published in [self.counts.number_published(db, slug)]
                for webhook in self.find_webhooks(db, slug)
                for threshold in webhook.thresholds
                if threshold.state == WAITING and threshold.responses <= published
            ]

    def settle(self, id: bytes, threshold: Threshold) -> None:
        """Update the threshold with this number of responses, if it still exists."""
        self.change(
            "UPDATE thresholds SET state = ?, waited = ?, outcome = ?"
            " WHERE webhook = ? AND responses = ?",
            *(threshold.state, threshold.waited, threshold.outcome, id, threshold.responses),
        )
