"""Texts in a survey with private questions: sent with another id, and withdrawn by one receipt."""

import json
from hashlib import sha256
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.looks import sound
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked
from tests.support.respondent_page import FAILURES, begin, send
from tests.support.texts_apart import recorded_texts

WHY = asked("why", "text", "none", label="Why do you smoke?")
MORE = asked("more", "text", "none", label="Anything else?")
CONTENT = definition(yes_no(), WHY, MORE, receipts=True)
PATH = "/s/health"
APART = "What you write is stored apart from your other answers. But it can show who you are."


@pytest.fixture
def bodies(page: Page) -> list[dict[str, Any]]:
    """The body of each response that is sent."""
    found: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            found.append(json.loads(request.post_data or ""))

    page.on("request", note)
    return found


def fill_in(page: Page, *texts: str) -> None:
    page.locator("[data-question=smokes]").get_by_text("Yes", exact=True).click()
    for field, text in zip(page.locator("textarea").all(), texts, strict=True):
        field.fill(text)


def hashed(secret: str, label: bytes = b"") -> str:
    return sha256(bytes.fromhex(secret) + label).hexdigest()[:32]


@pytest.mark.plain
def test_texts_are_sent_with_an_id_of_their_own_and_shown_at_the_end(live, page, bodies):
    opened(live.store, CONTENT)
    page.goto(live.url + PATH)
    begin(page)
    expect(page.get_by_text(APART)).to_have_count(2)
    sound(page)
    fill_in(page, "Habit.", "")
    send(page)
    [body] = bodies
    assert list(body) == ["id", "fingerprint", "reports", "texts"]
    assert body["reports"].keys() == {"smokes"}
    assert body["texts"]["reports"] == {"why": "Habit.", "more": ""}
    secret = page.locator("#code").inner_text().replace(" ", "")
    assert (body["id"], body["texts"]["id"]) == (hashed(secret), hashed(secret, b"texts"))
    page.get_by_text("What left this device").click()
    told = page.locator("#left dd").all_inner_texts()
    assert told[1:] == ["Habit.", "–"]
    assert recorded_texts(live.store) == [("Habit.", "")]
    page.get_by_text("Withdraw my answers").click()
    page.get_by_role("button", name="Withdraw what I sent").click()
    expect(page.locator("#outcome")).to_contain_text("Done.")
    assert recorded_texts(live.store) == []
    for slug in ("health", "health.texts"):
        assert list(live.store.responses.rows(slug)) == []
        assert live.store.counts.by_question(slug) == {}


@pytest.mark.parametrize("receipts", [True, False])
def test_who_writes_nothing_sends_texts_too(live, page, bodies, receipts):
    opened(live.store, CONTENT | {"receipts": receipts})
    page.goto(live.url + PATH)
    begin(page)
    fill_in(page, "", "")
    send(page)
    [body] = bodies
    assert body["texts"]["reports"] == {"why": "", "more": ""}
    assert body["texts"]["id"] != body["id"]
    assert recorded_texts(live.store) == [("", "")]


def test_without_webcrypto_both_ids_are_random(live, page, bodies):
    """Browsers hash only on encrypted connections. Without a receipt, nothing joins the ids."""
    page.add_init_script("delete Crypto.prototype.subtle;")
    opened(live.store, CONTENT)
    for _ in range(2):
        page.goto(live.url + PATH)
        begin(page)
        fill_in(page, "a", "b")
        send(page)
        page.evaluate("sessionStorage.clear()")
    ids = {id for body in bodies for id in (body["id"], body["texts"]["id"])}
    assert len(ids) == 4


def test_a_lost_reply_records_both_once(live, page, bodies):
    opened(live.store, CONTENT)
    page.expected_problems.append("Failed to load resource")
    page.route("**/responses", FAILURES["reply lost"], times=1)
    page.goto(live.url + PATH)
    begin(page)
    fill_in(page, "Habit.", "More.")
    send(page)
    assert len(bodies) == 2
    assert bodies[0] == bodies[1]
    for slug in ("health", "health.texts"):
        assert live.store.counts.number_of_responses(slug) == 1


def test_a_survey_of_texts_alone_says_nothing_about_other_answers(live, page, bodies):
    region = yes_no("region", "none", "Do you live in the north?")
    opened(live.store, definition(region, WHY))
    page.goto(live.url + PATH)
    begin(page)
    expect(page.get_by_text("other answers")).to_have_count(0)
    page.locator("[data-question=region]").get_by_text("No", exact=True).click()
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    assert bodies[0]["reports"] == {"region": "1", "why": ""}
    assert "texts" not in bodies[0]
