"""Delivery of webhooks: a thread of the server tells other programs when a threshold is reached.

survey/server/webhooks/messages.py defines the messages.

Every few seconds the thread compares the published counts with the thresholds. So a message follows
the publication of a batch, not a single response. The thread records a delivery after the message
has arrived. So a program receives each message at least once, and twice after a fault at the wrong
moment. The time of the next attempt is only in memory: a server tries at once after its start. The
total waiting time is stored, so that the server gives up after 24 hours of waiting, however often
it starts in between.
"""

import math
import secrets
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from survey.core.errors import WebhookError
from survey.server.periodic import LOOK_SECONDS, repeating
from survey.server.webhooks.messages import (
    SIGNATURE,
    body_of,
    delivery_of,
    mark_failed,
    pause_after,
    secret_of,
    signature_of,
)
from survey.server.webhooks.safe_http_post import post
from survey.store import Store
from survey.store.sql.webhooks import DELIVERED, Threshold, Webhook

AGENT = "Candor"

Key = tuple[bytes, int]  # a webhook's id and a number of responses


def send_webhook(
    webhook: Webhook, responses: int, secret_key: str, *, local: bool, test: bool
) -> None:
    """Send one message, signed. Raises WebhookError."""
    secret = secret_of(secret_key, webhook.id)
    # Each test is a separate message.
    delivery = secrets.token_hex(16) if test else delivery_of(secret, responses)
    sent = int(time.time())
    body = body_of(webhook.survey, responses, test=test, delivery=delivery, sent=sent)
    signature = signature_of(secret, body)
    headers = {"Content-Type": "application/json", "User-Agent": AGENT, SIGNATURE: signature}
    post(webhook.url, body, headers, local=local)


class Notifier:
    """Delivers the messages that are due, and remembers when to retry failed ones.

    Parameters
    ----------
    clock : a monotonic clock in seconds
    """

    def __init__(
        self,
        store: Store,
        secret_key: str,
        *,
        local: bool,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.store, self.secret_key, self.local, self.clock = store, secret_key, local, clock
        # For each failed message: when the pause ends, and its length in seconds.
        self.pauses: dict[Key, tuple[float, int]] = {}

    def look(self) -> None:
        """Try each due message once, if this server is the one that delivers.

        Raises StoreUnavailable.
        """
        if not self.store.database.leads():
            return
        for webhook, threshold in self.store.webhooks.reached_thresholds():
            until, _ = self.pauses.get((webhook.id, threshold.responses), (-math.inf, 0))
            if self.clock() >= until:
                self.attempt(webhook, threshold)

    def attempt(self, webhook: Webhook, threshold: Threshold) -> None:
        key = (webhook.id, threshold.responses)
        _, waited = self.pauses.pop(key, (0.0, 0))
        try:
            send_webhook(
                webhook, threshold.responses, self.secret_key, local=self.local, test=False
            )
            after = replace(threshold, state=DELIVERED, outcome="")
        except WebhookError as error:
            after = mark_failed(threshold, str(error), waited)
            pause = pause_after(after)
            self.pauses[key] = (self.clock() + pause, pause)
        self.store.webhooks.settle(webhook.id, after)


def deliver_webhooks(
    notifier: Notifier, look_seconds: float = LOOK_SECONDS
) -> AbstractContextManager[None]:
    """During the block a thread delivers the messages that are due.

    A message in delivery when the server stops is sent again after the next start.
    """
    return repeating("delivering webhooks", notifier.look, look_seconds)
