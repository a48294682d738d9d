"""How the walks press and look: three devices, every language, the same checks at each state."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from survey.core.languages import LANGUAGES, Words
from survey.web.demo import SMOKING
from tests.browser.looks import sound
from tests.support.lengths import SOAK, soak

# what is no sentence: names, and words of the product's own that every language keeps
LATIN = re.compile(r"[A-Za-z]{3,}")
KEPT = re.compile(
    r"Candor|English|README|SECURITY|Tiếng Việt|SHA|JavaScript|https?://\S+|[\w/.-]*\.(js|json|css)\b|[0-9a-f]{8,}"
    r"|CANDOR_\w+|Shift|Python|[\w/.-]*\.py|(?<!\w)/\w+"
)
GAP = re.compile(r"[，。：；？！、] +\S|\S +（")  # wide marks bring their own space
OPEN_ALL = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
# All in one call: how much too wide it is, in which language, what is too small, and every text
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
DOUBLE = 700  # milliseconds; two presses on one spot within are one to the page


def translations(*names: str, **others: dict) -> dict[str, dict]:
    """The demo's translations, of these questions of its own and of others: their texts are marks
    that every language has."""
    return {
        language: texts | {"questions": {n: texts["questions"][n] for n in names} | others}
        for language, texts in SMOKING["translations"].items()
    }


@dataclass(frozen=True)
class Walk:
    """Somebody on a device, with a survey's page in a language."""

    context: BrowserContext
    page: Page
    language: str
    width: int

    def go(self, address: str, fragment: str = "") -> None:
        self.page.goto(f"{address}?language={self.language}{fragment}")

    def tap(self, css: str) -> None:
        """Press what a selector names first, as people do at this width."""
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
        """Nothing is wrong with what is on the screen just now. axe cannot run without scripts. In
        the suite it looks once in each flow at the narrowest page, and once at the colours of the
        widest, which are dark: what else it looks at is the same in both. English is left to the
        tests of each page."""
        page = page or self.page
        page.wait_for_load_state()  # without its style a page is small and pale
        page.evaluate(OPEN_ALL)
        if axe and (SOAK or (self.width != 768 and self.language != "en")):
            sound(page, state, only_seen=not SOAK and self.width == 1280)
        wide, tag, small, texts = page.evaluate(SEEN)
        assert wide <= 0, f"{state} is {wide} px too wide"
        assert tag == Words(self.language).tag
        assert small == [], f"{state}: too small to touch"
        if self.language in ("th", "zh"):  # written without Latin letters
            english = [text.strip() for text in texts if LATIN.search(KEPT.sub("", text))]
            assert english == [], f"{state} is not in {self.language}"
        if self.language == "zh":
            assert GAP.findall(page.locator("body").inner_text()) == [], state


@contextmanager
def walking(browser: Browser, language: str, width: int, **options: object) -> Iterator[Walk]:
    """A device of this width; afterwards no script failed, and no cookie was set."""
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
    """The test in each language, on each device. In the suite in each language once, on each device
    at least once; which of both meet is another for each turn, so that any three turns that follow
    each other have all twelve. `make test` walks in the first language, `make test-all` in the
    others."""
    devices = len(WIDTHS)
    pairs = [
        pytest.param(language, width, marks=[pytest.mark.slow] if place else [])
        for place, language in enumerate(LANGUAGES)
        for step, width in enumerate(WIDTHS)
        if SOAK or step == (place + turn) % devices
    ]
    each = pytest.mark.parametrize(("language", "width"), pairs)
    return lambda test: soak(each(test))
