"""Delivery of webhooks: a thread of the server tells other programs of thresholds.

The messages are in survey/server/webhooks/messages.py.

What is due is read from the counts, every few seconds, and so follows a release of responses and
not one response; what was told is written down after it arrived. So a program is told at least
once, and after a fault at the wrong moment twice. When to try again is kept in memory alone: a
server that starts tries at once. How long was waited in all is stored, so that it gives up after
24 hours of waiting, however often it was started meanwhile.
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

Key = tuple[bytes, int]  # a webhook and a number of responses


def send_webhook(
    webhook: Webhook, responses: int, secret_key: str, *, local: bool, test: bool
) -> None:
    """Send one message, signed. Raises WebhookError."""
    secret = secret_of(secret_key, webhook.id)
    # each test is a message of its own
    delivery = secrets.token_hex(16) if test else delivery_of(secret, responses)
    sent = int(time.time())
    body = body_of(webhook.survey, responses, test=test, delivery=delivery, sent=sent)
    signature = signature_of(secret, body)
    headers = {"Content-Type": "application/json", "User-Agent": AGENT, SIGNATURE: signature}
    post(webhook.url, body, headers, local=local)


class Notifier:
    """Tells what is due, and remembers when to try again what failed.

    Parameters
    ----------
    clock : seconds that never go back, of no meaning otherwise
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
        self.pauses: dict[Key, tuple[float, int]] = {}  # until when, and how many seconds that is

    def look(self) -> None:
        """Try once whatever is due now; one of several servers does. Raises StoreUnavailable."""
        if not self.store.database.leads():
            return
        for webhook, threshold in self.store.webhooks.reached():
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


def notifying(
    notifier: Notifier, look_seconds: float = LOOK_SECONDS
) -> AbstractContextManager[None]:
    """A thread tells what is due, for as long as the block lasts. Who is being told when the server
    stops is told again after it starts."""
    return repeating("notifying", notifier.look, look_seconds)
