"""Derived answers in whole forms of XLSForm, as Candor and as users of ODK write them."""

import pytest

from survey.definition.frozen import fingerprint_of
from survey.definition.survey import parse_survey
from survey.formats.definition_files import read_survey, survey_xlsx
from survey.formats.xlsform.read_form import from_xlsform
from survey.formats.xlsform.write_form import to_xlsform
from tests.formats.calculated_forms import (
    ANY,
    CHOICES,
    COLUMNS,
    DERIVED,
    ENTRIES,
    EVERY_OPERATION,
    ITEMS,
    JOINT,
    KEPT,
    ROWS,
    calculated,
    derived,
    imported,
    joint,
    sheets_of,
)
from tests.formats.odk_calculation import calculations, xform
from tests.support.definitions import definition
from tests.support.every_type import asked, letters
from tests.support.joint_survey import joint_survey
from tests.support.three_ways import ways_survey
from tests.support.xlsforms import table, workbook

pytestmark = pytest.mark.fast


def same(survey):
    back = read_survey(survey_xlsx(survey))
    assert back.left_out == ()
    assert back.survey == survey
    assert fingerprint_of(back.survey) == fingerprint_of(survey)


def test_every_operation_comes_back_from_its_workbook():
    same(EVERY_OPERATION)


def test_an_experiment_with_ways_of_asking_comes_back_from_its_workbook():
    same(ways_survey())


def test_the_file_says_that_other_tools_send_the_answers_that_stay_in_the_page():
    [settings] = to_xlsform(EVERY_OPERATION)["settings"]
    assert "They also send the answers that Candor keeps" in settings["candor::warning"]
    [settings] = to_xlsform(parse_survey(definition()))["settings"]
    assert "They also send" not in settings["candor::warning"]


def test_without_the_columns_of_candor_a_calculation_is_the_same_rule():
    """A form that went through a tool that drops the other columns keeps its calculations."""
    sheets = to_xlsform(EVERY_OPERATION)
    own = ("candor::answer", "candor::derived", "candor::type")
    sheets["survey"] = [
        {k: None if row["type"] == "calculate" and k in own else cell for k, cell in row.items()}
        for row in sheets["survey"]
    ]
    survey = from_xlsform(sheets).survey
    read = {question.name: question for question in survey.derived}
    # Reads these as the same rule. A count of choices is read as the same sum of points.
    for name in ("sum_own", "sum_points", "sum_boxes", "sum_weighted", "least_own", "least_points",
                 "least_boxes", "least_weighted", "any_few", "any_boxed", "all_few",
                 "all_boxed", "count_few", "arm", "mean_own"):  # fmt: skip
        assert read[name].derived == ENTRIES[name]["derived"], name
    assert read["recode_few"].derived == ENTRIES["recode_few"]["derived"]
    # Others depend on answers that were declined in ways that no rule of a calculation expresses.
    assert {name for name in ENTRIES if name.endswith("_unsure")}.isdisjoint(read)


# --- forms as users of ODK write them


# --- forms as users of ODK write them

PHQ = table(
    COLUMNS,
    ("begin_group", "phq", "The last two weeks"),
    ("select_one freq", "phq_1", "Little interest or pleasure", "yes"),
    ("select_one freq", "phq_2", "Feeling down", "yes"),
    calculated("phq_total", "${phq_1} + ${phq_2}"),
    calculated("phq_positive", "if(${phq_total} >= 3, 1, 0)", "Positive screen"),
    ("end_group",),
)
POINTS_OF_2 = {name: {"0": 0, "1": 1, "2": 2, "3": 3} for name in ("phq_1", "phq_2")}
AUDIT = table(
    COLUMNS,
    ("select_one sex", "sex", "Sex", "yes"),
    *(("select_one often", f"q{n}", f"Question {n}", "yes") for n in (1, 2, 3)),
    calculated("score", "number(${q1}) + number(${q2}) + number(${q3})", "AUDIT-C score"),
    calculated(
        "risk", "if(${score} <= 3, 'low', if(${score} > 3 and ${score} < 8, 'mid', 'high'))"
    ),
    calculated("draw", "once(random())"),
    calculated("arm", "if(${draw} < 0.25, 'control', 'treated')", "Arm"),
    ("note", "told", "Your score is ${score}."),
)  # fmt: skip


def odk_form(rows):
    content = workbook(sheets_of(rows))
    assert xform(content)  # It is a valid form.
    return read_survey(content)


@pytest.mark.parametrize("form", [PHQ, AUDIT])
def test_a_form_with_scores_comes_in_and_goes_out_as_the_same_survey(form):
    survey = odk_form(form).survey
    content = survey_xlsx(survey)
    assert calculations(xform(content)).keys() == {each.name for each in survey.derived}
    back = read_survey(content)
    assert back.survey == survey
    assert fingerprint_of(back.survey) == fingerprint_of(survey)


def test_a_cut_off_of_a_score_becomes_one_derived_answer():
    form = odk_form(PHQ)
    questions = form.survey.as_definition()["questions"]
    assert [(each["name"], each.get("privacy")) for each in questions] == [
        ("phq", None), ("phq_1", KEPT), ("phq_2", KEPT),
        ("phq_positive", {"mechanism": "coin_flip"}),
    ]  # fmt: skip
    assert questions[-1]["label"] == "Positive screen"
    assert questions[-1]["derived"] == {"sum": POINTS_OF_2, "at_least": 3}
    assert form.unprotected == ()
    assert form.left_out == (
        "survey, rows 3 and 4: only calculations use the answers, so they stay in the respondent’s "
        "page. Choose another protection in the draft if needed.",
        "survey, row 5, column calculation: Candor calculates this only within later "
        "calculations, and does not send it. The row is omitted.",
        "survey, row 6: the form sets no protection, so Candor set the level medium. Change it in "
        "the draft if needed.",
    )


def test_bands_of_a_score_and_an_arm_come_in():
    form = odk_form(AUDIT)
    by_name = {each["name"]: each for each in form.survey.as_definition()["questions"]}
    points = {f"q{n}": {str(each): each for each in range(5)} for n in (1, 2, 3)}
    # A note shows the score, so it stays an answer of its own.
    assert by_name["score"]["derived"] == {"sum": points}
    assert [by_name["score"][key] for key in ("min", "max", "step")] == [0, 12, 1]
    assert by_name["risk"]["derived"] == {"sum": points, "bands": {"low": 0, "mid": 4, "high": 8}}
    assert by_name["arm"]["derived"] == {"random": {"control": 1, "treated": 3}}
    assert by_name["arm"]["privacy"] == "none"
    assert by_name["sex"]["privacy"] == "none"
    assert form.unprotected == ("sex",)
    assert not any("row 8" in each and "omitted" in each for each in form.left_out)


def test_protection_in_the_form_stays_as_it_is():
    privacy = {"privacy": "strong"}
    rows = [dict(row) for row in table(COLUMNS, *ROWS[:2], calculated("total", "${a} + ${b}"))]
    rows[0] |= privacy
    rows[2] |= {"privacy::epsilon": 3}
    entries = imported(rows).survey.as_definition()["questions"]
    assert [each["privacy"] for each in entries] == [{"epsilon": "0.5"}, KEPT, {"epsilon": 3}]


def test_a_derived_answer_that_is_stored_as_given_leaves_its_items_as_they_are():
    rows = [dict(row) for row in table(COLUMNS, *ROWS[:2], calculated("total", "${a} + ${b}"))]
    rows[2] |= {"privacy": "none"}
    entries = imported(rows).survey.as_definition()["questions"]
    assert [each["privacy"] for each in entries] == ["none"] * 3


def test_an_answer_on_which_more_than_calculations_depends_is_sent():
    more = ("text", "why", "Why?", None, "${a} = 3")
    total = calculated("total", "${a} + ${b}")
    read = imported(table(COLUMNS, *ROWS[:2], more, total))
    entries = {each["name"]: each for each in read.survey.as_definition()["questions"]}
    assert (entries["a"]["privacy"], entries["b"]["privacy"]) == ("none", KEPT)
    assert entries["total"]["privacy"] == {"epsilon": "1", "goal": "mean"}
    assert read.unprotected == ("a",)


def test_an_item_that_can_be_declined_makes_the_derived_answer_so():
    rows = [dict(row) for row in table(COLUMNS, *ROWS[:2], calculated("total", "${a} + ${b}"))]
    rows[1]["required"] = "no"
    *_, item, total = imported(rows).survey.as_definition()["questions"]
    assert item["optional"]
    assert total["prefer_not_to_say"]


def test_a_condition_on_a_calculation_keeps_it_and_names_its_results():
    positive = calculated("positive", "if(${a} + ${b} >= 3, 1, 0)")
    more = ("select_one word", "more", "More?", "yes", "${positive} = 1")
    rows = [dict(row) for row in table(COLUMNS, *ROWS[:2], positive, more)]
    rows[3]["privacy"] = "medium"
    *_, derived_one, asked_one = imported(rows).survey.as_definition()["questions"]
    assert derived_one["type"] == "yes_no"
    assert asked_one["relevant"] == {"positive": ["yes"]}


def test_a_calculation_that_was_changed_after_the_export_is_named():
    survey = parse_survey(definition(*ITEMS, DERIVED[0]))
    sheets = to_xlsform(survey)
    row = next(row for row in sheets["survey"] if row["type"] == "calculate")
    assert row["calculation"] == "${a} + ${b}"
    row["calculation"] = "${a} + 2 * ${b}"
    read = from_xlsform(sheets)
    assert read.survey == survey
    assert read.left_out == (
        "survey, row 7, column calculation: differs from candor::derived, which Candor uses. To "
        "use the calculation, delete candor::derived and candor::answer.",
    )
    del row["candor::derived"], row["candor::answer"]
    [question] = from_xlsform(sheets).survey.derived
    assert question.derived["sum"]["b"] == {"0": 0, "1": 2, "2": 4, "3": 6}


def test_a_fault_in_the_rule_of_candor_names_the_row():
    sheets = to_xlsform(parse_survey(definition(*ITEMS, DERIVED[0])))
    row = next(row for row in sheets["survey"] if row["type"] == "calculate")
    row["candor::derived"] = '{"sum": {"nobody": 1}}'
    sheets["survey"].append({"type": "text", "name": "t", "label": "T?"})
    read = from_xlsform(sheets)
    assert [each.name for each in read.survey.derived] == []
    assert any(each.startswith("survey, row 7, column candor::derived: is not an earlier question")
               for each in read.left_out)  # fmt: skip


def test_the_bands_of_nine_items_that_can_be_declined_fit_into_a_cell():
    words = {"not_at_all": 0, "several_days": 1, "more_than_half": 2, "nearly_every_day": 3}
    choices = [{"name": word, "label": word} for word in words]
    items = [
        asked(f"phq9_item_{n}", "scale", KEPT, choices=choices, optional=True, **ANY)
        for n in range(9)
    ]
    rule = {"sum": {item["name"]: words for item in items}}
    bands = {"bands": {"v": 0, "w": 5, "x": 10, "y": 15, "z": 20}}
    severity = derived("severity", "select_one", rule | bands, choices=letters("vwxyz"))
    same(parse_survey(definition(*items, severity)))


# --- joint questions


# --- joint questions


def test_a_joint_question_comes_back_from_its_workbook():
    same(parse_survey(joint_survey()))
    same(parse_survey(definition(*JOINT)))
    same(
        parse_survey(
            definition(
                *JOINT[:2],
                joint("drinks", "drives"),
                language="vi",
                translations={"en": {"questions": {"both": {"label": "B"}}}},
            )
        )
    )


def test_a_joint_question_in_a_section_with_a_condition_comes_back():
    """The joint answer exists for everyone, so its row has no condition of its own."""
    adult = asked("adult", "yes_no", KEPT)
    section = {"name": "s", "type": "section", "label": "", "relevant": {"adult": ["yes"]}}
    same(parse_survey(definition(adult, section, *JOINT)))


HABITS = (
    ("select_one word", "a", "A", "yes"),
    ("select_one freq", "b", "B", "yes"),
)


@pytest.mark.parametrize(
    "calculation",
    ["concat(${a}, '+', ${b})", "concat(${b},${a})", ' concat( ${a} , "-" , ${b} ) '],
)
def test_a_concatenation_of_two_choices_comes_in_and_goes_out_as_a_joint_question(calculation):
    form = odk_form(table(COLUMNS, *HABITS, calculated("both", calculation, "Both")))
    questions = form.survey.as_definition()["questions"]
    assert questions[2] == {
        "name": "both", "type": "joint", "label": "Both", "privacy": {"epsilon": "1"},
        "derived": {"joint": ["a", "b"]},
    }  # fmt: skip
    assert [each["privacy"] for each in questions[:2]] == [KEPT, KEPT]
    assert form.unprotected == ()
    assert form.left_out == (
        "survey, rows 2 and 3: only calculations use the answers, so they stay in the respondent’s "
        "page. Choose another protection in the draft if needed.",
        "survey, row 4: the form sets no protection, so Candor set the level medium. Change it in "
        "the draft if needed.",
    )
    same(form.survey)


@pytest.mark.parametrize(
    ("rows", "calculation", "fault"),
    [
        ((), "concat(${a}, '+', ${a})", "does not combine 2 to 4 different questions"),
        ((), "concat(${a}, '+')", "uses 'concat', which Candor does not"),
        ((("note", "said", "You said ${a}."),), "concat(${a}, ${b})",
         "combines 'a', which is sent on its own"),
        (tuple(("select_one freq", f"c{n}", f"C {n}", "yes") for n in range(3)),
         "concat(${b}, ${c0}, ${c1}, ${c2})", "has more than 64 results"),
        ((("text", "t", "T"),), "concat(${a}, ${t})", "uses 'concat', which Candor does not"),
    ],
)  # fmt: skip
def test_another_concatenation_is_left_out_with_the_reason(rows, calculation, fault):
    form = odk_form(table(COLUMNS, *HABITS, *rows, calculated("both", calculation, "Both")))
    assert [each.name for each in form.survey.derived] == []
    [note] = [each for each in form.left_out if "calculation" in each]
    assert fault in note


def test_a_joint_question_of_another_tool_loses_its_hint_and_condition_with_a_note():
    rows = [
        *table(COLUMNS, *HABITS),
        {"type": "calculate", "name": "both", "label": "Both", "hint": "H",
         "relevant": "${a} = 'low'", "calculation": "concat(${a}, ' ', ${b})"},
    ]  # fmt: skip
    form = from_xlsform({"survey": rows, "choices": CHOICES})
    # The answer to `a` is then needed for more than a calculation.
    assert [each.name for each in form.survey.derived] == []
    rows[2]["relevant"] = "1 = 1"
    form = from_xlsform({"survey": rows, "choices": CHOICES})
    assert [each.name for each in form.survey.derived] == ["both"]
    assert any("so it has no hint." in note for note in form.left_out)
    assert any("so Candor omits the condition." in note for note in form.left_out)
