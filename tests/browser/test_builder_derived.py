"""The builder in a real browser: answers that stay on the device, and derived answers."""

import re

import pytest
from playwright.sync_api import expect

from survey.definition.survey import parse_survey
from tests.support.builder_page import TOO_WIDE, draft, question, until_ready, words
from tests.support.definitions import yes_no
from tests.support.derived_survey import DERIVED, EVERY_DERIVED, JOINT, SOURCES
from tests.support.every_type import asked

SOURCE, POINTS = "Source of the answer", "Questions and points, one question per line"


@pytest.mark.plain
def test_a_battery_is_summed_by_menus_and_saved(builder, live):
    page = builder
    items = [SOURCES[0], SOURCES[1], SOURCES[4]]
    page.goto(draft(live, *items, yes_no("depressed", label="Is the score high?")))
    until_ready(page)
    score = question(page, 4)
    # The respondent gives the answer, so that no part of a calculation is shown.
    assert score.get_by_label("Yes from this value on").is_hidden()
    score.get_by_label(SOURCE).select_option(label="Calculated: sum of points")
    menu = score.get_by_label("Add a line for the question")
    # The menu gives points to the choices that have no usual ones.
    menu.select_option(index=2)
    assert score.get_by_label(POINTS).input_value() == "sleep: never 0, some 1, often 2"
    score.get_by_label(POINTS).fill("")
    for place in (1, 3):
        menu.select_option(index=place)
    assert score.get_by_label(POINTS).input_value() == "mood\nacts"
    score.get_by_label("Yes from this value on").fill("4")
    score.get_by_text("calculates this answer from: “1. Item mood” and “3. Item acts”.").wait_for()
    question(page, 1).get_by_text(
        "calculates these answers from it: “4. Is the score high?”."
    ).wait_for()
    # A question that is renamed has its new name in the calculation.
    question(page, 1).get_by_text("Conditions and column name").click()
    question(page, 1).get_by_label("Column name in the CSV file").fill("feeling")
    question(page, 1).get_by_label("Column name in the CSV file").press("Tab")
    assert score.get_by_label(POINTS).input_value() == "feeling\nacts"
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("heading", name="Pre-launch checklist").wait_for()
    sleep = page.locator("[data-check=unsent] li")
    assert sleep.all_inner_texts() == ["Item sleep"]
    survey = live.store.surveys.by_slug("health").survey
    assert survey.questions[3].derived == {
        "sum": {"feeling": {"never": 1, "some": 2, "often": 3},
                "acts": {"never": 1, "some": 1, "often": 1}},
        "at_least": 4,
    }  # fmt: skip


def test_each_part_of_a_calculation_is_shown_where_it_applies_and_undone(builder, live):
    page = builder
    page.goto(draft(live, *SOURCES, DERIVED[-2]))
    until_ready(page)
    page.get_by_role("button", name="Expand all").click()
    group = question(page, 6)

    def shown():
        names = ("points", "conditions", "recode", "arms", "at_least", "bands", "privacy",
                 "prefer_not_to_say", "optional", "random_order")  # fmt: skip
        return {each for each in names if group.locator(f"[name$='-{each}']").is_visible()}

    def offered():
        return set(group.get_by_label(SOURCE).locator("option:not([hidden])").evaluate_all(
            "all => all.map((each) => each.value)"))  # fmt: skip

    assert shown() == {"recode", "privacy", "prefer_not_to_say"}
    assert offered() == {"given", "sum", "mean", "count", "recode", "random"}
    group.get_by_label(SOURCE).select_option("random")
    assert shown() == {"arms"}
    group.get_by_label(SOURCE).select_option("mean")
    assert shown() == {"points", "bands", "privacy", "prefer_not_to_say"}
    group.get_by_label("Type", exact=True).select_option("number")
    assert shown() == {"points", "privacy", "prefer_not_to_say"}
    assert offered() == {"given", "sum", "mean", "count"}
    group.get_by_label("Type", exact=True).select_option("yes_no")
    assert shown() == {"points", "at_least", "privacy", "prefer_not_to_say"}
    assert offered() == {"given", "sum", "mean", "count", "any", "all", "recode", "random"}
    for _ in range(2):  # Changes of one field are one step
        page.get_by_role("button", name="Undo").click()
    assert shown() == {"recode", "privacy", "prefer_not_to_say"}
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("heading", name="Pre-launch checklist").wait_for()
    survey = live.store.surveys.by_slug("health").survey
    assert survey.questions == parse_survey(
        EVERY_DERIVED | {"questions": [*SOURCES, DERIVED[-2]]}
    ).questions  # fmt: skip


def test_a_fault_of_a_calculation_is_shown_at_its_field(builder, live):
    page = builder
    page.goto(draft(live, *SOURCES, DERIVED[4]))
    until_ready(page)
    page.get_by_role("button", name="Expand all").click()
    question(page, 6).get_by_label("Conditions, one question per line").fill("drinks: yes")
    page.expected_problems.append("422")
    page.get_by_role("button", name="Save and close").click()
    field = question(page, 6).get_by_label("Conditions, one question per line")
    error = question(page, 6).locator("p.error", has_text="There is no earlier question “drinks”.")
    error.wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    assert field.evaluate("each => each === document.activeElement")


@pytest.mark.parametrize("width", [375, 1280])
def test_the_parts_fit_every_width(builder, live, width):
    page = builder
    page.goto(draft(live, *SOURCES, *DERIVED, JOINT))
    until_ready(page)
    page.set_viewport_size({"width": width, "height": 900})
    page.get_by_role("button", name="Expand all").click()
    assert not page.evaluate(TOO_WIDE)


WAYS = "Compare three ways of asking"
STATEMENT, OTHERS = (
    "Sensitive statement, as it stands in the list",
    "Other statements, one per line",
)
OTHER_STATEMENTS = ["I own a bicycle.", "I have a cat.", "I like tea."]


def fill_ways(page, number, statements=OTHER_STATEMENTS):
    block = question(page, number)
    if not block.get_by_label(STATEMENT).is_visible():
        block.get_by_text(WAYS).click()
    block.get_by_label(STATEMENT).fill("I smoke.")
    block.get_by_label(OTHERS).fill("\n".join(statements))
    block.get_by_role("button", name="Add the other versions").click()


def test_three_ways_of_asking_are_one_press_and_one_undo(builder, live):
    page = builder
    age = asked("age", "number", "none", min=0, max=99)
    page.goto(draft(live, age, yes_no() | {"relevant": {"age": {"min": 18}}}))
    until_ready(page)
    fill_ways(page, 2)
    assert page.evaluate("document.activeElement.id") == "questions-3-label"
    expect(page.locator("#said")).to_have_text(
        "Questions 4 to 6 are the other versions of question 3."
    )
    page.get_by_role("button", name=re.compile("^Undo")).click()
    assert len(words(page)) == 2
    expect(page.locator("[name=questions-1-relevant]")).to_have_value("age: at least 18")
    page.get_by_role("button", name="Redo").click()
    assert len(words(page)) == 6
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    arm, _, randomised, direct, short, long = live.store.surveys.by_slug("health").survey.questions
    assert arm.derived == {
        "random": dict.fromkeys(["randomised", "direct", "list", "list_with"], 1)
    }
    adults = {"age": {"min": 18}}
    ways = (randomised, direct, short, long)
    for each, name in zip(ways, arm.derived["random"], strict=True):
        assert each.relevant == adults | {"arm": [name]}
        assert each.offers_to_decline == randomised.offers_to_decline
    assert (randomised.non_private, direct.non_private) == (False, True)
    assert direct.label == randomised.label
    bicycle, cat, tea = OTHER_STATEMENTS
    assert short.label.endswith(f"not which ones. (1) {bicycle} (2) {cat} (3) {tea}")
    assert long.label.endswith(f"not which ones. (1) {bicycle} (2) {cat} (3) I smoke. (4) {tea}")
    assert [each.grid.high for each in (short, long)] == [3, 4]
    assert [each.name for each in ways] == [
        "smokes", "smokes_direct", "smokes_list", "smokes_list_with",
    ]  # fmt: skip
    # A second question uses the same arm, and the first cannot be pressed twice.
    fill_ways(page, 3)
    expect(question(page, 3)).to_contain_text("This question already has its other versions.")
    assert len(words(page)) == 6


def test_the_second_comparison_of_a_survey_uses_its_arm(builder, live):
    page = builder
    page.goto(draft(live, yes_no(), yes_no("drinks", label="Do you drink?")))
    until_ready(page)
    fill_ways(page, 1)
    fill_ways(page, 6)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    survey = live.store.surveys.by_slug("health").survey
    assert [each.name for each in survey.questions if each.is_arm] == ["arm"]
    assert len(survey.questions) == 9
    assert survey.questions[8].relevant == {"arm": ["list_with"]}


def test_added_versions_replace_the_empty_question_of_a_new_survey(builder, live):
    page = builder
    page.goto(f"{live.url}/admin/surveys/new")
    until_ready(page)
    page.get_by_role("button", name="Add question").click()
    question(page, 2).get_by_label("Question", exact=True).fill("Do you smoke?")
    fill_ways(page, 2)
    expect(page.locator("#said")).to_have_text(
        "Questions 3 to 5 are the other versions of question 2. The empty first question is "
        "removed."
    )
    assert len(words(page)) == 5
    assert words(page)[1:3] == ["Do you smoke?"] * 2
    page.get_by_role("button", name=re.compile("^Undo")).click()
    assert words(page) == ["(no text yet)", "Do you smoke?"]
    # The question itself stays, even if it is empty.
    fill_ways(page, 1)
    assert len(words(page)) == 6


@pytest.mark.parametrize(
    ("statements", "fault"),
    [
        ([], "Type 3 to 10 statements, one per line."),
        (["a", "b"], "Type 3 to 10 statements, one per line."),
        (["a", "b", "b"], "A statement is there twice."),
        (["a", "b", "I smoke."], "The sensitive statement is among them."),
    ],
)
def test_the_researcher_must_write_the_statements(builder, live, statements, fault):
    """Nothing is invented that could be sent to respondents."""
    page = builder
    page.goto(draft(live, yes_no()))
    until_ready(page)
    fill_ways(page, 1, statements)
    expect(question(page, 1)).to_contain_text(fault)
    others = question(page, 1).get_by_label(OTHERS)
    expect(others).to_be_focused()
    expect(others).to_have_attribute("aria-invalid", "true")
    assert len(words(page)) == 1
    # The next press reads the corrected statements.
    fill_ways(page, 1)
    assert len(words(page)) == 5


def test_a_question_that_depends_on_a_private_one_is_not_asked_directly(builder, live):
    page = builder
    page.goto(draft(live, yes_no("drinks"), yes_no() | {"relevant": {"drinks": ["yes"]}}))
    until_ready(page)
    fill_ways(page, 2)
    expect(question(page, 2)).to_contain_text("depends on “drinks”, which is private")
    assert len(words(page)) == 2


def test_only_private_questions_that_respondents_answer_have_three_ways(builder, live):
    page = builder
    page.goto(
        draft(live, yes_no(), yes_no("open", "none"), asked("age", "number", "none", min=0, max=9))
    )
    until_ready(page)
    folds = [question(page, number).get_by_text(WAYS).is_visible() for number in (1, 2, 3)]
    assert folds == [True, False, False]


TOGETHER = "Randomise together with other questions"


def boxes_of(joint):
    return joint.get_by_role("group", name="Questions that are randomised together")


def test_questions_are_randomised_together_with_the_keyboard_and_saved(builder, live):
    page = builder
    own = {"privacy": {"epsilon": "1"}}
    page.goto(draft(live, SOURCES[1] | own, SOURCES[3], yes_no("drinks", label="Drinks?")))
    until_ready(page)
    # A number cannot be part of a joint question.
    assert question(page, 2).get_by_role("button", name=TOGETHER).is_hidden()
    question(page, 1).get_by_role("button", name=TOGETHER).press("Enter")
    joint = question(page, 4)
    boxes = boxes_of(joint)
    assert boxes.get_by_role("checkbox").evaluate_all(
        "all => all.map((each) => [each.labels[0].innerText.trim(), each.checked])"
    ) == [["1. Item sleep", True], ["3. Drinks?", False]]
    assert question(page, 1).get_by_label("Protection").input_value() == "not_sent"
    expect(page.locator("#said")).to_have_text(
        "Question 4 is new. It randomises question 1 together with those that you tick."
    )
    # The focus is on the first question that can be added.
    page.keyboard.press("Space")
    expect(page.locator("#said")).to_have_text(
        "Question 3 is part of question 4 now. Its answer is not sent on its own."
    )
    assert question(page, 3).get_by_label("Protection").input_value() == "not_sent"
    assert boxes.get_by_label("3. Drinks?").is_checked()
    assert boxes.get_by_label("3. Drinks?").evaluate("each => each === document.activeElement")
    joint.get_by_label("Title in the results").fill("Sleep and drinks")
    joint.get_by_text("6 combinations of answers are possible.").wait_for()
    price = joint.get_by_text("Someone who knows the other answers learns at most as much")
    assert "ε = 2.00" in price.inner_text()
    assert "at most 89 %" in price.inner_text().replace("\N{NO-BREAK SPACE}", " ")
    for part in ("Hint (optional)", "Offer “prefer not to say”", "Asked only if (optional)"):
        assert joint.get_by_label(part).is_hidden()
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("heading", name="Pre-launch checklist").wait_for()
    survey = live.store.surveys.by_slug("health").survey
    assert survey.questions[3].derived == {"joint": ["sleep", "drinks"]}
    assert [each.name for each in survey.asked if not each.sent] == ["sleep", "age", "drinks"]
    assert survey.questions[3].as_definition()["privacy"] == {"epsilon": "2"}


def test_undo_of_a_joint_question_returns_to_the_question_that_it_was_for(builder, live):
    page = builder
    page.goto(draft(live, *(yes_no(f"q{n}", label=f"Q{n}?") for n in (1, 2, 3))))
    until_ready(page)
    question(page, 2).get_by_role("button", name=TOGETHER).press("Enter")
    assert len(words(page)) == 4
    page.keyboard.press("Control+z")
    assert words(page) == ["Q1?", "Q2?", "Q3?"]
    assert page.evaluate("document.activeElement.id") == "question-2-name"
    expect(page.locator("#said")).to_have_text("Undone: joint question for question 2 added.")
    page.get_by_role("button", name="Redo").press("Enter")
    assert len(words(page)) == 4
    assert page.evaluate("document.activeElement.id") == "question-4-name"


def test_a_question_that_leaves_a_joint_one_has_its_protection_again(builder, live):
    page = builder
    page.goto(draft(live, SOURCES[0], SOURCES[1], yes_no("drinks", label="Drinks?"),
                    JOINT))  # fmt: skip
    until_ready(page)
    boxes = boxes_of(question(page, 4))
    drinks = question(page, 3).get_by_label("Protection")
    before = drinks.input_value()
    boxes.get_by_label("3. Drinks?").check()
    assert drinks.input_value() == "not_sent"
    # One step takes back the box and the protection, and shows the joint question.
    page.get_by_role("button", name="Undo").click()
    assert drinks.input_value() == before
    assert not boxes.get_by_label("3. Drinks?").is_checked()
    assert page.evaluate("document.activeElement.id") == "question-4-name"
    page.get_by_role("button", name="Redo").click()
    assert boxes.get_by_label("3. Drinks?").is_checked()
    assert page.evaluate("document.activeElement.id") == "question-4-name"
    boxes.get_by_label("3. Drinks?").uncheck()
    assert drinks.input_value() == before
    expect(page.locator("#said")).to_have_text(
        "Question 3 is no longer part of question 4. It has its own protection again."
    )
    # A new name of a question reaches the joint question, and a deleted one is a fault there.
    question(page, 1).get_by_text("Conditions and column name").click()
    question(page, 1).get_by_label("Column name in the CSV file").fill("feeling")
    question(page, 1).get_by_label("Column name in the CSV file").press("Tab")
    assert boxes.get_by_label("1. Item mood").is_checked()
    question(page, 2).get_by_role("button", name="Delete").click()
    joint = question(page, 3)
    joint.get_by_text("'sleep' is not an earlier question.").wait_for()
    assert joint.get_by_label("Questions to randomise together").input_value() == "feeling\nsleep"
