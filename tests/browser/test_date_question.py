"""Date questions on the respondent's page, in the builder and in the researcher's texts."""

from datetime import date

import pytest
from playwright.sync_api import expect

from survey.core.languages import LANGUAGES, Words
from survey.formats.field_days import date_in
from tests.browser.looks import no_violations
from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import start
from tests.support.texts_apart import recorded_texts

PAGE = "/s/health"
VISIT = {
    "name": "visit", "type": "date", "label": "When was your last visit?", "privacy": "none",
    "earliest": "2024-02-28", "latest": "2026-01-31",
}  # fmt: skip


def field(page):
    return page.locator("[data-question=visit] input")


def check(page):
    page.get_by_role("button", name="Check my answers").click()


@pytest.mark.parametrize(("given", "shown"), [("2025-06-30", "30 June 2025"), ("", "–")])
def test_a_date_is_sent_apart_from_private_answers(page, live, given, shown):
    opened(live.store, definition(yes_no(), VISIT))
    start(page, live.url + PAGE)
    page.get_by_label("Yes", exact=True).check()
    field(page).fill(given)
    check(page)
    expect(page.locator("#chosen")).to_contain_text(shown)
    page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    assert field(page).input_value() == ""
    [[smokes]] = live.store.responses.rows("health")
    assert smokes in (0, 1)
    assert recorded_texts(live.store) == [(given,)]


@pytest.mark.plain
def test_a_date_outside_the_ends_is_refused_on_the_page(page, live):
    opened(live.store, definition(VISIT))
    start(page, live.url + PAGE)
    for wrong in ("2024-02-27", "2026-02-01"):
        field(page).fill(wrong)
        check(page)
        told = "Give a date from 28 February 2024 to 31 January 2026, or leave this empty."
        expect(page.get_by_text(told)).to_be_visible()
        expect(field(page)).to_have_attribute("aria-invalid", "true")
        expect(field(page)).to_be_focused()
    # A part of a date is no date, and not an empty answer either.
    field(page).fill("")
    field(page).press("1")
    assert field(page).evaluate("(input) => input.validity.badInput")
    check(page)
    expect(page.locator("#asking")).to_be_visible()
    field(page).fill("2024-02-29")
    check(page)
    expect(page.locator("#chosen")).to_contain_text("29 February 2024")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_review_has_the_date_of_the_page(page, live, language):
    """Both the server and the browser write the Gregorian year. In Thai they name its era."""
    opened(live.store, definition(VISIT | {"latest": "2025-06-30"}, language=language))
    start_in(page, live.url + PAGE)
    field(page).fill("2025-06-30")
    page.locator("#check").click()
    shown = date_in(Words(language), date(2025, 6, 30))
    expect(page.locator("#chosen dd").first).to_have_text(shown)
    assert f"{shown}" in page.locator("[data-question=visit] .error").text_content()
    assert ("ค.ศ." in shown) == (language == "th")


def start_in(page, address):
    page.goto(address)
    page.locator("#begin").click()
    page.locator("#asking:visible").wait_for()


def test_a_browser_without_a_control_for_dates_takes_typed_dates(page, live):
    opened(live.store, definition(VISIT))
    start(page, live.url + PAGE)
    field(page).evaluate("(input) => { input.type = 'text'; }")
    for wrong in ("2025-02-29", "1.2.2025", "2025-2-1", "20250201"):
        field(page).fill(wrong)
        check(page)
        expect(page.locator("[data-question=visit] .error")).to_be_visible()
    field(page).fill(" 2025-02-28 ")
    check(page)
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    assert [*live.store.responses.rows("health")] == [("2025-02-28",)]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_and_fits_a_phone(page, live, scheme):
    opened(live.store, definition(yes_no(), VISIT))
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 375, "height": 667})
    start(page, live.url + PAGE)
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    field(page).fill("2020-01-01")
    check(page)
    no_violations(page, "error")
