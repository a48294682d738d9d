"""Whom to tell of thresholds, in SQL.

That a threshold is reached is not written down when the response comes, but seen in the counts:
so it cannot be lost, and only what is released counts. No moment is stored.
"""

from dataclasses import dataclass

from survey.core.errors import StateError
from survey.store.database import Connection, Part, count
from survey.store.sql.counts import Counts
from survey.store.sql.lifecycle import refuse_part
from survey.store.sql.surveys import Surveys

WAITING, DELIVERED, GIVEN_UP = "waiting", "delivered", "given up"
MAX_WEBHOOKS_PER_SURVEY = 10  # of one survey


@dataclass(frozen=True)
class Threshold:
    """A number of released responses that a program is told of.

    `state` is WAITING, until it was told, DELIVERED or GIVEN_UP. `waited` says for how many seconds
    in all the server waited between tries that failed; with it, no moment need be stored, which
    would be that of a response. `outcome` is a sentence on the last try, or empty.
    """

    responses: int
    state: str = WAITING
    waited: int = 0
    outcome: str = ""


@dataclass(frozen=True)
class Webhook:
    """A program to tell. `id` is 16 random bytes, of which survey/server/webhooks/messages.py makes
    its secret."""

    id: bytes
    survey: str
    url: str
    thresholds: tuple[Threshold, ...]


@dataclass(eq=False)
class Webhooks(Part):
    """Which programs are told of a survey, and of what."""

    surveys: Surveys
    counts: Counts

    def add_webhook(self, webhook: Webhook) -> None:
        """Raises StateError for a part, a draft, a survey whose responses come from elsewhere, and
        one that has as many as it may have."""
        slug = webhook.survey
        refuse_part(slug)
        with self.database.transaction() as db:
            stored_survey = self.surveys.find(db, slug)
            if stored_survey.frozen is None:
                raise StateError(f"Survey {slug!r} is a draft; open it first.")
            if stored_survey.origin != "browser":
                raise StateError(
                    f"Survey {slug!r} holds {stored_survey.origin} responses; it takes no others."
                )
            if count(db, "webhooks", "survey = ?", [slug]) >= MAX_WEBHOOKS_PER_SURVEY:
                raise StateError(
                    f"Survey {slug!r} tells {MAX_WEBHOOKS_PER_SURVEY} programs, as many as it may. "
                    "Delete one that is not needed any more."
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
        """In the order of their addresses."""
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
        """Whether there was one."""
        with self.database.transaction() as db:
            db.execute("DELETE FROM thresholds WHERE survey = ? AND webhook = ?", [slug, id])
            gone = db.execute("DELETE FROM webhooks WHERE survey = ? AND id = ?", [slug, id])
        self.database.forget()
        return bool(gone.rowcount)

    def reached(self) -> list[tuple[Webhook, Threshold]]:
        """Those WAITING of whose survey as many responses are released. Costs one look at an
        index where nothing waits."""
        with self.database.reading() as db:
            slugs = db.execute(
                "SELECT DISTINCT survey FROM thresholds"
                f" WHERE state = '{WAITING}' ORDER BY survey"  # so written, the index is used
            ).fetchall()
            return [
                (webhook, threshold)
                for (slug,) in slugs
                for released in [self.counts.released(db, slug)]
                for webhook in self.find_webhooks(db, slug)
                for threshold in webhook.thresholds
                if threshold.state == WAITING and threshold.responses <= released
            ]

    def settle(self, id: bytes, threshold: Threshold) -> None:
        """Replace the threshold of that number; nothing happens if it is gone."""
        self.change(
            "UPDATE thresholds SET state = ?, waited = ?, outcome = ?"
            " WHERE webhook = ? AND responses = ?",
            *(threshold.state, threshold.waited, threshold.outcome, id, threshold.responses),
        )
