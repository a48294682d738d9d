"""Fieldwork progress, and permanent deletion, in a real browser."""

from collections import Counter
from datetime import date

import pytest
from playwright.sync_api import Page, expect

from survey.core.languages import Words
from survey.definition.survey import parse_survey
from survey.formats.field_days import date_in
from survey.server import clock
from survey.store import ANALYST, OWNER, Account, Limits
from tests.browser.looks import looks, sound
from tests.support.admin_pages import sign_in
from tests.support.batches import feed, plain, responses
from tests.support.definitions import definition, opened
from tests.support.every_type import EVERY_TYPE
from tests.support.researchers import PASSWORD, password_hash
from tests.support.servers import Live

# Milliseconds between two updates.
EVERY = 10_000


@pytest.fixture
def site(live: Live) -> Live:
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    live.store.accounts.add_account(Account(name="bob", role=OWNER, password_hash=password_hash()))
    opened(live.store, definition(batch=25))
    live.store.lifecycle.set_limits("health", Limits(target=100))
    return live


def overview(page: Page, site: Live) -> None:
    sign_in(page, site.url)
    page.clock.install()
    page.goto(f"{site.url}/admin/surveys/health")
    page.wait_for_load_state("networkidle")


def look(page: Page) -> None:
    """Let ten seconds pass, and wait for the update."""
    with page.expect_response("**/monitor.json?*"):
        page.clock.run_for(EVERY)


def count(page: Page):
    return page.locator("[data-text=responses]")


@pytest.mark.slow
def test_the_count_follows_without_a_reload_and_a_release_is_announced_once(page, site):
    feed(site.store, plain(3))
    overview(page, site)
    expect(count(page)).to_have_text("3")
    spoken = page.locator("#monitor-spoken")
    assert spoken.get_attribute("role") == "status"
    page.evaluate(
        "window.said = []; new MutationObserver(() => window.said.push("
        "document.getElementById('monitor-spoken').textContent)).observe("
        "document.getElementById('monitor-spoken'), { childList: true })"
    )
    feed(site.store, plain(4, "more"))
    look(page)
    expect(count(page)).to_have_text("7")
    expect(page.get_by_text("7 of 100 responses (target).")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_js_property("value", 7)
    expect(
        page.get_by_text(
            "0 responses are published, and 7 are waiting. The next batch is published after 18 "
            "more"
        )
    ).to_be_visible()
    expect(page.locator("[data-text=precision]")).to_be_hidden()
    assert page.evaluate("window.said") == []  # no announcement for each response
    feed(site.store, plain(18, "the rest"))
    look(page)
    expect(count(page)).to_have_text("25")
    expect(page.locator("[data-text=precision]")).to_contain_text("with 100 responses, about")
    expect(spoken).to_have_text("Candor has published a batch. The results have changed.")
    before = page.locator("[data-text=precision]").text_content()
    look(page)
    look(page)
    assert page.evaluate("window.said.length") == 1
    assert page.locator("[data-text=precision]").text_content() == before
    sound(page)


def test_it_stops_when_the_survey_has_closed(page, site):
    overview(page, site)
    site.store.lifecycle.set_limits("health", Limits(cap=2))
    feed(site.store, plain(2))
    look(page)
    expect(page.locator("#monitor-spoken")).to_have_text(
        "The survey is now closed. Reload this page to continue."
    )
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(5 * EVERY)
    assert asked == []


def test_who_is_signed_out_is_told_so_and_it_goes_on_after(page, site):
    overview(page, site)
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.clock.run_for(EVERY)
    spoken = page.locator("#monitor-spoken")
    expect(spoken).to_contain_text("no longer updates")
    feed(site.store, plain(2))
    page.context.add_cookies(cookies)
    look(page)
    expect(count(page)).to_have_text("2")
    expect(spoken).to_have_text("")


def test_a_tab_that_nobody_looks_at_asks_nothing(page, site):
    overview(page, site)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    hide = (
        "state => { Object.defineProperty(document, 'visibilityState', { value: state, "
        "configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }"
    )
    page.evaluate(hide, "hidden")
    page.clock.run_for(10 * EVERY)
    assert asked == []
    feed(site.store, plain(1))
    page.evaluate(hide, "visible")  # at once, not after ten seconds
    expect(count(page)).to_have_text("1")
    assert len(asked) == 1


def test_without_scripts_the_page_says_how_things_are(browser, site):
    feed(site.store, plain(26))
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, site.url)
    page.goto(f"{site.url}/admin/surveys/health")
    expect(count(page)).to_have_text("26")
    expect(page.get_by_text("25 responses are published, and 1 is waiting.")).to_be_visible()
    expect(page.get_by_text("with 100 responses, about")).to_be_visible()
    context.close()


@pytest.mark.plain
def test_limits_are_set_by_keyboard(page, site):
    sign_in(page, site.url)
    page.goto(f"{site.url}/admin/surveys/health")
    page.get_by_text("Last day, maximum responses, target sample size").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Maximum responses").focus()
    page.keyboard.type("400")
    page.keyboard.press("Enter")
    page.get_by_text("Saved.").wait_for()
    assert site.store.surveys.by_slug("health").limits == Limits(cap=400, target=100)


@pytest.mark.slow
def test_deleting_for_good_takes_the_address_and_can_be_left(page, site):
    page.expected_problems.append("422")
    feed(site.store, plain(27))
    site.store.lifecycle.set_state("health", "closed")
    sign_in(page, site.url)
    page.goto(f"{site.url}/admin/surveys/health")
    page.get_by_role("link", name="Delete survey").click()
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("link", name="Delete survey").click()
    expect(page.get_by_text("27 responses")).to_be_visible()
    page.get_by_label("The survey’s address").fill("healthy")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Delete survey").click()
    expect(page.get_by_text("This is not the survey’s address.")).to_be_visible()
    expect(page.get_by_label("The survey’s address")).to_have_attribute("aria-invalid", "true")
    sound(page)
    page.get_by_label("The survey’s address").fill("health")
    # A page never returns a typed password.
    page.get_by_label("Your password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_text("“Health” is deleted, with 27 responses.")).to_be_visible()
    assert site.store.surveys.all() == []


@pytest.mark.slow
@looks(375, 1280)
def test_no_page_breaks_an_accessibility_rule_or_scrolls_sideways(page, site, width, scheme):
    store = site.store
    opened(store, EVERY_TYPE | {"slug": "every", "batch": 25, "by_hand": False})
    feed(store, responses(57), "every")
    store.lifecycle.set_limits("every", Limits(cap=500, closes=4_000_000_000, target=400))
    opened(store, definition(slug="over", title="สำรวจ" * 40, batch=25, language="th"))
    store.lifecycle.set_limits("over", Limits(closes=5))
    store.lifecycle.close_due(6)
    opened(store, definition(slug="away"), "closed")
    store.lifecycle.set_archived("away", True)
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    store.lifecycle.set_limits("draft", Limits(closes=5))
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    sign_in(page, site.url)
    for path in (
        *("", "?show=archived", "surveys/every", "surveys/over", "surveys/away", "surveys/draft"),
        *("surveys/over/erase", "surveys/health/results"),
    ):
        page.goto(f"{site.url}/admin/{path}")
        for summary in page.locator("summary").all():
            if summary.is_visible():
                summary.click()
        sound(page, path)
        too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(too_wide), path


def test_the_link_is_copied_and_it_is_said(page, site):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.url)
    sign_in(page, site.url)
    for path in ("surveys/health", "surveys/health/share"):
        page.goto(f"{site.url}/admin/{path}")
        page.get_by_role("button", name="Copy the link for respondents").click()
        expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
    copied = page.get_by_role("button", name="Copy the link").get_attribute("data-copy")
    assert copied == page.locator(".copied a").first.get_attribute("href")
    # The clipboard's text is pasted where it can be read without a further permission.
    page.get_by_label("Name of the link").focus()
    page.keyboard.press("Control+v")
    expect(page.get_by_label("Name of the link")).to_have_value(copied)


@pytest.mark.slow
def test_a_link_that_cannot_be_copied_says_so_or_has_no_button(browser, page, site):
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('no'));")
    sign_in(page, site.url)
    page.goto(f"{site.url}/admin/surveys/health")
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_text("Not copied. Select the text and copy it yourself.")).to_be_visible()
    page.add_init_script("delete Navigator.prototype.clipboard;")
    page.goto(f"{site.url}/admin/surveys/health")
    expect(page.locator("[data-copy]").first).to_be_hidden()
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    sign_in(plain, site.url)
    plain.goto(f"{site.url}/admin/surveys/health")
    expect(plain.locator("[data-copy]").first).to_be_hidden()
    expect(plain.locator(".copied a").first).to_be_visible()
    context.close()


@pytest.mark.slow
def test_a_draft_with_points_to_look_at_is_opened_without_scripts_too(browser, site):
    site.store.surveys.save_draft(parse_survey(definition(slug="draft")))
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, site.url)
    page.goto(f"{site.url}/admin/surveys/draft")
    page.get_by_role("button", name="Open survey").click()
    looked = page.get_by_role("checkbox", name="I have checked the 3 items above")
    expect(looked).to_have_js_property("validity.valueMissing", True)  # the browser says so
    assert site.store.surveys.by_slug("draft").state == "draft"
    looked.check()
    page.get_by_role("button", name="Open survey").click()
    expect(page.get_by_text("The survey is open.")).to_be_visible()
    expect(page.get_by_role("img", name="QR code")).to_be_hidden()
    page.get_by_text("QR code of this link").click()
    picture = page.get_by_role("img", name="QR code")
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("(image) => image.naturalWidth") > 0
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("role", [ANALYST, OWNER])  # roles with few and with all tabs
@pytest.mark.parametrize("width", [320, 375, 700, 1280])
def test_no_tab_stands_alone_in_a_line_or_beyond_the_edge(page, site, width, role):
    site.store.accounts.set_role("bob", role)
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, site.url, "bob")
    page.goto(f"{site.url}/admin/surveys/health")
    boxes = [
        tab.bounding_box()
        for tab in page.get_by_role("navigation", name="This survey").get_by_role("link").all()
    ]
    assert len(boxes) > 4
    lines = Counter(box["y"] for box in boxes)
    # On a phone, it is one line that scrolls.
    assert len(lines) == 1 or (width > 640 and min(lines.values()) > 1), lines
    if width > 640:
        assert max(box["x"] + box["width"] for box in boxes) <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_a_point_of_the_checklist_leads_to_the_field_that_mends_it(page, site):
    site.store.surveys.save_draft(parse_survey(definition(slug="draft")))
    sign_in(page, site.url)
    page.goto(f"{site.url}/admin/surveys/draft")
    for link, field in (
        ("“Who asks” is empty.", "Who asks"),
        ("Set a batch size", "Batch size for"),
    ):
        page.get_by_role("link", name=link).click()
        expect(page.get_by_label(field)).to_be_in_viewport()
        page.go_back()
    page.get_by_role("link", name="Enter a sample size below.").click()
    expect(page.get_by_role("textbox", name="Sample size for this check")).to_be_in_viewport()


@pytest.mark.slow
def test_the_script_writes_vietnamese_dates_as_the_server_does(browser, site):
    site.store.accounts.set_language("ada", "vi")
    closes = clock.end_of(date(2031, 1, 1))
    site.store.lifecycle.set_limits("health", Limits(closes=closes))
    context = browser.new_context(timezone_id="Asia/Ho_Chi_Minh", locale="en-US")
    page = context.new_page()
    sign_in(page, site.url)
    page.goto(f"{site.url}/admin/surveys/health")
    written = date_in(Words("vi"), date(2031, 1, 2))
    assert written == "2 tháng 1 năm 2031"
    expect(page.locator("[data-end-of]")).to_contain_text(written)
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("zone", "moment"), [("Asia/Ho_Chi_Minh", "January 2, 2031 at 7:00 AM GMT+7"), ("UTC", "")]
)
def test_the_last_day_ends_at_a_moment_of_the_researchers_time_zone(browser, site, zone, moment):
    closes = clock.end_of(date(2031, 1, 1))
    site.store.lifecycle.set_limits("health", Limits(closes=closes))
    context = browser.new_context(timezone_id=zone, locale="en-US")
    page = context.new_page()
    sign_in(page, site.url)
    page.goto(f"{site.url}/admin/surveys/health")
    shown = f"In your time zone: {moment}." if moment else ""
    expect(page.locator("[data-end-of]")).to_have_text(shown)
    page.locator("#closing summary").click()
    page.get_by_label("Last day").fill("2030-06-01")
    below = page.locator("#last_day-here")
    expect(below).to_have_text(shown.replace("January 2, 2031", "June 2, 2030"))
    page.get_by_label("Last day").fill("")
    expect(below).to_be_hidden()
    context.close()
