"""Whom to tell of thresholds, in SQL.

That a threshold is reached is not written down when the response comes, but seen in the counts:
so it cannot be lost, and only what is released counts. No moment is stored.
"""

from survey.core.errors import StateError
from survey.estimation.build_results import responses_behind
from survey.store.database import Database, count
from survey.store.programs import WAITING, Threshold, Webhook
from survey.store.sql.lifecycle import SQLLifecycle, refuse_part

MAX_WEBHOOKS_PER_SURVEY = 10  # of one survey


class SQLWebhooks(SQLLifecycle):
    """The part of the store that says which programs are told of a survey, and of what."""

    def add_webhook(self, webhook: Webhook) -> None:
        slug = webhook.survey
        refuse_part(slug)
        with self.transaction() as db:
            stored_survey = self.find(db, slug)
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

    def webhooks(self, slug: str) -> list[Webhook]:
        with self.reading() as db:
            return self.find_webhooks(db, slug)

    def find_webhooks(self, db: Database, slug: str) -> list[Webhook]:
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
        with self.transaction() as db:
            db.execute("DELETE FROM thresholds WHERE survey = ? AND webhook = ?", [slug, id])
            gone = db.execute("DELETE FROM webhooks WHERE survey = ? AND id = ?", [slug, id])
        self.forget()
        return bool(gone.rowcount)

    def reached(self) -> list[tuple[Webhook, Threshold]]:
        with self.reading() as db:
            slugs = db.execute(
                "SELECT DISTINCT survey FROM thresholds"
                f" WHERE state = '{WAITING}' ORDER BY survey"  # so written, the index is used
            ).fetchall()
            return [
                (webhook, threshold)
                for (slug,) in slugs
                for released in [self.released(db, slug)]
                for webhook in self.find_webhooks(db, slug)
                for threshold in webhook.thresholds
                if threshold.state == WAITING and threshold.responses <= released
            ]

    def released(self, db: Database, slug: str) -> int:
        """How many responses the counts are of; those that wait for their batch are not."""
        self.require_figures()
        return responses_behind(self.find(db, slug).survey, self.read_counts(db, slug))

    def settle(self, id: bytes, threshold: Threshold) -> None:
        with self.transaction() as db:
            db.execute(
                "UPDATE thresholds SET state = ?, waited = ?, outcome = ?"
                " WHERE webhook = ? AND responses = ?",
                [threshold.state, threshold.waited, threshold.outcome, id, threshold.responses],
            )
