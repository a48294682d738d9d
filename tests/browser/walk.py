"""The steps and checks of the walks: three devices, every language, the same at each state."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from survey.core.languages import LANGUAGES, Words
from survey.web.demo import SMOKING
from tests.browser.looks import OF_WHAT_IS_SEEN, sound
from tests.support.lengths import SOAK, soak

# These are not sentences: names, and words of the product that every language keeps.
LATIN = re.compile(r"[A-Za-z]{3,}")
KEPT = re.compile(
    r"Candor|English|README|SECURITY|Tiếng Việt|SHA|Linux|JavaScript"
    r"|https?://\S+|[\w/.-]*\.(js|json|css)\b|[0-9a-f]{8,}"
    r"|CANDOR_\w+|Shift|Python|[\w/.-]*\.py|(?<!\w)/\w+"
)
# Wide punctuation marks include their own space.
GAP = re.compile(r"[，。：；？！、] +\S|\S +（")
OPEN_ALL = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
# All in one call: the excess width, the language, targets that are too small, and every text.
SEEN = """() => [
  document.documentElement.scrollWidth - innerWidth,
  document.documentElement.lang,
  [...document.querySelectorAll(
    'button, input, summary, textarea, select, a.button, nav a, main li a')].filter((element) => {
    const box = (element.closest('label') ?? element).getBoundingClientRect();
    return element.checkVisibility() && (box.width < 24 || box.height < 24);
  }).map((element) => element.outerHTML),
  [...document.querySelectorAll('body *:not(script, noscript, code, pre, pre *, nav *)')]
    .flatMap((element) => [...element.childNodes])
    .filter((node) => node.nodeType === 3 && node.parentElement.checkVisibility())
    .map((node) => node.textContent),
]"""
WIDTHS: dict[int, dict[str, object]] = {
    320: {"has_touch": True, "is_mobile": True},
    768: {},
    1280: {"color_scheme": "dark"},
}
AT = "(css) => document.querySelector(css) === document.activeElement"
CHECKED = ("radio", "checkbox")
# Milliseconds. The page treats two clicks on one place within this time as one.
DOUBLE = 700


def translations(*names: str, **others: dict) -> dict[str, dict]:
    """The demo's translations, for its own questions and others.

    The texts of the others are marks that every language has.
    """
    return {
        language: texts | {"questions": {n: texts["questions"][n] for n in names} | others}
        for language, texts in SMOKING["translations"].items()
    }


@dataclass(frozen=True)
class Walk:
    """A respondent on a device, with a survey's page in a language."""

    context: BrowserContext
    page: Page
    language: str
    width: int

    def go(self, address: str, fragment: str = "") -> None:
        self.page.goto(f"{address}?language={self.language}{fragment}")

    def tap(self, css: str) -> None:
        """Press the first element of a selector, as people do at this width."""
        target = self.page.locator(css).first
        if self.width == 320:
            target.tap()
        elif self.width == 1280:
            target.click()
        else:
            for _ in range(60):
                if self.page.evaluate(AT, css):
                    break
                self.page.keyboard.press("Tab")
            else:
                raise AssertionError(f"{css} is not reached with Tab")
            self.page.keyboard.press(
                "Space" if target.get_attribute("type") in CHECKED else "Enter"
            )

    def look(self, state: str, page: Page | None = None, *, axe: bool = True) -> None:
        """Check the current screen.

        axe cannot run without scripts. In the suite, it checks each flow once at the narrowest
        page, and once the colours of the widest, which are dark. Its other checks give the same
        result in both. Each page's own tests look for English.
        """
        page = page or self.page
        # Without its style, a page is small and pale.
        page.wait_for_load_state()
        page.evaluate(OPEN_ALL)
        if axe and (SOAK or (self.width != 768 and self.language != "en")):
            sound(page, state, OF_WHAT_IS_SEEN if self.width == 1280 and not SOAK else ())
        wide, tag, small, texts = page.evaluate(SEEN)
        assert wide <= 0, f"{state} is {wide} px too wide"
        assert tag == Words(self.language).tag
        assert small == [], f"{state}: too small to touch"
        # Written without Latin letters.
        if self.language in ("th", "zh"):
            english = [text.strip() for text in texts if LATIN.search(KEPT.sub("", text))]
            assert english == [], f"{state} is not in {self.language}"
        if self.language == "zh":
            assert GAP.findall(page.locator("body").inner_text()) == [], state


@contextmanager
def walking(browser: Browser, language: str, width: int, **options: object) -> Iterator[Walk]:
    """A device of this width. At the end, no script has failed and no cookie is set."""
    context = browser.new_context(
        viewport={"width": width, "height": 800}, **WIDTHS[width], **options
    )
    problems: list[str] = []
    context.on("weberror", lambda failed: problems.append(str(failed.error)))
    try:
        yield Walk(context, context.new_page(), language, width)
        assert context.cookies() == []
    finally:
        context.close()
    assert problems == []


def everywhere(turn: int):
    """The test in each language, on each device.

    The suite uses each language once and each device at least once. Their combination differs for
    each turn, so any three consecutive turns cover all twelve. `make test-browser` uses the first
    language, `make test-all` the others.
    """
    devices = len(WIDTHS)
    pairs = [
        pytest.param(language, width, marks=[pytest.mark.slow] if place else [])
        for place, language in enumerate(LANGUAGES)
        for step, width in enumerate(WIDTHS)
        if SOAK or step == (place + turn) % devices
    ]
    each = pytest.mark.parametrize(("language", "width"), pairs)
    return lambda test: soak(each(test))
