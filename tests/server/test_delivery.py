"""Webhooks for thresholds: sent to a real server, once, and again after a failure."""

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from survey.core.errors import StoreUnavailable, WebhookError
from survey.server.webhooks.delivery import Notifier, deliver_webhooks, send_webhook
from survey.server.webhooks.messages import (
    GIVE_UP_SECONDS,
    SIGNATURE,
    new_webhook,
    pause_after,
    read_thresholds,
    secret_of,
    signature_of,
)
from survey.store import Store, open_store
from survey.store.sql.webhooks import DELIVERED, GIVEN_UP, WAITING, Threshold, Webhook
from tests.support.at_once import serving_at_once
from tests.support.definitions import definition, opened
from tests.support.waiting import wait_until
from tests.support.webhooks import KEY, Clock, Receiver, added, feed, receiving, responses

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


def test_each_try_has_the_id_of_its_message_and_its_own_time(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after a restart. Another threshold, another webhook and a test have their own ids."""
    opened(store, definition())
    first, second = added(store, receiver.url, "1, 2"), added(store, receiver.url, "1")
    for began, (webhook, reached, test) in enumerate(
        [(first, 1, False), (first, 1, False), (first, 2, False), (second, 1, False),
         (first, 1, True), (first, 1, True)]
    ):  # fmt: skip
        clock = SimpleNamespace(time=lambda began=began: 1_800_000_000 + began)
        monkeypatch.setattr("survey.server.webhooks.delivery.time", clock)
        send_webhook(webhook, reached, KEY, local=True, test=test)
    messages = [json.loads(body) for _, _, body in receiver.came]
    assert [each["sent"] - 1_800_000_000 for each in messages] == list(range(6))
    ids = [each["delivery"] for each in messages]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 5
    for webhook, (_, headers, body) in zip([first] * 3 + [second], receiver.came, strict=False):
        assert headers[SIGNATURE] == signature_of(secret_of(KEY, webhook.id), body)


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
    with deliver_webhooks(notifier, look_seconds=0.01):
        feed(store, 3, seed=1)
        wait_until(lambda: len(receiver.came) == 1)
        [thread] = [each for each in threading.enumerate() if each.name == "delivering webhooks"]
    assert not thread.is_alive()


def test_the_thread_outlives_a_database_that_is_gone_for_a_moment(
    store: Store, receiver: Receiver, notifier: Notifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(store, definition())
    added(store, receiver.url, "1")
    feed(store, 1, seed=1)
    looks = []
    reached = store.webhooks.reached_thresholds

    def sometimes() -> list[tuple[Webhook, Threshold]]:
        looks.append(1)
        if len(looks) < 4:
            raise StoreUnavailable("gone")
        return reached()

    monkeypatch.setattr(store.webhooks, "reached_thresholds", sometimes)
    with deliver_webhooks(notifier, look_seconds=0.01):
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
    assert store.webhooks.reached_thresholds() == []


def test_tell_refuses_what_it_is_not_allowed(store: Store, receiver: Receiver) -> None:
    webhook = new_webhook("health", receiver.url, read_thresholds("1"))
    with pytest.raises(WebhookError):
        send_webhook(webhook, 1, KEY, local=False, test=False)
    send_webhook(webhook, 1, KEY, local=True, test=False)
    assert len(receiver.came) == 1
