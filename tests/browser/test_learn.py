"""The lessons in a real browser: by keyboard, at each width and colour, without scripts."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from survey.core.languages import LANGUAGES
from survey.learn.lessons import LESSONS
from tests.browser.looks import OF_WHAT_IS_SEEN, no_violations
from tests.support.lengths import SOAK, soak
from tests.support.servers import Live

# The list of lessons, both sheets of exercises, and each lesson.
ADDRESSES = ("", "exercises", "answers", *(lesson.address for lesson in LESSONS))
WIDTHS = (375, 1280)
WIDE = "() => document.documentElement.scrollWidth > innerWidth"


@pytest.mark.slow
@soak
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_lesson_is_accessible_and_no_wider_than_the_window(page, live, language):
    """In the suite, axe checks a narrow page only for what depends on colours and positions."""
    for address in ADDRESSES:
        page.goto(f"{live.url}/learn/{address}?language={language}")
        for fold in page.locator("details.fold").all():
            fold.evaluate("fold => { fold.open = true; }")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert not page.evaluate(WIDE), (address, width)
            rules = OF_WHAT_IS_SEEN if width == WIDTHS[0] and not SOAK else ()
            no_violations(page, f"{address} in {language} at {width}", rules)


@pytest.mark.plain
def test_the_keyboard_moves_a_slider_and_the_numbers_follow(page: Page, live: Live):
    page.goto(f"{live.url}/learn/two-coins")
    expect(page.locator("#said")).to_contain_text("The true share is 5.0")
    page.get_by_role("slider", name="True share of Yes").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#said")).to_contain_text("The true share is 7.0")
    expect(page.locator("output")).to_have_text("7\u00a0%")
    page.wait_for_function("() => location.search.includes('share=7')")
    # The link to the notebook and those to other languages keep the value.
    assert "share=7" in page.locator("#notebook").get_attribute("href")
    page.reload()
    expect(page.locator("#said")).to_contain_text("The true share is 7.0")


def test_another_draw_has_other_numbers_and_an_address_of_its_own(page: Page, live: Live):
    page.goto(f"{live.url}/learn/two-coins")
    before = page.locator("#said").inner_text()
    page.get_by_role("button", name="Draw again").click()
    expect(page.locator("#said")).not_to_have_text(before)
    page.wait_for_function("() => location.search.includes('draw=2')")
    assert "again" not in parse_qs(urlsplit(page.url).query)
    drawn = page.locator("#said").inner_text()
    page.reload()
    expect(page.locator("#said")).to_have_text(drawn)


def test_a_published_mean_is_typed_and_a_new_draw_empties_the_field(page: Page, live: Live):
    page.goto(f"{live.url}/learn/curator")
    field = page.get_by_role("textbox", name="Published mean")
    field.fill("63")
    expect(page.locator("#said")).to_contain_text("1.005 times as likely with 40 kg")
    page.wait_for_function("() => location.search.includes('published=63')")
    page.get_by_role("button", name="Draw again").click()
    expect(page.locator("#said")).to_contain_text("With noise, the curator publishes")
    expect(field).to_have_value("")


def test_the_set_s_moves_by_keyboard(page: Page, live: Live):
    page.goto(f"{live.url}/learn/definition")
    page.get_by_role("slider", name="S: first count").press("ArrowRight")
    expect(page.locator("#said")).to_contain_text("S: 101 to 102.")
    page.get_by_role("slider", name="S: last count").press("End")
    expect(page.locator("#said")).to_contain_text("S: 101 or more.")


def test_an_answer_is_checked_without_leaving_the_page(page: Page, live: Live):
    page.goto(f"{live.url}/learn/two-coins")
    field = page.get_by_label(re.compile("10 % of people|10\u00a0% of people"))
    field.fill("75")
    field.press("Enter")
    expect(page.locator("#reply-posterior")).to_contain_text("Not yet.")
    field.fill("25")
    field.press("Enter")
    expect(page.locator("#reply-posterior")).to_contain_text("Right:")
    expect(field).to_be_focused()


def test_a_failed_request_says_so_and_keeps_the_numbers(page: Page, live: Live):
    page.goto(f"{live.url}/learn/two-coins")
    page.expected_problems += ["Failed to load resource"]
    figures = page.locator("dl.figures").inner_text()
    page.route("**/learn/two-coins?*", lambda route: route.abort())
    page.get_by_role("button", name="Draw again").click()
    expect(page.locator("#said")).to_contain_text("Candor could not calculate the numbers.")
    assert page.locator("dl.figures").inner_text() == figures


def test_it_works_without_scripts(live: Live, browser: Browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live.url}/learn/gamma?language=en")
    page.get_by_label("People who answer").select_option("100")
    page.get_by_role("button", name="Update").click()
    assert parse_qs(urlsplit(page.url).query)["n"] == ["100"]
    page.get_by_role("button", name="Draw again").click()
    assert parse_qs(urlsplit(page.url).query)["again"] == ["1"]
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("address", ["exercises", "answers"])
def test_a_sheet_prints_on_a4_without_links_and_cuts_no_exercise(page: Page, live: Live, address):
    page.goto(f"{live.url}/learn/{address}?language=th")
    page.emulate_media(media="print")
    # The width of A4 with margins of 15 mm.
    page.set_viewport_size({"width": 680, "height": 1_000})
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    expect(page.locator(".bar:visible, .errands:visible, .screen:visible")).to_have_count(0)
    expect(page.locator(".sheet li:visible")).to_have_count(sum(len(x.exercises) for x in LESSONS))
    rules = "items => items.map(each => getComputedStyle(each).breakInside)"
    assert set(page.locator(".sheet li").evaluate_all(rules)) == {"avoid"}
    pdf = page.pdf(prefer_css_page_size=True)
    sizes = {tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox \[([^\]]*)\]", pdf)}
    assert {(round(width), round(height)) for _, _, width, height in sizes} == {(595, 842)}
