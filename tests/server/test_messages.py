"""Messages of webhooks: their fields, signatures and pauses."""

import hmac
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from survey.core.errors import WebhookError
from survey.server.settings import Settings
from survey.server.webhooks.delivery import Notifier
from survey.server.webhooks.messages import (
    SIGNATURE,
    body_of,
    checked_address,
    mark_failed,
    pause_after,
    read_thresholds,
    secret_of,
    signature_of,
)
from survey.store import Store
from survey.store.sql.webhooks import Threshold
from tests.support.api_examples import blocks
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened
from tests.support.project import ROOT
from tests.support.webhooks import KEY, Clock, Receiver, added, feed, receiving

pytestmark = pytest.mark.both_stores


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def notifier(store: Store, clock: Clock) -> Notifier:
    return Notifier(store, KEY, local=True, clock=clock)


def test_a_message_has_its_signature_and_nothing_of_what_was_answered(
    store: Store, receiver: Receiver, notifier: Notifier
) -> None:
    opened(store, definition())
    webhook = added(store, receiver.url, "1")
    feed(store, 3, seed=1)
    notifier.look()
    [(path, headers, body)] = receiver.came
    assert path == "/told?by=candor"
    message = json.loads(body)
    assert set(message) == {"survey", "responses", "test", "delivery", "sent"}
    assert receiver.said == [{"survey": "health", "responses": 1, "test": False}]
    secret = secret_of(KEY, webhook.id)
    assert re.fullmatch("[0-9a-f]{64}", secret)
    expected = hmac.new(secret.encode(), body, "sha256").hexdigest()
    assert headers.pop(SIGNATURE) == f"sha256={expected}"
    port = receiver.url.split(":")[2].split("/")[0]
    assert headers == {
        "Host": f"localhost:{port}",
        "Accept-Encoding": "identity",
        "Content-Length": str(len(body)),
        "Content-Type": "application/json",
        "User-Agent": "Candor",
    }


def test_the_check_in_the_document_works() -> None:
    example = blocks("python")[1]
    found: dict[str, Any] = {}
    exec(example, found)
    delivery = "0f3c5a7e9b1d24680ace13579bdf2468"
    body = body_of("health", 100, test=False, delivery=delivery, sent=1_800_000_000)
    is_from_candor = found["is_from_candor"]
    assert is_from_candor("secret", body, signature_of("secret", body))
    for secret, changed, signature in [
        ("other", body, signature_of("secret", body)),
        ("secret", body + b" ", signature_of("secret", body)),
        ("secret", body, ""),
        ("secret", body, "sha256=é"),
    ]:
        assert not is_from_candor(secret, changed, signature)
    text = (ROOT / "docs" / "reference" / "api.md").read_text()
    assert body.decode() in text
    assert f"`{SIGNATURE}`" in text


def test_the_document_says_how_to_refuse_a_message_that_is_sent_again() -> None:
    example = blocks("python")[2]
    found: dict[str, Any] = {}
    exec(example, found)
    is_new, now = found["is_new"], int(time.time())
    for sent, acted_on, new in [
        (now, set(), True), (now, {"b" * 32}, True), (now, {"a" * 32}, False),
        (now - 3_600, set(), False), (now + 3_600, set(), False),
    ]:  # fmt: skip
        body = body_of("health", 100, test=False, delivery="a" * 32, sent=sent)
        assert is_new(body, acted_on) is new


@pytest.mark.sqlite_only
def test_secrets_differ_and_are_not_in_the_database(store: Store, settings: Settings) -> None:
    opened(store, definition())
    ids = [added(store, f"https://example.org/{number}", "1").id for number in range(5)]
    secrets = {secret_of(KEY, id) for id in ids} | {secret_of("x" * 64, ids[0])}
    assert len(secrets) == 6
    store.compact()
    data = Path(settings.database).read_bytes()
    for secret in secrets:
        assert secret.encode() not in data
        assert bytes.fromhex(secret) not in data


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "https://example.org:8443/a?b=c",
        "https://[2001:db8::1]/",
        "http://localhost:8000/",
        "http://127.0.0.1/",
        "http://[::1]:80/",
        " https://example.org/ ",
    ],
)
def test_good_addresses(url: str) -> None:
    assert checked_address(url) == url.strip()


@pytest.mark.parametrize(
    "url",
    [
        *("", "example.org", "ftp://example.org/", "file:///etc/passwd", "http://example.org/"),
        *("https://", "https:///path", "https://user@example.org/", "https://a:b@example.org/"),
        *("https://example.org/#part", "https://example.org:0/", "https://example.org:99999/"),
        *("https://example.org/a b", "https://example.org/\r\nX: y", "https://exämple.org/"),
        *("http://localhost.example.org/", "https://[::1", "gopher://localhost/"),
        "https://example.org/" + "x" * 500,
    ],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(WebhookError):
        checked_address(url)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("100", [100]), ("500, 100", [100, 500]), ("1;2 3,3,", [1, 2, 3]), ("10000000", [10**7])],
)
def test_numbers_of_responses(text: str, numbers: list[int]) -> None:
    assert [each.responses for each in read_thresholds(text)] == numbers


@check_each(
    "text",
    ["", ",", "0", "-1", "1.5", "1e3", "many", "10000001", "٣", " ".join("123456789ab"), "9" * 50],
)
def test_what_is_no_number_of_responses(text: str) -> None:
    with pytest.raises(WebhookError):
        read_thresholds(text)


def test_eleven_numbers_are_too_many() -> None:
    assert len(read_thresholds(" ".join(map(str, range(1, 11))))) == 10
    with pytest.raises(WebhookError, match="1 to 10 numbers"):
        read_thresholds(" ".join(map(str, range(1, 12))))


@pytest.mark.parametrize("waited", [0, 60, 120, 3840, 15360, 29760])
def test_a_pause_is_as_long_as_all_before_it(waited: int) -> None:
    assert pause_after(Threshold(1, waited=waited)) == min(max(60, waited), 14_400)
    assert mark_failed(Threshold(1, waited=waited), "why", 60).waited == waited + 60
