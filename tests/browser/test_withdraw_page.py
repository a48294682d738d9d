"""The page for withdrawing: by typing, by keyboard, on bad networks."""

import json
import random
import re
from hashlib import sha256

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from survey.definition.responses.parse_response import Response
from tests.browser.looks import looks, sound
from tests.support.definitions import definition, opened
from tests.support.servers import Live

PATH = "/s/health/withdraw"
SECRET = random.Random(1).randbytes(16).hex()
OTHER = random.Random(2).randbytes(16).hex()
DONE = "Done. What you sent is deleted"
UNKNOWN = "No response to this survey has this receipt. Compare what you typed"
FAILED = "Failed to load resource"


@pytest.fixture
def survey(live: Live, page: Page) -> Live:
    """An open survey with one response that can be withdrawn."""
    opened(live.store, definition(receipts=True, title="Health at work"))
    identity = sha256(bytes.fromhex(SECRET)).digest()[:16]
    live.store.responses.add_response("health", Response(identity, (1,)))
    return live


def counted(live: Live) -> int:
    return sum(live.store.counts.by_question("health").get("smokes", {}).values())


def visit(page: Page, live: Live, receipt: str = "") -> None:
    """The page, with this typed into it."""
    page.goto(live.url + PATH)
    field(page).fill(receipt)


def field(page: Page):
    return page.get_by_label("Your receipt")


def press(page: Page) -> None:
    page.get_by_role("button", name="Withdraw what I sent").click()


def test_a_receipt_in_the_address_is_not_read(survey, page):
    """Browsers keep addresses, so people must not get used to such links."""
    page.goto(f"{survey.url}{PATH}#{SECRET}")
    expect(field(page)).to_be_visible()
    expect(field(page)).to_have_value("")


def test_what_was_typed_is_gone_when_it_is_of_no_more_use(survey, page):
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    visit(page, survey, SECRET)
    assert counted(survey) == 1  # typing it withdraws nothing
    press(page)
    expect(page.locator("#outcome")).to_contain_text(DONE)
    expect(page.locator("#outcome")).to_be_focused()
    expect(field(page)).to_be_hidden()
    assert field(page).input_value() == ""
    assert counted(survey) == 0
    assert not any(SECRET in url for url in urls)
    page.reload()
    expect(field(page)).to_have_value("")


@pytest.mark.slow
@pytest.mark.parametrize(
    "typed",
    [
        SECRET,
        SECRET.upper(),
        f"  {SECRET[:8]} {SECRET[8:16]}-{SECRET[16:24]}\u00a0{SECRET[24:]} ",
    ],
)
def test_by_keyboard_alone_typed_as_people_type(survey, page, typed):
    visit(page, survey)
    for _ in range(6):
        page.keyboard.press("Tab")
        if field(page).evaluate("field => field === document.activeElement"):
            break
    page.keyboard.type(typed)
    page.keyboard.press("Enter")
    expect(page.locator("#outcome")).to_contain_text(DONE)
    assert counted(survey) == 0


@pytest.mark.slow
def test_a_second_try_says_that_there_is_nothing(survey, page):
    page.expected_problems.append(FAILED)
    visit(page, survey, SECRET)
    press(page)
    expect(page.locator("#outcome")).to_contain_text(DONE)
    visit(page, survey, SECRET)
    press(page)
    expect(page.locator("#outcome")).to_contain_text(UNKNOWN)
    expect(field(page)).to_be_visible()
    assert counted(survey) == 0


@pytest.mark.plain
def test_another_receipt_withdraws_nobody_elses(survey, page):
    page.expected_problems.append(FAILED)
    visit(page, survey, OTHER)
    press(page)
    expect(page.locator("#outcome")).to_contain_text(UNKNOWN)
    assert counted(survey) == 1


@pytest.mark.slow
def test_what_is_no_receipt_is_refused_beside_the_field_and_sent_nowhere(survey, page):
    posts: list[str] = []
    page.on("request", lambda r: posts.append(r.url) if r.method == "POST" else None)
    visit(page, survey)
    for wrong in ("", "not-a-receipt", SECRET[:-1], SECRET + "0", "g" * 32, "<b>"):
        field(page).fill(wrong)
        expect(page.locator("#fault")).to_be_hidden()
        press(page)
        expect(page.locator("#fault")).to_be_visible()
        assert page.locator("#fault").bounding_box()["y"] < field(page).bounding_box()["y"]
        expect(field(page)).to_be_focused()
        expect(field(page)).to_have_attribute("aria-invalid", "true")
        described = field(page).get_attribute("aria-describedby")
        assert "fault" in described.split()
    assert posts == []
    field(page).fill(SECRET)
    expect(field(page)).not_to_have_attribute("aria-invalid", "true")
    press(page)
    expect(page.locator("#outcome")).to_contain_text(DONE)


def lose_the_reply(route: Route) -> None:
    route.fetch()
    route.abort("connectionreset")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failure", "words", "then"),
    [
        (
            lambda route: route.abort("connectionrefused"),
            "There is no connection to the server.",
            DONE,
        ),
        (lambda route: route.fulfill(status=503), "There is no connection to the server.", DONE),
        (lambda route: route.fulfill(status=403), "did not accept this", DONE),
        (
            lose_the_reply,
            "There is no connection to the server.",
            UNKNOWN,
        ),  # it was withdrawn before
    ],
    ids=["no connection", "503", "403", "reply lost"],
)
def test_after_a_failure_it_says_so_and_can_be_tried_again(survey, page, failure, words, then):
    page.expected_problems.append(FAILED)
    page.route("**/withdrawals", failure, times=1)
    visit(page, survey, SECRET)
    press(page)
    expect(page.locator("#outcome")).to_contain_text(words)
    expect(field(page)).to_have_value(SECRET)
    press(page)
    expect(page.locator("#outcome")).to_contain_text(then)
    assert counted(survey) == 0


def test_presses_faster_than_the_network_send_once(survey, page):
    posts: list[str] = []
    page.on("request", lambda r: posts.append(r.url) if r.method == "POST" else None)
    visit(page, survey, SECRET)
    page.evaluate(
        "for (let i = 0; i < 20; i += 1) document.querySelector('#withdraw').requestSubmit()"
    )
    expect(page.locator("#outcome")).to_contain_text(DONE)
    assert len(posts) == 1


def test_it_sends_the_receipt_in_a_body_and_nothing_else(survey, page):
    visit(page, survey, SECRET)
    with page.expect_request("**/withdrawals") as sending:
        press(page)
    request = sending.value
    assert json.loads(request.post_data or "") == {"receipt": SECRET}
    assert SECRET not in request.url
    assert "cookie" not in request.all_headers()
    assert "referer" not in request.all_headers()
    expect(page.locator("#outcome")).to_contain_text(DONE)
    assert page.evaluate("[sessionStorage.length, localStorage.length]") == [0, 0]
    assert page.context.cookies() == []


def test_a_closed_survey_can_be_withdrawn_from(survey, page):
    survey.store.lifecycle.set_state("health", "closed")
    visit(page, survey, SECRET)
    press(page)
    expect(page.locator("#outcome")).to_contain_text(DONE)


def test_it_says_what_is_removed_and_what_cannot_be(survey, page):
    visit(page, survey)
    text = page.locator("main").inner_text()
    assert "permanently delete everything that you sent to this survey" in text
    assert "does not undo what the people running this survey have already downloaded" in text
    assert "Your invitation stays used" not in text
    opened(survey.store, definition(slug="invited", receipts=True, invitations=True))
    page.goto(f"{survey.url}/s/invited/withdraw")
    expect(page.get_by_text("Your invitation stays used")).to_be_visible()


def test_without_javascript_it_says_so(survey, browser: Browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(survey.url + PATH)
    expect(page.locator("noscript .notice")).to_be_visible()
    assert "Withdrawing needs JavaScript" in page.locator("noscript").inner_text()
    assert page.get_by_role("textbox").count() == 0
    context.close()
    assert counted(survey) == 1


@pytest.mark.slow
@looks(320, 768, 1280)
def test_every_state_is_accessible_and_fits(survey, browser: Browser, width, scheme):
    context = browser.new_context(
        viewport={"width": width, "height": 700}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()

    def check() -> None:
        sound(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for control in page.locator("button:visible, input:visible").all():
            box = control.bounding_box()
            assert box is not None
            assert box["height"] >= 44
            assert box["width"] >= 44

    page.goto(survey.url + PATH)
    expect(field(page)).to_be_visible()
    check()
    press(page)
    expect(page.locator("#fault")).to_be_visible()
    check()
    field(page).fill(OTHER)
    press(page)
    expect(page.locator("#outcome")).to_contain_text(UNKNOWN)
    check()
    field(page).fill(SECRET)
    press(page)
    expect(page.locator("#outcome")).to_contain_text(DONE)
    check()
    context.close()


def test_the_page_depends_on_the_survey_and_the_language_alone(survey, app):
    client = app.test_client()
    pages = {
        client.get(PATH, headers=headers).data
        for headers in ({}, {"User-Agent": "another"}, {"Cookie": "a=b"}, {"Referer": "/x"})
    }
    assert len(pages) == 1
    scripts = re.findall(rb"<script ([^>]*)>", pages.pop())
    assert any(b"/static/respondent/withdraw.js" in each for each in scripts)
    assert all(b'integrity="sha384-' in each for each in scripts)


VIETNAMESE = {
    "title": "Sức khỏe",
    "questions": {"smokes": {"label": "Bạn có hút thuốc không?"}},
}


def test_another_language_keeps_what_was_typed_and_what_was_said(live, page):
    page.expected_problems.append(FAILED)
    opened(live.store, definition(receipts=True, translations={"vi": VIETNAMESE}))
    visit(page, live, OTHER)
    press(page)
    expect(page.locator("#outcome")).to_contain_text(UNKNOWN)
    page.get_by_role("link", name="Tiếng Việt").click()
    expect(page.locator("main strong")).to_have_text("Sức khỏe")
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    expect(page.locator("#receipt")).to_have_value(OTHER)
    # The sentence of the catalog, or the English one if it has no translation yet.
    said = page.locator("#outcome").get_attribute("data-unknown")
    expect(page.locator("#outcome")).to_have_text(said)
