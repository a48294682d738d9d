"""Texts in a browser: coded by keyboard, with 5,000 texts, and nothing is lost silently."""

import random
import time

import pytest
from playwright.sync_api import expect

from survey.definition.responses.parse_response import Response
from survey.store import OWNER, Account
from survey.store.sql.codes import NO_CODE, coded_text_key
from tests.support.admin_pages import sign_in
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import password_hash

TEXT = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}


def written(store, n):
    """A survey with this many texts, and two codes."""
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    opened(store, definition(yes_no(), TEXT, texts_apart=True))
    chance = random.Random(1)
    for start in range(0, n, 100):
        group = []
        for k in range(start, min(n, start + 100)):
            there = Response(k.to_bytes(16, "big"), (f"Text number {k}",))
            group.append(("health", Response(chance.randbytes(16), (0,), texts=there)))
        store.responses.add_all(group)
    store.lifecycle.set_state("health", "closed")
    for name in ("cost", "fear"):
        store.codes.add_code("health", name)


@pytest.fixture
def site(live):
    written(live.store, 30)
    return live.url


def codes_of(store):
    """The names of the codes of each coded text, by the number of the text."""
    names = {code.number: code.name for code in store.codes.code_list("health")} | {NO_CODE: "none"}
    return sorted(
        sorted(names[code] for code in by_coder["ada"])
        for by_coder in store.codes.codings("health").values()
    )


def test_texts_are_coded_by_keyboard_alone(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/health/texts")
    first = page.locator(".written").nth(0)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.written input')"):
            break
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(first.get_by_label("cost")).to_be_checked()
    expect(first.get_by_label("fear")).to_be_checked()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("1")
    # "No code fits" and the codes exclude each other.
    page.keyboard.press("0")
    second = page.locator(".written").nth(1)
    expect(second.get_by_label("No code fits")).to_be_checked()
    expect(second.get_by_label("cost")).not_to_be_checked()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("0")
    expect(first.get_by_label("cost")).not_to_be_checked()
    page.keyboard.press("2")
    expect(first.get_by_label("No code fits")).not_to_be_checked()
    # A key that means no code does nothing.
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.get_by_text("Saved the codes of 2 texts.").wait_for()
    assert codes_of(live.store) == [["fear"], ["none"]]


@pytest.mark.plain
def test_leaving_with_codes_that_are_not_saved_asks_first(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/health/texts")
    asked = []

    def stay(dialog):
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.locator(".written").nth(3).get_by_label("fear").check()
    page.get_by_role("link", name="Codes and agreement").click()
    expect(page.locator(".written").nth(3).get_by_label("fear")).to_be_checked()
    assert asked == ["beforeunload"]
    page.get_by_role("button", name="Save codes and continue").click()
    page.get_by_text("Page 2 of 2.").wait_for()
    assert asked == ["beforeunload"]
    page.get_by_role("link", name="Previous page").click()
    expect(page.locator(".written").nth(3).get_by_label("fear")).to_be_checked()
    assert codes_of(live.store) == [["fear"]]


@pytest.mark.slow
def test_five_thousand_texts_are_searched_and_coded_on_a_phone(page, live):
    written(live.store, 5_000)
    page.set_viewport_size({"width": 375, "height": 667})
    sign_in(page, live.url)
    page.goto(f"{live.url}/admin/surveys/health/texts")
    expect(page.locator("#matching")).to_have_text("5,000 texts. Page 1 of 200.")
    page.get_by_label("Words in the text").fill("number 4711")
    begun = time.process_time()
    page.get_by_role("button", name="Show texts").click()
    expect(page.locator("#matching")).to_have_text("1 of 5,000 texts.")
    # It takes about 0.1 seconds of the server, which is in this process. The bound only finds work
    # that grows with the square.
    assert time.process_time() - begun < 5
    page.locator(".written").get_by_text("fear").click()
    page.get_by_role("button", name="Save codes").click()
    page.get_by_text("Saved the codes of 1 text.").wait_for()
    expect(page.locator("#matching")).to_have_text("1 of 5,000 texts.")
    assert codes_of(live.store) == [["fear"]]


@pytest.mark.slow
def test_every_target_is_large_enough_on_a_phone(page, site):
    sign_in(page, site)
    page.set_viewport_size({"width": 375, "height": 667})
    page.goto(f"{site}/admin/surveys/health/texts")
    heights = page.locator(".code-boxes label").evaluate_all(
        "(labels) => labels.map((label) => label.getBoundingClientRect().height)"
    )
    assert len(heights) == 75
    assert min(heights) >= 44


def test_a_printed_page_has_the_texts_and_their_codes(page, site, live):
    [cost, _] = live.store.codes.code_list("health")
    key = coded_text_key(bytes(16), "remarks")
    live.store.codes.set_codings("health", "ada", {key: [cost.number]})
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/health/texts")
    page.emulate_media(media="print")
    first, second = page.locator(".written").nth(0), page.locator(".written").nth(1)
    expect(first.locator("blockquote")).to_be_visible()
    expect(first.get_by_text("cost")).to_be_visible()
    expect(second.get_by_text("cost")).to_be_hidden()
    expect(page.get_by_role("button", name="Save codes", exact=True)).to_be_hidden()
