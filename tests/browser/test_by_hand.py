"""The page of paper-and-coin mode without JavaScript, and all that it sends."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.browser.looks import looks, sound
from tests.support.coin_surveys import EVERY, PAGE, RECORDED
from tests.support.definitions import opened
from tests.support.servers import Live

LABELS = {"smokes": ("Yes", "Có"), "party": ("E", "Việt: E"), "mood": ("2", "Việt: 2")}


@pytest.fixture
def unscripted(live: Live, browser: Browser) -> Iterator[Page]:
    """A page of a browser without JavaScript, on the open survey."""
    opened(live.store, EVERY)
    context = browser.new_context(java_script_enabled=False, base_url=live.url)
    yield context.new_page()
    context.close()


@pytest.fixture
def requests(unscripted: Page) -> list[Request]:
    made: list[Request] = []
    unscripted.on("request", lambda request: made.append(request))
    return made


def choose(page: Page, name: str, label: str) -> None:
    page.locator(f"fieldset#{name}").locator("label", has_text=label).first.click()


def fill_in(page: Page, language: str) -> None:
    vietnamese = language == "vi"
    for name, labels in LABELS.items():
        page.locator(f"fieldset#{name}").get_by_text(labels[vietnamese], exact=True).last.click()
    choose(page, "region", "South")
    for box in ("P", "T"):
        label = f"Việt: {box}" if vietnamese else box
        page.locator("fieldset#news").get_by_text(label, exact=True).click()
    page.locator("fieldset#years input[type=text]").fill("61")
    page.locator("fieldset#weight input").fill("62,5")
    page.locator("fieldset#remarks textarea").fill("Nothing.\nReally")


def press_send(page: Page) -> None:
    page.locator("main button[type=submit]").click()


@pytest.mark.parametrize("language", ["en", "vi"])
def test_someone_without_javascript_reads_chooses_and_sends(live, unscripted, requests, language):
    page = unscripted
    page.goto(f"{PAGE}?language={language}")
    title = {"en": "Health", "vi": "Việt: Health"}[language]
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.locator(".rule")).to_have_count(3)
    fill_in(page, language)
    press_send(page)
    page.wait_for_url(f"**/by-hand/thanks?language={language}")
    assert list(live.store.responses.rows("health.by-hand")) == [RECORDED]
    assert live.store.counts.by_question("health") == {}
    assert page.context.cookies() == []
    assert {request.url.removeprefix(live.url).partition("?")[0] for request in requests} <= {
        PAGE, f"{PAGE}/thanks", "/static/style.css", "/static/icon.svg",
        "/static/respondent/leave.js",
    }  # fmt: skip


def posted(requests: list[Request]) -> list[dict[str, list[str]]]:
    bodies = [r.post_data for r in requests if r.method == "POST"]
    return [parse_qs(body, keep_blank_values=True) for body in bodies if body is not None]


@pytest.mark.slow
def test_only_what_is_chosen_in_the_end_is_sent(unscripted, requests):
    """A respondent picks the real answer, then tosses: only the coins' choice is sent."""
    for first in ("Yes", "No"):
        unscripted.goto(PAGE)
        smokes = unscripted.locator("fieldset#smokes")
        smokes.get_by_text(first, exact=True).last.click()
        fill_in(unscripted, "en")
        press_send(unscripted)
        unscripted.wait_for_url("**/thanks**")
    yes, no = posted(requests)
    ids = [each.pop(name)[0] for each in (yes, no) for name in ("response-id", "texts-id")]
    assert len(set(ids)) == 4
    assert yes == no
    assert set(yes) == {
        "survey-fingerprint", "smokes", "party", "mood", "region", "news", "years", "weight",
        "remarks",
    }  # fmt: skip
    assert yes["smokes"] == ["0"]


def test_the_form_says_where_it_is_from_also_to_a_server_without_https(live, unscripted, requests):
    """Without HTTPS there is no Sec-Fetch-Site, so the browser sends its Origin.

    With Referrer-Policy: no-referrer it would be null, and the server would refuse the form.
    """
    unscripted.goto(PAGE)
    fill_in(unscripted, "en")
    press_send(unscripted)
    unscripted.wait_for_url("**/thanks**")
    (sent,) = [request for request in requests if request.method == "POST"]
    assert sent.all_headers()["origin"] == live.url


@pytest.mark.slow
def test_what_is_missing_is_asked_for_and_the_rest_is_kept(live, unscripted):
    page = unscripted
    page.goto(PAGE)
    fill_in(page, "en")
    page.locator("fieldset#weight input").fill("a lot")
    press_send(page)
    expect(page.get_by_role("alert")).to_contain_text("Nothing is recorded yet.")
    expect(page).to_have_title(re.compile("Not recorded yet"))
    page.get_by_role("alert").get_by_role("link", name="What of weight?").click()
    expect(page).to_have_url(re.compile("#weight$"))
    field = page.get_by_label("What of weight?").locator("input")
    expect(field).to_have_value("a lot")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("fieldset#smokes input").first).to_be_checked()
    expect(page.locator("fieldset#remarks textarea")).to_have_value("Nothing.\nReally")
    assert live.store.counts.by_question("health.by-hand") == {}
    field.fill("62.5")
    press_send(page)
    page.wait_for_url("**/thanks**")
    assert list(live.store.responses.rows("health.by-hand")) == [RECORDED]


@pytest.mark.plain
def test_what_is_required_is_asked_for_before_anything_is_sent(unscripted, requests):
    unscripted.goto(PAGE)
    fill_in(unscripted, "en")
    for name in ("smokes", "party", "mood", "region", "weight"):
        required = unscripted.locator(f"fieldset#{name} input[required]")
        assert required.count() >= 1, name
        assert required.first.evaluate("(input) => input.form.checkValidity()")
    unscripted.locator("fieldset#weight input").fill("")
    press_send(unscripted)
    expect(unscripted.locator("fieldset#weight input")).to_be_focused()
    assert posted(requests) == []


@pytest.mark.plain
def test_pressing_twice_and_reloading_the_end_record_once(live, unscripted):
    unscripted.goto(PAGE)
    fill_in(unscripted, "en")
    unscripted.locator("main button[type=submit]").dblclick()
    unscripted.wait_for_url("**/thanks**")
    unscripted.reload()
    assert list(live.store.responses.rows("health.by-hand")) == [RECORDED]


def test_a_keyboard_is_enough(live, unscripted):
    page = unscripted
    page.goto(PAGE)
    fill_in(page, "en")
    first = page.locator("fieldset#smokes input").first
    first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("fieldset#smokes input").last).to_be_checked()
    page.keyboard.press("ArrowUp")
    expect(first).to_be_checked()
    page.keyboard.press("Enter")
    page.wait_for_url("**/thanks**")
    assert list(live.store.responses.rows("health.by-hand")) == [RECORDED]


@pytest.mark.slow
@looks(320, 1280)
def test_every_state_is_accessible_and_fits(live, page, width, scheme):
    """JavaScript is on, because the checker is a script.

    The page is the same.
    """
    opened(live.store, EVERY)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 700})
    page.expected_problems = ["422"]

    def check() -> None:
        sound(page)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0
        small = page.evaluate(
            "[...document.querySelectorAll('main button, main label, main summary, main li a')]"
            ".filter((e) => e.getBoundingClientRect().height < 24).length"
        )
        assert small == 0

    page.goto(live.url + PAGE)
    for summary in page.locator("summary").all():
        summary.click()
    check()
    page.locator("#answers").evaluate("(form) => { form.noValidate = true; }")
    press_send(page)
    expect(page.get_by_role("alert")).to_be_visible()
    check()
    page.goto(f"{live.url}{PAGE}/thanks")
    check()
