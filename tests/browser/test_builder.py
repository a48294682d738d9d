"""The builder in a real browser, from a new researcher's point of view.

It is used by mouse, by keyboard, on a phone, in two tabs, without a connection, and without
JavaScript.
"""

import json
import re
from datetime import date

import pytest
from playwright.sync_api import expect

from survey.definition.frozen import freeze
from survey.definition.survey_level import SurveyProtection
from survey.store import OWNER, Account
from tests.browser.looks import sound
from tests.support.admin_pages import sign_in
from tests.support.builder_page import (
    TOO_WIDE,
    draft,
    protect_by_hand,
    question,
    until_ready,
    words,
)
from tests.support.definitions import definition, yes_no
from tests.support.researchers import PASSWORD, password_hash

KEPT = "Object.keys(localStorage).filter((key) => key.startsWith('candor-draft ')).length"
FOCUSED = """((at) => at.labels?.[0]?.textContent ?? at.ariaLabel ?? at.textContent)(
    document.activeElement).trim()"""


@pytest.fixture
def site(live):
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    return live.url


@pytest.fixture
def builder(page, site):
    """The builder page after sign-in. Warnings before leaving are accepted."""
    page.on("dialog", lambda dialog: dialog.accept())
    sign_in(page, site)
    return page


def until_kept(page, number=1):
    """Wait until the browser has stored the typed texts, a moment after the last key.

    It deletes them when the scripts of the page with the confirmation have run.
    """
    page.wait_for_function(f"(number) => {KEPT} === number", arg=number)


A, B, C = (yes_no(name, label=f"{name.upper()}?") for name in "abc")
EXPECTED = [
    ("q1", "yes_no"), ("q2", "select_one"), ("q3", "select_multiple"), ("q4", "number"),
    ("q5", "scale"),
]  # fmt: skip


@pytest.mark.plain
def test_five_questions_from_sign_in_to_open_by_mouse(builder, live):
    page = builder
    page.get_by_role("link", name="New survey").click()
    page.get_by_label("Title").fill("Health of students")

    def add(number, kind, label, choices="", **fields):
        if number > 1:
            page.get_by_label("Type of the next question").select_option(label=kind)
            page.get_by_role("button", name="Add question").click()
        block = question(page, number)
        block.get_by_label("Question", exact=True).fill(label)
        if choices:
            block.get_by_label("Choices, one per line").fill(choices)
        for name, value in fields.items():
            block.locator(f"[name$='-{name}']").fill(value)
        block.get_by_text("With 500 respondents, ").wait_for()

    add(1, "Yes or no", "Do you smoke?")
    add(2, "Single choice", "How often do you drink?", "Never\nMonthly\nWeekly")
    add(3, "Multiple choice (boxes)", "What have you tried?", "Cannabis\nCocaine")
    add(4, "Number", "How many hours did you sleep?", min="0", max="14", unit="hours")
    add(5, "Scale: ordered choices", "How do you feel?", "Bad\nSo-so\nGood")
    page.get_by_role("button", name="Save and close").click()
    page.get_by_label("I have checked the").check()
    page.get_by_role("button", name="Open survey").click()
    page.get_by_text("The survey is open.").wait_for()
    [survey] = [each.survey for each in live.store.surveys.all()]
    assert [(each.name, each.type) for each in survey.questions] == EXPECTED
    # New questions offer "prefer not to say".
    assert all(question.offers_to_decline for question in survey.private)
    # With all defaults, at most 90 % sure of all answers together.
    assert survey.protection == SurveyProtection(level="protected")
    assert survey.ratio_bound <= 9


@pytest.mark.slow
def test_five_questions_from_sign_in_to_open_by_keyboard_alone(page, site, live):
    keys = page.keyboard

    def tab_to(label, most=60):
        for _ in range(most):
            keys.press("Tab")
            if page.evaluate(FOCUSED) == label:
                return
        raise AssertionError(f"Tab does not reach {label!r}")

    def add(kind, label, *typed):
        """The focus stands on the question's own field; then come the others."""
        if kind:
            tab_to("Type of the next question")
            keys.type(kind)
            tab_to("Add question")
            keys.press("Enter")
        assert page.evaluate(FOCUSED) == "Question"
        keys.type(label)
        for name, value in typed:
            tab_to(name)
            for number, line in enumerate(value):
                if number:
                    keys.press("Enter")
                keys.type(line)

    page.goto(f"{site}/admin/sign-in")
    tab_to("Sign-in name")
    keys.type("ada")
    tab_to("Password")
    keys.type(PASSWORD)
    keys.press("Enter")
    page.wait_for_url("**/admin/")
    tab_to("New survey")
    keys.press("Enter")
    page.wait_for_url("**/surveys/new")
    tab_to("Title")
    keys.type("By keys")
    tab_to("Question")
    choices = "Choices, one per line"
    add("", "Do you smoke?")
    add("Single", "How often?", (choices, ["Never", "Often"]))
    add("Multiple", "Which?", (choices, ["Tea", "Coffee"]))
    add("Number", "How many?", ("Smallest value", "0"), ("Largest value", ["20"]))
    add("Scale", "How well?", (choices, ["Badly", "Well"]))
    keys.press("Control+s")
    page.get_by_text("Draft saved.").wait_for()
    [slug] = [each.survey.slug for each in live.store.surveys.all() if each.state == "draft"]
    assert page.url.endswith(f"/admin/surveys/{slug}/edit")
    tab_to("Cancel", most=120)
    keys.press("Enter")
    page.wait_for_url(f"**/admin/surveys/{slug}")
    while not page.evaluate("document.activeElement.name === 'looked'"):
        keys.press("Tab")
    keys.press("Space")
    tab_to("Open survey")
    keys.press("Enter")
    page.get_by_text("The survey is open.").wait_for()
    survey = live.store.surveys.by_slug(slug).survey
    assert [(each.name, each.type) for each in survey.questions] == EXPECTED
    assert survey.questions[3].grid.high == 20


# --- the order of the questions


@pytest.mark.slow
def test_a_moved_question_keeps_the_focus_and_it_is_said(builder, live):
    page = builder
    page.goto(draft(live, A, B, C))
    page.get_by_label("Move question 3 up").focus()
    page.keyboard.press("Enter")
    assert words(page) == ["A?", "C?", "B?"]
    assert page.evaluate(FOCUSED) == "Move question 2 up"
    assert page.locator("#said").inner_text().startswith("Moved up: question 3 is question 2 now.")
    page.keyboard.press("Enter")
    assert words(page) == ["C?", "A?", "B?"]
    # At the top the button for up is disabled, and the one for down has the focus.
    assert page.evaluate(FOCUSED) == "Move question 1 down"
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert words(page) == ["A?", "B?", "C?"]
    page.keyboard.press("Control+y")
    assert words(page) == ["A?", "C?", "B?"]
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    assert [q.name for q in live.store.surveys.by_slug("health").survey.questions] == [
        "a",
        "c",
        "b",
    ]


# Waits until the page has not scrolled for two frames.
UNTIL_STILL = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  for (let before = NaN; before !== scrollY; ) {
    before = scrollY;
    await frame();
    await frame();
  }
}"""


def drag(page, number, to):
    """Press the handle of a question, and move the pointer onto another handle."""
    handles = page.locator("[data-drag]")
    handles.nth(number - 1).scroll_into_view_if_needed()
    box = handles.nth(number - 1).bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    # All questions are folded now, so the others have moved.
    box = handles.nth(to - 1).bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + (0 if to < number else 60), steps=4)


def test_a_question_is_dragged_with_the_mouse_and_undo_takes_it_back(builder, live):
    page = builder
    page.goto(draft(live, A, B, C))
    until_ready(page)
    drag(page, 3, to=1)
    expect(question(page, 1)).to_have_class(re.compile("drop-before"))
    expect(question(page, 2).get_by_label("Type", exact=True)).to_be_hidden()
    page.mouse.up()
    assert words(page) == ["C?", "A?", "B?"]
    assert page.locator("#said").inner_text() == "Moved: question 3 is question 1 now."
    assert page.evaluate(FOCUSED).startswith("Drag question 1")
    expect(question(page, 2).get_by_label("Type", exact=True)).to_be_visible()
    assert page.locator(".drop-before, .drop-after, .dragging, .dragged").count() == 0
    page.get_by_role("button", name="Undo: question 3 moved").click()
    assert words(page) == ["A?", "B?", "C?"]
    drag(page, 1, to=3)
    page.mouse.up()
    assert words(page) == ["B?", "C?", "A?"]
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    names = [q.name for q in live.store.surveys.by_slug("health").survey.questions]
    assert names == ["b", "c", "a"]


def test_escape_and_a_drop_at_the_same_place_change_nothing(builder, live):
    page = builder
    page.goto(draft(live, A, B, C))
    until_ready(page)
    drag(page, 3, to=1)
    page.keyboard.press("Escape")
    page.mouse.up()
    drag(page, 2, to=2)
    page.mouse.up()
    assert words(page) == ["A?", "B?", "C?"]
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()


def test_the_arrow_keys_move_a_question_by_its_handle(builder, live):
    page = builder
    page.goto(draft(live, A, B, C))
    until_ready(page)
    page.get_by_label("Drag question 3").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    # There is no place above the first.
    page.keyboard.press("ArrowUp")
    assert words(page) == ["C?", "A?", "B?"]
    assert page.evaluate(FOCUSED).startswith("Drag question 1")
    page.keyboard.press("ArrowDown")
    assert words(page) == ["A?", "C?", "B?"]


def test_a_question_is_dragged_with_a_finger_past_the_edge_of_the_window(browser, live, site):
    """The page scrolls while the finger is near the edge."""
    context = browser.new_context(viewport={"width": 375, "height": 667}, has_touch=True)
    page = context.new_page()
    sign_in(page, site)
    page.goto(draft(live, *(yes_no(f"q{n}", label=f"{n}?") for n in range(1, 13))))
    until_ready(page)
    handle = page.locator("[data-drag]").nth(11)
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert min(box["width"], box["height"]) >= 44
    session = context.new_cdp_session(page)

    def touch(kind, *points):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    at = {"x": box["x"] + 20, "y": box["y"] + 20}
    touch("touchStart", at)
    for y in range(int(at["y"]), 4, -40):
        touch("touchMove", at | {"y": y})
    expect(question(page, 1)).to_be_in_viewport()
    touch("touchMove", at | {"y": 100})
    page.evaluate(UNTIL_STILL)
    touch("touchMove", at | {"y": question(page, 1).bounding_box()["y"] + 5})
    touch("touchEnd")
    assert words(page)[:2] == ["12?", "1?"]
    context.close()


@pytest.mark.slow
def test_a_deleted_question_comes_back_with_what_was_typed(builder, live):
    page = builder
    page.goto(draft(live, A, B, C))
    question(page, 2).get_by_label("Hint").fill("typed")
    question(page, 2).get_by_role("button", name="Delete").click()
    assert words(page) == ["A?", "C?"]
    assert page.locator("#said").inner_text().startswith("Question 2 deleted.")
    assert page.evaluate("document.activeElement.id") == "question-2-name"  # the next question
    page.get_by_role("button", name="Undo: question 2 deleted").click()
    assert words(page) == ["A?", "B?", "C?"]
    assert page.evaluate("document.activeElement.id") == "question-2-name"
    assert question(page, 2).get_by_label("Hint").input_value() == "typed"
    assert question(page, 2).locator("[name='questions-1-hint']").count() == 1
    page.get_by_role("button", name="Redo").click()
    assert words(page) == ["A?", "C?"]


@pytest.mark.slow
def test_a_copy_holds_what_was_chosen_and_gets_a_name_of_its_own(builder, live):
    page = builder
    page.goto(draft(live, A))
    first = question(page, 1)
    first.get_by_label("Type", exact=True).select_option("select_one")
    first.get_by_label("Choices, one per line").fill("One\nTwo")
    first.get_by_label("Protection").select_option("strong")
    first.get_by_role("button", name="Duplicate").click()
    assert page.evaluate("document.activeElement.name") == "questions-1-label"
    page.get_by_role("button", name="Save and close").click()
    page.get_by_text("Draft saved.").wait_for()
    one, two = live.store.surveys.by_slug("health").survey.questions
    assert (one.name, two.name) == ("a", "q2")
    assert (one.choices, one.randomizer.rows) == (two.choices, two.randomizer.rows)


def test_questions_fold_and_one_is_jumped_to(builder, live):
    page = builder
    page.goto(
        draft(live, *(yes_no(f"n{number}", label=f"Number {number}?") for number in range(8)))
    )
    assert page.locator("#list > .question > details[open]").count() == 0
    # The likelihood ratio comes from the server.
    line = question(page, 3).locator("summary").first
    expect(line).to_have_text(re.compile(r"3\s*Number 2\?\s+Yes or no · Medium, ε = 1.10"))
    page.get_by_text("Jump to a question").click()
    page.get_by_role("link", name="Number 6?").click()
    assert question(page, 7).get_by_label("Question", exact=True).is_visible()
    assert page.evaluate("document.activeElement.id") == "question-7-name"
    page.get_by_role("button", name="Expand all").click()
    assert page.locator("#list > .question > details[open]").count() == 8
    page.get_by_role("button", name="Collapse all", exact=True).click()
    assert page.locator("#list > .question > details[open]").count() == 0


def test_a_fault_opens_the_question_and_focuses_the_field(builder, live):
    page = builder
    page.expected_problems += ["422"]
    page.goto(draft(live, *(yes_no(f"n{number}") for number in range(8))))
    page.evaluate("document.getElementById('questions-4-name').value = 'Not Good'")
    page.get_by_role("button", name="Save and close").click()
    page.get_by_text("Not saved yet.").wait_for()
    field = page.locator("#questions-4-name")
    expect(field).to_be_focused()
    assert field.is_visible()
    assert field.get_attribute("aria-invalid") == "true"
    assert field.get_attribute("aria-describedby") == "questions-4-name-error"
    error = page.locator("#questions-4-name-error")
    expect(error).to_have_text(re.compile("^Use lower-case letters, digits"))
    expect(error).to_be_visible()


@pytest.mark.slow
def test_every_fault_is_listed_and_each_goes_once_its_field_is_changed(builder, live):
    page = builder
    page.expected_problems += ["422"]
    number = {
        "name": "age",
        "type": "number",
        "label": "Age?",
        "min": 0,
        "max": 9,
        "privacy": "none",
    }
    page.goto(draft(live, A, number, *(yes_no(f"n{n}") for n in range(6))))
    page.get_by_role("button", name="Expand all").click()
    question(page, 2).get_by_label("Smallest value").fill("x")
    question(page, 2).get_by_label("Largest value").fill("")
    question(page, 1).get_by_label("Question", exact=True).fill("")
    page.get_by_label("Target sample size").fill("-5")
    page.get_by_text("The precision shown is for 500 respondents.").wait_for()
    page.get_by_role("button", name="Save", exact=True).click()
    faults = page.locator("[data-fault]")
    expect(faults).to_have_text([
        "Target sample size: type a whole number from 1 to 10,000,000, or leave it empty.",
        "Question 1: type the question.",
        "Question 2, Smallest value: type a number.",
        "Question 2, Largest value: type a number.",
    ])  # fmt: skip
    page.wait_for_load_state()
    expect(page.get_by_label("Target sample size")).to_be_focused()
    sound(page)
    # A link leads to its field even after the question was moved.
    page.get_by_label("Move question 2 up").click()
    faults.nth(2).click()
    smallest = question(page, 1).get_by_label("Smallest value")
    expect(smallest).to_be_focused()
    error = question(page, 1).locator(".error").first
    height = question(page, 1).bounding_box()["height"]
    smallest.fill("0")
    expect(error).not_to_be_visible()
    assert smallest.get_attribute("aria-invalid") is None
    assert smallest.get_attribute("aria-describedby") is None
    assert question(page, 1).bounding_box()["height"] == height  # nothing moved
    expect(page.locator("#faults-left")).to_have_text("3 fields left to correct.")
    question(page, 1).get_by_label("Largest value").fill("9")
    question(page, 2).get_by_label("Question", exact=True).fill("Now?")
    page.get_by_label("Target sample size").fill("800")
    expect(page.locator("#faults-left")).to_have_text(
        "You have changed all these fields. Save again."
    )
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    assert live.store.surveys.by_slug("health").limits.target == 800


@pytest.mark.slow
def test_a_fault_in_a_condition_stands_beside_its_text(builder, live):
    page = builder
    page.expected_problems += ["422"]
    plain = yes_no("b", privacy="none", label="B?")
    page.goto(draft(live, A, plain))
    second = question(page, 2)
    second.get_by_text("Conditions and column name").click()
    second.get_by_label("Only if the answer to").select_option(label="1. A?")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="Question 2, Asked only if: it depends on").wait_for()
    page.wait_for_load_state()  # the field has the focus before the scripts run
    text = second.get_by_label("Asked only if")
    expect(text).to_be_focused()
    expect(second.get_by_text("which is private")).to_have_count(2)
    expect(second.locator(".error:visible")).to_have_count(1)
    text.fill("")
    expect(second.locator(".error:visible")).to_have_count(0)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()


def test_undo_names_the_last_change_and_goes_there_also_to_typing(builder, live):
    page = builder
    page.goto(draft(live, A, B))
    until_ready(page)
    undo = page.locator("[data-undo]")
    expect(undo).to_be_disabled()
    page.get_by_role("button", name="Add question").click()
    expect(undo).to_have_accessible_name("Undo: question 3 added")
    label = question(page, 1).get_by_label("Question", exact=True)
    label.fill("A, mistyped?")
    expect(undo).to_have_accessible_name("Undo: “Question” in question 1")
    # A message about an earlier change goes with the next one.
    expect(page.locator("#said")).to_be_hidden()
    question(page, 1).get_by_label("Type", exact=True).select_option("number")
    question(page, 1).get_by_label("Main goal").select_option("shares")
    undo.click()
    undo.click()
    expect(question(page, 1).get_by_label("Type", exact=True)).to_be_focused()
    expect(question(page, 1).get_by_label("Type", exact=True)).to_have_value("yes_no")
    undo.click()
    expect(label).to_be_focused()
    expect(label).to_have_value("A?")
    assert words(page) == ["A?", "B?", "(no text yet)"]
    expect(undo).to_have_accessible_name("Undo: question 3 added")
    page.get_by_role("button", name="Redo").click()
    expect(label).to_have_value("A, mistyped?")
    # In a field, the keys first undo what was typed there, then the changes before it.
    label.press("!")
    page.keyboard.press("Control+z")
    expect(label).to_have_value("A, mistyped?")
    page.locator("#questions-1-hint").focus()
    page.keyboard.press("Control+z")
    expect(label).to_have_value("A?")
    page.keyboard.press("Control+z")
    assert words(page) == ["A?", "B?"]


def test_undo_gives_a_name_back_to_the_conditions_that_use_it(builder, live):
    page = builder
    page.goto(draft(live, A, B | {"relevant": {"a": "yes"}}))
    until_ready(page)
    name = page.locator("#questions-0-name")
    question(page, 1).get_by_text("Conditions and column name").click()
    name.fill("smokes")
    name.blur()
    relevant = page.locator("#questions-1-relevant")
    expect(relevant).to_have_value("smokes: yes")
    page.get_by_role("button", name="Undo: “Column name in the CSV file” in question 1").click()
    expect(name).to_have_value("a")
    expect(relevant).to_have_value("a: yes")


@pytest.mark.slow
def test_undo_and_the_place_survive_a_save_also_one_that_failed(builder, live):
    page = builder
    page.expected_problems += ["422"]
    page.goto(draft(live, *(yes_no(n, label=f"{n.upper()}?") for n in "abcdefgh")))
    question(page, 3).locator("summary").first.click()
    question(page, 3).get_by_label("Hint").fill("typed")
    question(page, 3).get_by_role("button", name="Delete").click()
    page.get_by_label("Move question 1 down").click()
    title = page.get_by_label("Title")
    title.fill("")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="Title: type a title.").wait_for()
    # The error is in the page before the scripts, which record what is typed.
    until_ready(page)
    title.fill("Titled")
    # Undo names each change, and goes back over the title, which was typed after the others.
    page.get_by_role("button", name="Undo: “Title”").click()
    page.get_by_role("button", name="Undo: “Title”").click()
    expect(title).to_have_value("Health")
    page.get_by_role("button", name="Undo: question 1 moved down").click()
    page.get_by_role("button", name="Undo: question 3 deleted").click()
    assert words(page)[:4] == ["A?", "B?", "C?", "D?"]
    assert question(page, 3).get_by_label("Hint").input_value() == "typed"
    # After a successful save, the reader stays in the same place.
    last = question(page, 8)
    last.locator("summary").first.click()
    last.get_by_label("Hint").fill("at the end")
    assert page.evaluate("scrollY") > 0
    before = last.get_by_label("Hint").bounding_box()["y"]
    page.keyboard.press("Control+s")
    page.get_by_text("Draft saved.").wait_for()
    expect(last.get_by_label("Hint")).to_be_focused()
    expect(last.get_by_label("Hint")).to_be_visible()
    assert abs(last.get_by_label("Hint").bounding_box()["y"] - before) < 20
    page.get_by_role("button", name="Undo: “Hint” in question 8").click()
    expect(last.get_by_label("Hint")).to_have_value("")
    page.get_by_role("button", name="Redo").click()
    expect(last.get_by_label("Hint")).to_have_value("at the end")
    assert [q.hint for q in live.store.surveys.by_slug("health").survey.questions][2::5] == [
        "typed", "at the end",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_goal_and_the_precision_of_a_number_agree(builder, live):
    page = builder
    page.goto(f"{live.url}/admin/surveys/new")
    protect_by_hand(page)
    block = question(page, 1)
    block.get_by_label("Type", exact=True).select_option("number")
    block.get_by_label("Smallest value").fill("0")
    block.get_by_label("Largest value").fill("90")
    goal = block.get_by_label("Main goal")
    expect(goal).to_have_value("mean")
    block.get_by_text("With 500 respondents, the margin (95 %) is at most about ± ").wait_for()
    goal.select_option("shares")
    block.get_by_text("too small to estimate the shares of the parts of the range").wait_for()
    block.get_by_label("Type", exact=True).select_option("scale")
    expect(goal).to_have_value("shares")
    page.get_by_label("Type of the next question").select_option("number")
    page.get_by_role("button", name="Add question").click()
    expect(question(page, 2).get_by_label("Main goal")).to_have_value("mean")


@pytest.mark.slow
def test_the_address_is_shown_as_it_will_be_and_can_be_changed(builder, live):
    page = builder
    page.goto(f"{live.url}/admin/surveys/new")
    shown = page.locator("[data-address]")
    page.get_by_text("Introduction and address").click()
    offered = page.get_by_label("Address").input_value()
    page.get_by_label("Title").fill("Đời sống & Health")
    expect(shown).to_have_text(offered)
    page.get_by_label("Address").fill("")
    expect(shown).to_have_text("doi-song-health")
    page.get_by_label("Address").fill("life")
    expect(shown).to_have_text("life")
    question(page, 1).get_by_label("Question", exact=True).fill("Do you smoke?")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/surveys/life/edit")
    page.get_by_text("Introduction and address").click()
    page.get_by_label("Address").fill("lives")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/surveys/lives/edit")
    assert [each.survey.slug for each in live.store.surveys.all()] == ["lives"]


# --- who is asked


@pytest.mark.slow
def test_conditions_are_chosen_from_menus_and_follow_a_new_name(builder, live):
    page = builder
    number = {
        "name": "age", "type": "number", "label": "Age?", "min": 0, "max": 120,
        "privacy": {"epsilon": 1},
    }  # fmt: skip
    page.goto(draft(live, A, number, C))
    third = question(page, 3)
    third.get_by_text("Conditions and column name").click()
    third.get_by_label("Only if the answer to").select_option(label="1. A?")
    third.get_by_label("No", exact=True).check()
    third.get_by_label("And only if the answer to").select_option(label="2. Age?")
    third.get_by_label("from", exact=True).fill("18")
    third.get_by_label("to", exact=True).fill("65")
    third.get_by_label("to", exact=True).press("Tab")
    text = third.locator("[name$='-relevant']")
    assert text.input_value() == "a: yes, no\nage: 18 to 65"
    assert not text.is_visible()
    third.get_by_label("Yes", exact=True).uncheck()
    third.get_by_label("No", exact=True).click()  # the last one stays
    assert text.input_value() == "a: no\nage: 18 to 65"
    # The name of the question in its condition changes.
    question(page, 1).get_by_text("Conditions and column name").click()
    question(page, 1).get_by_label("Column name").fill("smokes")
    question(page, 1).get_by_label("Column name").press("Tab")
    assert text.input_value() == "smokes: no\nage: 18 to 65"
    third.get_by_label("Remove the condition on “2. Age?”").click()
    assert text.input_value() == "smokes: no"
    third.get_by_role("button", name="Write the conditions as text").click()
    text.fill("smokes: perhaps")
    third.get_by_text("must be one or a list of: yes, no.").wait_for()
    text.fill("smokes: no")
    sound(page)
    page.get_by_role("button", name="Save and close").click()
    page.get_by_text("Draft saved.").wait_for()
    assert live.store.surveys.by_slug("health").survey.questions[2].relevant == {"smokes": ["no"]}


def test_a_choice_in_any_script_has_the_name_that_the_server_gives_it(builder, live):
    """The menu of a condition uses names of choices that were never saved."""
    page = builder
    asked = {
        "name": "a", "type": "select_one", "label": "A?", "privacy": "none",
        "choices": [{"name": "x", "label": "X"}, {"name": "y", "label": "Y"}],
    }  # fmt: skip
    page.goto(draft(live, asked, C))
    question(page, 1).locator("[name$='-choices']").fill("是\n不是\nไม่รู้\nKhông’s\nkhongs\n-1\n…")
    second = question(page, 2)
    second.get_by_text("Conditions and column name").click()
    with page.expect_response("**/odds*"):
        question(page, 1).locator("[name$='-choices']").press("End")
        question(page, 1).locator("[name$='-label']").fill("B?")
    second.get_by_label("Only if the answer to").select_option(label="1. B?")
    for label in ("不是", "ไม่รู้", "Không’s", "khongs", "-1", "…"):
        second.get_by_label(label, exact=True).check()
    page.get_by_role("button", name="Save and close").click()
    page.get_by_text("Draft saved.").wait_for()
    first, last = live.store.surveys.by_slug("health").survey.questions
    names = [choice.name for choice in first.choices]
    assert names == ["shi", "bushi", "aimru", "khongs", "khongs_2", "minus_1", "c7"]
    assert last.relevant == {"a": names}


# --- the preview


@pytest.mark.slow
def test_the_preview_follows_what_is_typed_and_stays_where_it_was(builder, live):
    page = builder
    address = draft(live, A, translations={"vi": {"questions": {"a": {"label": "A bằng?"}}}})
    page.goto(address)
    length = page.evaluate("history.length")
    page.get_by_role("button", name="Preview").click()
    inner = page.frame_locator("#preview iframe:not([hidden])")
    inner.get_by_text("Preview: this page sends nothing.").wait_for()
    inner.locator("#begin").click()
    inner.locator("#asking").get_by_text("A?").wait_for()
    question(page, 1).get_by_label("Question", exact=True).fill("Changed?")
    inner.locator("#asking").get_by_text("Changed?").wait_for()
    assert page.locator("#preview iframe").count() == 1
    # Through the page to its end and back, without leaving the builder.
    inner.locator("#answers").get_by_text("Yes", exact=True).click()
    inner.get_by_role("button", name="Check my answers").click()
    inner.get_by_role("button", name="Back").click()
    inner.locator("#asking").get_by_text("Changed?").wait_for()
    inner.get_by_role("button", name="Check my answers").click()
    inner.get_by_role("button", name="Mix up and send").click()
    inner.get_by_role("heading", name="Preview: nothing was sent.").wait_for()
    assert page.evaluate("history.length") == length  # Back leads to the same page as before
    assert page.url == address
    page.get_by_role("button", name="Add question").click()
    question(page, 2).get_by_label("Type", exact=True).select_option("scale")
    page.get_by_text("Incomplete questions that the preview leaves out: 1.").wait_for()
    for width, name in ((375, "Phone"), (1024, "Desktop")):
        page.get_by_role("button", name=name, exact=True).click()
        # The frame may still be replaced by that of the new question, so the test waits for its
        # element.
        page.wait_for_function(
            "([shown, width]) => document.querySelector(shown).clientWidth === width",
            arg=["#preview iframe:not([hidden])", width],
        )
    inner.get_by_role("link", name="Tiếng Việt").click()
    inner.get_by_text("A bằng?").wait_for(state="attached")
    assert page.locator("#preview select").input_value() == "vi"
    page.get_by_role("button", name="Close preview").click()
    assert page.locator("#preview iframe").count() == 0
    assert live.store.surveys.by_slug("health").survey.questions[0].label == "A?"


# --- no typed text is lost


def typed_and_left(page, address, title="Typed here"):
    page.goto(address)
    page.get_by_label("Title").fill(title)
    until_kept(page)
    page.goto("about:blank")


@pytest.mark.slow
def test_unsaved_work_is_offered_and_restored_with_its_questions(builder, live):
    page = builder
    address = draft(live, A, B)
    page.goto(address)
    page.get_by_role("button", name="Add question").click()
    question(page, 3).get_by_label("Question", exact=True).fill("Third?")
    question(page, 1).get_by_role("button", name="Delete").click()
    question(page, 1).get_by_label("Protection").select_option("strong")
    until_kept(page)
    page.goto("about:blank")
    page.goto(address)
    assert words(page) == ["A?", "B?"]
    page.get_by_text("This browser has unsaved changes").wait_for()
    page.get_by_role("button", name="Restore").click()
    assert words(page) == ["B?", "Third?"]
    assert question(page, 1).get_by_label("Protection").input_value() == "strong"
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    until_kept(page, 0)
    assert not page.locator("#unsaved").is_visible()
    assert [q.label for q in live.store.surveys.by_slug("health").survey.questions] == [
        "B?",
        "Third?",
    ]


@pytest.mark.slow
def test_unsaved_work_can_be_discarded_and_goes_at_sign_out(builder, live):
    page = builder
    address = draft(live, A)
    typed_and_left(page, address)
    page.goto(address)
    page.get_by_role("button", name="Discard").click()
    until_kept(page, 0)
    typed_and_left(page, address)
    page.goto(f"{live.url}/admin/")
    page.get_by_role("link", name="Typed here").wait_for()  # to continue there
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    until_kept(page, 0)


@pytest.mark.slow
def test_work_on_what_is_a_draft_no_more_is_not_offered_and_any_can_be_discarded(builder, live):
    page = builder
    typed_and_left(page, draft(live, A), "Opened meanwhile")
    page.goto(draft(live, A, slug="other"))
    page.get_by_label("Title").fill("Still a draft")
    until_kept(page, 2)
    page.goto("about:blank")
    page.goto(f"{live.url}/admin/")
    notice = page.locator("[data-unsaved-list]")
    expect(notice.get_by_role("link")).to_have_count(2)
    live.store.surveys.freeze(freeze(live.store.surveys.by_slug("health").survey), "open")
    page.reload()
    expect(notice.get_by_role("link")).to_have_text(["Still a draft"])
    live.store.deleted_drafts.delete_draft("other", date.today())
    page.reload()
    expect(notice).to_be_hidden()
    draft(live, A, slug="other")
    page.reload()
    notice.get_by_role("button", name="Discard the unsaved changes to “Still a draft”").click()
    expect(notice).to_be_hidden()
    page.reload()
    expect(page.get_by_role("heading", name="Surveys")).to_be_visible()
    expect(notice).to_be_hidden()


@pytest.mark.slow
def test_a_new_survey_is_kept_too(builder, live):
    page = builder
    typed_and_left(page, f"{live.url}/admin/surveys/new", "Brand new")
    page.goto(f"{live.url}/admin/surveys/new")
    page.get_by_role("button", name="Restore").click()
    assert page.get_by_label("Title").input_value() == "Brand new"
    assert page.evaluate(KEPT) == 1


@pytest.mark.slow
def test_when_the_session_ends_what_was_typed_is_there_after_signing_in(builder, live):
    page = builder
    address = draft(live, A)
    page.goto(address)
    page.wait_for_load_state("networkidle")
    live.store.accounts.delete_sessions_before(2**40, 2**40)
    page.get_by_label("Title").fill("Not lost")
    page.get_by_text("You are signed out.").wait_for()
    page.get_by_role("button", name="Save and close").click()
    assert page.url == address  # it cannot be saved, so nothing is sent
    sign_in(page, live.url)
    page.get_by_role("link", name="Not lost").click()
    expect(page.get_by_label("Title")).to_have_value("Not lost")
    assert page.url == address
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("heading", name="Not lost").wait_for()
    until_kept(page, 0)


@pytest.mark.slow
def test_without_a_connection_nothing_is_sent_and_it_is_said(builder, live):
    page = builder
    page.expected_problems += ["ERR_INTERNET_DISCONNECTED"]
    page.goto(draft(live, A))
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.get_by_label("Title").fill("Offline")
    page.get_by_role("button", name="Save and close").click()
    page.get_by_text("This device is offline.").wait_for()
    assert page.evaluate(KEPT) == 1
    page.context.set_offline(False)
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("heading", name="Offline").wait_for()
    until_kept(page, 0)


@pytest.mark.slow
def test_leaving_with_unsaved_work_asks_first(page, site, live):
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    sign_in(page, site)
    page.goto(draft(live, A))
    page.get_by_role("link", name="Cancel").click()  # nothing was typed
    page.wait_for_url("**/surveys/health")
    assert asked == []
    page.go_back()
    page.get_by_label("Title").click()
    page.keyboard.type("x")
    page.get_by_role("link", name="Cancel").click()
    page.wait_for_url("**/surveys/health")
    assert asked == ["beforeunload"]


@pytest.mark.slow
def test_of_two_tabs_the_second_is_refused_and_saved_as_a_copy(builder, live):
    page = builder
    page.expected_problems += ["409"]
    address = draft(live, A, B)
    page.goto(address)
    other = page.context.new_page()
    other.goto(address)
    other.get_by_label("Title").fill("Theirs")
    question(other, 2).get_by_label("Hint").fill("their hint")
    other.get_by_role("button", name="Save", exact=True).click()
    other.get_by_text("Draft saved.").wait_for()
    other.close()
    page.get_by_label("Title").fill("Mine")
    question(page, 1).get_by_label("Question", exact=True).fill("Mine?")
    page.keyboard.press("Control+s")
    conflict = page.get_by_role("alert")
    conflict.get_by_role("heading", name="Not saved: this draft has changed").wait_for()
    expect(page.locator("#conflict")).to_be_focused()
    expect(conflict).to_contain_text("You saved the draft")
    sound(page)
    # The other version opens in another tab, and this page keeps the typed texts.
    page.keyboard.press("Tab")
    expect(conflict.get_by_role("link", name="Open the saved version (new tab)")).to_be_focused()
    with page.context.expect_page() as opening:
        page.keyboard.press("Enter")
    theirs = opening.value
    expect(theirs.get_by_label("Title")).to_have_value("Theirs")
    theirs.close()
    assert page.get_by_label("Title").input_value() == "Mine"
    page.keyboard.press("Tab")
    expect(conflict.get_by_role("button", name="Save my version as a copy")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_text("Draft saved.").wait_for()
    assert page.get_by_label("Title").input_value() == "Copy of Mine"
    until_kept(page, 0)
    survey, copy = (live.store.surveys.by_slug(slug).survey for slug in ("health", "health-copy"))
    assert (survey.title, survey.questions[1].hint) == ("Theirs", "their hint")
    assert (copy.title, copy.questions[0].label, copy.questions[1].hint) == (
        "Copy of Mine", "Mine?", "",
    )  # fmt: skip


@pytest.mark.slow
def test_what_was_typed_into_a_draft_that_is_deleted_meanwhile_is_kept_and_saved(builder, live):
    page = builder
    page.expected_problems += ["409"]
    page.goto(draft(live, A))
    page.get_by_label("Title").fill("Mine")
    live.store.deleted_drafts.delete_draft("health", date.today())
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("heading", name="this draft no longer exists").wait_for()
    sound(page)
    # After leaving without saving, the page for a new survey offers the texts again.
    page.goto(f"{live.url}/admin/surveys/new")
    page.get_by_role("button", name="Restore").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    until_kept(page, 0)
    assert live.store.surveys.by_slug("health").survey.title == "Mine"


@pytest.mark.slow
def test_translations_are_kept_until_saved(builder, live):
    page = builder
    draft(live, A, translations={"th": {}})
    address = f"{live.url}/admin/surveys/health/translations/th"
    page.goto(address)
    page.get_by_label("Title").fill("สุขภาพ")
    until_kept(page)
    page.goto("about:blank")
    page.goto(address)
    page.get_by_role("button", name="Restore").click()
    page.keyboard.press("Control+s")
    page.get_by_text("Translation saved.").wait_for()
    until_kept(page, 0)
    assert live.store.surveys.by_slug("health").survey.in_language("th").title == "สุขภาพ"


# --- without JavaScript


@pytest.mark.slow
def test_without_javascript_it_says_what_it_needs(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, site)
    page.get_by_role("link", name="New survey").click()
    expect(page.locator("noscript p")).to_have_text(
        "The builder needs JavaScript. Turn JavaScript on in this browser."
    )
    expect(page.locator("noscript p")).to_be_visible()
    context.close()


# --- appearance


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (1280, "light")])
def test_full_and_in_thai_it_fits_and_breaks_no_rule(builder, live, width, scheme):
    page = builder
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    thai = "คุณสูบบุหรี่หรือผลิตภัณฑ์ยาสูบอื่นๆในช่วงสามสิบวันที่ผ่านมาหรือไม่" * 2
    address = draft(
        live, yes_no("a", label=thai), yes_no("b", label=thai) | {"relevant": {"a": "yes"}},
        language="th", title=thai, translations={"en": {}},
    )  # fmt: skip

    def check():
        assert not page.evaluate(TOO_WIDE)
        sound(page)

    page.goto(address)
    page.get_by_role("button", name="Preview").click()
    page.frame_locator("#preview iframe:not([hidden])").locator("#begin").wait_for()
    check()
    page.goto(address.replace("edit", "translations/en"))
    check()


CHOICES = [{"name": f"choice_{n}", "label": f"Choice number {n}"} for n in range(1, 41)]
LARGE = [
    {"name": f"q{n}", "type": "select_one", "label": f"Question {n}: how often was this so?",
     "choices": CHOICES, "privacy": {"epsilon": 1}}
    for n in range(1, 61)
]  # fmt: skip


@pytest.mark.slow
def test_sixty_questions_of_forty_choices_are_one_light_page(builder, live):
    page = builder
    address = draft(live, *LARGE)
    reply = page.goto(address)
    assert len(reply.body()) < 360_000
    page.wait_for_load_state("networkidle")
    assert "ε = 60.00" in page.locator(".saving .sum").inner_text()
    page.get_by_label("Move question 60 up").click()
    question(page, 1).get_by_label("Move question 1 down").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    names = [each.name for each in live.store.surveys.by_slug("health").survey.questions]
    assert (names[:2], names[-2:]) == (["q2", "q1"], ["q60", "q59"])


@pytest.mark.slow
def test_nothing_is_saved_before_the_questions_are_drawn(builder, live):
    page, held = builder, []
    page.route("**/builder/restore.js*", lambda route: held.append(route), times=1)
    page.goto(draft(live, A, B), wait_until="commit")
    save = page.get_by_role("button", name="Save", exact=True)
    for button in (save, page.get_by_role("button", name="Save and close")):
        expect(button).to_be_disabled()
    page.get_by_label("Title").press("Enter")  # this would save if there were a button for it
    held[0].continue_()
    save.click()
    page.get_by_text("Draft saved.").wait_for()
    assert words(page) == ["A?", "B?"]
    assert len(live.store.surveys.by_slug("health").survey.questions) == 2


def test_an_example_and_a_file_are_starts(builder, live, tmp_path):
    page = builder
    page.goto(f"{live.url}/admin/surveys/new")
    page.get_by_text("Start from an example or a file").click()
    page.get_by_role("button", name="Start from “Health and habits”").click()
    page.get_by_text("Candor made a draft from the example.").wait_for()
    assert len(words(page)) == 5
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(definition(A, slug="mine")))
    page.goto(f"{live.url}/admin/surveys/new")
    page.get_by_text("Start from an example or a file").click()
    page.get_by_label(
        "File: survey definition from Candor (.json), XLSForm (.xlsx), or survey of REDCap, "
        "LimeSurvey, SurveyJS or Formbricks"
    ).set_input_files(file)
    page.get_by_role("button", name="Import").click()
    page.wait_for_url("**/surveys/mine")
    assert live.store.surveys.by_slug("mine").survey.questions[0].label == "A?"


def test_a_random_order_is_chosen_in_the_builder_and_keeps_other_last(builder, live):
    page = builder
    page.goto(draft(live, A))
    until_ready(page)
    first = question(page, 1)
    anchors = first.get_by_label("Choices that keep their place")
    expect(first.get_by_label("Show the choices in random order")).to_be_hidden()
    first.get_by_label("Type", exact=True).select_option("select_one")
    first.get_by_label("Choices, one per line").fill("Green tea\nCoffee\nAnother drink")
    expect(anchors).to_be_hidden()
    first.get_by_label("Show the choices in random order").check()
    anchors.fill("Another drink")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    [saved] = live.store.surveys.by_slug("health").survey.questions
    assert (saved.random_order, saved.anchors) == (True, ("another_drink",))
    # The label becomes its code, and is saved again without a change.
    expect(anchors).to_have_value("another_drink")
    first.get_by_label("Show the choices in random order").uncheck()
    expect(anchors).to_be_hidden()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    [saved] = live.store.surveys.by_slug("health").survey.questions
    assert (saved.random_order, saved.anchors) == (False, ())


def test_a_date_is_made_in_the_builder(builder, live):
    page = builder
    page.expected_problems += ["422"]
    page.goto(draft(live, A))
    until_ready(page)
    page.get_by_label("Type of the next question").select_option("date")
    page.get_by_role("button", name="Add question").click()
    second = question(page, 2)
    second.get_by_label("Question", exact=True).fill("When was your last visit?")
    expect(second.get_by_label("Protection")).to_be_hidden()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("choose a date.").first.wait_for()
    second.get_by_label("Earliest date").fill("2026-01-31")
    second.get_by_label("Latest date").fill("2024-01-31")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("choose a date after the earliest date.").first.wait_for()
    second.get_by_label("Earliest date").fill("2024-01-01")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    [_, saved] = live.store.surveys.by_slug("health").survey.questions
    assert [end.isoformat() for end in saved.dates] == ["2024-01-01", "2024-01-31"]
    page.reload()
    until_ready(page)
    expect(second.get_by_label("Latest date")).to_have_value("2024-01-31")


def test_a_ranking_is_made_in_the_builder(builder, live):
    page = builder
    page.expected_problems += ["422"]
    page.goto(draft(live, A))
    until_ready(page)
    page.get_by_label("Type of the next question").select_option("ranking")
    page.get_by_role("button", name="Add question").click()
    second = question(page, 2)
    second.get_by_label("Question", exact=True).fill("Which do you like?")
    second.get_by_label("Choices, one per line").fill("Rice\nFish\nEgg\nTea\nMilk")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("give 2 to 4 items.").first.wait_for()
    second.get_by_label("Choices, one per line").fill("Rice\nFish\nEgg")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    [_, saved] = live.store.surveys.by_slug("health").survey.questions
    assert (saved.type, len(saved.choices)) == ("ranking", 6)
    assert [item.label for item in saved.listed] == ["Rice", "Fish", "Egg"]
    expect(second.get_by_label("Choices, one per line")).to_have_value(
        re.compile("Rice\nfish?", re.I)
    )
    # No later question can depend on it.
    page.get_by_label("Type of the next question").select_option("yes_no")
    page.get_by_role("button", name="Add question").click()
    third = question(page, 3)
    third.get_by_text("Conditions and column name").click()
    parents = third.locator("[data-conditions] option").all_inner_texts()
    assert any("A?" in parent for parent in parents)
    assert not any("Which do you like" in parent for parent in parents)


def test_a_section_gets_a_random_order_of_its_questions_in_the_builder(builder, live):
    page = builder
    page.goto(draft(live, A))
    until_ready(page)
    page.get_by_label("Type of the next question").select_option("section")
    page.get_by_role("button", name="Add question").click()
    second = question(page, 2)
    in_random_order = "Show the questions of this section in random order"
    order = second.get_by_label(in_random_order)
    expect(question(page, 1).get_by_label(in_random_order)).to_be_hidden()
    expect(second.get_by_label("Show the choices in random order")).to_be_hidden()
    for wanted in (True, False):
        order.set_checked(wanted)
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_text("Draft saved.").wait_for()
        [_, saved] = live.store.surveys.by_slug("health").survey.questions
        assert saved.random_order is wanted
        expect(order).to_be_checked(checked=wanted)
        page.reload()
        until_ready(page)


def test_an_anchor_that_is_no_choice_is_named(builder, live):
    page = builder
    page.expected_problems += ["422"]
    page.goto(draft(live, A))
    until_ready(page)
    first = question(page, 1)
    first.get_by_label("Type", exact=True).select_option("select_one")
    first.get_by_label("Choices, one per line").fill("a\nb\nc")
    first.get_by_label("Show the choices in random order").check()
    first.get_by_label("Choices that keep their place").fill("d")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="must be a list of some of: a, b, c").wait_for()
    first.get_by_label("Choices that keep their place").fill("b, c")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="leave at least two choices").wait_for()


@pytest.mark.plain
def test_the_cost_of_prefer_not_to_say_follows_the_protection(builder, live):
    page = builder
    page.goto(draft(live, A))
    until_ready(page)
    first = question(page, 1)
    cost, tick = first.locator("[data-declining]"), first.get_by_label("Offer “prefer not to say”")
    protection = first.get_by_label("Protection", exact=True)
    for level, percent in (("medium", 56), ("light", 25)):
        protection.select_option(level)
        expect(cost).to_contain_text(f"costs about {percent}\u00a0% more respondents.")
        # It helps before the decision, too.
        tick.set_checked(not tick.is_checked())
        expect(cost).to_contain_text(f"costs about {percent}\u00a0% more respondents.")
    protection.select_option("none")
    expect(cost).to_be_hidden()


@pytest.mark.plain
def test_a_section_is_added_and_its_condition_is_written_once(builder, live):
    page = builder
    page.goto(draft(live, yes_no("work", "none"), A))
    until_ready(page)
    page.locator("#kind").select_option("section")
    page.get_by_role("button", name="Add question").click()
    section = question(page, 3)
    expect(section).to_contain_text("is the heading of a new page")
    expect(section.get_by_label("Protection", exact=True)).to_be_hidden()
    section.get_by_label("Heading", exact=True).fill("Your work")
    section.get_by_text("Conditions and column name").click()
    section.locator("[data-conditions] select").select_option("0")
    page.get_by_label("Move question 3 up").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    _, saved, last = live.store.surveys.by_slug("health").survey.questions
    assert (saved.type, saved.label, saved.relevant) == ("section", "Your work", {"work": ["yes"]})
    # The question has the condition of its section, and the form shows only its own.
    assert last.relevant == {"work": ["yes"]}
    expect(question(page, 3).locator("[name$=-relevant]")).to_have_value("")
    question(page, 3).get_by_text("Conditions and column name").click()
    expect(question(page, 3).get_by_label("Answer for people who are not asked")).to_be_visible()
    # Without the condition of the section, the question has none.
    question(page, 2).locator("[name$=-relevant]").evaluate("(text) => { text.value = ''; }")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    survey = live.store.surveys.by_slug("health").survey
    assert [each.relevant for each in survey.questions] == [None, None, None]


def test_conditions_that_exclude_each_other_are_named(builder, live):
    page = builder
    page.expected_problems += ["422"]
    section = {"name": "s", "type": "section", "label": "", "relevant": {"work": "yes"}}
    page.goto(draft(live, yes_no("work", "none"), section, A))
    until_ready(page)
    question(page, 3).locator("[name$=-relevant]").evaluate("(at) => { at.value = 'work: no'; }")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="“work” cannot hold together").wait_for()


def test_respondents_may_skip_a_question_that_offers_prefer_not_to_say(builder, live):
    page = builder
    page.goto(draft(live, A))
    until_ready(page)
    first = question(page, 1)
    skip = first.get_by_label("Respondents may skip the question")
    expect(skip).to_be_hidden()
    first.get_by_label("Offer “prefer not to say”").check()
    skip.check()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    assert live.store.surveys.by_slug("health").survey.questions[0].optional
    expect(skip).to_be_checked()
    first.get_by_label("Offer “prefer not to say”").uncheck()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    assert not live.store.surveys.by_slug("health").survey.questions[0].optional


@pytest.mark.parametrize(("language", "words_"), [("en", ("Other", "Please specify.")),
                                                  ("vi", ("Khác", "Xin ghi rõ."))])  # fmt: skip
def test_other_please_specify_is_one_click_and_one_undo(builder, live, language, words_):
    page = builder
    other, specify = words_
    drinks = {
        "name": "drinks", "type": "select_one", "label": "Drink?", "privacy": "none",
        "choices": [{"name": "tea", "label": "Tea"}, {"name": "milk", "label": "Milk"}],
    }  # fmt: skip
    alone = yes_no("a", "none", "Question a?")
    page.goto(draft(live, drinks, alone, language=language))
    until_ready(page)
    page.get_by_role("button", name="Add “Other, please specify”").first.click()
    assert page.evaluate("document.activeElement.value") == specify
    page.get_by_role("button", name=re.compile("^Undo")).click()
    assert len(words(page)) == 2
    expect(question(page, 1).get_by_label("Choices, one per line")).to_have_value(
        "tea | Tea\nmilk | Milk"
    )
    page.get_by_role("button", name="Redo").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    first, text, _ = live.store.surveys.by_slug("health").survey.questions
    assert [choice.label for choice in first.choices] == ["Tea", "Milk", other]
    assert (text.type, text.label, text.relevant) == ("text", specify, {"drinks": ["other"]})


def test_next_to_private_questions_everyone_is_asked_about_other(builder, live):
    """The texts that someone leaves empty would otherwise show which response this person sent."""
    page = builder
    drinks = {
        "name": "drinks", "type": "select_one", "label": "Drink?", "privacy": "none",
        "choices": [{"name": "tea", "label": "Tea"}, {"name": "milk", "label": "Milk"}],
    }  # fmt: skip
    page.goto(draft(live, drinks, A))
    until_ready(page)
    page.get_by_role("button", name="Add “Other, please specify”").first.click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    _, text, _ = live.store.surveys.by_slug("health").survey.questions
    assert (text.label, text.relevant) == ("If you chose “Other”: please specify.", None)


def test_a_private_question_gets_no_text_after_other(builder, live):
    """The text would reveal that the respondent chose “Other”."""
    page = builder
    page.goto(draft(live, A))
    until_ready(page)
    question(page, 1).get_by_label("Type", exact=True).select_option("select_one")
    button = page.get_by_role("button", name="Add “Other, please specify”")
    expect(button).to_be_hidden()
    question(page, 1).get_by_label("Protection", exact=True).select_option("none")
    expect(button).to_be_visible()


COUNT_SEARCHES = """
  window.searches = 0;
  for (const name of ['querySelector', 'querySelectorAll']) {
    const search = Element.prototype[name];
    Element.prototype[name] = function counted(...given) {
      window.searches += 1;
      return search.apply(this, given);
    };
  }
  const labels = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'labels');
  Object.defineProperty(HTMLTextAreaElement.prototype, 'labels', { get() {
    // The browser goes through the whole page.
    window.searches += document.querySelectorAll('*').length;
    return labels.get.call(this);
  } });
"""


def test_the_work_of_opening_a_draft_grows_only_with_the_number_of_questions(builder, live):
    """Not with its square, which took seconds for 200 questions. Time depends on the machine."""
    builder.add_init_script(COUNT_SEARCHES)
    searches = []
    for n in (20, 40, 80):
        questions = [yes_no(f"q{place}", "none") for place in range(n)]
        builder.goto(draft(live, *questions, slug=f"n{n}"))
        until_ready(builder)
        assert builder.locator("#list > *").count() == n
        searches.append(builder.evaluate("searches"))
    one, two, four = searches
    assert four - two == pytest.approx(2 * (two - one), rel=0.25), searches
