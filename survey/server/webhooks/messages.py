"""Webhook messages: their content, their signature, and the times of retries.

The argument. The server sends a message when the published responses reach a threshold that the
researcher set. So nothing is sent for a single response, and the message contains nothing that the
results page does not show. It contains no report and no estimate. An HMAC-SHA-256 of the exact
bytes proves the sender. The bytes contain an id and a time, so that a receiver can refuse a message
that somebody recorded and sends again. The secret of a webhook is derived from the server's own key
and the webhook's random id, so the database alone does not contain it.
"""

import hmac
import ipaddress
import json
import re
import secrets
from dataclasses import replace
from urllib.parse import urlsplit

from survey.core.errors import WebhookError
from survey.core.translate import later, translate_number
from survey.store.sql.webhooks import GIVEN_UP, Threshold, Webhook

SIGNATURE = "Candor-Signature"
MAX_URL_CHARACTERS = 500
MAX_THRESHOLDS = 10
MAX_THRESHOLD_RESPONSES = 10_000_000
# The wait after the first failed attempt. Each later wait equals the sum of all before it, ...
FIRST_RETRY_SECONDS = 60
# ... up to this maximum.
MAX_RETRY_SECONDS = 4 * 60 * 60
# The total waiting time after which the server gives up.
GIVE_UP_SECONDS = 24 * 60 * 60
NOT_A_URL = later("This is not a valid URL. Type one such as https://example.org/candor.")


def secret_of(secret_key: str, id: bytes) -> str:
    """64 hexadecimal digits. This text, not its decoded bytes, is the key of the signature."""
    return hmac.new(secret_key.encode(), b"candor webhook " + id, "sha256").hexdigest()


def delivery_of(secret: str, responses: int) -> str:
    """The id of the message about this threshold, in 32 hexadecimal digits.

    It is the same at each attempt, also after a restart. No other message has it.
    """
    return hmac.new(secret.encode(), b"candor delivery %d" % responses, "sha256").hexdigest()[:32]


def body_of(slug: str, responses: int, *, test: bool, delivery: str, sent: int) -> bytes:
    """The whole message: the survey, the threshold, the id of the message, and the time.

    `sent` is when this attempt began, in seconds since 1970. A receiver uses the id and the time to
    detect a message that somebody sends again.
    """
    message = {"survey": slug, "responses": responses, "test": test}
    return json.dumps(message | {"delivery": delivery, "sent": sent}).encode()


def signature_of(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, "sha256").hexdigest()


def is_local(host: str) -> bool:
    """Whether the host name stands for this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def checked_address(url: str) -> str:
    """The URL without surrounding blanks, if it is acceptable.

    It must use https, or http to this machine, without a user name, a password or a fragment.
    Raises WebhookError.
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise WebhookError(NOT_A_URL) from error
    if len(url) > MAX_URL_CHARACTERS or not re.fullmatch(r"[!-~]+", url) or port == 0:
        raise WebhookError(NOT_A_URL)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local(host)):
        raise WebhookError(
            "The URL must start with https://. It may start with http:// only if the program "
            "runs on Candor’s own server."
        )
    if not host or "@" in parts.netloc or "#" in url:
        raise WebhookError(
            "The URL must have a host, and no user name, password or #. Correct the URL."
        )
    return url


def read_thresholds(text: str) -> tuple[Threshold, ...]:
    """Thresholds from text such as `100, 500`, without duplicates, in ascending order.

    Raises WebhookError.
    """
    words = re.findall(r"[^\s,;]+", text)
    if not all(re.fullmatch("[0-9]{1,8}", word) for word in words):
        raise WebhookError(
            "These are not whole numbers. Type whole numbers with commas between them, such as "
            "100, 500."
        )
    numbers = sorted({int(word) for word in words})
    if not 1 <= len(numbers) <= MAX_THRESHOLDS:
        raise WebhookError("Type 1 to %(most)s numbers.", most=MAX_THRESHOLDS)
    if not 1 <= numbers[0] <= numbers[-1] <= MAX_THRESHOLD_RESPONSES:
        most = translate_number(f"{MAX_THRESHOLD_RESPONSES:,}")
        raise WebhookError("Each number must be from 1 to %(most)s.", most=most)
    return tuple(Threshold(number) for number in numbers)


def new_webhook(slug: str, url: str, thresholds: tuple[Threshold, ...]) -> Webhook:
    return Webhook(secrets.token_bytes(16), slug, checked_address(url), thresholds)


def pause_after(threshold: Threshold) -> int:
    """Seconds before the next attempt: one minute at first, then as long as all waits before."""
    return min(max(FIRST_RETRY_SECONDS, threshold.waited), MAX_RETRY_SECONDS)


def mark_failed(threshold: Threshold, why: str, waited: int) -> Threshold:
    """The state after a failed attempt that followed a wait of `waited` seconds."""
    waited += threshold.waited
    state = GIVEN_UP if waited >= GIVE_UP_SECONDS else threshold.state
    return replace(threshold, state=state, waited=waited, outcome=why)
