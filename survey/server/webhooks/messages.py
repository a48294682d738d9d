"""Telling another program that a survey has so many responses: what is said, and when again.

The argument: a program is told of a threshold that the researcher named, once it is reached by what
is released; so nothing is sent for a single response, and what is sent tells nothing that the
results page does not show. No report and no estimate is sent. Who receives it can tell that it came
from here by an HMAC-SHA-256 of the very bytes. These hold an id and a time, so that a receiver can
refuse a message that somebody recorded and sends again. The secret of a webhook is made from the
server's own key and the webhook's random id, so that the database alone does not hold it.
"""

import hmac
import ipaddress
import json
import re
import secrets
from dataclasses import replace
from urllib.parse import urlsplit

from survey.core.errors import WebhookError
from survey.store.sql.webhooks import GIVEN_UP, Threshold, Webhook

SIGNATURE = "Candor-Signature"
MAX_URL_CHARACTERS = 500
MAX_THRESHOLDS = 10
MAX_THRESHOLD_RESPONSES = 10_000_000
FIRST_RETRY_SECONDS = 60  # of the wait after the first try that fails; each further one is as long
MAX_RETRY_SECONDS = 4 * 60 * 60  # as all before it together, up to this
GIVE_UP_SECONDS = 24 * 60 * 60  # of waiting in all


def secret_of(secret_key: str, id: bytes) -> str:
    """64 hexadecimal digits; the key of the signature is this text as it stands."""
    return hmac.new(secret_key.encode(), b"candor webhook " + id, "sha256").hexdigest()


def delivery_of(secret: str, responses: int) -> str:
    """The id of the message about this threshold, in 32 hexadecimal digits: the same at each try,
    also after a restart, and of no other message."""
    return hmac.new(secret.encode(), b"candor delivery %d" % responses, "sha256").hexdigest()[:32]


def body_of(slug: str, responses: int, *, test: bool, delivery: str, sent: int) -> bytes:
    """The whole message: the survey and the threshold, and by what a receiver knows a message that
    somebody sends again: its id, and when this try began in seconds since 1970."""
    message = {"survey": slug, "responses": responses, "test": test}
    return json.dumps(message | {"delivery": delivery, "sent": sent}).encode()


def signature_of(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, "sha256").hexdigest()


def is_local(host: str) -> bool:
    """Whether the name of a host says that it is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def checked_address(url: str) -> str:
    """The address as it will be asked. Raises WebhookError for what is none: https, or http to this
    machine; without a user name, a password or a fragment."""
    url = url.strip()
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise WebhookError("This is no address.") from error
    if len(url) > MAX_URL_CHARACTERS or not re.fullmatch(r"[!-~]+", url) or port == 0:
        raise WebhookError("This is no address; it is like https://example.org/candor.")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local(host)):
        raise WebhookError("The address starts with https://, or where it is this machine, http://")
    if not host or "@" in parts.netloc or "#" in url:
        raise WebhookError("The address has a host, and no user name, password or #.")
    return url


def read_thresholds(text: str) -> tuple[Threshold, ...]:
    """Numbers such as `100, 500`, each once, the smallest first. Raises WebhookError."""
    words = re.findall(r"[^\s,;]+", text)
    if not all(re.fullmatch("[0-9]{1,8}", word) for word in words):
        raise WebhookError("Type whole numbers with commas between them, such as 100, 500.")
    numbers = sorted({int(word) for word in words})
    if not 1 <= len(numbers) <= MAX_THRESHOLDS:
        raise WebhookError(f"Type 1 to {MAX_THRESHOLDS} numbers.")
    if not 1 <= numbers[0] <= numbers[-1] <= MAX_THRESHOLD_RESPONSES:
        raise WebhookError(f"Each number is from 1 to {MAX_THRESHOLD_RESPONSES:,}.")
    return tuple(Threshold(number) for number in numbers)


def new_webhook(slug: str, url: str, thresholds: tuple[Threshold, ...]) -> Webhook:
    return Webhook(secrets.token_bytes(16), slug, checked_address(url), thresholds)


def pause_after(threshold: Threshold) -> int:
    """How many seconds to wait before the next try: one minute, then as long as all before."""
    return min(max(FIRST_RETRY_SECONDS, threshold.waited), MAX_RETRY_SECONDS)


def mark_failed(threshold: Threshold, why: str, waited: int) -> Threshold:
    """After a try that failed, before which the server waited so many seconds."""
    waited += threshold.waited
    state = GIVEN_UP if waited >= GIVE_UP_SECONDS else threshold.state
    return replace(threshold, state=state, waited=waited, outcome=why)
