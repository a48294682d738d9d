"""The respondent's page: with a keyboard, on bad networks, in every state."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256

import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route, expect

from app import create_app
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.parse_response import MAX_BODY_BYTES
from survey.server.http.static_files import SURVEY_SCRIPT, static_files
from survey.server.settings import Settings
from survey.store import Store
from survey.web.rendering import respondent_page
from tests.browser.looks import SCHEMES, no_violations
from tests.support.definitions import definition, opened, yes_no
from tests.support.project import ROOT
from tests.support.respondent_page import FAILURES, FAST, answer, begin, lose_the_reply, send, start
from tests.support.servers import Live

PARTY = {
    "name": "party",
    "type": "select_one",
    "label": "Which party?",
    "choices": [{"name": n.lower(), "label": n} for n in ("Alder", "Birch", "Cedar")],
    "privacy": {"mechanism": "coin_flip"},
}
REGION = {
    "name": "region",
    "type": "select_one",
    "label": "Where do you live?",
    "choices": [{"name": "north", "label": "North"}, {"name": "south", "label": "South"}],
    "privacy": "none",
}
HEALTH = definition(yes_no(), PARTY, REGION, introduction="A few *words* before.")
PAGE = "/s/health"
SELF_TEST = 1
# Two private questions and the id.
DRAWS = SELF_TEST + 2 + 1
FAILED = "Failed to load resource"


@pytest.fixture
def survey(live: Live, page: Page) -> FrozenSurvey:
    """An open survey of two private questions and a non-private one, on the screen."""
    frozen = opened(live.store, HEALTH)
    page.add_init_script(FAST)
    page.goto(live.url + PAGE)
    return frozen


@pytest.fixture
def posted(page: Page) -> list[bytes]:
    """The body of each POST, in order."""
    bodies: list[bytes] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            assert request.post_data_buffer is not None
            bodies.append(request.post_data_buffer)

    page.on("request", note)
    return bodies


def button(page: Page, name: str):
    return page.get_by_role("button", name=name)


def heading(page: Page, name: str):
    return page.get_by_role("heading", name=name)


def to_review(page: Page) -> None:
    answer(page, "Yes", "Birch", "South")
    button(page, "Check my answers").click()
    heading(page, "Check your answers").wait_for()


def away(page: Page) -> None:
    """From the end, go Back away from the page, then forward to it again."""
    page.go_back()
    page.go_forward()


def counted(live: Live) -> int:
    return sum(live.store.counts.by_question("health").get("smokes", {}).values())


# With a keyboard.


@pytest.mark.plain
def test_the_keyboard_alone_answers_and_sends(survey, page, posted, live):
    """Tab to a question, arrows or Space within it, Enter on the buttons."""
    focus = page.locator(":focus")
    button(page, "I agree: start").focus()
    page.keyboard.press("Enter")
    presses = 0
    while focus.count() == 0 or focus.get_attribute("type") != "radio":
        page.keyboard.press("Tab")
        presses += 1
        assert presses < 10
    page.keyboard.press("Space")
    expect(page.get_by_label("Yes", exact=True)).to_be_checked()

    def tab_to(css: str) -> None:
        for _ in range(6):
            page.keyboard.press("Tab")
            if focus.and_(page.locator(css)).count():
                return
        raise AssertionError(f"{css} is not reached with Tab")

    tab_to("[data-question=party] input")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Birch", exact=True)).to_be_checked()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label("Cedar", exact=True)).to_be_focused()
    expect(page.get_by_label("Cedar", exact=True)).to_be_checked()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Alder", exact=True)).to_be_checked()
    page.keyboard.press("ArrowLeft")
    tab_to("[data-question=region] input")
    page.keyboard.press("Space")
    assert page.locator(":checked").count() == 3
    tab_to("button[type=submit]")
    page.keyboard.press("Enter")
    expect(heading(page, "Check your answers")).to_be_focused()
    assert page.locator("#chosen dd:not(.change)").all_text_contents() == ["Yes", "Cedar", "North"]
    tab_to("#send")
    expect(button(page, "Mix up and send")).to_be_focused()
    page.keyboard.press("Enter")
    expect(heading(page, "Sent. Thank you.")).to_be_focused()
    assert len(posted) == counted(live) == 1


def test_focus_is_visible_on_choices_and_buttons(survey, page):
    """There is an outline at the keyboard focus."""
    begin(page)
    for css in ("[data-question=smokes] input", "button[type=submit]"):
        page.locator(css).first.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"


def test_enter_on_a_choice_checks_the_answers_and_sends_nothing(survey, page, posted):
    answer(page, "Yes", "Birch", "South")
    page.get_by_label("South", exact=True).press("Enter")
    expect(heading(page, "Check your answers")).to_be_focused()
    assert posted == []


# Questions and review.


def test_an_open_question_is_named_and_gets_the_focus(survey, page, posted):
    begin(page)
    page.get_by_label("Yes", exact=True).check()
    page.get_by_label("South", exact=True).check()
    button(page, "Check my answers").click()
    party = page.locator("[data-question=party]")
    expect(party.get_by_text("Choose an answer to continue.")).to_be_visible()
    expect(party).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Alder", exact=True)).to_be_focused()
    expect(page.locator("[data-question=smokes] .error")).to_be_hidden()
    page.get_by_label("Birch", exact=True).check()
    expect(party.locator(".error")).to_be_hidden()
    assert posted == []


@pytest.mark.slow
@pytest.mark.parametrize("back", [lambda page: button(page, "Back").click(), Page.go_back])
def test_the_review_leads_back_to_the_choices_as_they_were(survey, page, posted, live, back):
    to_review(page)
    labels = ["Do you smoke?", "Which party?", "Where do you live?"]
    assert page.locator("#chosen dt .label").all_text_contents() == labels
    assert page.locator("#chosen dd:not(.change)").all_text_contents() == ["Yes", "Birch", "South"]
    back(page)
    button(page, "Check my answers").wait_for()
    for label in ("Yes", "Birch", "South"):
        expect(page.get_by_label(label, exact=True)).to_be_checked()
    page.get_by_label("Cedar", exact=True).check()
    assert page.locator(":checked").count() == 3
    button(page, "Check my answers").click()
    assert page.locator("#chosen dd:not(.change)").all_text_contents() == ["Yes", "Cedar", "South"]
    button(page, "Mix up and send").click()
    heading(page, "Sent. Thank you.").wait_for()
    assert len(posted) == counted(live) == 1


@pytest.mark.plain
def test_a_double_click_sends_once(survey, page, posted, live):
    to_review(page)
    button(page, "Mix up and send").dblclick()
    heading(page, "Sent. Thank you.").wait_for()
    assert page.evaluate("draws") == DRAWS
    assert len(posted) == counted(live) == 1


def test_presses_faster_than_the_page_send_once(survey, page, posted, live):
    """Twenty clicks before the page can show anything."""
    to_review(page)
    page.evaluate("for (let i = 0; i < 20; i += 1) document.querySelector('#send').click()")
    heading(page, "Sent. Thank you.").wait_for()
    expect(page.locator("#refused")).to_be_hidden()
    assert page.evaluate("draws") == DRAWS
    assert len(posted) == counted(live) == 1


# Sending on bad networks.


@pytest.mark.slow
@pytest.mark.parametrize("failure", FAILURES)
def test_after_a_failure_the_same_bytes_are_sent_again(survey, page, posted, live, failure):
    """It fails twice, then succeeds: three equal bodies, counted once."""
    page.expected_problems.append(FAILED)
    page.route("**/responses", FAILURES[failure], times=2)
    to_review(page)
    button(page, "Mix up and send").click()
    heading(page, "Sent. Thank you.").wait_for()
    assert len(posted) == 3
    assert len(set(posted)) == 1
    assert page.evaluate("draws") == DRAWS
    # The first wait is for the answer whether the survey is open.
    assert page.evaluate("asked") == [4_000, 20_000, 1_000, 20_000, 2_000, 20_000]
    assert counted(live) == 1


@pytest.mark.slow
def test_many_failures_reloads_and_presses_send_one_response(survey, page, posted, live):
    """Whatever fails and is clicked, nobody sees two draws of one answer."""
    page.expected_problems += [FAILED, "net::"]
    failures = list(FAILURES.values())

    def fail(route: Route) -> None:
        failures[len(posted) % len(failures)](route)

    page.route("**/responses", fail)
    to_review(page)
    button(page, "Mix up and send").click()
    stuck = page.get_by_text("Not sent yet.")
    for step in range(10):
        stuck.wait_for()
        for go in (
            lambda: button(page, "Try again now").click(),
            page.reload,
            lambda: (page.evaluate("history.pushState(null, '')"), page.go_back()),
        )[: 1 + step % 3]:
            go()
            heading(page, "Sending").wait_for()
        assert page.locator(":checked").count() == 0
        assert page.locator("#chosen").text_content() == ""
        if button(page, "Try again now").is_visible():
            button(page, "Try again now").click()
    assert len(posted) >= 40
    assert len(set(posted)) == 1
    page.unroute("**/responses")
    page.reload()
    heading(page, "Sent. Thank you.").wait_for()
    assert page.evaluate("draws") == SELF_TEST
    assert len(set(posted)) == 1
    assert counted(live) == 1


@pytest.mark.slow
def test_when_it_stays_stuck_the_page_says_so_and_goes_on(survey, page, posted, live):
    """Five attempts with increasing pauses, then one every half minute until one succeeds.

    A press, a visible page and a connection each cause an attempt at once. Nobody draws again.
    """
    page.expected_problems.append(FAILED)
    page.route("**/responses", FAILURES["503"])
    to_review(page)
    button(page, "Mix up and send").click()
    page.get_by_text("Not sent yet.").wait_for()
    waits = page.evaluate("asked")[1:]
    assert [time for time in waits if time != 20_000] == [1e3, 2e3, 4e3, 8e3, 30e3]
    assert len(posted) == 5
    expect(page.get_by_text("tried again by itself every half minute")).to_be_visible()
    # The attempts that nobody asks for are silent, so that a screen reader does not read each one.
    said = page.evaluate_handle(
        """() => {
          const said = [];
          new MutationObserver(() => said.push(document.getElementById('progress').textContent))
            .observe(document.getElementById('progress'), { childList: true });
          return said;
        }"""
    )
    page.wait_for_function("() => asked.filter((time) => time === 30_000).length === 4")
    assert said.json_value() == []
    button(page, "Try again now").click()
    page.wait_for_function("(said) => said.length >= 2", arg=said)
    assert said.json_value()[0] == "Trying…"
    expect(button(page, "Try again now")).to_be_focused()
    page.unroute("**/responses")
    heading(page, "Sent. Thank you.").wait_for()
    assert (len(set(posted)), counted(live)) == (1, 1)


@pytest.mark.parametrize(
    "event",
    [
        "window.dispatchEvent(new Event('online'))",
        "document.dispatchEvent(new Event('visibilitychange'))",
    ],
)
def test_an_attempt_follows_at_once_when_the_page_is_seen_or_online_again(
    live, page, posted, event
):
    """The waits are as long as they are, so nothing is sent within this test without the event."""
    page.expected_problems.append(FAILED)
    page.route("**/responses", FAILURES["503"])
    opened(live.store, HEALTH)
    page.goto(live.url + PAGE)
    page.evaluate("globalThis.setTimeout = () => 0")
    to_review(page)
    button(page, "Mix up and send").click()
    page.get_by_text("No connection yet.").wait_for()
    page.unroute("**/responses")
    page.evaluate(event)
    heading(page, "Sent. Thank you.").wait_for()
    assert (len(posted), len(set(posted)), counted(live)) == (2, 1, 1)


def test_after_leaving_nothing_more_is_tried(live, page, posted):
    page.expected_problems += [FAILED, "net::"]
    page.add_init_script(FAST)
    page.route("**/responses", FAILURES["503"])
    opened(live.store, HEALTH | {"exit": "https://weather.example/"})
    # The other site never answers, so the page stays, hidden.
    page.route("https://weather.example/", lambda route: None)
    page.goto(live.url + PAGE)
    to_review(page)
    button(page, "Mix up and send").click()
    page.get_by_text("Not sent yet.").wait_for()
    page.evaluate("document.getElementById('leave').click()")
    before = len(posted)
    page.wait_for_timeout(1_000)
    assert len(posted) <= before + 1


REJECTIONS = [
    (410, "This survey closed while this page was open."),
    (409, "This survey changed while this page was open."),
    (400, "The server did not accept what was sent."),
    (422, "The server did not accept what was sent."),
]


@pytest.mark.slow
@pytest.mark.parametrize(("status", "text"), REJECTIONS)
def test_a_refusal_is_explained_and_final(survey, page, posted, status, text):
    """It is not sent or drawn again, even after a reload or Back."""
    page.expected_problems.append(FAILED)
    page.route("**/responses", lambda route: route.fulfill(status=status))
    to_review(page)
    button(page, "Mix up and send").click()
    for go, draws in ((lambda _: None, DRAWS), (Page.reload, SELF_TEST), (away, SELF_TEST)):
        go(page)
        expect(page.locator("#rejected")).to_contain_text(text)
        expect(page.locator("[data-status]:visible")).to_have_count(1)
        expect(page.locator("section:visible")).to_have_count(1)
        assert page.evaluate("draws") == draws
    assert len(posted) == 1
    assert page.locator(":checked").count() == 0


@pytest.mark.slow
def test_a_survey_closed_meanwhile_records_nothing(survey, page, live):
    """The same with the real server."""
    page.expected_problems.append(FAILED)
    to_review(page)
    live.store.lifecycle.set_state("health", "closed")
    button(page, "Mix up and send").click()
    expect(page.locator("#rejected")).to_contain_text(
        "This survey closed while this page was open."
    )
    assert counted(live) == 0


def test_a_reply_lost_before_the_survey_closed_is_no_refusal(survey, page, posted, live):
    """The recorded response is confirmed, although the survey accepts no new ones."""
    page.expected_problems.append(FAILED)

    def close_after(route: Route) -> None:
        lose_the_reply(route)
        live.store.lifecycle.set_state("health", "closed")

    page.route("**/responses", close_after, times=1)
    to_review(page)
    button(page, "Mix up and send").click()
    heading(page, "Sent. Thank you.").wait_for()
    assert (len(posted), counted(live)) == (2, 1)


# After sending.


def test_after_sending_nothing_is_drawn_or_sent_again(survey, page, posted, live):
    """Reload, Back, Forward and the link again show the end, without the answers."""
    to_review(page)
    button(page, "Mix up and send").click()
    heading(page, "Sent. Thank you.").wait_for()
    assert page.evaluate("draws") == DRAWS
    for go in (Page.reload, away, lambda page: page.goto(live.url + PAGE)):
        go(page)
        heading(page, "Sent. Thank you.").wait_for()
        assert page.evaluate("draws") <= DRAWS
        assert page.locator(":checked").count() == 0
        assert page.locator("#chosen").text_content() == ""
        assert page.locator("section:visible").count() == 1
    assert page.evaluate("draws") == SELF_TEST
    assert len(posted) == counted(live) == 1


@pytest.mark.slow
def test_what_left_the_device_is_shown_to_the_letter(survey, page, posted):
    """The labels of the reports, and the bytes of the request."""
    to_review(page)
    button(page, "Mix up and send").click()
    heading(page, "Sent. Thank you.").wait_for()
    page.get_by_text("What left this device").click()
    [body] = posted
    reports = json.loads(body)["reports"]
    questions = survey.survey.questions
    labels = [question.choices[int(reports[question.name])].label for question in questions]
    assert page.locator("#left dd").all_inner_texts() == labels
    assert page.locator("#bytes").inner_text().encode() == body


@pytest.mark.slow
def test_another_tab_is_another_respondent(survey, page, posted, live):
    """A tab's data stay in it: two people can use one device one after the other."""
    answer(page, "Yes", "Birch", "South")
    send(page)
    other = page.context.new_page()
    other.goto(live.url + PAGE)
    answer(other, "No", "Cedar", "North")
    send(other)
    assert counted(live) == 2


# Nothing is sent.


@pytest.mark.plain
def test_a_preview_sends_nothing(app: Flask, live: Live, page: Page):
    """It continues to the end, and says that nothing was sent."""
    frozen = opened(live.store, HEALTH)
    with app.test_request_context():
        html = respondent_page(frozen, "en", preview=True)
    page.route(
        f"**{PAGE}", lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8")
    )
    page.goto(live.url + PAGE)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.resource_type))
    to_review(page)
    button(page, "Mix up and send").click()
    heading(page, "Preview: nothing was sent.").wait_for()
    assert [kind for kind in requests if kind != "other"] == []
    assert page.evaluate("sessionStorage.length") == 0
    assert counted(live) == 0


@pytest.mark.parametrize("control", ["input", "button"])
def test_without_javascript_the_page_says_so_and_sends_nothing(browser, live, control):
    """This holds even if somebody shows the form, chooses and presses Enter."""
    opened(live.store, HEALTH)
    requests: list[tuple[str, str]] = []
    context = browser.new_context(java_script_enabled=False)
    context.on("request", lambda r: requests.append((r.method, r.url.removeprefix(live.url))))
    page = context.new_page()
    page.goto(live.url + PAGE)
    expect(page.locator("noscript .notice")).to_be_visible()
    assert "Without it, this page cannot send anything." in page.locator("noscript").inner_text()
    assert page.locator("input:visible, button:visible").count() == 0
    page.keyboard.press("Enter")
    page.evaluate("document.querySelector('#asking').hidden = false")
    page.locator("input").first.check()
    page.locator(control).first.focus()
    page.keyboard.press("Enter")
    # All earlier requests have arrived by then.
    context.new_page().goto(live.url + PAGE)
    assert page.url == live.url + PAGE
    context.close()
    allowed = {PAGE, "/static/style.css", "/static/icon.svg", f"/static/{SURVEY_SCRIPT}"}
    assert {method for method, _ in requests} == {"GET"}
    assert {path for _, path in requests} <= allowed
    assert [path for _, path in requests].count(PAGE) == 2


def test_no_input_has_a_name_and_the_form_goes_nowhere(survey, page):
    """Without a name, no form can send an answer.

    The form has no address either.
    """
    inputs = page.locator("input, select, textarea")
    assert inputs.count() == 7
    assert page.locator("input[name], input[value], input[id]").count() == 0
    assert page.locator("form").count() == 1
    assert page.locator("form[action], form[method], button[formaction]").count() == 0


# The page refuses.

NO_RANDOMNESS = {
    "getRandomValues missing": "delete Crypto.prototype.getRandomValues;",
    "getRandomValues throwing": (
        "Crypto.prototype.getRandomValues = () => { throw new Error('broken'); };"
    ),
    "crypto missing": "Object.defineProperty(globalThis, 'crypto', { value: undefined });",
}


def expect_refusal(page: Page) -> None:
    expect(page.get_by_text("This browser cannot protect your answers")).to_be_visible()
    expect(page.locator("section:visible")).to_have_count(0)
    assert page.locator("input:visible, button:visible").count() == 0


@pytest.mark.parametrize("broken", NO_RANDOMNESS)
def test_without_secure_randomness_the_page_refuses(live, page, posted, broken):
    opened(live.store, HEALTH)
    page.add_init_script(NO_RANDOMNESS[broken])
    page.goto(live.url + PAGE)
    expect_refusal(page)
    assert posted == []


@pytest.mark.slow
def test_randomness_that_breaks_later_sends_nothing(survey, page, posted):
    """It works at the start, and fails at the click on the button."""
    to_review(page)
    page.evaluate(f"() => {{ {NO_RANDOMNESS['getRandomValues throwing']} }}")
    button(page, "Mix up and send").click()
    expect_refusal(page)
    assert page.locator(":checked").count() == 0
    assert posted == []


def change_table(document: dict, **changes: object) -> dict:
    document["tables"]["smokes"] |= changes
    return document


ALTERATIONS: dict[str, Callable[[dict], dict]] = {
    "a table that loses more than stated": lambda d: change_table(d, rows=[[5, 1], [1, 5]]),
    "a loss stated too low": lambda d: change_table(d, epsilon=1.0),
    "unequal totals": lambda d: change_table(d, rows=[[3, 1], [1, 2]]),
    "a zero": lambda d: change_table(d, rows=[[4, 0], [0, 4]]),
    "a sum stated too low": lambda d: d | {"epsilon": 1.0},
    "a private question without its table": lambda d: d | {"tables": {}},
}


@pytest.mark.slow
@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_a_page_that_would_protect_less_than_it_says_refuses(live, page, posted, alteration):
    """The numbers in the page are altered on its way. The texts stay."""
    opened(live.store, HEALTH)

    def alter(route: Route) -> None:
        response = route.fetch()
        before, document, after = re.split(
            r'(?<=id="frozen">)(.*)(?=</script>)', response.text(), maxsplit=1
        )
        changed = ALTERATIONS[alteration](json.loads(document))
        route.fulfill(response=response, body=before + json.dumps(changed) + after)

    page.route(f"**{PAGE}", alter)
    page.goto(live.url + PAGE)
    expect_refusal(page)
    assert posted == []


@pytest.mark.slow
def test_a_script_that_was_changed_on_the_way_does_not_run(live, page, posted):
    """The script has one byte more than the page's hash covers.

    The questions never appear. The page says that it did not load fully.
    """
    weight = {"name": "weight", "type": "number", "label": "Your weight?", "min": 30, "max": 150}
    opened(live.store, definition(yes_no(), weight | {"privacy": {"epsilon": 1}}))
    page.expected_problems += ["integrity", FAILED]
    script = static_files()[SURVEY_SCRIPT].content.decode() + " "
    page.route(
        f"**/static/{SURVEY_SCRIPT}",
        lambda route: route.fulfill(
            body=script,
            content_type="text/javascript",
            headers={"Access-Control-Allow-Origin": "*"},
        ),
    )
    page.goto(live.url + PAGE)
    expect(page.locator("section:visible")).to_have_count(0)
    # The sentence that something is missing appears after five seconds.
    expect(page.locator("#loading")).to_be_visible(timeout=30_000)
    assert page.locator("input:visible, button:visible").count() == 0
    assert posted == []


# The same page for everyone, with the same headers.


def test_the_page_is_the_same_to_the_byte_for_twenty_visitors(client: FlaskClient, store: Store):
    """It does not depend on the language, the place or the cookies of the request."""
    opened(store, HEALTH)
    served = set()
    for number in range(20):
        headers = {
            "User-Agent": f"Browser/{number}",
            "Accept-Language": ["en", "vi", "th", "zh", "de-CH;q=0.7"][number % 5],
            "Cookie": f"session={number}; theme=dark",
            "Referer": f"https://example.org/{number}",
            "X-Forwarded-For": f"192.0.2.{number}",
            "Accept": ["*/*", "text/html", "application/json"][number % 3],
        }
        reply = client.get(f"{PAGE}?from={number}", headers=headers)
        served.add((reply.status_code, sha256(reply.data).hexdigest(), str(reply.headers)))
    assert len(served) == 1


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "font-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; worker-src 'none'; manifest-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
SECURITY = {
    "Content-Security-Policy": POLICY,
    "Integrity-Policy": "blocked-destinations=(script)",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), clipboard-read=()",
}
OF_FILES = ("Cache-Control", "X-Content-Type-Options", "Cross-Origin-Resource-Policy")
HTML, JSON = "text/html; charset=utf-8", "application/json"
GETS = [
    ("/", 200, HTML),
    (PAGE, 200, HTML),
    ("/s/closed", 410, HTML),
    (f"{PAGE}.json", 200, JSON),
    ("/s/unknown", 404, HTML),
    ("/s/unknown.json", 404, JSON),
    ("/nowhere", 404, HTML),
    (f"{PAGE}/invited", 405, JSON),
    (f"{PAGE}/responses", 405, JSON),
    ("/static/respondent/survey.js", 200, "text/javascript; charset=utf-8"),
    ("/static/respondent/questions.js", 200, "text/javascript; charset=utf-8"),
    ("/static/respondent/randomizer.js", 200, "text/javascript; charset=utf-8"),
    ("/static/style.css", 200, "text/css; charset=utf-8"),
    ("/static/icon.svg", 200, "image/svg+xml; charset=utf-8"),
    ("/static/nothing.js", 404, HTML),
]


@pytest.fixture
def two_surveys(store: Store) -> FrozenSurvey:
    opened(store, HEALTH | {"slug": "closed"})
    store.lifecycle.set_state("closed", "closed")
    return opened(store, HEALTH)


def check_headers(reply, content_type: str) -> None:
    """Exactly the security headers, the content type and the length; nothing else."""
    headers = dict(reply.headers)
    length = headers.pop("Content-Length")
    assert length.isdigit()
    assert headers.pop("Content-Type") == content_type
    if reply.request.path.startswith("/static/") and reply.status_code == 200:
        assert headers == {name: SECURITY[name] for name in OF_FILES}
        return
    if reply.request.method == "GET" and reply.status_code == 200:
        assert headers.pop("Vary") == "Accept-Encoding"  # it may be compressed
    if reply.status_code == 405:
        assert "POST" in headers.pop("Allow")  # RFC 9110 wants it there
    assert headers == SECURITY
    assert len(reply.headers.getlist("Content-Security-Policy")) == 1


@pytest.mark.parametrize(("path", "status", "content_type"), GETS)
def test_each_reply_has_exactly_these_headers(client, two_surveys, path, status, content_type):
    """Content-Security-Policy and the rest, on pages, files and errors alike; no cookie."""
    with client.get(path, headers={"Cookie": "session=abc"}) as reply:
        assert reply.status_code == status
        check_headers(reply, content_type)


def body_of(frozen: FrozenSurvey, **changes: object) -> bytes:
    reports = {question.name: "0" for question in frozen.survey.questions}
    content = {"id": "0f" * 16, "fingerprint": frozen.fingerprint, "reports": reports}
    return json.dumps(content | changes).encode()


POSTS: dict[str, tuple[int, str, Callable[[FrozenSurvey], bytes], dict[str, str]]] = {
    "recorded": (201, PAGE, body_of, {}),
    "not JSON": (400, PAGE, lambda frozen: b"{", {}),
    "from another site": (403, PAGE, body_of, {"Sec-Fetch-Site": "cross-site"}),
    "unknown survey": (404, "/s/unknown", body_of, {}),
    "other fingerprint": (409, PAGE, lambda frozen: body_of(frozen, fingerprint="0"), {}),
    "too long": (413, PAGE, lambda frozen: b" " * (MAX_BODY_BYTES + 1), {}),
    "a form": (415, PAGE, body_of, {"Content-Type": "application/x-www-form-urlencoded"}),
    "no report": (422, PAGE, lambda frozen: body_of(frozen, reports={}), {}),
}


@pytest.mark.parametrize("case", POSTS)
def test_each_reply_to_a_response_has_exactly_these_headers(client, two_surveys, case):
    status, path, body, headers = POSTS[case]
    reply = client.post(
        f"{path}/responses", data=body(two_surveys), headers={"Content-Type": JSON} | headers
    )
    assert reply.status_code == status
    check_headers(reply, JSON)


def test_a_closed_survey_replies_with_exactly_these_headers(client, store):
    frozen = opened(store, HEALTH)
    store.lifecycle.set_state("health", "closed")
    reply = client.post(f"{PAGE}/responses", data=body_of(frozen), content_type=JSON)
    assert reply.status_code == 410
    check_headers(reply, JSON)


def test_over_https_browsers_are_told_to_stay_there(settings: Settings):
    app = create_app(replace(settings, url="https://survey.example.org"))
    for path, _, _ in GETS:
        with app.test_client().get(path) as reply:
            insists = reply.headers["Strict-Transport-Security"]
            assert insists == "max-age=31536000; includeSubDomains"
    app.extensions["candor.store"].close()


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(survey, page, live):
    """Neither the page nor its style loads anything, and no address in them leads elsewhere."""
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(request.url.split("/s/")[0].split("/static")[0]))
    page.reload()
    to_review(page)
    button(page, "Mix up and send").click()
    heading(page, "Sent. Thank you.").wait_for()
    assert hosts == {live.url}
    sources = page.locator("[src], link[href]")
    for element in sources.all():
        address = element.get_attribute("src") or element.get_attribute("href")
        assert re.fullmatch(r"/static/(respondent/)?[a-z.]+(\?[^/]*)?", address or "")
    style = (ROOT / "static" / "style.css").read_text()
    assert "url(" not in style
    assert "@import" not in style


# Narrow screens, other scripts.

THAI = {
    "slug": "thai",
    "title": "แบบสำรวจสุขภาพและพฤติกรรมของนักศึกษามหาวิทยาลัยประจำปีการศึกษาปัจจุบัน",
    "language": "th",
    "introduction": "คำถามสองข้อที่คนส่วนใหญ่ไม่อยากตอบตามความจริง" * 3,
    "questions": [
        yes_no(label="ในสามสิบวันที่ผ่านมาคุณสูบบุหรี่หรือผลิตภัณฑ์ยาสูบชนิดใดชนิดหนึ่งหรือไม่" * 2),
        PARTY
        | {
            "choices": [
                {
                    "name": "long",
                    "label": "พรรคการเมืองที่มีชื่อยาวมากจนต้องขึ้นบรรทัดใหม่หลายครั้งบนหน้าจอโทรศัพท์",
                },
                {"name": "word", "label": "W" * 60},
            ]
        },
    ],
}


@pytest.mark.slow
def test_a_phone_needs_no_scrolling_sideways(live: Live, page: Page):
    """At 375 pixels, in Thai, with a word longer than the screen, in every state."""
    opened(live.store, THAI)
    page.set_viewport_size({"width": 375, "height": 667})
    page.goto(f"{live.url}/s/thai")
    fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"

    def check(state: str) -> None:
        page.locator(f"#{state}:not([hidden])").wait_for()
        page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
        assert page.evaluate(fits), state

    check("start")
    page.locator("#begin").click()
    check("asking")
    page.locator("#check").click()
    check("asking")
    for fieldset in page.locator("#answers fieldset").all():
        fieldset.locator("input").last.check()
    page.locator("#check").click()
    check("review")
    page.locator("#send").click()
    check("done")


# Accessibility, by axe, in each state.


@pytest.fixture
def quick(browser: Browser) -> Iterator[Page]:
    context: BrowserContext = browser.new_context()
    context.add_init_script(FAST)
    yield context.new_page()
    context.close()


def test_axe_finds_nothing_while_answering_and_sending(live: Live, quick: Page):
    opened(live.store, HEALTH)
    quick.goto(live.url + PAGE)
    for summary in quick.locator("#start summary").all():
        summary.click()
    no_violations(quick, "start")
    begin(quick)
    for summary in quick.locator("details.odds summary").all():
        summary.click()
    no_violations(quick, "asking")
    button(quick, "Check my answers").click()
    no_violations(quick, "error")
    to_review(quick)
    no_violations(quick, "review")
    quick.route("**/responses", FAILURES["503"])
    button(quick, "Mix up and send").click()
    quick.get_by_text("Not sent yet.").wait_for()
    no_violations(quick, "stuck")
    # The page tries again by itself.
    quick.unroute("**/responses")
    heading(quick, "Sent. Thank you.").wait_for()
    quick.get_by_text("What left this device").click()
    no_violations(quick, "done")


@pytest.mark.slow
def test_axe_finds_nothing_where_it_ends_otherwise(live: Live, quick: Page):
    opened(live.store, HEALTH | {"slug": "closed"})
    live.store.lifecycle.set_state("closed", "closed")
    opened(live.store, HEALTH)
    for path in ("/", "/s/closed", "/s/unknown"):
        quick.goto(live.url + path)
        no_violations(quick, path)
    quick.goto(live.url + PAGE)
    to_review(quick)
    quick.route("**/responses", lambda route: route.fulfill(status=410))
    button(quick, "Mix up and send").click()
    heading(quick, "Not recorded").wait_for()
    no_violations(quick, "rejected")
    quick.add_init_script(NO_RANDOMNESS["getRandomValues missing"])
    quick.evaluate("sessionStorage.clear()")
    quick.reload()
    expect_refusal(quick)
    no_violations(quick, "refused")


@pytest.mark.slow
def test_axe_finds_something_where_there_is_something(live: Live, quick: Page):
    """A control: axe can find violations."""
    opened(live.store, HEALTH)
    start(quick, live.url + PAGE)
    no_violations(quick)
    quick.evaluate(
        "document.querySelector('label input').closest('label').replaceWith("
        "document.querySelector('label input'))"
    )
    with pytest.raises(AssertionError, match=r"(?s) light: .*label"):
        no_violations(quick)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_what_is_too_pale_in_one_of_both_colours(live: Live, quick: Page, scheme):
    opened(live.store, HEALTH)
    start(quick, live.url + PAGE)
    quick.evaluate(
        """(scheme) => {
          const sheet = new CSSStyleSheet();
          const pale = 'p { color: #777; background: #666; }';
          sheet.replaceSync(`@media (prefers-color-scheme: ${scheme}) { ${pale} }`);
          document.adoptedStyleSheets = [sheet];
        }""",
        scheme,
    )
    with pytest.raises(AssertionError, match=rf"(?s) {scheme}: .*contrast"):
        no_violations(quick)


@pytest.mark.parametrize(
    ("questions", "there", "absent"),
    [
        (
            [yes_no()],
            ["They get only mixed‑up answers", "Mix up and send"],
            "Not protected",
        ),
        (
            [yes_no(), yes_no("drinks", privacy="none")],
            ["One of the 2 questions is marked", "the answer is stored as you give it"],
            "Your answers are mixed up and erased",
        ),
        (
            [yes_no(privacy="none")],
            ["This survey does not mix up your answers", "your answers are sent as you gave them"],
            "Mix up and send",
        ),
    ],
    ids=["private", "mixed", "plain"],
)
def test_the_page_promises_no_more_than_the_questions_keep(client, store, questions, there, absent):
    opened(store, definition(*questions))
    text = " ".join(client.get(PAGE).get_data(as_text=True).split())
    for words in there:
        assert words in text.replace("<strong>", "").replace("</strong>", "")
    assert absent not in text


@pytest.mark.slow
def test_after_a_reload_the_tab_says_that_it_was_used_and_shows_no_answer(live, page):
    opened(live.store, definition(yes_no(privacy="none")))
    page.goto(f"{live.url}{PAGE}")
    answer(page, "Yes")
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_text("What left this device").click()
    assert page.locator("#left dd").text_content() == "Yes"
    page.reload()
    page.get_by_text("This survey was answered in this tab.").wait_for()
    assert not page.get_by_text("What left this device").is_visible()
    assert page.get_by_text("Yes", exact=True).filter(visible=True).count() == 0
