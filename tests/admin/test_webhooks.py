"""The page of webhooks: adding, testing and deleting them."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask

from app import create_app
from survey.definition.survey import parse_survey
from survey.server.settings import Settings
from survey.server.webhooks.delivery import Notifier
from survey.server.webhooks.messages import SIGNATURE, secret_of, signature_of
from survey.store import EDITOR, Store
from survey.store.sql.webhooks import DELIVERED, GIVEN_UP, Threshold
from survey.web import sign_in_limits
from tests.support.definitions import definition, opened
from tests.support.researchers import Researcher, signed_in
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
    assert store.webhooks.reached_thresholds()
