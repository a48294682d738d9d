"""The start page: the information before the questions, and the decisions that it stores.

It covers the privacy label, the practice toss, consent, the device's memory in a series, the
invitation, and the receipt at the end. It also covers the preview, which only shows all of this.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, Playwright, Request, Route, expect

from survey.definition.responses.invitation_codes import (
    code_from,
    code_in_groups,
    token_hash,
)
from survey.definition.responses.parse_response import Response
from survey.planning.privacy_text import per_hundred
from survey.web.rendering import respondent_page
from tests.browser import tape
from tests.browser.looks import no_violations
from tests.support.definitions import WIDE, definition, opened, yes_no
from tests.support.lengths import length, soak
from tests.support.respondent_page import answer, begin, send, start
from tests.support.servers import Live
from tests.support.wave_streams import stream
from tools.browser import light

FLIP = {"mechanism": "coin_flip"}
WEAK = yes_no("weak", {"mechanism": "k_randomized_response", "odds": 9}, "Do you drink?")
CODE = code_from(bytes(range(16)))
OTHER_CODE = code_from(bytes(range(16, 32)))
SECRETS = [bytes([number] * 32).hex() for number in range(1, 7)]
KEPT = "() => [{ ...localStorage }, Object.values(sessionStorage).map(JSON.parse)]"
BLOCKED = """Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('blocked', 'SecurityError'); },
});"""


@pytest.fixture
def posted(page: Page) -> list[dict[str, Any]]:
    """The content of each response."""
    return noting(page)


@pytest.fixture
def asked_about(page: Page) -> list[dict[str, Any]]:
    """The requests to the server about invitations."""
    return noting(page, asking=True)


def noting(page: Page, asking: bool = False) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.method == "POST" and request.url.endswith("/invited") == asking:
            found.append(json.loads(request.post_data or ""))

    page.on("request", note)
    return found


def at_the_start(page: Page) -> None:
    """The start is shown, and nothing else."""
    expect(page.locator("section:visible")).to_have_count(1)
    expect(page.locator("#start")).to_be_visible()


# The information.


@pytest.mark.plain
def test_who_asks_how_long_it_takes_and_who_can_learn_what(live, page):
    opened(
        live.store,
        definition(yes_no(), asked_by="University of Example", contact="a@example.org", minutes=3),
    )
    page.goto(f"{live.url}/s/health")
    expect(page.locator(".asker")).to_have_text(
        "1 question · 3 minutes · Asked by University of Example"
    )
    expect(page.get_by_text("a@example.org")).to_be_hidden()
    page.get_by_text("Contact and help").click()
    expect(page.get_by_text("a@example.org")).to_be_visible()
    page.get_by_text("Who can see my answers?").click()
    rows = page.locator("dl.label > div").all()
    label = [[row.locator(part).inner_text() for part in ("dt", "strong")] for row in rows]
    assert label == [
        ["The people running this survey", "No, they cannot"],
        ["Anyone who hosts this site or steals its data", "No, they cannot"],
        ["A court or an employer that demands the data", "No, they cannot"],
        ["Someone who looks at your screen", "Yes, they can"],
        ["Someone who runs this site, if they secretly changed this page", "Yes, they can"],
    ]


def test_the_ratio_bounds_are_those_of_the_question_that_is_protected_least(live, page):
    frozen = opened(live.store, definition(yes_no(), WEAK))
    page.goto(f"{live.url}/s/health")
    page.get_by_text("How does it work?").click()
    odds = page.locator("#start details > ul li").all_inner_texts()
    assert odds == per_hundred(frozen.survey.private[1])
    assert odds != per_hundred(frozen.survey.private[0])
    assert odds[0] == "Of 100 people who answer “Yes”, 90 send “Yes” and 10 send “No”."
    expect(page.locator("#start details[open]")).to_contain_text("mixed up least (“Do you drink?”)")


@pytest.mark.slow
def test_the_practice_toss_counts_right_and_nothing_is_requested_or_kept(live, page):
    """With a tape: one of four tickets gives the other answer."""
    opened(live.store, definition())
    page.add_init_script(tape.TAPE)
    page.goto(f"{live.url}/s/health")
    page.get_by_text("How does it work?").click()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.evaluate("tape.words = [0, 3, 2, 0, 1]")
    told = page.locator("#tossed[role=status]")
    for pressed, sent, same, times in (
        ("Yes", "Yes", 1, 1), ("Yes", "No", 1, 2), ("Yes", "Yes", 2, 3),
        ("No", "Yes", 0, 1), ("No", "No", 1, 2),
    ):  # fmt: skip
        page.locator("#practice").get_by_role("button", name=pressed).click()
        expect(told).to_have_text(
            f"You said “{pressed}”. This time, your device would send “{sent}”. So far, it would "
            f"have sent your “{pressed}” unchanged in {same} of {times} tries."
        )
    assert page.evaluate("tape.words.length") == 0
    assert requests == []
    assert page.evaluate(KEPT) == [{}, []]
    assert page.evaluate("history.state") is None


def test_no_question_is_reached_before_the_consent(live, page):
    opened(live.store, definition())
    page.goto(f"{live.url}/s/health")
    at_the_start(page)
    # Tab and a screen reader begin at the top of the page.
    expect(page.locator("body")).to_be_focused()
    assert page.locator("#answers").locator("input:visible, button:visible").count() == 0
    page.keyboard.press("Enter")
    at_the_start(page)
    assert page.locator("#start a[target=_blank]").count() == 2  # they open next to the page
    begin(page)
    expect(page.locator("section:visible")).to_have_count(1)
    expect(page.locator("#asking h2")).to_be_focused()
    page.go_back()
    at_the_start(page)
    page.go_forward()
    expect(page.locator("#asking")).to_be_visible()


def test_presses_faster_than_the_page_start_once(live, page):
    """This includes a computation before it: one step back leads to the start."""
    sample = {"per_respondent": {"sample": 1}}
    opened(live.store, definition(yes_no(), WEAK, series="habits", budget=sample))
    page.goto(f"{live.url}/s/health")
    length = page.evaluate("history.length")
    presses = "(id) => { for (let i = 0; i < 20; i += 1) document.querySelector(id).click(); }"
    page.evaluate(presses, "#begin")
    page.get_by_label("Yes, keep a random number").check()
    page.evaluate(presses, "#chosen-wave")
    page.locator("#asking:visible").wait_for()
    assert page.evaluate("history.length") == length + 1
    page.go_back()
    at_the_start(page)


@pytest.mark.slow
def test_axe_finds_nothing_in_any_state_of_the_start(live: Live, browser: Browser):
    opened(live.store, definition(series="habits", invitations=True, support="Call 111."))
    context = browser.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    page.goto(f"{live.url}/s/health")
    for summary in page.locator("summary:visible").all():
        summary.click()
    page.get_by_role("button", name="Yes", exact=True).click()
    for state in ("open", "errors"):
        no_violations(page, state)
        page.locator("#begin").click()
    live.store.invitations.add_invitations("health", [token_hash(CODE)])
    code_field(page).fill(CODE)
    page.locator("#begin").click()
    for state in ("step", "errors of the step"):
        page.locator("#remember:visible").wait_for()
        no_violations(page, state)
        page.locator("#chosen-wave").click()
    fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.evaluate(fits)
    context.close()


# A device that is remembered.

REMEMBER, ONCE = "Yes, keep a random number", "No, only this time"
WAVE = definition(series="habits")


def to_wave(page: Page, live: Live, slug: str = "health") -> None:
    """Open a survey of a series."""
    page.goto(f"{live.url}/s/{slug}")
    page.locator("#begin").wait_for()


def to_step(page: Page) -> None:
    """Go on from its start to the step that asks whether to remember the device."""
    page.locator("#begin").click()
    page.locator("#remember:visible").wait_for()


@pytest.mark.slow
def test_whoever_says_neither_is_asked_again(live, page):
    opened(live.store, WAVE)
    to_wave(page, live)
    to_step(page)
    page.locator("#chosen-wave").click()
    expect(page.locator("#wave").get_by_text("Choose one of the two.")).to_be_visible()
    assert_above(page, "#wave .error:visible", "#wave .choice")
    expect(page.get_by_label(REMEMBER)).to_be_focused()
    assert page.evaluate(KEPT) == [{}, []]
    page.get_by_label(ONCE).check()
    expect(page.locator("#wave .error:visible")).to_have_count(0)
    page.get_by_label(REMEMBER).check()
    expect(page.get_by_label(ONCE)).not_to_be_checked()
    page.locator("#remember").get_by_role("button", name="Back").click()
    at_the_start(page)
    begin(page)


@pytest.mark.plain
def test_yes_keeps_a_random_number_and_in_the_end_nothing_else(live, page, posted):
    opened(live.store, WAVE)
    to_wave(page, live)
    to_step(page)
    page.get_by_label(REMEMBER).check()
    assert page.evaluate(KEPT) == [{}, []]
    page.locator("#chosen-wave").click()
    page.locator("#asking:visible").wait_for()
    answer(page, "Yes")
    send(page)
    local, session = page.evaluate(KEPT)
    [(key, secret)] = local.items()
    assert key == "candor series habits"
    assert re.fullmatch("[0-9a-f]{64}", secret)
    assert session == [{"state": "sent"}]
    assert secret not in json.dumps(posted)
    assert [*posted[0]] == ["id", "fingerprint", "reports"]


@pytest.mark.plain
def test_no_keeps_nothing(live, page):
    opened(live.store, WAVE)
    to_wave(page, live)
    begin(page, ONCE)
    answer(page, "Yes")
    send(page)
    assert page.evaluate(KEPT) == [{}, [{"state": "sent"}]]


def test_a_device_is_known_again_and_can_be_forgotten(live, page):
    opened(live.store, WAVE)
    to_wave(page, live)
    known = page.get_by_text("This device is remembered from an earlier time.")
    expect(known).to_be_hidden()
    begin(page, REMEMBER)
    page.reload()
    to_step(page)
    expect(known).to_be_visible()
    # The first choice was for that visit only.
    for choice in (REMEMBER, ONCE):
        expect(page.get_by_label(choice)).not_to_be_checked()
    page.get_by_role("button", name="Forget this device").click()
    expect(page.locator("#forgotten[role=status]")).to_have_text("Forgotten.")
    expect(known).to_be_hidden()
    expect(page.get_by_label(REMEMBER)).to_be_focused()
    assert page.evaluate(KEPT) == [{}, []]


@pytest.mark.slow
def test_forgetting_after_a_start_is_not_undone_by_going_forward(live, page, posted):
    """Back to the start, "Forget this device", "No", Forward: the reports are drawn again."""
    opened(live.store, WAVE)
    to_wave(page, live)
    begin(page, REMEMBER)
    page.go_back()
    page.reload()
    begin(page, REMEMBER)
    page.go_back()
    page.evaluate("localStorage.clear()")  # as in another tab
    to_step(page)
    page.get_by_label(ONCE).check()
    page.locator("#unstart").click()
    page.go_forward()
    page.locator("#asking:visible").wait_for()
    answer(page, "Yes")
    send(page)
    assert len(posted) == 1
    assert page.evaluate(KEPT)[0] == {}


def test_where_storage_is_blocked_it_says_so_and_one_can_take_part_once(live, page, posted):
    opened(live.store, WAVE)
    page.add_init_script(BLOCKED)
    to_wave(page, live)
    to_step(page)
    page.get_by_label(REMEMBER).check()
    page.locator("#chosen-wave").click()
    expect(page.locator("#unkept[role=alert]")).to_contain_text(
        "This browser does not let us remember this device."
    )
    expect(page.get_by_label(REMEMBER)).not_to_be_checked()
    page.get_by_label(ONCE).check()
    expect(page.locator("#unkept")).to_be_hidden()
    page.locator("#chosen-wave").click()
    answer(page, "Yes")
    send(page)
    assert len(posted) == 1


# Waves: 60 questions, with a known secret of the device, so the result is always the same.

HABITS = [yes_no(f"habit{number}") for number in range(60)]


def respond_in_wave(browser: Browser, live: Live, slug: str, secret: str, place: int) -> dict:
    """The reports of a device with this secret and the same answer to all questions."""
    context = browser.new_context()
    context.add_init_script(f"localStorage.setItem('candor series habits', '{secret}');")
    page = context.new_page()
    posted = noting(page)
    to_wave(page, live, slug)
    begin(page, REMEMBER)
    page.evaluate(
        """(place) => document.querySelectorAll('#answers fieldset')
            .forEach((each) => each.querySelectorAll('input')[place].click())""",
        place,
    )
    send(page)
    kept = page.evaluate(KEPT)
    assert kept == [{"candor series habits": secret}, [{"state": "sent"}]]
    context.close()
    return posted[0]["reports"]


@pytest.mark.slow
def test_the_same_answers_give_the_same_reports_in_each_wave_and_others_at_the_tables_rate(
    live, browser
):
    """Coin flips: if each answer is Yes, 45 of 60 reports are, with a standard deviation of 3.4.

    If each answer changes, 37.5 of 60 reports change, plus or minus 3.75. New draws would give the
    same 60 reports once in 10^12 times. The bounds are at four standard deviations.
    """
    for slug in ("first", "second", "third"):
        opened(live.store, definition(*HABITS, slug=slug, series="habits"), limits=WIDE)
    first = respond_in_wave(browser, live, "first", SECRETS[0], 0)
    second = respond_in_wave(browser, live, "second", SECRETS[0], 0)
    assert first == second
    assert 32 <= [*first.values()].count("0") <= 58
    third = respond_in_wave(browser, live, "third", SECRETS[0], 1)
    changed = sum(first[name] != third[name] for name in first)
    assert 23 <= changed <= 52
    assert respond_in_wave(browser, live, "first", SECRETS[1], 0) != first


def picked(page: Page, live: Live, slug: str, secret: str, *before: str) -> list[str]:
    """The questions for a device with this secret in a new tab.

    The choices in `before` are made and undone first.
    """
    page.goto(f"{live.url}/static/icon.svg")
    page.evaluate(
        """(secret) => {
          sessionStorage.clear();
          localStorage.clear();
          localStorage.setItem('candor series habits', secret);
        }""",
        secret,
    )
    to_wave(page, live, slug)
    for choice in before:
        begin(page, choice)
        page.go_back()
    begin(page, REMEMBER)
    return page.locator("[data-question]:visible").evaluate_all(
        "(all) => all.map((each) => each.dataset.question)"
    )


@pytest.mark.slow
@soak
def test_in_a_series_chance_picks_the_same_questions_each_time(live, page):
    """Otherwise other answers would be revealed in each wave.

    Earlier choices in the same tab do not matter. Devices differ: three pick the same pair of 45
    with probability 5e-4, six with 5e-9, and with these secrets never.
    """
    budget = {"per_respondent": {"sample": 2}}
    for slug in ("first", "second"):
        content = definition(*HABITS[:10], slug=slug, series="habits", budget=budget)
        opened(live.store, content)
    picks = set()
    for secret in SECRETS[: length(3, 6)]:
        names = picked(page, live, "first", secret)
        assert len(names) == 2
        assert picked(page, live, "second", secret) == names
        picks.add(tuple(names))
    assert len(picks) > 1
    first = picked(page, live, "first", SECRETS[0])
    assert picked(page, live, "second", SECRETS[0], ONCE) == first


ARM = {
    "name": "arm", "type": "select_one", "label": "Version", "privacy": "none",
    "choices": [{"name": name, "label": name} for name in "ba"],
    "derived": {"random": {"a": 1, "b": 1}},
}  # fmt: skip
SAME_ARM = ARM | {"choices": [*reversed(ARM["choices"])]}


def arm_in_wave(page: Page, live: Live, slug: str, secret: str, *before: str) -> str:
    picked(page, live, slug, secret, *before)
    return page.evaluate("questions.arms().arm")


def test_in_a_series_the_arm_is_the_same_each_time(live, page):
    """Python draws the same from the secret. Earlier choices in the same tab do not matter, nor
    does the order of the choices. Of these two secrets, each draws another arm."""
    opened(live.store, definition(ARM, yes_no(), slug="first", series="habits"))
    opened(live.store, definition(SAME_ARM, yes_no(), slug="second", series="habits"))
    drawn = set()
    context = ["arm", "arm", [["a", 1], ["b", 1]]]
    for secret in SECRETS[:2]:
        arm = "ab"[next(stream(context, bytes.fromhex(secret))) % 2]
        assert arm_in_wave(page, live, "first", secret) == arm
        page.reload()
        begin(page, REMEMBER)
        assert page.evaluate("questions.arms().arm") == arm
        assert arm_in_wave(page, live, "second", secret, ONCE) == arm
        drawn.add(arm)
    assert drawn == {"a", "b"}


# Invitations.


@pytest.fixture
def invited(live: Live, page: Page) -> Page:
    """A survey with two invitations."""
    opened(live.store, definition(invitations=True))
    live.store.invitations.add_invitations("health", [token_hash(CODE), token_hash(OTHER_CODE)])
    return page


def code_field(page: Page):
    return page.get_by_label("The code on your invitation")


@pytest.mark.slow
def test_a_code_in_the_link_leaves_the_address_and_waits_in_the_tab(invited, live, posted):
    """It stays over reloads, before the start and after it, until the response is sent."""
    requests: list[str] = []
    invited.on("request", lambda request: requests.append(request.url + str(request.headers)))
    invited.goto(f"{live.url}/s/health#{CODE}")
    for _ in range(2):
        expect(invited.locator("#invited")).to_have_value(CODE)
        expect(invited.locator("#invitation")).to_be_hidden()
        expect(invited).to_have_url(f"{live.url}/s/health")
        assert invited.evaluate("location.hash + JSON.stringify(history.state)") == "null"
        invited.reload()
    begin(invited)
    invited.reload()
    expect(invited.locator("#invited")).to_have_value(CODE)
    begin(invited)
    answer(invited, "Yes")
    send(invited)
    assert [response["invitation"] for response in posted] == [CODE]
    assert live.store.invitations.issued_and_spent("health") == (2, 1)
    assert CODE not in json.dumps(invited.evaluate(KEPT))
    assert CODE not in "".join(requests)


@pytest.mark.slow
@pytest.mark.parametrize(
    "typed",
    [
        CODE,
        CODE.lower(),
        code_in_groups(CODE),
        f"  {CODE[:13]}\u2013{CODE[13:]} ",
        CODE.replace("0", "O").replace("1", "l"),
    ],
)
def test_a_code_is_read_as_people_type_it(invited, live, posted, typed):
    invited.goto(f"{live.url}/s/health")
    code_field(invited).fill(typed)
    begin(invited)
    answer(invited, "Yes")
    send(invited)
    assert [response["invitation"] for response in posted] == [CODE]


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["", CODE[:-1], CODE + "0", "U" * 26])
def test_what_is_no_code_is_refused_beside_the_field(invited, live, asked_about, typed):
    invited.goto(f"{live.url}/s/health#{typed}")
    code_field(invited).fill(typed)
    invited.locator("#begin").click()
    error = invited.locator("#invitation .error:visible")
    expect(error).to_have_text(
        "This code is not complete. Type the 26 letters and digits on your invitation."
    )
    expect(code_field(invited)).to_be_focused()
    expect(code_field(invited)).to_have_attribute("aria-invalid", "true")
    at_the_start(invited)
    assert invited.evaluate(KEPT) == [{}, []]
    assert asked_about == []
    code_field(invited).press("1")
    expect(error).to_have_count(0)
    expect(code_field(invited)).not_to_have_attribute("aria-invalid", "true")


UNKNOWN_CODE = code_from(bytes(16))
REFUSALS = [
    (
        UNKNOWN_CODE,
        "No invitation has this code. Compare it with the code on your invitation.",
    ),
    (CODE, "This invitation was used before. Each invitation works once."),
]
UNCHECKED = "The code could not be checked right now."


def assert_above(page: Page, css: str, other: str) -> None:
    """Errors are above what they are about, as in the questions."""
    box, below = (page.locator(each).first.bounding_box() for each in (css, other))
    assert box and below
    assert box["y"] + box["height"] <= below["y"]


def spend(live: Live, code: str, number: int = 1) -> None:
    """Somebody else spends the code in the meantime."""
    response = Response(number.to_bytes(16), (0,), token_hash(code))
    assert live.store.responses.add_response("health", response)


def refused(page: Page, words: str) -> None:
    """The message is at the start above the field, and there is no other message."""
    expect(page.locator("#invitation .error:visible")).to_have_count(1)
    expect(page.locator("#invitation .error:visible")).to_contain_text(words)
    assert_above(page, "#invitation .error:visible", "#invited")
    expect(page.locator("#checking")).to_be_empty()
    expect(code_field(page)).to_be_editable()
    at_the_start(page)


@pytest.mark.parametrize("way", ["typed", "by link"])
@pytest.mark.parametrize(("code", "words"), REFUSALS, ids=["unknown", "spent"])
def test_a_code_that_does_not_count_is_told_before_the_questions(
    invited, live, asked_about, posted, way, code, words
):
    """The message is next to the field. The code is not stored, and another code continues."""
    spend(live, CODE)
    invited.expected_problems.append("Failed to load resource")
    invited.goto(f"{live.url}/s/health" + (f"#{code}" if way == "by link" else ""))
    if way == "typed":
        code_field(invited).fill(code_in_groups(code))
        invited.locator("#begin").click()
    refused(invited, words)
    if way == "typed":
        expect(code_field(invited)).to_be_focused()
    expect(code_field(invited)).to_have_attribute("aria-invalid", "true")
    assert invited.evaluate(KEPT) == [{}, []]
    assert asked_about == [{"invitation": code}]
    code_field(invited).fill(OTHER_CODE)
    expect(invited.locator("#invitation .error:visible")).to_have_count(0)
    expect(code_field(invited)).not_to_have_attribute("aria-invalid", "true")
    answer(invited, "Yes")
    send(invited)
    assert [response["invitation"] for response in posted] == [OTHER_CODE]
    assert asked_about == [{"invitation": code}, {"invitation": OTHER_CODE}]


@pytest.mark.slow
def test_a_code_is_asked_about_once_and_not_again_on_any_way_to_the_start(
    invited, live, asked_about
):
    """Neither Back nor a reload sends a request again."""
    invited.goto(f"{live.url}/s/health#{CODE}")
    invited.locator("#begin").dblclick()
    invited.locator("#asking:visible").wait_for()
    invited.go_back()
    begin(invited)
    invited.go_back()
    at_the_start(invited)
    invited.go_forward()
    invited.locator("#asking:visible").wait_for()
    spend(live, CODE)
    invited.reload()
    begin(invited)
    assert asked_about == [{"invitation": CODE}]


@pytest.mark.slow
def test_the_link_of_another_invitation_is_asked_about_in_the_same_tab(invited, live, asked_about):
    for code in (CODE, OTHER_CODE):
        invited.goto("about:blank")
        start(invited, f"{live.url}/s/health#{code}")
    assert asked_about == [{"invitation": CODE}, {"invitation": OTHER_CODE}]


def test_presses_while_a_code_is_checked_ask_once_and_the_page_says_what_it_does(
    invited, live, asked_about
):
    held: list[Route] = []
    invited.route("**/invited", lambda route: held.append(route))
    with invited.expect_request("**/invited"):
        invited.goto(f"{live.url}/s/health#{CODE}")
    for _ in range(2):
        invited.locator("#begin").dblclick()
    expect(invited.locator("#checking[role=status]")).to_have_text("One moment…")
    at_the_start(invited)
    [route] = held
    route.continue_()
    invited.locator("#asking:visible").wait_for()
    assert asked_about == [{"invitation": CODE}]


FAILURES = {
    "no connection": lambda route: route.abort(),
    "503": lambda route: route.fulfill(status=503),
    "404": lambda route: route.fulfill(status=404),
    "403 without a reason": lambda route: route.fulfill(status=403),
    "another reason": lambda route: route.fulfill(status=403, json={"reason": "malformed"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("failure", FAILURES)
def test_where_the_code_cannot_be_checked_it_is_said_and_can_be_tried_again(
    invited, live, asked_about, posted, failure
):
    invited.expected_problems.append("Failed to load resource")
    invited.route("**/invited", FAILURES[failure], times=2)
    invited.goto(f"{live.url}/s/health#{CODE}")
    # Before a button is pressed, nothing is said.
    invited.locator("#begin").click()
    refused(invited, UNCHECKED)
    expect(invited.locator("#begin")).to_be_focused()  # for the next press
    expect(code_field(invited)).not_to_have_attribute("aria-invalid", "true")
    answer(invited, "Yes")
    expect(invited.locator("#invitation .error:not([hidden])")).to_have_count(0)
    send(invited)
    assert asked_about == [{"invitation": CODE}] * 3
    assert [response["invitation"] for response in posted] == [CODE]


@pytest.mark.slow
def test_who_has_no_connection_can_start_all_the_same_and_is_told_at_the_end(
    invited, live, asked_about, posted
):
    """The response waits for a connection anyway.

    Each code has a second attempt.
    """
    invited.expected_problems.append("Failed to load resource")
    invited.route("**/invited", FAILURES["no connection"])
    invited.goto(f"{live.url}/s/health")
    for code in (CODE, UNKNOWN_CODE):
        code_field(invited).fill(code)
        invited.locator("#begin").click()
        refused(invited, UNCHECKED)
    answer(invited, "Yes")
    assert asked_about == [{"invitation": code} for code in (CODE, UNKNOWN_CODE, UNKNOWN_CODE)]
    invited.get_by_role("button", name="Check my answers").click()
    invited.get_by_role("button", name="Mix up and send").click()
    expect(invited.locator("#rejected")).to_contain_text("No invitation has this code.")
    assert [response["invitation"] for response in posted] == [UNKNOWN_CODE]


def test_a_second_try_that_finds_the_code_unknown_says_so(invited, live):
    invited.expected_problems.append("Failed to load resource")
    invited.route("**/invited", FAILURES["503"], times=1)
    invited.goto(f"{live.url}/s/health")
    code_field(invited).fill(UNKNOWN_CODE)
    for words in (UNCHECKED, REFUSALS[0][1]):
        invited.locator("#begin").click()
        refused(invited, words)


def test_a_survey_that_was_closed_meanwhile_says_so_before_the_questions(invited, live):
    invited.expected_problems.append("Failed to load resource")
    invited.goto(f"{live.url}/s/health")
    live.store.lifecycle.set_state("health", "closed")
    code_field(invited).fill(CODE)
    invited.locator("#begin").click()
    expect(invited.locator("#closed")).to_have_text(CLOSED)
    at_the_start(invited)
    assert invited.evaluate(KEPT) == [{}, []]


CLOSED = "This survey closed while this page was open. Nothing you entered was recorded."


@pytest.mark.parametrize("more", [{}, {"series": "habits"}])
def test_every_survey_says_at_the_start_that_it_closed(live, page, more):
    opened(live.store, definition(**more))
    page.expected_problems.append("Failed to load resource")
    page.goto(f"{live.url}/s/health")
    live.store.lifecycle.set_state("health", "closed")
    page.locator("#begin").click()
    expect(page.locator("#closed[role=alert]")).to_be_visible()
    expect(page.locator("#closed")).to_have_text(CLOSED)
    at_the_start(page)
    live.store.lifecycle.set_state("health", "open")
    begin(page, ONCE if more else "")
    page.go_back()
    expect(page.locator("#closed")).to_be_hidden()


def test_the_question_whether_it_is_open_tells_nothing_and_fails_gently(live, page):
    """It is the same for everybody, and people without a connection can start."""
    opened(live.store, definition())
    page.expected_problems.append("Failed to load resource")
    page.goto(f"{live.url}/s/health?language=vi")
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))
    page.route("**/s/health", lambda route: route.abort())
    page.locator("#begin").click()
    page.locator("#asking:visible").wait_for()
    [request] = asked
    assert (request.method, request.url) == ("HEAD", f"{live.url}/s/health")
    assert request.post_data is None
    assert "referer" not in request.headers


@pytest.mark.slow
def test_a_refused_code_leaves_no_device_remembered_and_does_not_pick_anew(live, page):
    """Only participants get the secret of a series. The random sample stays."""
    budget = {"per_respondent": {"sample": 2}}
    content = definition(*HABITS[:10], series="habits", invitations=True, budget=budget)
    opened(live.store, content)
    live.store.invitations.add_invitations("health", [token_hash(CODE)])
    page.expected_problems.append("Failed to load resource")
    page.goto(f"{live.url}/s/health")
    code_field(page).fill(UNKNOWN_CODE)
    page.locator("#begin").click()
    refused(page, REFUSALS[0][1])
    assert page.evaluate(KEPT) == [{}, []]
    code_field(page).fill(CODE)
    begin(page, ONCE)
    names = page.evaluate(KEPT)[1][0]["picked"]
    page.go_back()
    code_field(page).fill(UNKNOWN_CODE)
    page.locator("#begin").click()
    refused(page, REFUSALS[0][1])
    assert page.evaluate(KEPT) == [{}, [{"picked": names, "state": "asking"}]]


@pytest.mark.slow
def test_what_is_frozen_is_sent_again_without_asking_about_its_code(
    invited, live, asked_about, posted
):
    """The code may be spent on this very response, whose reply was lost."""
    lost: list[int] = []

    def lose(route: Route) -> None:
        lost.append(route.fetch().status)
        route.abort()

    invited.expected_problems.append("Failed to load resource")
    invited.route("**/responses", lose, times=1)
    invited.goto(f"{live.url}/s/health#{CODE}")
    answer(invited, "Yes")
    invited.get_by_role("button", name="Check my answers").click()
    with invited.expect_event("requestfailed"):
        invited.get_by_role("button", name="Mix up and send").click()
    assert live.store.invitations.issued_and_spent("health") == (2, 1)
    invited.reload()
    expect(invited.locator("#done")).to_be_visible()
    assert lost == [201]
    assert len(posted) >= 2
    assert asked_about == [{"invitation": CODE}]


@pytest.mark.slow
def test_a_code_that_is_spent_between_the_start_and_the_end_is_told_and_final(
    invited, live, posted
):
    words = "This invitation was used before. Each invitation works once. Nothing was recorded now."
    invited.expected_problems.append("Failed to load resource")
    invited.goto(f"{live.url}/s/health#{CODE}")
    answer(invited, "Yes")
    spend(live, CODE)
    invited.get_by_role("button", name="Check my answers").click()
    invited.get_by_role("button", name="Mix up and send").click()
    for _ in range(2):
        expect(invited.locator("[data-status]:visible")).to_have_count(1)
        expect(invited.locator("#rejected")).to_contain_text(words)
        invited.reload()
    assert len(posted) == 1
    assert CODE not in json.dumps(invited.evaluate(KEPT))
    assert live.store.invitations.issued_and_spent("health") == (2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "vi", "th", "zh"])
def test_what_is_said_of_a_code_breaks_no_rule_of_accessibility(live, page, language):
    opened(live.store, definition(invitations=True, language=language))
    page.expected_problems.append("Failed to load resource")
    page.goto(f"{live.url}/s/health?language={language}#{CODE}")
    page.locator("[data-refusal=unknown_invitation]:visible").wait_for()
    no_violations(page)


# Receipts.


def test_the_receipt_is_shown_once_and_its_hash_is_the_id_that_was_sent(live, page, posted):
    opened(live.store, definition(receipts=True))
    start(page, f"{live.url}/s/health")
    answer(page, "Yes")
    send(page)
    shown = page.locator("#code").inner_text()
    receipt = shown.replace(" ", "")
    assert re.fullmatch("([0-9a-f]{4} ){7}[0-9a-f]{4}", shown)
    assert posted[0]["id"] == sha256(bytes.fromhex(receipt)).hexdigest()[:32]
    assert receipt not in json.dumps(posted)
    assert receipt not in page.locator("#later").get_attribute("href")
    expect(page.locator("#later")).to_have_text(f"{live.url}/s/health/withdraw")
    expect(page.locator("#no-receipt")).to_be_hidden()
    assert receipt not in json.dumps(page.evaluate(KEPT))
    page.reload()
    expect(page.locator("#done")).to_be_visible()
    expect(page.locator("#receipt")).to_be_hidden()
    assert receipt not in page.content()


@pytest.mark.plain
def test_a_receipt_withdraws_what_it_is_for(live, page):
    opened(live.store, definition(receipts=True))
    start(page, f"{live.url}/s/health")
    answer(page, "Yes")
    send(page)
    assert len(list(live.store.responses.rows("health"))) == 1
    address = page.url
    page.get_by_text("Withdraw my answers", exact=True).click()
    page.get_by_role("button", name="Withdraw what I sent").click()
    expect(page.locator("#outcome")).to_contain_text("Done.")
    expect(page.locator("#outcome")).to_be_focused()
    expect(page.locator("#code")).to_be_hidden()
    assert list(live.store.responses.rows("health")) == []
    assert page.url == address


def test_a_withdrawal_that_fails_at_the_end_of_a_survey_can_be_tried_again(live, page):
    """Many clicks send it once."""
    opened(live.store, definition(receipts=True))
    page.expected_problems.append("Failed to load resource")
    start(page, f"{live.url}/s/health")
    answer(page, "Yes")
    send(page)
    tried: list[str] = []
    page.on("request", lambda r: tried.append(r.url) if "withdrawals" in r.url else None)
    page.route("**/withdrawals", lambda route: route.fulfill(status=503), times=1)
    page.get_by_text("Withdraw my answers", exact=True).click()
    page.get_by_role("button", name="Withdraw what I sent").click()
    expect(page.locator("#outcome")).to_contain_text("There is no connection to the server.")
    expect(page.locator("#code")).to_be_visible()
    page.evaluate("for (let i = 0; i < 9; i += 1) document.getElementById('take-back').click()")
    expect(page.locator("#outcome")).to_contain_text("Done.")
    assert len(tried) == 2
    assert list(live.store.responses.rows("health")) == []


def test_without_receipts_there_is_none(live, page, posted):
    opened(live.store, definition())
    start(page, f"{live.url}/s/health")
    answer(page, "Yes")
    send(page)
    assert page.locator("#receipt, #no-receipt").count() == 0


@contextmanager
def unencrypted(playwright: Playwright, live: Live) -> Iterator[tuple[Page, str]]:
    """The server under another name, which browsers do not treat as this device."""
    browser = playwright.chromium.launch(
        executable_path=light(), args=["--host-resolver-rules=MAP survey.example 127.0.0.1"]
    )
    yield browser.new_page(), live.url.replace("127.0.0.1", "survey.example")
    browser.close()


def test_without_an_encrypted_connection_there_is_no_receipt_and_the_page_says_why(
    live, playwright
):
    opened(live.store, definition(receipts=True))
    with unencrypted(playwright, live) as (page, url):
        posted = noting(page)
        start(page, f"{url}/s/health")
        assert not page.evaluate("isSecureContext")
        answer(page, "Yes")
        send(page)
        expect(page.locator("#receipt")).to_be_hidden()
        expect(page.locator("#no-receipt")).to_have_text(
            "This connection is not encrypted, so no receipt could be made."
        )
        assert re.fullmatch("[0-9a-f]{32}", posted[0]["id"])
    assert len(list(live.store.responses.rows("health"))) == 1


def test_without_an_encrypted_connection_no_device_is_remembered(live, playwright):
    opened(live.store, WAVE)
    with unencrypted(playwright, live) as (page, url):
        page.goto(f"{url}/s/health")
        to_step(page)
        page.get_by_label(REMEMBER).check()
        page.locator("#chosen-wave").click()
        expect(page.locator("#unkept")).to_be_visible()
        assert page.evaluate(KEPT) == [{}, []]


# The preview.


def test_a_preview_asks_for_nothing_keeps_nothing_and_sends_nothing(app: Flask, live, page):
    """The survey has all possible features.

    The preview needs no code, and stores no answer on the device.
    """
    budget = {"per_respondent": {"sample": 1}}
    work = {"series": "habits", "invitations": True, "receipts": True, "budget": budget}
    frozen = opened(live.store, definition(yes_no(), WEAK, **work))
    with app.test_request_context():
        html = respondent_page(frozen, "en", preview=True)
    page.route(
        "**/s/health",
        lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8"),
    )
    start(page, f"{live.url}/s/health")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.resource_type))
    page.locator("#answers fieldset:visible").get_by_text("Yes", exact=True).click()
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Preview: nothing was sent.").wait_for()
    expect(page.locator("#receipt, #no-receipt").filter(visible=True)).to_have_count(0)
    assert [kind for kind in requests if kind != "other"] == []
    assert page.evaluate(KEPT) == [{}, []]
    assert list(live.store.responses.rows("health")) == []
