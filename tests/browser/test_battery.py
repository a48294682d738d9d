"""A battery: questions with the same choices, as rows of one page."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import no_violations
from tests.support.admin_pages import LONG_THAI
from tests.support.definitions import definition, opened, yes_no
from tests.support.derived_survey import derived, unsent
from tests.support.respondent_page import start
from tests.support.servers import Live

CHOICES = [
    {"name": str(points), "label": label}
    for points, label in enumerate(
        ("Not at all", "Several days", "More than half the days", "Nearly every day")
    )
]
POINTS = {choice["name"]: points for points, choice in enumerate(CHOICES)}
LABELS = ("Trouble with sleep", "Feeling tired", LONG_THAI)
ROWS = tuple(
    unsent(f"row_{n}", label=label, choices=CHOICES, prefer_not_to_say=True)
    for n, label in enumerate(LABELS)
)
RULE = {"sum": {row["name"]: POINTS for row in ROWS}, "at_least": 5}
LAST = {"name": "last", "type": "section", "label": ""}
HEADING = {"name": "weeks", "type": "section", "label": "In the last two weeks", "battery": True}


@pytest.mark.parametrize("width", [375, 1280])
def test_choices_stand_side_by_side_in_every_row(page: Page, live: Live, width: int):
    opened(live.store, definition(HEADING, *ROWS, derived("high", RULE)))
    page.set_viewport_size({"width": width, "height": 800})
    start(page, f"{live.url}/s/health")
    no_violations(page)
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(wide)
    for row in page.locator("#answers fieldset.row").all():
        tops = {round(choice.bounding_box()["y"]) for choice in row.locator(".choice").all()}
        assert len(tops) == 1
    # The protection is the same in all rows, so it is shown once, and stays for screen readers.
    assert page.locator("#answers .mark:visible").count() == len(ROWS)
    assert page.locator("#answers .unseen .mark").count() == len(ROWS) - 1
    assert page.locator("#answers .odds:visible").count() == 1


@pytest.mark.plain
def test_a_battery_is_answered_by_keyboard(page: Page, live: Live):
    opened(live.store, definition(HEADING, *ROWS, derived("high", RULE)))
    start(page, f"{live.url}/s/health")
    for label in LABELS:
        row = page.get_by_role("radiogroup", name=label)
        row.get_by_label("Not at all").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(row.get_by_label("More than half the days")).to_be_checked()
        page.keyboard.press("Tab")
    page.get_by_role("button", name="Check my answers").click()
    assert page.locator("#chosen dl").first.inner_text().endswith("Yes")
    # Each answer has its label in the review, also where the row showed none.
    assert page.locator("#chosen .mark:visible").count() == len(ROWS) + 1


def shows_stem_and_chip(page: Page, label: str) -> None:
    """The screen shows this item alone, with the heading of the battery, its chip and its fold."""
    expect(page.locator("#answers fieldset:visible")).to_have_count(1)
    expect(page.get_by_role("heading", name="In the last two weeks")).to_be_visible()
    row = page.get_by_role("radiogroup", name=label)
    shown = "(all) => all.map((each) => !each.closest('.unseen'))"
    assert row.locator(".mark:visible").evaluate_all(shown) == [True]
    expect(row.locator(".odds")).to_be_visible()
    expect(row).to_have_accessible_description(re.compile("In the last two weeks"))


def test_one_at_a_time_each_item_has_its_stem_and_its_chip(page: Page, live: Live):
    content = definition(HEADING, *ROWS, derived("high", RULE), layout="one_at_a_time")
    opened(live.store, content)
    start(page, f"{live.url}/s/health")
    for number, label in enumerate(LABELS):
        shows_stem_and_chip(page, label)
        page.get_by_role("radiogroup", name=label).get_by_label("Several days").check()
        if number < len(LABELS) - 1:
            page.get_by_role("button", name="Next").click()
            expect(page.get_by_role("radiogroup", name=LABELS[number + 1])).to_be_focused()


def test_the_review_and_the_change_of_an_item_show_its_stem(page: Page, live: Live):
    opened(live.store, definition(HEADING, *ROWS, LAST, derived("high", RULE), yes_no()))
    start(page, f"{live.url}/s/health")
    for label in LABELS:
        page.get_by_role("radiogroup", name=label).get_by_label("Several days").check()
    page.get_by_role("button", name="Next").click()
    page.get_by_role("radiogroup", name="Do you smoke?").get_by_label("No").check()
    page.get_by_role("button", name="Check my answers").click()
    # Once above all items, and not above what is no item.
    assert page.locator("#chosen .stem").all_inner_texts() == [HEADING["label"]]
    assert page.locator("#chosen .stem + dl dt").count() == len(ROWS)
    for label in LABELS:
        page.get_by_role("button", name=f"Change: {label}").click()
        shows_stem_and_chip(page, label)
        page.get_by_role("button", name="Check my answers").click()
        expect(page.locator("#review")).to_be_visible()


def test_the_first_row_of_each_screen_has_its_chip(page: Page, live: Live):
    """Also if the first row of the battery is not asked, and in a second battery."""
    condition = {"smokes": ["yes"]}
    first = [ROWS[0] | {"relevant": condition, "otherwise": "0"}, *ROWS[1:]]
    second = [each | {"name": f"second_{n}"} for n, each in enumerate(ROWS)]
    rule = {"sum": {row["name"]: POINTS for row in second}, "at_least": 5}
    content = definition(
        yes_no(), HEADING, *first, HEADING | {"name": "years"}, *second, derived("high", RULE),
        derived("higher", rule),
    )  # fmt: skip
    opened(live.store, content)
    start(page, f"{live.url}/s/health")
    page.get_by_role("radiogroup", name="Do you smoke?").get_by_label("No").check()
    for rows in (first[1:], second):
        page.get_by_role("button", name="Next").click()
        chips = page.locator("fieldset.row:visible .chip")
        assert chips.evaluate_all("(all) => all.map((each) => each.className)") == [
            "chip", *["chip unseen"] * (len(rows) - 1)
        ]  # fmt: skip
        for row in rows:
            css = f"[data-question={row['name']}] .choice"
            page.locator(css).first.click()
