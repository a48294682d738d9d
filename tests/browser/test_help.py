"""The help pages in a real browser: by keyboard, at each width and colour, without scripts."""

from itertools import cycle
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from survey.web.help.documents import project_documents
from tests.browser.looks import OF_WHAT_IS_SEEN, no_violations
from tests.support.lengths import SOAK, soak
from tests.support.project import ROOT
from tests.support.servers import Live

WIDTHS = (375, 1280)
# One page of each part with a wide table, long code, or many headings, and the search.
SAMPLE = [
    *("", "readme", "security", "reference/glossary", "reference/definition"),
    *("explanation/mathematics", "explanation/design", "evidence/benchmarks", "decisions"),
    *("search", "search?q=privacy+los", "search?q=xylophone", "nothing"),
]
WIDE = """() => document.documentElement.scrollWidth > innerWidth
    ? [...document.querySelectorAll('main *')].filter((e) => !e.closest('.scroll'))
        .filter((e) => e.getBoundingClientRect().right > innerWidth).map((e) => e.outerHTML)
    : []"""
FOCUSED = """() => {
    const { id, href, textContent, className } = document.activeElement;
    return { id, href, text: textContent.trim(), kind: className };
}"""


@pytest.fixture
def live(shared_live: Live) -> Live:
    """No test changes anything."""
    return shared_live


def look(page: Page, live: Live, path: str, accessible_at: tuple[int, ...]) -> None:
    page.goto(f"{live.url}/help/{path}")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(WIDE) == [], (path, width)
        if width in accessible_at:
            # A narrow page shows less than a wide one.
            rules = OF_WHAT_IS_SEEN if width != accessible_at[-1] and not SOAK else ()
            no_violations(page, f"{path} at {width}", rules)


@pytest.mark.slow
def test_pages_of_each_part_are_accessible_and_no_wider_than_the_window(page, live):
    page.expected_problems += ["404"]
    for path in SAMPLE:
        look(page, live, path, WIDTHS)


@pytest.mark.slow
@soak
def test_every_page_is_accessible_and_no_wider_than_the_window(page, live):
    """Each at one of the widths, and by `make soak` at both."""
    for path, width in zip(project_documents().by_address, cycle(WIDTHS), strict=False):
        look(page, live, path, WIDTHS if SOAK else (width,))


@pytest.mark.plain
def test_the_keyboard_alone_finds_and_opens_an_entry(page, live):
    page.goto(f"{live.url}/help/")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)["text"] == "Skip to content"
    skip = page.get_by_role("link", name="Skip to content")
    assert skip.bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)["id"] == "q"
    page.keyboard.type("reciept")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Receipt").first.wait_for()
    result = page.locator(".found a").first
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED)["href"] == result.evaluate("e => e.href"):
            break
    address = result.evaluate("e => e.href")
    page.keyboard.press("Enter")
    page.wait_for_url(address)
    heading = page.locator(f"[id='{urlsplit(address).fragment}']")
    expect(heading).to_be_in_viewport()


def test_a_wide_table_scrolls_by_keyboard(page, live):
    page.set_viewport_size({"width": 375, "height": 800})
    page.goto(f"{live.url}/help/evidence/benchmarks")
    page.evaluate(
        """() => [...document.querySelectorAll('.scroll')]
            .find((e) => e.scrollWidth > e.clientWidth).focus()"""
    )
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.activeElement.scrollLeft > 0")


def test_it_works_without_scripts_and_asks_no_other_server(live: Live, browser: Browser):
    context = browser.new_context(java_script_enabled=False)
    page, asked = context.new_page(), set()
    page.on("request", lambda request: asked.add(request.url))
    page.goto(f"{live.url}/help/")
    page.get_by_label("Search the help").fill("unbiased estimate")
    page.get_by_role("button", name="Search").click()
    page.locator(".found a").first.click()
    page.goto(f"{live.url}/help/readme")
    assert {urlsplit(url).netloc for url in asked} == {urlsplit(live.url).netloc}
    assert f"{live.url}/help/images/candor.png" in asked or "![" not in (
        (ROOT / "README.md").read_text()
    )
    context.close()


def test_a_page_of_researchers_leads_to_its_help_in_the_same_tab(page, live):
    page.goto(f"{live.url}/admin/sign-in")
    page.get_by_role("link", name="Help:").click()
    page.wait_for_url("**/help/**")
    expect(page.locator("h1")).to_be_visible()
