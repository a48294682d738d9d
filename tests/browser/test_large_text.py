"""Large text and very narrow screens: nothing overlaps, and nothing is wider than the screen.

Text of 200 % is a root font of twice the size, as a browser's setting for text makes it. A page on
a phone that is zoomed to 200 % has half of its width, 188 pixels.
"""

from collections.abc import Sequence

import pytest
from playwright.sync_api import Browser, Page

from survey.core.languages import LANGUAGES
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.servers import Live

DATES = {"earliest": "2000-01-01", "latest": "2026-12-31"}
RANKED = [
    {"name": "a", "label": "Responsibilities"}, {"name": "b", "label": "Health and wellbeing"},
]  # fmt: skip
CONTENT = definition(
    yes_no(),
    asked("order", "ranking", {"epsilon": 1}, choices=RANKED),
    asked("mood", "scale", {"epsilon": 1}, choices=letters("12345")),
    asked("weight", "number", {"epsilon": 1}, min=0, max=150),
    {"name": "day", "type": "date", "label": "When?", "privacy": "none", **DATES},
    introduction="A long text. " * 60,
)
# Of the two buttons at the lower edge: whether a press on a corner or on the middle meets it.
PRESSABLE = """(id) => {
  const button = document.getElementById(id);
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const points = [[left + 8, top + 8], [right - 8, bottom - 8],
    [(left + right) / 2, (top + bottom) / 2]];
  return points.every(([x, y]) => button.contains(document.elementFromPoint(x, y)));
}"""
# Width and height in pixels, and the size of the text in percent.
Screen = tuple[int, int, int]
LARGEST = (375, 667, 200)
SCREENS = (
    (375, 667, 100), (375, 667, 130), LARGEST, (320, 568, 100), (188, 334, 100), (768, 1024, 200),
    (1280, 800, 200),
)  # fmt: skip


# The beginning of each element that is wider than the screen.
BEYOND = """() => document.documentElement.scrollWidth <= document.documentElement.clientWidth ? []
  : [...document.querySelectorAll('main *')]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth)
    .map((each) => each.outerHTML.slice(0, 80))"""


def fits(page: Page) -> None:
    assert page.evaluate(BEYOND) == []
    assert page.evaluate(PRESSABLE, "leave")


def walk(page: Page, address: str, percent: int) -> None:
    """From the start to the end of the survey."""
    page.goto(address)
    page.evaluate("(size) => { document.documentElement.style.fontSize = `${size}%`; }", percent)
    page.locator("#start:visible").wait_for()
    for top in (0, 200, 100_000):
        page.evaluate("(top) => scrollTo(0, top)", top)
        fits(page)
        assert page.evaluate(PRESSABLE, "begin")
    page.locator("#begin").click()
    page.locator("#asking:visible").wait_for()
    page.locator("#check").click()
    fits(page)
    page.locator("[data-question=smokes] .choice").first.click()
    page.locator("[data-question=mood] .choice").first.click()
    page.locator("[data-question=weight] input").fill("70")
    page.locator("[data-question=order] select").first.select_option("1")
    page.locator("#check").click()
    page.locator("#review:visible").wait_for()
    fits(page)
    page.locator("#send").click()
    page.locator("#done:visible").wait_for()
    page.locator("#sent summary").click()
    fits(page)


def try_screens(live: Live, browser: Browser, language: str, screens: Sequence[Screen]) -> None:
    opened(live.store, CONTENT | {"language": language})
    for width, height, percent in screens:
        context = browser.new_context(viewport={"width": width, "height": height})
        walk(context.new_page(), f"{live.url}/s/health", percent)
        context.close()


def test_nothing_overlaps_and_nothing_is_too_wide(live: Live, browser: Browser):
    try_screens(live, browser, "en", [LARGEST])


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_on_every_screen_in_every_language(live: Live, browser: Browser, language: str):
    try_screens(live, browser, language, SCREENS)
