"""Questions one at a time: the order, Back, the progress, the focus, and what stays secret."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.browser.looks import no_violations
from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import begin, send, start
from tests.support.servers import Live

FLIP = {"mechanism": "coin_flip"}
QUESTIONS = [
    yes_no(),
    {
        "name": "packs", "type": "number", "label": "How many packs a week?", "min": 0, "max": 40,
        "unit": "packs", "relevant": {"smokes": "yes"}, "privacy": {"epsilon": 1},
    },
    {
        "name": "tried", "type": "select_multiple", "label": "Which have you tried?",
        "choices": [{"name": n, "label": n.title()} for n in ("ale", "gin")],
        "privacy": {"epsilon": 1},
    },
    yes_no("sleeps", label="Do you sleep well?"),
]  # fmt: skip
ONE = {"layout": "one_at_a_time"}
CONTENT = definition(*QUESTIONS, **ONE)
PATH = "/s/health"


@pytest.fixture
def one(live: Live, page: Page) -> Page:
    """The first question."""
    opened(live.store, CONTENT)
    start(page, live.url + PATH)
    return page


@pytest.fixture
def posted(page: Page) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            found.append(json.loads(request.post_data or "")["reports"])

    page.on("request", note)
    return found


def shown(page: Page) -> str:
    """The one question on the screen."""
    [name] = page.locator("[data-question]:visible").evaluate_all(
        "(all) => all.map((each) => each.dataset.question)"
    )
    return name


def place(page: Page) -> int:
    """The place in the progress. The last step is the review."""
    bar = page.get_by_role("progressbar", name="Progress")
    value, most = bar.evaluate("(bar) => [bar.value, bar.max]")
    assert most == len(QUESTIONS) + 1
    return value


def choose(page: Page, label: str) -> None:
    page.locator(".choice:visible").get_by_text(label, exact=True).click()


def choose_in(page: Page, name: str, label: str) -> None:
    page.locator(f"[data-question={name}] .choice").get_by_text(label, exact=True).click()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def go_on(page: Page, name: str) -> None:
    press(page, "Next")
    assert shown(page) == name


def expect_focus(page: Page, name: str) -> None:
    expect(page.locator(f"[data-question={name}]")).to_be_focused()


def answer_all(page: Page) -> None:
    """Answer all questions, from the first to the last."""
    choose(page, "Yes")
    go_on(page, "packs")
    page.locator("[data-question=packs] input").fill("7")
    go_on(page, "tried")
    choose(page, "Gin")
    go_on(page, "sleeps")
    choose(page, "No")


def to_review(page: Page) -> None:
    answer_all(page)
    press(page, "Check my answers")
    page.locator("#review:visible").wait_for()


def reviewed(page: Page) -> list[str]:
    return page.locator("#chosen dd:not(.change)").all_text_contents()


ALL = ["Yes", "7 packs", "Gin", "No"]


@pytest.mark.plain
def test_each_question_comes_alone_in_order_with_its_place_and_the_focus(one, posted, live):
    assert (shown(one), place(one)) == ("smokes", 1)
    expect(one.get_by_role("button", name="Back", exact=True)).to_be_hidden()
    choose(one, "No")
    for name, step in (("tried", 3), ("sleeps", 4)):
        go_on(one, name)
        assert place(one) == step
        expect_focus(one, name)
        expect(one.get_by_role("button", name="Back", exact=True)).to_be_visible()
    expect(one.get_by_role("button", name="Next", exact=True)).to_be_hidden()
    choose(one, "Yes")
    send(one)
    assert [[*reports] for reports in posted] == [["smokes", "packs", "tried", "sleeps"]]
    assert len(list(live.store.responses.rows("health"))) == 1


@pytest.mark.parametrize("way", ["Yes", "No"])
def test_the_progress_depends_on_the_question_and_on_no_answer(one, way):
    """Someone at the screen sees no number that changes with an answer."""
    asking = one.locator("#asking")
    before = place(one)
    choose(one, way)
    assert place(one) == before == 1
    go_on(one, "packs" if way == "Yes" else "tried")
    assert place(one) == (2 if way == "Yes" else 3)
    if way == "Yes":
        one.locator("[data-question=packs] input").fill("7")
        go_on(one, "tried")
    assert place(one) == 3
    expect(asking).not_to_contain_text(re.compile(r"\d of \d|Question \d"))


def test_a_follow_up_comes_next(one):
    choose(one, "Yes")
    go_on(one, "packs")
    press(one, "Back")
    choose(one, "No")
    go_on(one, "tried")
    expect(one.locator("#further")).to_have_text("")  # the focus announces it


BACK = [lambda page: press(page, "Back"), Page.go_back]


@pytest.mark.slow
@pytest.mark.parametrize("back", BACK, ids=["button", "browser"])
def test_back_goes_through_all_questions_and_loses_nothing(one, posted, back):
    answer_all(one)
    for name in ("tried", "packs", "smokes"):
        back(one)
        expect_focus(one, name)
        assert shown(one) == name
    expect(one.get_by_label("Yes", exact=True).and_(one.locator(":visible"))).to_be_checked()
    for name in ("packs", "tried", "sleeps"):
        go_on(one, name)
    press(one, "Check my answers")
    assert reviewed(one) == ALL
    assert posted == []


def test_the_browsers_back_leads_from_the_first_question_to_the_start_and_forward_again(one):
    choose(one, "No")
    one.go_back()
    expect(one.locator("#start")).to_be_visible()
    one.go_forward()
    expect(one.locator("#asking")).to_be_visible()
    assert shown(one) == "smokes"
    go_on(one, "tried")
    one.go_back()
    expect_focus(one, "smokes")
    one.go_back()
    expect(one.locator("#start")).to_be_visible()
    begin(one)
    expect(one.get_by_label("No", exact=True).and_(one.locator(":visible"))).to_be_checked()


@pytest.mark.slow
def test_a_reload_starts_anew_with_nothing(one):
    """At every place, because the answers were only on the page."""
    answer_all(one)
    for _ in range(2):
        one.reload()
        expect(one.locator("#start")).to_be_visible()
        assert one.locator(":checked").count() == 0
        assert one.evaluate("[sessionStorage.length, history.state]") == [0, {"step": 0}]
        begin(one)
        assert (shown(one), place(one)) == ("smokes", 1)
        to_review(one)


@pytest.mark.slow
def test_whoever_leaves_a_question_open_is_told_and_stays(one):
    press(one, "Next")
    error = one.locator("[data-question=smokes] .error")
    expect(error).to_be_visible()
    expect(one.locator("[data-question=smokes]")).to_have_attribute("aria-invalid", "true")
    expect(one.locator("[data-question=smokes] input").first).to_be_focused()
    assert (shown(one), place(one)) == ("smokes", 1)
    choose(one, "Yes")
    expect(error).to_be_hidden()
    go_on(one, "packs")
    expect(one.locator(".error:visible")).to_have_count(0)
    one.locator("[data-question=packs] input").fill("41")
    press(one, "Next")
    expect(one.locator("[data-question=packs] .error")).to_be_visible()
    expect(one.locator("[data-question=packs] input")).to_be_focused()
    one.locator("[data-question=packs] input").fill("40")
    go_on(one, "tried")
    go_on(one, "sleeps")  # boxes may stay empty


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place_", "name"), [(0, "smokes"), (1, "packs"), (2, "tried"), (3, "sleeps")]
)
def test_change_leads_from_the_review_to_that_question(one, place_, name):
    to_review(one)
    assert reviewed(one) == ALL
    labels = [q["label"] for q in QUESTIONS]
    buttons = one.locator("#chosen button")
    assert [each.get_attribute("aria-label") for each in buttons.all()] == [
        f"Change: {label}" for label in labels
    ]
    buttons.nth(place_).click()
    expect_focus(one, name)
    assert shown(one) == name
    one.go_back()  # one question back, as from any question
    expect(one.locator("#asking" if place_ else "#start")).to_be_visible()


@pytest.mark.parametrize(
    "layout",
    ["one_at_a_time", pytest.param("all_on_one_page", marks=pytest.mark.slow)],
)
def test_a_change_returns_to_the_review_at_once_or_asks_only_what_is_new(
    live, page, posted, layout
):
    """The history, and what is sent, are the same as without a change."""
    opened(live.store, CONTENT | {"layout": layout})
    start(page, live.url + PATH)
    choose_in(page, "smokes", "No")
    for name in ("tried", "sleeps"):
        if layout == "one_at_a_time":
            go_on(page, name)
    choose_in(page, "sleeps", "Yes")
    press(page, "Check my answers")
    assert reviewed(page) == ["No", "–", "Yes"]
    trace = page.evaluate(TRACE)

    def change(name: str) -> None:
        page.locator(f"#chosen [data-change={name}]").click()
        expect_focus(page, name)
        assert shown(page) == name
        expect(page.get_by_role("button", name="Next", exact=True)).to_be_hidden()

    # Nothing new: one press leads back, and the focus to where it was.
    change("sleeps")
    choose_in(page, "sleeps", "No")
    press(page, "Check my answers")
    expect(page.locator("#chosen [data-change=sleeps]")).to_be_focused()
    assert reviewed(page) == ["No", "–", "No"]
    # A new question comes alone. The others do not come again.
    change("smokes")
    choose_in(page, "smokes", "Yes")
    press(page, "Check my answers")
    assert shown(page) == "packs"
    press(page, "Check my answers")
    expect(page.locator("[data-question=packs] .error")).to_be_visible()
    page.locator("[data-question=packs] input").fill("3")
    press(page, "Check my answers")
    assert reviewed(page) == ["Yes", "3 packs", "–", "No"]
    assert page.evaluate(TRACE) == trace
    # Back leads to all questions again, as before a change.
    press(page, "Back")
    expect(page.locator("#asking")).to_be_visible()
    expect(page.get_by_role("button", name="Check my answers")).to_be_visible()
    if layout == "one_at_a_time":
        assert shown(page) == "sleeps"
    else:
        expect(page.locator("#answers fieldset:visible")).to_have_count(4)
    press(page, "Check my answers")
    press(page, "Mix up and send")
    page.locator("#done:visible").wait_for()
    assert [[*reports] for reports in posted] == [["smokes", "packs", "tried", "sleeps"]]


def test_a_double_press_of_check_my_answers_sends_nothing(one, posted):
    """The second press may meet the button that sends."""
    to_review(one)
    one.evaluate(
        "document.querySelector('#send').dispatchEvent(new MouseEvent('click', { detail: 2 }))"
    )
    expect(one.locator("#review")).to_be_visible()
    assert posted == []


@pytest.mark.parametrize("css", ["#back", "#chosen button"])
def test_a_double_press_on_the_way_back_does_not_lead_past_the_questions(one, css):
    to_review(one)
    one.evaluate(
        "(css) => { const button = document.querySelector(css); button.click(); button.click(); }",
        css,
    )
    expect(one.locator("#asking")).to_be_visible()
    assert one.evaluate("history.state") == {"step": 1}
    assert shown(one) == ("sleeps" if css == "#back" else "smokes")
    one.evaluate("new Promise((done) => { setTimeout(done, 100); })")  # no second step is under way
    expect(one.locator("#asking")).to_be_visible()
    assert one.evaluate("history.state") == {"step": 1}


def test_a_double_click_goes_one_question_on_and_one_back(live, page):
    """A double click must not skip a question that may stay empty.

    "Back" must not take the place of "Next".
    """
    opened(live.store, definition(*[QUESTIONS[2] | {"name": n} for n in "abcd"], **ONE))
    start(page, live.url + PATH)
    for name in "bcd":
        page.locator("#next").dblclick()
        assert shown(page) == name
        page.locator("h1").click()  # otherwise the next clicks would be a third and a fourth
    page.locator("#previous").dblclick()
    assert shown(page) == "c"


def test_the_question_is_the_largest_text(one):
    sizes = one.locator("body *:visible").evaluate_all(
        "(all) => all.map((e) => [parseFloat(getComputedStyle(e).fontSize), e.localName])"
    )
    assert {name for size, name in sizes if size == max(sizes)[0]} <= {"legend", "span"}
    title = one.locator("h1").evaluate("(h1) => parseFloat(getComputedStyle(h1).fontSize)")
    assert title <= 16


# The history and the address reveal no answers.

TRACE = "() => [history.length, history.state, location.href, document.title, window.name]"


@pytest.fixture
def traced(live: Live, browser: Browser) -> Iterator[Page]:
    opened(live.store, CONTENT)
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.slow
def test_history_and_address_are_the_same_whatever_is_answered(live, browser, traced):
    """At each question, in the review and after sending; with a follow-up and without."""
    ways = []
    for chosen in ("Yes", "No"):
        page = traced.context.new_page()
        start(page, live.url + PATH)
        trace = [page.evaluate(TRACE)]
        choose(page, chosen)
        trace.append(page.evaluate(TRACE))
        press(page, "Next")
        if chosen == "Yes":
            page.locator("[data-question=packs] input").fill("7")
            assert page.evaluate(TRACE) == trace[-1]
            press(page, "Next")
        trace.append(page.evaluate(TRACE))
        press(page, "Next")
        choose(page, chosen)
        trace.append(page.evaluate(TRACE))
        press(page, "Check my answers")
        trace.append(page.evaluate(TRACE))
        press(page, "Mix up and send")
        page.locator("#done:visible").wait_for()
        trace.append(page.evaluate(TRACE))
        ways.append(trace)
        page.close()
    assert ways[0] == ways[1]
    assert [state for _, state, *_ in ways[0]] == [{"step": 1}] * 5 + [{"step": 0}]
    # One entry in addition to the page's own, for any number of questions.
    assert {length for length, *_ in ways[0]} == {ways[0][0][0]}


def test_back_through_all_questions_adds_no_entry_and_then_leaves(live, page):
    """The browser is at the questions after each Back, so that the next Back works, too."""
    opened(live.store, CONTENT)
    page.goto(f"{live.url}/how")
    page.goto(live.url + PATH)
    length = page.evaluate("history.length")
    begin(page)
    to_review(page)
    for name in ("sleeps", "tried", "packs", "smokes"):
        page.go_back()
        page.wait_for_function("() => history.state?.step === 1")
        assert shown(page) == name
    assert page.evaluate("history.length") == length + 1
    page.go_back()
    expect(page.locator("#start")).to_be_visible()
    page.go_back()
    assert page.url == f"{live.url}/how"


# Keyboard, accessibility, small screens.


@pytest.mark.slow
def test_the_keyboard_alone_answers_goes_back_changes_and_sends(live, page, posted):
    opened(live.store, CONTENT)
    page.goto(live.url + PATH)
    focus = page.locator(":focus")

    def tab_to(css: str) -> None:
        for _ in range(30):
            page.keyboard.press("Tab")
            if focus.and_(page.locator(css)).count():
                return
        raise AssertionError(f"{css} is not reached with Tab")

    def key(css: str, *keys: str) -> None:
        tab_to(css)
        for each in keys:
            page.keyboard.press(each)

    key("#begin", "Enter")
    key("[data-question=smokes] input", "Space")
    key("#next", "Enter")
    expect_focus(page, "packs")
    key("[data-question=packs] input", "7", "Enter")
    expect_focus(page, "tried")
    key("#previous", "Enter")
    expect_focus(page, "packs")
    key("#next", "Enter")
    key("[data-question=tried] input", "Space")
    key("#next", "Enter")
    key("[data-question=sleeps] input", "ArrowDown")
    key("#check", "Enter")
    expect(page.locator("#review h2")).to_be_focused()
    assert reviewed(page) == ["Yes", "7 packs", "Ale", "No"]
    key("#chosen button", "Enter")
    expect_focus(page, "smokes")
    key("[data-question=smokes] input", "ArrowDown")
    key("#check", "Enter")
    expect(page.locator("#chosen button").first).to_be_focused()
    assert reviewed(page) == ["No", "Ale", "No"]
    key("#send", "Enter")
    expect(page.locator("#done h2")).to_be_focused()
    assert len(posted) == 1


@pytest.mark.slow
def test_axe_finds_nothing_and_nothing_scrolls_sideways(live: Live, browser: Browser):
    opened(live.store, CONTENT)
    context = browser.new_context(viewport={"width": 320, "height": 600})
    page = context.new_page()
    start(page, live.url + PATH)

    def look(state: str) -> None:
        no_violations(page, state)
        fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert page.evaluate(fits), state

    press(page, "Next")
    look("error")
    choose(page, "Yes")
    go_on(page, "packs")
    look("number")
    page.locator("[data-question=packs] input").fill("7")
    go_on(page, "tried")
    look("boxes")
    go_on(page, "sleeps")
    choose(page, "Yes")
    press(page, "Check my answers")
    look("review")
    context.close()
