"""Webhooks for thresholds: to a real server, signed, once, and never to a private address."""

import hmac
import ipaddress
import json
import random
import re
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from app import create_app
from survey.core.errors import StateError, StoreUnavailable, WebhookError
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.server.settings import Settings
from survey.server.webhooks import safe_http_post
from survey.server.webhooks.delivery import Notifier, notifying, send_webhook
from survey.server.webhooks.messages import (
    GIVE_UP_SECONDS,
    SIGNATURE,
    body_of,
    checked_address,
    mark_failed,
    new_webhook,
    pause_after,
    read_thresholds,
    secret_of,
    signature_of,
)
from survey.server.webhooks.safe_http_post import is_public, post
from survey.store import EDITOR, Store, open_store
from survey.store.sql.webhooks import (
    DELIVERED,
    GIVEN_UP,
    MAX_WEBHOOKS_PER_SURVEY,
    WAITING,
    Threshold,
    Webhook,
)
from survey.web import sign_in_limits
from tests.support.api_examples import blocks
from tests.support.at_once import serving_at_once
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened
from tests.support.project import ROOT
from tests.support.researchers import Researcher, signed_in
from tests.support.stores import connected
from tests.support.waiting import wait_until

pytestmark = pytest.mark.both_stores

KEY = "k" * 64  # as in the fixture `settings`


@dataclass
class Receiver:
    """A receiver of webhooks: its requests, and its answers."""

    url: str
    status: int = 204
    location: str | None = None
    came: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    before: Callable[[], None] = lambda: None

    @property
    def said(self) -> list[dict[str, Any]]:
        """The messages without the parts that distinguish attempts."""
        found = [json.loads(body) for _, _, body in self.came]
        for each in found:
            assert re.fullmatch("[0-9a-f]{32}", each.pop("delivery"))
            assert abs(each.pop("sent") - time.time()) < 3_600
        return found


@contextmanager
def receiving(context: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.came.append((self.path, dict(self.headers), body))
            receiver.before()
            self.send_response(receiver.status)
            if receiver.location:
                self.send_header("Location", receiver.location)
            self.end_headers()

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((host, 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # refused handshakes
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    scheme = "http" if context is None else "https"
    receiver = Receiver(f"{scheme}://localhost:{server.server_port}/told?by=candor")
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


def responses(n: int, seed: int = 1) -> list[Response]:
    r = random.Random(seed)
    return [Response(r.randbytes(16), (r.randrange(2),)) for _ in range(n)]


def feed(store: Store, n: int, seed: int) -> None:
    for response in responses(n, seed):
        assert store.responses.add_response("health", response)


def added(store: Store, url: str, numbers: str) -> Webhook:
    webhook = new_webhook("health", url, read_thresholds(numbers))
    store.webhooks.add_webhook(webhook)
    return webhook


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def notifier(store: Store, clock: Clock) -> Notifier:
    return Notifier(store, KEY, local=True, clock=clock)


# --- the messages, and their time


def test_a_threshold_is_told_once_with_the_batch_that_reaches_it(
    store: Store, receiver: Receiver, notifier: Notifier
) -> None:
    opened(store, definition(batch=25))
    webhook = added(store, receiver.url, "30, 25, 100")
    expected: list[dict[str, Any]] = []
    for number, response in enumerate(responses(60), start=1):
        store.responses.add_response("health", response)
        notifier.look()
        if number in (25, 50):
            told = 25 if number == 25 else 30
            expected.append({"survey": "health", "responses": told, "test": False})
        assert receiver.said == expected
    [found] = store.webhooks.receivers("health")
    assert found == replace(
        webhook,
        thresholds=(Threshold(25, DELIVERED), Threshold(30, DELIVERED), Threshold(100, WAITING)),
    )


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


def test_each_try_has_the_id_of_its_message_and_its_own_time(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after a restart. Another threshold, another webhook and a test have their own ids."""
    opened(store, definition())
    first, second = added(store, receiver.url, "1, 2"), added(store, receiver.url, "1")
    for began, (webhook, responses, test) in enumerate(
        [(first, 1, False), (first, 1, False), (first, 2, False), (second, 1, False),
         (first, 1, True), (first, 1, True)]
    ):  # fmt: skip
        clock = SimpleNamespace(time=lambda began=began: 1_800_000_000 + began)
        monkeypatch.setattr("survey.server.webhooks.delivery.time", clock)
        send_webhook(webhook, responses, KEY, local=True, test=test)
    messages = [json.loads(body) for _, _, body in receiver.came]
    assert [each["sent"] - 1_800_000_000 for each in messages] == list(range(6))
    ids = [each["delivery"] for each in messages]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 5
    for webhook, (_, headers, body) in zip([first] * 3 + [second], receiver.came, strict=False):
        assert headers[SIGNATURE] == signature_of(secret_of(KEY, webhook.id), body)


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


def test_what_is_reached_already_is_told_at_once(
    store: Store, receiver: Receiver, notifier: Notifier
) -> None:
    opened(store, definition())
    feed(store, 5, seed=1)
    added(store, receiver.url, "3, 5, 6")
    notifier.look()
    assert [each["responses"] for each in receiver.said] == [3, 5]


def test_the_first_closing_releases_and_so_tells(
    store: Store, receiver: Receiver, notifier: Notifier
) -> None:
    opened(store, definition(batch=25))
    added(store, receiver.url, "10")
    feed(store, 12, seed=1)
    notifier.look()
    assert receiver.said == []
    store.lifecycle.set_state("health", "closed")
    notifier.look()
    assert [each["responses"] for each in receiver.said] == [10]


def test_a_withdrawal_before_the_message_holds_it_back_and_after_it_changes_nothing(
    store: Store, receiver: Receiver, notifier: Notifier
) -> None:
    opened(store, definition(receipts=True))
    added(store, receiver.url, "2, 3")
    [first, second, third] = responses(3)
    store.responses.add_response("health", first)
    store.responses.add_response("health", second)
    store.responses.withdraw("health", first.id)
    notifier.look()
    assert receiver.said == []
    store.responses.add_response("health", third)
    notifier.look()
    store.responses.withdraw("health", third.id)
    store.responses.add_response("health", third)
    notifier.look()
    assert [each["responses"] for each in receiver.said] == [2]


def test_surveys_and_programs_do_not_mix(
    store: Store, receiver: Receiver, notifier: Notifier
) -> None:
    opened(store, definition())
    opened(store, definition(slug="other"))
    added(store, receiver.url, "2")
    added(store, receiver.url, "2")  # the same address again, with its own secret
    store.webhooks.add_webhook(new_webhook("other", receiver.url, read_thresholds("1")))
    feed(store, 2, seed=1)
    notifier.look()
    assert receiver.said == [{"survey": "health", "responses": 2, "test": False}] * 2
    signatures = {headers[SIGNATURE] for _, headers, _ in receiver.came}
    assert len(signatures) == 2


# --- at least once


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (500, "The program answered with the status 500. It must answer with 200 to 299."),
        (404, "The program answered with the status 404. It must answer with 200 to 299."),
        (302, "The program answered with a redirect (302). Use the URL to which it redirects."),
    ],
)
def test_what_does_not_arrive_is_tried_again_after_longer_and_longer(
    store: Store, receiver: Receiver, notifier: Notifier, clock: Clock, status: int, words: str
) -> None:
    opened(store, definition())
    added(store, receiver.url, "1")
    feed(store, 1, seed=1)
    receiver.status, receiver.location = status, receiver.url
    for tries, moment in enumerate([0, 60, 120, 240, 480], start=1):
        if moment:
            clock.now = moment - 0.5
            notifier.look()
        assert len(receiver.came) == tries - 1
        clock.now = moment
        notifier.look()
        notifier.look()
        assert len(receiver.came) == tries  # The redirect led to no other request.
        [found] = store.webhooks.receivers("health")[0].thresholds
        assert (found.state, found.waited, found.outcome) == (WAITING, moment, words)
    messages = [json.loads(body) | {"sent": None} for _, _, body in receiver.came]
    assert messages == messages[:1] * 5  # the same message each time, with another time
    receiver.status, receiver.location = 200, None
    clock.now = 960
    notifier.look()
    assert store.webhooks.receivers("health")[0].thresholds == (Threshold(1, DELIVERED, 480),)
    clock.now = 10**9
    notifier.look()
    assert len(receiver.came) == 6


def test_after_24_hours_of_waiting_it_is_given_up(
    store: Store, receiver: Receiver, notifier: Notifier, clock: Clock
) -> None:
    opened(store, definition())
    added(store, receiver.url, "1")
    feed(store, 1, seed=1)
    receiver.status = 503
    moments = []
    for _ in range(100):
        before = len(receiver.came)
        notifier.look()
        if len(receiver.came) > before:
            moments.append(clock.now)
        [found] = store.webhooks.receivers("health")[0].thresholds
        if found.state == GIVEN_UP:
            break
        clock.now += pause_after(found)
    hours = 60 * 60
    assert GIVE_UP_SECONDS <= moments[-1] < 28 * hours
    assert moments[-1] == found.waited
    pauses = [after - before for before, after in pairwise(moments)]
    assert pauses == sorted(pauses[:-5]) + [4 * hours] * 5
    assert (
        found.outcome == "The program answered with the status 503. It must answer with 200 to 299."
    )
    clock.now *= 10
    notifier.look()
    assert len(receiver.came) == len(moments)


def test_a_server_that_starts_again_tries_at_once_and_gives_up_no_sooner(
    store: Store, receiver: Receiver, clock: Clock
) -> None:
    opened(store, definition())
    added(store, receiver.url, "1")
    feed(store, 1, seed=1)
    receiver.status = 500
    for _ in range(50):
        Notifier(store, KEY, local=True, clock=clock).look()
    assert len(receiver.came) == 50
    [found] = store.webhooks.receivers("health")[0].thresholds
    assert (found.state, found.waited) == (WAITING, 0)
    receiver.status = 200
    Notifier(store, KEY, local=True, clock=clock).look()
    Notifier(store, KEY, local=True, clock=clock).look()
    assert len(receiver.came) == 51


def test_what_arrived_but_could_not_be_noted_is_told_again(
    store: Store, receiver: Receiver, notifier: Notifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(store, definition())
    added(store, receiver.url, "1")
    feed(store, 1, seed=1)

    def gone(*_: object) -> None:
        raise StoreUnavailable("gone")

    with monkeypatch.context() as broken, pytest.raises(StoreUnavailable):
        broken.setattr(store.webhooks, "settle", gone)
        notifier.look()
    notifier.look()
    notifier.look()
    assert receiver.said == [{"survey": "health", "responses": 1, "test": False}] * 2


def test_one_that_fails_keeps_no_other_from_being_told(
    store: Store, receiver: Receiver, notifier: Notifier
) -> None:
    opened(store, definition())
    with socket.create_server(("127.0.0.1", 0)) as probe:
        nobody = f"http://localhost:{probe.getsockname()[1]}/"
    added(store, nobody, "1")
    added(store, receiver.url, "1")
    feed(store, 1, seed=1)
    notifier.look()
    assert len(receiver.came) == 1
    states = {each.url: each.thresholds[0] for each in store.webhooks.receivers("health")}
    assert (
        states[nobody].outcome
        == "Candor could not reach the program, or the program did not answer in HTTP. Check "
        "the URL."
    )
    assert states[receiver.url].state == DELIVERED


def test_what_is_deleted_is_told_nothing_more(
    store: Store, receiver: Receiver, notifier: Notifier
) -> None:
    opened(store, definition())
    webhook = added(store, receiver.url, "1")
    # also during the delivery
    feed(store, 1, seed=1)
    receiver.before = lambda: store.webhooks.delete_webhook("health", webhook.id)
    notifier.look()
    assert store.webhooks.receivers("health") == []
    notifier.look()
    assert len(receiver.came) == 1


# --- the thread, and the server


def test_the_thread_tells_and_ends_with_the_block(
    store: Store, receiver: Receiver, notifier: Notifier
) -> None:
    opened(store, definition())
    added(store, receiver.url, "3")
    with notifying(notifier, look_seconds=0.01):
        feed(store, 3, seed=1)
        wait_until(lambda: len(receiver.came) == 1)
        [thread] = [each for each in threading.enumerate() if each.name == "notifying"]
    assert not thread.is_alive()


def test_the_thread_outlives_a_database_that_is_gone_for_a_moment(
    store: Store, receiver: Receiver, notifier: Notifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(store, definition())
    added(store, receiver.url, "1")
    feed(store, 1, seed=1)
    looks = []
    reached = store.webhooks.reached

    def sometimes() -> list[tuple[Webhook, Threshold]]:
        looks.append(1)
        if len(looks) < 4:
            raise StoreUnavailable("gone")
        return reached()

    monkeypatch.setattr(store.webhooks, "reached", sometimes)
    with notifying(notifier, look_seconds=0.01):
        wait_until(lambda: len(receiver.came) == 1)
    assert len(looks) >= 4


@pytest.mark.slow
def test_the_real_server_tells_also_what_was_reached_before_it_started(
    tmp_path: Path, receiver: Receiver
) -> None:
    database = tmp_path / "candor.db"
    store = open_store(str(database))
    opened(store, definition())
    added(store, receiver.url, "2, 9")
    feed(store, 2, seed=1)
    with serving_at_once(database, CANDOR_LOCAL_WEBHOOKS="yes"):
        wait_until(lambda: len(receiver.came) == 1)
    assert receiver.said == [{"survey": "health", "responses": 2, "test": False}]
    assert [each.state for each in store.webhooks.receivers("health")[0].thresholds] == [
        DELIVERED,
        WAITING,
    ]
    store.close()


# --- the store


def test_only_a_survey_that_browsers_answer_is_told_of(store: Store) -> None:
    thresholds = read_thresholds("1")
    url = "https://example.org/"
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    opened(store, definition(by_hand=True))
    opened(store, definition(slug="loaded"), "closed")
    store.responses.add_batches("loaded", [responses(2)], "loaded")
    for slug, words in [
        ("draft", "is a draft"),
        ("health.by-hand", "is a part"),
        ("loaded", "holds simulated or imported responses"),
    ]:
        with pytest.raises(StateError, match=words):
            store.webhooks.add_webhook(new_webhook(slug, url, thresholds))
    for _ in range(MAX_WEBHOOKS_PER_SURVEY):
        added(store, url, "1")
    with pytest.raises(StateError, match="the maximum"):
        added(store, url, "1")


def test_they_go_with_their_survey(store: Store, settings: Settings) -> None:
    opened(store, definition())
    added(store, "https://example.org/", "1, 2")
    store.lifecycle.set_state("health", "closed")
    store.lifecycle.delete_survey("health")
    with connected(settings.database) as connection:
        for table in ("webhooks", "thresholds"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert store.webhooks.reached() == []


def test_while_nothing_waits_a_look_reads_no_survey(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(store, definition())
    webhook = added(store, "https://example.org/", "1")
    store.webhooks.settle(webhook.id, Threshold(1, DELIVERED))
    feed(store, 1, seed=1)

    def never(*_: object) -> None:
        raise AssertionError("asked for counts")

    monkeypatch.setattr(store.counts, "read_counts", never)
    assert store.webhooks.reached() == []


def test_no_moment_is_stored(store: Store, settings: Settings) -> None:
    opened(store, definition())
    added(store, "https://example.org/", "1")
    with connected(settings.database) as connection:
        columns = {
            table: [each[0] for each in connection.execute(f"SELECT * FROM {table}").description]
            for table in ("webhooks", "thresholds", "api_tokens")
        }
    assert columns == {
        "webhooks": ["id", "survey", "url"],
        "thresholds": ["webhook", "survey", "responses", "state", "waited", "outcome"],
        "api_tokens": ["token_hash", "account", "label", "made", "expires", "used"],
    }


# --- the fields


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


# --- no private address is reached


@check_each(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        *((each, False) for each in ("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "::1", "::")),
        *((each, False) for each in ("172.16.0.1", "192.168.1.1", "169.254.169.254", "fe80::1")),
        *((each, False) for each in ("100.64.0.1", "192.0.0.8", "198.18.0.1", "255.255.255.255")),
        *((each, False) for each in ("224.0.0.1", "239.1.1.1", "ff02::1", "ff0e::1", "240.0.0.1")),
        *((each, False) for each in ("fc00::1", "fd12:3456::1", "fec0::1", "2001:db8::1")),
        # another internal address
        ("::ffff:127.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("2002:7f00:1::", False),
        ("2002:c0a8:101::1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::a9fe:a9fe", False),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", False),
        ("::7f00:1", False),
        *((each, False) for each in ("64:ff9b:1::1", "3fff::1", "5f00::1", "100::1")),
    ],
)
def test_which_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) == public


def standing_for(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Let names resolve to these addresses, and record the names."""
    asked: list[str] = []

    def resolve(host: str, port: int, **_: object) -> list[tuple]:
        asked.append(host)
        return [
            (
                socket.AF_INET6 if ":" in each else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (each, port),
            )
            for each in addresses
        ]

    monkeypatch.setattr(safe_http_post.socket, "getaddrinfo", resolve)
    return asked


def test_an_address_that_is_private_is_not_connected_to(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url in (receiver.url, receiver.url.replace("localhost", "127.0.0.1")):
        with pytest.raises(WebhookError, match="private network, or it is Candor’s own server"):
            post(url, b"{}", {}, local=False)
    for private in ("10.0.0.1", "::1", "fe80::1%eth0"):
        # One private address of several is enough.
        standing_for(monkeypatch, "93.184.216.34", private)
        monkeypatch.setattr(
            safe_http_post.socket, "create_connection", lambda *_, **__: pytest.fail("connected")
        )
        with pytest.raises(WebhookError, match="private network, or it is Candor’s own server"):
            post("https://example.org/", b"{}", {}, local=False)
    assert receiver.came == []


def test_a_name_is_looked_up_once_and_that_address_is_connected_to(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that resolves differently the second time cannot lead the server there."""
    asked = standing_for(monkeypatch, "93.184.216.34")
    connect = socket.create_connection
    connected: list[tuple[str, int]] = []
    port = int(receiver.url.split(":")[2].split("/")[0])

    def connecting(address: tuple[str, int], timeout: float) -> socket.socket:
        connected.append(address)
        assert 0 < timeout <= safe_http_post.POST_TIMEOUT_SECONDS
        monkeypatch.undo()
        return connect(("127.0.0.1", port), timeout)

    monkeypatch.setattr(safe_http_post.socket, "create_connection", connecting)
    post("http://example.org:81/x", b"{}", {}, local=False)
    assert asked == ["example.org"]
    assert connected == [("93.184.216.34", 81)]
    assert receiver.came[0][1]["Host"] == "example.org:81"


def test_if_one_address_does_not_answer_the_next_one_is_tried(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing_for(monkeypatch, "127.0.0.9", "127.0.0.1")
    connect = socket.create_connection

    def connecting(address: tuple[str, int], timeout: float) -> socket.socket:
        monkeypatch.undo() if address[0] == "127.0.0.1" else None
        if address[0] == "127.0.0.9":
            raise ConnectionRefusedError
        return connect(address, timeout)

    monkeypatch.setattr(safe_http_post.socket, "create_connection", connecting)
    post(receiver.url, b"{}", {}, local=True)
    assert len(receiver.came) == 1


def test_a_name_that_nobody_has_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WebhookError, match="not known"):
        post("https://nobody.invalid/", b"{}", {}, local=False)
    with pytest.raises(WebhookError, match="not known"):
        post(f"https://{'x' * 70}.org/", b"{}", {}, local=False)


@contextmanager
def talking(talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that sends any bytes in place of HTTP, on one connection."""
    ended = threading.Event()

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(65_536)
            with suppress(OSError):
                talk(connection)
            ended.set()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://localhost:{listening.getsockname()[1]}/"
        assert ended.wait(20)
        thread.join()


def dripping(connection: socket.socket) -> None:
    """An endless header, one letter at a time, since each letter would restart a time-out."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        connection.sendall(b"x")
        time.sleep(0.02)


def going_on(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.02)


def silent(connection: socket.socket) -> None:
    while connection.recv(65_536):  # until the other side has closed
        pass


@pytest.mark.parametrize("talk", [dripping, going_on, silent])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_who_is_slow_is_left_however_it_is_slow(
    monkeypatch: pytest.MonkeyPatch, talk: Callable[[socket.socket], None], scheme: str
) -> None:
    seconds, words = 0.3, "did not answer in time"
    if scheme == "https" and talk is not silent:
        # It is no TLS, and the error comes before the time is over.
        seconds, words = 10, "could not reach"
    monkeypatch.setattr(safe_http_post, "POST_TIMEOUT_SECONDS", seconds)
    with talking(talk) as url, pytest.raises(WebhookError, match=words):
        post(url.replace("http", scheme, 1), b"{}", {}, local=True)


def test_what_it_answers_is_not_read_and_not_repeated() -> None:
    sizes: list[int] = []

    def endless(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 secret reason\r\nContent-Length: 99999999999\r\n\r\n")
        sizes.append(0)
        while True:
            sizes[0] += connection.send(b"secret" * 1_000)

    with talking(endless) as url:
        post(url, b"{}", {}, local=True)
    assert sizes[0] < 20_000_000  # The system's own buffers take this, and the rest was never read.

    def refuse(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 500 secret reason\r\n\r\nsecret")

    with talking(refuse) as url, pytest.raises(WebhookError) as caught:
        post(url, b"{}", {}, local=True)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "reply", [b"SSH-2.0-OpenSSH\r\n", b"", b"HTTP/1.1 abc\r\n\r\n", b"\0" * 70_000]
)
def test_what_is_no_http_is_said(reply: bytes) -> None:
    talk = talking(lambda connection: connection.sendall(reply))
    with talk as url, pytest.raises(WebhookError, match="did not answer in HTTP"):
        post(url, b"{}", {}, local=True)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost alone, with its key in the same file."""
    folder = tmp_path_factory.mktemp("certificate")
    command = [
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
        *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
        *("-keyout", "key.pem", "-out", "cert.pem"),
    ]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return both


@pytest.fixture
def secure(certificate: Path) -> Iterator[Receiver]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with receiving(context) as found:
        yield found


def test_with_https_the_certificate_is_that_of_the_name(
    secure: Receiver, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WebhookError, match="certificate of the program is not valid"):
        # from an authority that this machine does not trust
        post(secure.url, b"{}", {}, local=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    post(secure.url, b"{}", {}, local=True)
    assert len(secure.came) == 1
    with pytest.raises(WebhookError, match="certificate of the program is not valid"):
        post(secure.url.replace("localhost", "127.0.0.1"), b"{}", {}, local=True)
    assert len(secure.came) == 1


def test_no_proxy_is_asked(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    post(receiver.url, b"{}", {}, local=True)
    assert len(receiver.came) == 1


# --- the page

PATH = "/admin/surveys/health/webhooks"


@pytest.fixture
def local(settings: Settings) -> Iterator[Flask]:
    """An application whose operator permits programs on this machine."""
    app = create_app(replace(settings, local_webhooks=True))
    app.load_routes()
    sign_in_limits.limiter.reset()
    yield app
    app.extensions["candor.store"].close()


@pytest.fixture
def editor(local: Flask, store: Store) -> Researcher:
    opened(store, definition())
    return signed_in(local, "ed", EDITOR)


def test_a_program_is_added_tested_and_deleted(
    editor: Researcher, store: Store, receiver: Receiver, notifier: Notifier
) -> None:
    overview = editor.client.get("/admin/surveys/health").get_data(as_text=True)
    assert f'href="{PATH}"' in overview
    reply = editor.post(PATH, {"url": receiver.url, "thresholds": "2, 1"})
    assert reply.status_code == 200
    [webhook] = store.webhooks.receivers("health")
    secret = secret_of(KEY, webhook.id)
    assert secret in reply.get_data(as_text=True)
    page = editor.client.get(PATH).get_data(as_text=True)
    assert secret not in page
    assert page.count("not sent yet.") == 2

    test, delete = f"{PATH}/{webhook.id.hex()}/test", f"{PATH}/{webhook.id.hex()}/delete"
    assert editor.post(test, form=PATH).location == PATH
    assert receiver.said == [{"survey": "health", "responses": 1, "test": True}]
    _, headers, body = receiver.came[0]
    assert headers[SIGNATURE] == signature_of(secret, body)
    assert f"The test message reached {receiver.url}." in editor.client.get(PATH).get_data(
        as_text=True
    )
    assert store.webhooks.receivers("health") == [webhook]  # A test does not count.
    receiver.status = 500
    editor.post(test, form=PATH)
    page = editor.client.get(PATH).get_data(as_text=True)
    assert f"The test message to {receiver.url} failed." in page
    assert "the status 500" in page

    feed(store, 1, seed=1)
    notifier.look()
    page = editor.client.get(PATH).get_data(as_text=True)
    assert (
        "not delivered yet. Candor will try again. The program answered with the status 500."
        in page
    )
    assert editor.post(delete, form=PATH).location == PATH
    assert store.webhooks.receivers("health") == []
    assert editor.post(delete, {}, form=PATH).status_code == 404
    assert [act.action for act in store.audit.acts()][::-1] == [
        f"added the webhook {receiver.url}",
        f"sent a test message to {receiver.url}",
        f"sent a test message to {receiver.url}",
        f"deleted the webhook {receiver.url}",
    ]


def test_the_last_outcome_is_on_the_page(editor: Researcher, store: Store) -> None:
    webhook = added(store, "https://example.org/", "1000, 1")
    store.webhooks.settle(webhook.id, Threshold(1, DELIVERED))
    store.webhooks.settle(
        webhook.id, Threshold(1000, GIVEN_UP, 90_000, "The program did not answer in time.")
    )
    page = re.sub(r"<[^>]+>|\s+", " ", editor.client.get(PATH).get_data(as_text=True))
    page = " ".join(page.split())
    assert "1 response: delivered." in page
    assert (
        "1,000 responses: not delivered within 24 hours. The program did not answer in time."
        in page
    )


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"url": "", "thresholds": "1"}, "Type the URL of the program."),
        ({"url": "https://example.org/", "thresholds": ""}, "Type one or more numbers."),
        ({"url": "https://example.org/", "thresholds": "x"}, "Type whole numbers"),
        ({"url": "http://example.org/", "thresholds": "1"}, "must start with https://"),
        ({"url": "https://nobody.invalid/", "thresholds": "1"}, "is not known"),
    ],
)
def test_what_is_wrong_is_said_beside_the_field(
    editor: Researcher, store: Store, form: dict[str, str], words: str
) -> None:
    reply = editor.post(PATH, form)
    assert reply.status_code == 422
    assert words in reply.get_data(as_text=True)
    assert store.webhooks.receivers("health") == []


def test_a_program_on_this_machine_is_refused_unless_the_operator_allows_it(
    app: Flask, store: Store, receiver: Receiver
) -> None:
    opened(store, definition())
    someone = signed_in(app, "ed", EDITOR)
    reply = someone.post(PATH, {"url": receiver.url, "thresholds": "1"})
    assert reply.status_code == 422
    assert "CANDOR_LOCAL_WEBHOOKS" in reply.get_data(as_text=True)
    # The webhook was added while it was allowed.
    webhook = added(store, receiver.url, "1")
    someone.post(f"{PATH}/{webhook.id.hex()}/test", form=PATH)
    assert "CANDOR_LOCAL_WEBHOOKS" in someone.client.get(PATH).get_data(as_text=True)
    feed(store, 1, seed=1)
    Notifier(store, KEY, local=False).look()
    assert receiver.came == []


def test_tests_are_throttled(editor: Researcher, store: Store, receiver: Receiver) -> None:
    webhook = added(store, receiver.url, "1")
    path = f"{PATH}/{webhook.id.hex()}/test"
    token = editor.token(PATH)
    replies = [editor.client.post(path, data={"csrf_token": token}) for _ in range(21)]
    assert [reply.status_code for reply in replies] == [302] * 20 + [429]
    assert len(receiver.came) == 20
    assert "Too many tests." in replies[-1].get_data(as_text=True)


def test_an_analyst_sees_whom_it_tells_and_can_change_nothing(local: Flask, store: Store) -> None:
    opened(store, definition())
    webhook = added(store, "https://example.org/told", "1")
    someone = signed_in(local, "ann", "analyst")
    page = someone.client.get(PATH).get_data(as_text=True)
    assert "https://example.org/told" in page
    assert "/delete" not in page
    token = someone.token("/admin/")
    for path in (PATH, f"{PATH}/{webhook.id.hex()}/test", f"{PATH}/{webhook.id.hex()}/delete"):
        assert someone.client.post(path, data={"csrf_token": token}).status_code == 403
    assert store.webhooks.receivers("health") == [webhook]


def test_a_draft_tells_nobody_and_a_loaded_survey_offers_it_not(local: Flask, store: Store) -> None:
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    opened(store, definition(), "closed")
    store.responses.add_batches("health", [responses(2)], "loaded")
    someone = signed_in(local, "ed", EDITOR)
    assert someone.client.get("/admin/surveys/draft/webhooks").status_code == 409
    for slug in ("draft", "health"):
        page = someone.client.get(f"/admin/surveys/{slug}").get_data(as_text=True)
        assert "Webhooks" not in page
    reply = someone.post(PATH, {"url": "https://localhost/", "thresholds": "1"})
    assert reply.status_code == 422
    assert "holds simulated or imported responses" in reply.get_data(as_text=True)


def test_a_message_is_never_sent_for_a_response_by_the_request_that_brings_it(
    local: Flask, store: Store, receiver: Receiver
) -> None:
    """Intake does not know webhooks. Only the thread sends, and it does not run here."""
    fingerprint = opened(store, definition()).fingerprint
    added(store, receiver.url, "1")
    body = {"id": "00" * 16, "fingerprint": fingerprint, "reports": {"smokes": "0"}}
    reply = local.test_client().post("/s/health/responses", json=body)
    assert reply.status_code == 201, reply.get_data(as_text=True)
    assert receiver.came == []
    assert store.webhooks.reached()


def test_tell_refuses_what_it_is_not_allowed(store: Store, receiver: Receiver) -> None:
    webhook = new_webhook("health", receiver.url, read_thresholds("1"))
    with pytest.raises(WebhookError):
        send_webhook(webhook, 1, KEY, local=False, test=False)
    send_webhook(webhook, 1, KEY, local=True, test=False)
    assert len(receiver.came) == 1
