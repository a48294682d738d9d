"""Every flow in every language: by touch at 320 px, by keyboard at 768, by mouse at 1280 and dark.

Each state is looked at by axe, must not scroll sideways, and may hold no forgotten English.
"""

import json
import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from survey.demo import SMOKING
from survey.languages import LANGUAGES, Words
from tests.conftest import Live, opened

# what is no sentence: names, and words of the product's own that every language keeps
LATIN = re.compile(r"[A-Za-z]{3,}")
KEPT = re.compile(
    r"Candor|English|README|Tiếng Việt|SHA|JavaScript|https?://\S+|[\w/.-]*\.(js|json|css)\b|[0-9a-f]{8,}"
    r"|CANDOR_\w+|Shift|Python|[\w/.-]*\.py|(?<!\w)/\w+"
)
OPEN_ALL = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
WAYS: dict[int, dict[str, object]] = {
    320: {"has_touch": True, "is_mobile": True},
    768: {},
    1280: {"color_scheme": "dark"},
}
SURVEY = SMOKING | {
    "series": "walk",
    "slug": "walk",
    "questions": [
        *SMOKING["questions"],
        {"name": "age", "type": "number", "label": "?", "min": 18, "max": 99, "privacy": "none"},
    ],
    "translations": {
        language: texts | {"questions": texts["questions"] | {"age": {"label": "??"}}}
        for language, texts in SMOKING["translations"].items()
    },
}


def press(page: Page, width: int) -> Callable[[str], None]:
    """How people press what a selector names at this width."""

    def by_touch(css: str) -> None:
        page.locator(css).first.tap()

    def by_keyboard(css: str) -> None:
        target = page.locator(css).first
        for _ in range(60):
            if target.evaluate("(element) => element === document.activeElement"):
                break
            page.keyboard.press("Tab")
        else:
            raise AssertionError(f"{css} is not reached with Tab")
        page.keyboard.press("Space" if target.get_attribute("type") in CHECKED else "Enter")

    def by_mouse(css: str) -> None:
        page.locator(css).first.click()

    return {320: by_touch, 768: by_keyboard, 1280: by_mouse}[width]


CHECKED = ("radio", "checkbox")
DOUBLE = 700  # milliseconds; two presses on one spot within are one to the page


def looked_at(page: Page, language: str, state: str) -> None:
    """Nothing is wrong with what is on the screen just now."""
    page.evaluate(OPEN_ALL)
    found = Axe().run(page)
    assert found.violations_count == 0, f"{state}: {found.generate_report()}"
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{state} is {wide} px too wide"
    assert page.evaluate("document.documentElement.lang") == Words(language).tag
    small = page.evaluate(
        """[...document.querySelectorAll('button, input, summary, textarea')].filter((element) => {
          const box = (element.closest('label') ?? element).getBoundingClientRect();
          return element.checkVisibility() && (box.width < 24 || box.height < 24);
        }).map((element) => element.outerHTML)"""
    )
    assert small == [], f"{state}: too small to touch"
    if language in ("th", "zh"):  # written without Latin letters
        texts = page.evaluate(
            """[...document.querySelectorAll('body *:not(script, code, pre, pre *, nav *)')]
            .flatMap((element) => [...element.childNodes])
            .filter((node) => node.nodeType === 3 && node.parentElement.checkVisibility())
            .map((node) => node.textContent)"""
        )
        english = [text.strip() for text in texts if LATIN.search(KEPT.sub("", text))]
        assert english == [], f"{state} is not in {language}"


@pytest.mark.parametrize("width", WAYS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_from_the_start_to_taking_it_back(live: Live, browser: Browser, language, width):
    opened(live.store, SURVEY)
    context = browser.new_context(viewport={"width": width, "height": 800}, **WAYS[width])
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    tap = press(page, width)
    page.goto(f"{live.url}/s/walk?language={language}")
    page.locator("#start:visible").wait_for()
    looked_at(page, language, "start")
    tap("[data-toss='0']")
    assert page.locator("#tossed").inner_text()
    tap("#begin")
    looked_at(page, language, "start, nothing chosen about waves")
    tap("#wave input")
    tap("#begin")
    page.locator("#asking:visible").wait_for()
    looked_at(page, language, "first question")
    tap("#next")
    looked_at(page, language, "first question, not answered")
    tap("[data-question=smokes] input")
    tap("#next")
    tap("[data-question=cheated] input")
    tap("#next")
    page.wait_for_timeout(DOUBLE)
    tap("#check")
    looked_at(page, language, "number, not typed")
    page.locator("[data-question=age] input").fill("40")
    page.wait_for_timeout(DOUBLE)
    tap("#check")
    page.locator("#review:visible").wait_for()
    looked_at(page, language, "review")
    assert page.locator("#chosen dd").count() == 6
    tap("#send")
    page.locator("#done:visible").wait_for()
    looked_at(page, language, "done")
    body = json.loads(page.locator("#bytes").text_content() or "")
    assert set(body["reports"]) == {"smokes", "cheated", "age"}
    with context.expect_page() as opening:
        tap("#withdraw")
    taking_back = opening.value
    taking_back.locator("#withdraw:visible").wait_for()
    looked_at(taking_back, language, "withdrawing")
    taking_back.locator("#withdraw button").click()
    taking_back.locator("#outcome:not(:empty)").wait_for()
    looked_at(taking_back, language, "withdrawn")
    taking_back.close()
    tap("#understood a")
    page.locator("#asking:visible").wait_for()
    looked_at(page, language, "comprehension")
    for path in ("/", "/how", "/verify", "/s/walk/verify", "/s/none", "/s/walk/withdraw"):
        page.goto(f"{live.url}{path}?language={language}")
        page.wait_for_load_state("load")
        looked_at(page, language, path)
    live.store.set_state("walk", "closed")
    page.goto(f"{live.url}/s/walk?language={language}")
    looked_at(page, language, "closed")
    assert context.cookies() == []
    context.close()
    assert problems == []
    assert sum(live.store.counts("walk").get("smokes", {}).values()) == 0
