"""Leaving at once, with the button or with Shift three times: nothing stays, Back finds nothing.

The other site belongs to the test.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, Route, expect

from survey.core.languages import LANGUAGES
from survey.definition.fieldwork import exit_address
from survey.definition.survey import parse_survey
from survey.definition.translation import nest_texts
from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import begin, send, start
from tests.support.servers import Live
from tools.browser import installed

EXIT = "https://weather.example/today"
REMARKS = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
SHORT = {"name": "note", "type": "note", "label": "Thank you."}
CONTENT = definition(
    yes_no(), yes_no("drinks", label="Do you drink?"), exit=EXIT,
    budget={"per_respondent": {"sample": 1}},
)  # fmt: skip
STATE = """() => ({
  checked: document.querySelectorAll(':checked').length,
  written: ['chosen', 'left', 'bytes', 'code']
    .map((id) => document.getElementById(id)?.textContent ?? '').join(''),
  session: { ...sessionStorage },
  local: { ...localStorage },
})"""
SEEN = f"[document.documentElement.checkVisibility(), document.title, ({STATE})()]"
SESSION = "location.protocol === 'about:' ? {} : ({ ...sessionStorage })"
NOTHING = {"checked": 0, "written": "", "session": {}, "local": {}}


class Elsewhere:
    """The other site, which records what it receives."""

    def __init__(self, context: BrowserContext):
        self.headers: list[dict[str, str]] = []
        context.route("https://weather.example/**", self.reply)
        context.route("https://www.wikipedia.org/**", self.reply)

    def reply(self, route: Route) -> None:
        self.headers.append(route.request.all_headers())
        route.fulfill(body="<!doctype html><title>Weather</title>Rain.", content_type="text/html")


@pytest.fixture
def elsewhere(page: Page) -> Elsewhere:
    return Elsewhere(page.context)


@pytest.fixture
def survey(live: Live, page: Page, elsewhere: Elsewhere) -> Page:
    """The start of the survey, after another page."""
    opened(live.store, CONTENT)
    page.goto(f"{live.url}/")
    page.goto(f"{live.url}/s/health")
    page.locator("#start:visible").wait_for()
    return page


def press_the_button(page: Page) -> None:
    page.get_by_role("link", name="Leave now").click()


def press_shift(page: Page) -> None:
    for _ in range(3):
        page.keyboard.press("Shift")


def answered(page: Page) -> None:
    """Answer the one question that is sampled from two."""
    begin(page)
    page.locator("[data-question]:visible").get_by_text("Yes", exact=True).click()


def reviewed(page: Page) -> None:
    answered(page)
    page.locator("#check").click()
    page.locator("#review:visible").wait_for()


def stuck(page: Page) -> None:
    page.expected_problems += ["Failed to load resource", "net::"]
    page.route("**/responses", lambda route: route.fulfill(status=503))
    reviewed(page)
    page.locator("#send").click()
    page.get_by_text("No connection yet.").wait_for()
    page.wait_for_function("() => Object.values(sessionStorage).join('').includes('reports')")


def done(page: Page) -> None:
    answered(page)
    send(page)
    page.locator("#sent summary").click()


def at_the_start(page: Page) -> None:
    pass


WAYS = [press_the_button, press_shift]
PLACES = [at_the_start, answered, reviewed, stuck, done]


@pytest.mark.slow
@pytest.mark.parametrize("leave", WAYS)
@pytest.mark.parametrize("go", PLACES)
def test_from_everywhere_it_leads_to_the_other_site_and_back_finds_nothing(
    survey, live, elsewhere, go, leave
):
    go(survey)
    leave(survey)
    survey.wait_for_url(EXIT)
    assert not [headers for headers in elsewhere.headers if "referer" in headers]
    # An entry that the survey added stays behind the other site. It is neutral.
    survey.go_forward()
    tells_nothing(survey)
    survey.goto(EXIT)
    for _ in range(4):
        survey.go_back()
        tells_nothing(survey)
    assert survey.evaluate(SESSION) == {}


def tells_nothing(page: Page) -> None:
    """Neither the address nor the title nor a word of the survey is there."""
    assert "/s/" not in page.url
    assert "Health" not in page.title() + page.content()
    assert "Do you" not in page.content()


@pytest.mark.slow
@pytest.mark.parametrize("go", [reviewed, done])
def test_after_a_reload_too_back_and_forward_find_nothing(survey, go):
    """The history still has both entries of the survey then."""
    go(survey)
    survey.reload()
    survey.locator("section:visible").wait_for()
    press_the_button(survey)
    survey.wait_for_url(EXIT)
    survey.go_forward()
    tells_nothing(survey)
    for _ in range(3):
        survey.go_back()
        tells_nothing(survey)


@pytest.mark.plain
def test_what_was_on_the_screen_when_leaving_is_not_in_the_history(survey, live):
    """The other site replaces the page. Back leads to an earlier, empty one."""
    length = survey.evaluate("history.length")
    press_the_button(survey)
    survey.wait_for_url(EXIT)
    assert survey.evaluate("history.length") == length
    survey.go_back()
    assert survey.url == f"{live.url}/"


@pytest.mark.parametrize("go", [answered, done])
def test_while_the_other_site_is_slow_the_page_is_empty(survey, live, go):
    """From the click on, no answer and no report is in the page, or named in the tab.

    Until the other site answers, the address does not name the survey, either.
    """
    go(survey)
    survey.evaluate(
        "addEventListener('pagehide', () => { sessionStorage.setItem('seen', JSON.stringify("
        "[location.pathname, document.documentElement.checkVisibility(), document.title])); })"
    )
    at_once = survey.evaluate(
        f"() => {{ document.getElementById('leave').click(); return {SEEN}; }}"
    )
    assert at_once == [False, "", NOTHING]
    survey.wait_for_url(EXIT)
    survey.go_back()
    survey.get_by_role("heading", name="Candor").wait_for()
    assert json.loads(survey.evaluate("sessionStorage.getItem('seen')")) == ["/blank", False, ""]


def test_it_works_where_the_history_refuses_changes(survey):
    """Safari refuses them after a hundred within a short time."""
    answered(survey)
    survey.evaluate(
        "for (const name of ['pushState', 'replaceState']) history[name] = () => {"
        " throw new DOMException('too often', 'SecurityError'); }; null"
    )
    press_the_button(survey)
    survey.wait_for_url(EXIT)


def test_what_is_not_candors_stays_in_the_tab(survey, live):
    """Only entries that begin with Candor's name are deleted, for all surveys."""
    survey.evaluate("sessionStorage.setItem('theirs', '1')")
    survey.evaluate("sessionStorage.setItem('candor of another survey', '1')")
    press_the_button(survey)
    survey.wait_for_url(EXIT)
    survey.goto(f"{live.url}/")
    assert survey.evaluate("({ ...sessionStorage })") == {"theirs": "1"}


# Shift.


def leaves(page: Page) -> bool:
    """Whether the page leaves, or is about to: then it is hidden at once."""
    return page.url == EXIT or not page.locator("html").is_visible()


@pytest.mark.slow
@pytest.mark.parametrize(
    "keys",
    [
        ["Shift", "Shift"],
        ["Shift", "Shift", "a", "Shift"],
        ["Shift+A", "Shift+B", "Shift+C", "Shift+D"],
        ["Shift", "Tab", "Shift", "Shift"],
    ],
    ids=["twice", "another key between", "capital letters", "Tab between"],
)
def test_other_uses_of_shift_do_not_leave(live, page, elsewhere, keys):
    opened(live.store, definition(yes_no(), REMARKS, exit=EXIT))
    start(page, f"{live.url}/s/health")
    page.locator("textarea").focus()
    for key in keys:
        page.keyboard.press(key)
    assert not leaves(page)
    expect(page.locator("#asking")).to_be_visible()


def test_a_key_that_is_held_down_is_one_press(survey):
    for _ in range(5):
        # All after the first are repeats.
        survey.keyboard.down("Shift")
    assert not leaves(survey)
    survey.keyboard.up("Shift")


def test_three_presses_within_two_seconds_count_and_slower_ones_do_not(live, page, elsewhere):
    opened(live.store, CONTENT)
    page.clock.install()
    page.goto(f"{live.url}/s/health")
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    for pause in (1100, 1100, 1100, 1100):
        page.keyboard.press("Shift")
        page.clock.run_for(pause)
    assert page.url != EXIT
    page.clock.run_for(5000)
    for pause in (900, 900, 0):
        page.keyboard.press("Shift")
        if pause:
            page.clock.run_for(pause)
    page.wait_for_url(EXIT)


def test_it_works_while_typing(live, page, elsewhere):
    opened(live.store, definition(yes_no(), REMARKS, exit=EXIT))
    start(page, f"{live.url}/s/health")
    page.locator("textarea").press_sequentially("Some words")
    press_shift(page)
    page.wait_for_url(EXIT)


# All places, and browsers that lack something.


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/", "/s/closed", "/s/health", "/how", "/s/health/verify"])
@pytest.mark.parametrize("leave", WAYS)
def test_each_of_the_respondents_pages_has_it(live, page, elsewhere, path, leave):
    opened(live.store, CONTENT)
    opened(live.store, CONTENT | {"slug": "closed"})
    live.store.lifecycle.set_state("closed", "closed")
    page.expected_problems.append("Failed to load resource")  # 410 from the closed survey
    page.goto(live.url + path)
    leave(page)
    page.wait_for_url(EXIT if path.startswith("/s/") else "https://www.wikipedia.org/")


def test_it_works_where_site_data_is_blocked(survey):
    answered(survey)
    survey.evaluate(
        "Object.defineProperty(window, 'sessionStorage', "
        "{ get() { throw new DOMException('blocked', 'SecurityError'); } })"
    )
    press_the_button(survey)
    survey.wait_for_url(EXIT)


def test_without_javascript_it_is_a_link(live, browser):
    opened(live.store, CONTENT)
    context = browser.new_context(java_script_enabled=False)
    elsewhere = Elsewhere(context)
    page = context.new_page()
    page.goto(f"{live.url}/s/health")
    press_the_button(page)
    page.wait_for_url(EXIT)
    assert "referer" not in elsewhere.headers[0]
    context.close()


@pytest.fixture
def remembering(playwright: Playwright, tmp_path: Path) -> Iterator[BrowserContext]:
    """A browser that keeps pages in memory and shows them again on Back."""
    context = playwright.chromium.launch_persistent_context(
        tmp_path / "profile",
        executable_path=installed(),
        ignore_default_args=["--disable-back-forward-cache"],
    )
    Elsewhere(context)
    yield context
    context.close()


@pytest.mark.slow
def test_a_browser_that_keeps_pages_in_memory_does_not_bring_the_answers_back(
    live, remembering: BrowserContext
):
    opened(live.store, CONTENT)
    for leave in WAYS:
        page = remembering.new_page()
        page.goto(f"{live.url}/how")
        page.goto(f"{live.url}/s/health")
        reviewed(page)
        leave(page)
        page.wait_for_url(EXIT)
        page.go_forward(wait_until="commit")
        tells_nothing_that_is_seen(page)
        page.goto(EXIT)
        for _ in range(3):
            page.go_back(wait_until="commit")
            tells_nothing_that_is_seen(page)


def tells_nothing_that_is_seen(page: Page) -> None:
    assert "/s/" not in page.url
    if page.url != "about:blank":
        assert page.evaluate(STATE) == NOTHING
    assert page.locator("html").filter(has_text="Health").filter(visible=True).count() == 0


# In view.


TALL = definition(
    *(yes_no(f"q{n}", label=f"Question {n}?") for n in range(8)), SHORT,
    exit=EXIT, introduction="A long text. " * 200,
)  # fmt: skip
# Where the button is, what is at its middle, and what of the page's end it covers.
PLACE = """() => {
  const link = document.getElementById('leave');
  const box = link.getBoundingClientRect();
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const bar = link.parentElement.getBoundingClientRect();
  const inner = document.querySelector('main').getBoundingClientRect();
  const padding = parseFloat(getComputedStyle(document.querySelector('main')).paddingBottom);
  return { box, above: document.elementFromPoint(x, y) === link, bar: bar.top,
    end: inner.bottom - padding, width: innerWidth, height: innerHeight };
}"""


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(375, 667), (320, 480), (1280, 800)])
@pytest.mark.parametrize("layout", ["all_on_one_page", "one_at_a_time"])
def test_it_is_in_view_at_every_scroll_position(live, browser, width, height, layout):
    opened(live.store, TALL | {"layout": layout})
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.goto(f"{live.url}/s/health")
    page.locator("#start:visible").wait_for()
    in_view_everywhere(page)
    page.locator("#more").click()
    for fold in page.locator("#start summary").all():
        fold.click()
    in_view_everywhere(page, at_least=2)
    begin(page)
    in_view_everywhere(page, at_least=1 if layout == "one_at_a_time" else 2)
    for number in range(8):
        page.locator(f"[data-question=q{number}] .choice").first.click()
        if layout == "one_at_a_time":
            page.locator("#next").click()
    page.locator("#check").click()
    page.locator("#review:visible").wait_for()
    in_view_everywhere(page)
    page.locator("#send").click()
    page.locator("#done:visible").wait_for()
    page.locator("#sent summary").click()
    in_view_everywhere(page)
    context.close()


def in_view_everywhere(page: Page, at_least: float = 0) -> None:
    all_of_it = page.evaluate("document.documentElement.scrollHeight")
    assert all_of_it >= at_least * page.viewport_size["height"]
    for part in (0, 0.25, 0.5, 0.75, 1):
        page.evaluate(
            "(part) => scrollTo(0, part * (document.documentElement.scrollHeight - innerHeight))",
            part,
        )
        place = page.evaluate(PLACE)
        box = place["box"]
        assert place["above"]
        assert box["width"] >= 44
        assert box["height"] >= 44
        assert 0 <= box["top"] < box["bottom"] <= place["height"]
        assert 0 <= box["left"] < box["right"] <= place["width"]
        # On a phone it is under the thumb.
        assert box["top"] > place["height"] / 2
        assert box["left"] > place["width"] / 2
    assert place["end"] <= place["bar"]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/", "/how", "/s/health/verify", "/s/health/withdraw", "/s/none"])
def test_it_is_in_view_on_the_other_pages(live, browser, path):
    opened(live.store, TALL | {"receipts": True})
    context = browser.new_context(viewport={"width": 375, "height": 667})
    page = context.new_page()
    page.goto(live.url + path)
    in_view_everywhere(page)
    context.close()


def test_a_phone_is_told_nothing_of_keys(live, browser):
    opened(live.store, CONTENT)
    for touch in (False, True):
        context = browser.new_context(has_touch=touch, is_mobile=touch)
        page = context.new_page()
        page.goto(f"{live.url}/s/health")
        page.locator("#start:visible").wait_for()
        expect(page.get_by_text("Shift three times")).to_be_visible(visible=not touch)
        context.close()


# The default, by language.


@pytest.mark.parametrize("language", LANGUAGES)
def test_by_default_it_leads_to_a_site_of_the_pages_language(store, client, language):
    texts = nest_texts(parse_survey(definition()).texts)
    others = {other: texts for other in LANGUAGES if other != "en"}
    opened(store, definition(translations=others))
    page = client.get(f"/s/health?language={language}").get_data(as_text=True)
    assert f'href="{exit_address(language)}"' in page
    page = client.get(f"/how?language={language}").get_data(as_text=True)
    assert f'href="{exit_address(language)}"' in page


def test_chinese_readers_are_not_led_to_a_site_that_china_blocks():
    assert "wikipedia" not in exit_address("zh")
    assert len({exit_address(language) for language in LANGUAGES}) == len(LANGUAGES)


# In the app switcher.


HIDE = """(hidden) => {
  Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def test_a_hidden_page_is_blank_and_comes_back_as_it_was(survey):
    """It keeps the focus, the answers and the place, and it can be printed."""
    opacity = "getComputedStyle(document.body).opacity"
    answered(survey)
    focused = "document.activeElement === document.querySelector(':checked')"
    assert survey.evaluate(f"[{opacity}, {focused}]") == ["1", True]
    survey.evaluate(HIDE, True)
    assert survey.evaluate(f"[{opacity}, {focused}]") == ["0", True]
    survey.emulate_media(media="print")
    assert survey.evaluate(opacity) == "1"
    survey.emulate_media(media="screen")
    survey.evaluate(HIDE, False)
    assert survey.evaluate(f"[{opacity}, {focused}]") == ["1", True]
