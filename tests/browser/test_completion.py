"""The completion link and code of a panel: shown after sending, with parameters of the address.

The other site belongs to the test.
"""

import json
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.browser.looks import no_violations
from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import answer, begin, send
from tests.support.servers import Live

LINK = "https://panel.example/done?cc=C1&id={PROLIFIC_PID}&s={SESSION}"
CONTENT = definition(yes_no(), completion_link=LINK, completion_code="C1-ABC", receipts=True)
ID = "participant-5f2c"


@pytest.fixture
def survey(live: Live, page: Page) -> Page:
    opened(live.store, CONTENT)
    page.context.route(
        "https://panel.example/**",
        lambda route: route.fulfill(body="<!doctype html>Done.", content_type="text/html"),
    )
    return page


def visit(page: Page, live: Live, fragment: str = f"#PROLIFIC_PID={ID}&SESSION=1") -> None:
    page.goto(f"{live.url}/s/health{fragment}")
    page.locator("#start:visible").wait_for()


def finish(page: Page) -> None:
    answer(page, "Yes")
    send(page)


@pytest.mark.plain
def test_after_sending_it_leads_to_the_panel_and_nothing_else_learns_the_parameters(survey, live):
    """They are in no request to the server, in no storage and in no referrer."""
    sent: list[Request] = []
    survey.context.on("request", lambda request: sent.append(request))
    visit(survey, live)
    begin(survey)
    expect(survey.locator("#completion")).to_be_hidden()
    finish(survey)
    expect(survey.locator("#completion")).to_be_visible()
    expect(survey.locator("#completion code")).to_have_text("C1-ABC")
    kept = survey.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }])")
    assert ID not in kept
    with survey.context.expect_page() as opening:
        survey.get_by_role("link", name="Confirm", exact=True).click()
    there = opening.value
    assert there.url == f"https://panel.example/done?cc=C1&id={ID}&s=1"
    assert there.evaluate("[opener, document.referrer]") == [None, ""]
    # The page with the receipt is still there.
    assert len(survey.locator("#code").inner_text()) == 39
    own = [request for request in sent if request.url.startswith(live.url)]
    assert any(request.method == "POST" for request in own)
    for request in own:
        assert ID not in request.url.partition("#")[0]
        assert ID not in (request.post_data or "") + json.dumps(request.all_headers())


@pytest.mark.parametrize(
    ("fragment", "ends"),
    [
        ("", "&id=&s="),
        ("#kiosk-not", "&id=&s="),
        ("#SESSION=2", "&id=&s=2"),
        ("#PROLIFIC_PID=a&PROLIFIC_PID=b", "&id=a&s="),
        ("#PROLIFIC_PID=" + quote("//evil.example/@\\#?x=<b>&{SESSION}", safe=""),
         "&id=" + quote("//evil.example/@\\#?x=<b>&{SESSION}", safe="") + "&s="),
    ],
    ids=["none", "others", "one", "twice", "hostile"],
)  # fmt: skip
def test_each_value_is_encoded_and_a_missing_one_is_empty(survey, live, fragment, ends):
    visit(survey, live, fragment)
    href = survey.locator("#complete").get_attribute("href")
    assert href == f"https://panel.example/done?cc=C1{ends}"


def test_it_is_there_after_a_reload_and_in_another_language(live, survey):
    content = CONTENT | {
        "slug": "two",
        "translations": {"vi": {"title": "Sức khỏe", "questions": {"smokes": {"label": "Hút?"}}}},
    }
    opened(live.store, content)
    survey.goto(f"{live.url}/s/two#PROLIFIC_PID={ID}")
    finish(survey)
    complete = survey.locator("#complete")
    survey.get_by_role("link", name="Tiếng Việt").click()
    expect(survey.locator("html")).to_have_attribute("lang", "vi")
    expect(complete).to_have_attribute("href", LINK.split("{")[0] + f"{ID}&s=")
    survey.reload()
    survey.locator("#done:visible").wait_for()
    expect(complete).to_be_visible()
    expect(complete).to_have_attribute("href", LINK.split("{")[0] + f"{ID}&s=")


@pytest.mark.parametrize("status", [410, 422])
def test_without_an_acknowledgement_it_is_not_shown(survey, live, status):
    survey.expected_problems.append("Failed to load resource")
    survey.route("**/responses", lambda route: route.fulfill(status=status))
    visit(survey, live)
    answer(survey, "Yes")
    survey.get_by_role("button", name="Check my answers").click()
    survey.get_by_role("button", name="Mix up and send").click()
    survey.locator("#rejected:visible").wait_for()
    expect(survey.locator("#completion")).to_be_hidden()


def test_while_it_is_not_sent_it_is_not_shown(survey, live):
    survey.expected_problems += ["Failed to load resource", "net::"]
    survey.route("**/responses", lambda route: route.abort())
    visit(survey, live)
    answer(survey, "Yes")
    survey.get_by_role("button", name="Check my answers").click()
    survey.get_by_role("button", name="Mix up and send").click()
    survey.get_by_text("Keep this tab open.").wait_for()
    expect(survey.locator("#completion")).to_be_hidden()


def test_a_survey_without_one_has_no_trace_of_it(live, page):
    opened(live.store, definition())
    page.goto(f"{live.url}/s/health#PROLIFIC_PID={ID}")
    finish(page)
    assert "completion" not in page.content()


def test_on_paper_it_has_no_parameters(live, browser: Browser):
    """No script runs there."""
    opened(live.store, CONTENT | {"by_hand": True})
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live.url}/s/health/by-hand#PROLIFIC_PID={ID}")
    expect(page.locator("#completion")).to_have_count(0)
    page.locator(".choice").get_by_text("Yes", exact=True).click()
    page.get_by_role("button", name="Send").click()
    complete = page.get_by_role("link", name="Confirm", exact=True)
    expect(complete).to_have_attribute("href", "https://panel.example/done?cc=C1&id=&s=")
    expect(page.locator("#completion code")).to_have_text("C1-ABC")
    context.close()


@pytest.mark.slow
def test_axe_finds_nothing(survey, live):
    visit(survey, live)
    finish(survey)
    survey.set_viewport_size({"width": 320, "height": 600})
    no_violations(survey)
    box = survey.locator("#complete").bounding_box()
    assert box["height"] >= 44
