"""A battery: questions with the same choices, as rows of one page."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import no_violations
from tests.support.admin_pages import LONG_THAI
from tests.support.definitions import definition, opened
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
    assert page.locator("#answers .odds").count() == 1


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
