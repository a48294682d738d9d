"""Derived answers in XLSForm: other tools calculate the same, and their calculations come in."""

import io
import itertools
import json
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyxform.xls2xform import convert

from survey.core.errors import DefinitionError
from survey.definition.choices import NOT_ASKED
from survey.definition.frozen import fingerprint_of
from survey.definition.survey import parse_survey
from survey.formats.definition_files import read_survey, survey_xlsx
from survey.formats.xlsform.read_form import from_xlsform
from survey.formats.xlsform.write_form import to_xlsform
from tests.browser.tape import DECLINED, possible_answers, sources, with_derived
from tests.formats.odk_calculation import Calculation
from tests.support.definitions import definition
from tests.support.every_type import asked, letters
from tests.support.joint_survey import joint_questions, joint_survey
from tests.support.three_ways import ways_survey
from tests.support.xlsforms import ENGLISH, table, workbook

pytestmark = pytest.mark.fast

KEPT = "not_sent"
ANY = {"prefer_not_to_say": True}
ITEMS = (
    asked("a", "scale", KEPT, choices=letters("0123")),
    asked("b", "scale", KEPT, choices=letters("0123")),
    asked("yn", "yes_no", KEPT),
    asked("boxes", "select_multiple", KEPT, choices=letters("pqr")),
    asked("n", "number", KEPT, min=-2, max=4),
)
UNSURE = (
    asked("c", "select_one", KEPT, choices=letters("xyz"), **ANY),
    asked("d", "scale", KEPT, choices=letters("123"), optional=True, **ANY),
    asked("ticked", "select_multiple", KEPT, choices=letters("pq"), **ANY),
    asked("m", "number", KEPT, min=0, max=3, optional=True, **ANY),
)
HIGH, BANDS = {"at_least": 3}, {"bands": {"u": -5, "v": 2, "w": 4}}
OWN_NAMES = {name: int(name) for name in "0123"}
SUMS = {
    "own": {"a": OWN_NAMES, "b": OWN_NAMES},
    "points": {"a": {"0": 0, "1": 2, "2": 5, "3": -1}, "yn": {"yes": 3, "no": -1}},
    "boxes": {"boxes": {"p": 1, "q": 1, "r": 1}, "n": 1},
    "weighted": {"boxes": {"p": 4, "q": 0, "r": -1}, "n": -2},
    "unsure": {"c": {"x": 1, "y": 3, "z": 0}, "ticked": {"p": 1, "q": 2}, "d": {"1": 1, "2": 2,
               "3": 3}},
    "numbers": {"m": 1, "d": {"1": -1, "2": 0, "3": 1}},
}  # fmt: skip
CONDITIONS = {
    "few": {"a": ["2", "3"], "yn": ["yes"], "n": {"min": 1, "max": 3}},
    "boxed": {"boxes": ["p", "q"], "b": ["3"]},
    "unsure": {"c": ["x", "y"], "ticked": ["p"], "m": {"min": 2}},
    "named": {"c": ["x", DECLINED], "d": ["1"]},
}


def derived(name, kind, rule, **rest):
    privacy = "none" if "random" in rule else {"epsilon": 1}
    question = asked(name, kind, privacy, derived=rule, **rest)
    return question if "random" in rule else question | ANY


def number(low, high, step=1):
    return {"min": low, "max": high, "step": step}


DERIVED = [
    *(derived(f"sum_{name}", "number", {"sum": points}, **number(-20, 20))
      for name, points in SUMS.items()),
    *(derived(f"mean_{name}", "number", {"mean": points}, **number(-20, 20, 0.5))
      for name, points in SUMS.items()),
    *(derived(f"least_{name}", "yes_no", {"sum": points, **HIGH}) for name, points in SUMS.items()),
    *(derived(f"bands_{name}", "select_one", {"mean": points, "bands": {"u": -9, "v": 1, "w": 2}},
              choices=letters("uvw")) for name, points in SUMS.items() if name != "numbers"),
    *(derived(f"{operation}_{name}", "yes_no", {operation: conditions})
      for operation in ("any", "all") for name, conditions in CONDITIONS.items()),
    *(derived(f"count_{name}", "number", {"count": conditions}, **number(0, 3))
      for name, conditions in CONDITIONS.items()),
    *(derived(f"several_{name}", "yes_no", {"count": conditions, "at_least": 2})
      for name, conditions in CONDITIONS.items()),
    *(derived(f"recode_{name}", "select_one",
              {"recode": {"u": dict(list(conditions.items())[:1]),
                          "v": dict(list(conditions.items())[1:]),
                          "w": {}}}, choices=letters("uvw"))
      for name, conditions in CONDITIONS.items()),
    derived("arm", "select_one", {"random": {"u": 1, "v": 2, "w": 5}}, choices=letters("uvw")),
    derived("chosen", "select_one", {"recode": {"yes": {"a": ["0"]}, "no": {}}},
            choices=letters(["yes", "no"])),
]  # fmt: skip
EVERY_OPERATION = parse_survey(definition(*ITEMS, *UNSURE, *DERIVED))
ENTRIES = {each["name"]: each for each in EVERY_OPERATION.as_definition()["questions"]}


def xform(content):
    """The form that pyxform, which ODK and KoboToolbox use, makes of a workbook."""
    return convert(io.BytesIO(content), validate=False, file_type=".xlsx").xform


def calculations(converted):
    """The calculations of a converted form, by the name of the question."""
    binds = ElementTree.fromstring(converted).iter("{http://www.w3.org/2002/xforms}bind")
    return {
        bind.get("nodeset").rsplit("/", 1)[1]: bind.get("calculate")
        for bind in binds
        if bind.get("calculate")
    }


def in_odk(entry, answer):
    """An answer as ODK stores it. A skipped question is empty."""
    if answer == DECLINED and (entry.get("optional") or entry["type"] == "number"):
        return ""
    return answer if isinstance(answer, str) else " ".join(answer)


@pytest.fixture(scope="module")
def converted():
    return calculations(xform(survey_xlsx(EVERY_OPERATION)))


def is_rounded(entry, found, expected):
    """Whether a number is at most half a step from the answer, to which the page rounds it."""
    return abs(float(found) - float(Fraction(expected))) < entry.get("step", 1) / 2 + 1e-9


@pytest.mark.parametrize("name", [entry["name"] for entry in DERIVED if entry["name"] != "arm"])
def test_other_tools_calculate_what_the_page_does(name, converted):
    entry, known = ENTRIES[name], ENTRIES
    used = sorted(sources(entry))
    possible = [
        possible_answers(known[each]) + [DECLINED] * bool(known[each].get(DECLINED))
        for each in used
    ]
    seen = set()
    for chosen in itertools.product(*possible):
        answers = dict(zip(used, chosen, strict=True))
        # A condition that names "prefer not to say" holds then, as for any other answer.
        rule = json.loads(json.dumps(entry["derived"]).replace(DECLINED, "refused"))
        stated = answers | (
            {"c": "refused"} if name.endswith("named") and answers["c"] == DECLINED else {}
        )
        questions = [*(known[each] for each in used), entry | {"derived": rule}]
        expected = with_derived(questions, stated)[name]
        texts = {each: in_odk(known[each], answer) for each, answer in answers.items()}
        found = Calculation(converted[name], texts, iter(())).value()
        if entry["type"] == "number":
            if expected == DECLINED:
                assert found == "", answers
            else:
                assert is_rounded(entry, found, expected), answers
        else:
            assert found == expected, answers
        seen.add(expected)
    assert len(seen) > 1
    if any(known[each].get(DECLINED) for each in used):
        assert DECLINED in seen


def test_a_calculation_of_a_question_that_is_not_asked_is_that_of_the_page():
    adult = {"relevant": {"age": {"min": 18}}}
    entries = (
        asked("age", "number", KEPT, **number(0, 99)),
        asked("a", "scale", KEPT, choices=letters("123"), **adult),
        asked("b", "scale", KEPT, choices=letters("123"), **adult, otherwise="2"),
        asked("n", "number", KEPT, **number(0, 9), **adult),
        asked("m", "number", KEPT, **number(0, 9), **adult, optional=True, otherwise=4, **ANY),
        asked("boxes", "select_multiple", KEPT, choices=letters("pq"), **adult, otherwise=["q"]),
        derived("total", "number", {"sum": {"a": {"1": 1, "2": 2, "3": 3}, "n": 2}},
                **number(0, 99)),
        derived("with_otherwise", "number", {"sum": {"b": {"1": 1, "2": 2, "3": 3}, "m": 2,
                "boxes": {"p": 1, "q": 10}}}, **number(0, 99)),
        derived("held", "number", {"count": {"b": ["2"], "m": {"min": 0}, "boxes": ["q"]}},
                **number(0, 9)),
    )  # fmt: skip
    found = calculations(xform(survey_xlsx(parse_survey(definition(*entries)))))
    unasked = {"age": "17", "a": "", "b": "", "n": "", "m": "", "boxes": ""}
    declined = {"age": "18", "a": "3", "b": "3", "n": "4", "m": "", "boxes": "p"}
    answered = declined | {"m": "5"}
    # Without an answer, there are the points of `otherwise`, but no condition holds.
    expected = {
        "total": ("0", "11", "11"),
        "with_otherwise": ("20", "", "14"),
        "held": ("0", "", "1"),
    }
    for name, values in expected.items():
        for answers, value in zip((unasked, declined, answered), values, strict=True):
            assert Calculation(found[name], answers, iter(())).value() == value, (name, answers)


def test_a_joint_question_comes_back_and_other_tools_combine_its_answers():
    survey = parse_survey(joint_survey())
    same(survey)
    written = calculations(xform(survey_xlsx(survey)))["habits"]
    for choice in survey.fields[0].choices:
        parts = choice.name.split("+")
        answers = dict(zip(("drinks", "drives", "smokes"), parts, strict=True))
        answers = {name: "" if part == NOT_ASKED else part for name, part in answers.items()}
        assert Calculation(written, answers, iter(())).value() == choice.name
    skipped = {"drinks": "no", "drives": "", "smokes": ""}
    optional, *rest = joint_questions()
    questions = [optional, rest[0], rest[1] | {"optional": True, **ANY}, rest[2]]
    written = calculations(xform(survey_xlsx(parse_survey(definition(*questions)))))["habits"]
    assert Calculation(written, skipped, iter(())).value() == f"no+not_asked+{DECLINED}"


def test_an_arm_is_drawn_with_its_weights(converted):
    # The weights are 1, 2 and 5. Two independent numbers between 0 and 1 decide.
    ends = [(0.1, 0.9, "u"), (0.124, 0.0, "u"), (0.126, 0.28, "v"), (0.9, 0.29, "w")]
    for first, second, arm in ends:
        assert Calculation(converted["arm"], {}, iter((first, second))).value() == arm
    assert converted["arm"] == (
        "once(if(random() < 1 div 8, 'u', if(random() < 2 div 7, 'v', 'w')))"
    )


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


def imported(rows, choices, **columns):
    return from_xlsform({"survey": rows, "choices": choices, "settings": table(
        ("form_title", "form_id", "default_language"), ("F", "f", ENGLISH))})  # fmt: skip


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


def numbered(name, *labels, first=0):
    return [(name, place, label) for place, label in enumerate(labels, first)]


CHOICES = table(
    ("list_name", "name", "label"),
    *numbered("freq", "Not at all", "Several days", "More than half the days", "Nearly every day"),
    *numbered("often", "Never", "Monthly or less", "2 to 4 a month", "2 to 3 a week", "4 or more"),
    *numbered("sex", "Female", "Male", first=1),
    *(("boxes", name, name.upper()) for name in "pqr"),
    ("word", "low", "Low"), ("word", "high", "High"),
)  # fmt: skip
COLUMNS = ("type", "name", "label", "required", "relevant", "calculation")


def calculated(name, calculation, label=None):
    return ("calculate", name, label, None, None, calculation)


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
    sheets = {"survey": rows, "choices": CHOICES, "settings": table(
        ("form_title", "form_id", "default_language"), ("F", "f", ENGLISH))}  # fmt: skip
    content = workbook(sheets)
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


ROWS = (
    ("select_one freq", "a", "A", "yes"),
    ("select_one freq", "b", "B", "yes"),
    ("select_one word", "w", "W", "yes"),
    ("select_multiple boxes", "boxes", "Boxes"),
)
FREQ = {str(each): each for each in range(4)}
REVERSED = {str(each): 3 - each for each in range(4)}


def read_calculation(text, *more):
    """The entry of one calculation, or None, and the notes on its row."""
    age = {"type": "integer", "name": "age", "label": "Age", "required": "yes",
           "constraint": ". >= 0 and . <= 99"}  # fmt: skip
    rows = [age, *table(COLUMNS, *ROWS, *more, calculated("result", text, "Result"))]
    read = imported(rows, CHOICES)
    number_of_row = len(rows) + 1
    notes = [each for each in read.left_out if f"row {number_of_row}" in each]
    entry = read.survey.as_definition()["questions"][-1]
    return (entry if entry["name"] == "result" else None), notes


@pytest.mark.parametrize(
    ("text", "kind", "rule"),
    [
        ("${a} + ${b}", "number", {"sum": {"a": FREQ, "b": FREQ}}),
        ("sum(${a}, ${b})", "number", {"sum": {"a": FREQ, "b": FREQ}}),
        ("coalesce(${a}, 0) + ${b}", "number", {"sum": {"a": FREQ, "b": FREQ}}),
        ("(${a} + ${b}) div 2", "number", {"mean": {"a": FREQ, "b": FREQ}}),
        ("3 - ${a} + ${b}", "number", {"sum": {"a": REVERSED, "b": FREQ}}),
        ("2 * ${age} - -1 * ${a}", "number", {"sum": {"age": 2, "a": FREQ}}),
        ("count-selected(${boxes}) + ${a}", "number",
         {"sum": {"boxes": {"p": 1, "q": 1, "r": 1}, "a": FREQ}}),
        ("if(selected(${boxes}, 'q'), 5, 0) + if(${w} = 'high', 2, if(${w} = 'low', 1, 0))",
         "number", {"sum": {"boxes": {"p": 0, "q": 5, "r": 0}, "w": {"low": 1, "high": 2}}}),
        ("if(${age} >= 18, 1, 0) + if(${w} = 'high', 1, 0)", "number",
         {"count": {"age": {"min": 18}, "w": ["high"]}}),
        ("if(${a} >= 2, 1, 0) + if(${b} > 1, 1, 0)", "number",
         {"sum": {"a": {"0": 0, "1": 0, "2": 1, "3": 1}, "b": {"0": 0, "1": 0, "2": 1, "3": 1}}}),
        ("if(${a} + ${b} > 2, 'yes', 'no')", "yes_no",
         {"sum": {"a": FREQ, "b": FREQ}, "at_least": 3}),
        ("${a} + ${b} >= 3", "yes_no", {"sum": {"a": FREQ, "b": FREQ}, "at_least": 3}),
        ("if(3 > ${a} + ${b}, 0, 1)", "yes_no", {"sum": {"a": FREQ, "b": FREQ}, "at_least": 3}),
        ("if(${a} + ${b} < 3, 1, 0)", "select_one",
         {"sum": {"a": FREQ, "b": FREQ}, "bands": {"1": 0, "0": 3}}),
        ("if((${a} + ${b}) div 2 >= 1.5, 1, 0)", "yes_no",
         {"mean": {"a": FREQ, "b": FREQ}, "at_least": 1.5}),
        ("if((${a} + ${b}) div 3 >= 1, 1, 0)", "yes_no",
         {"sum": {"a": FREQ, "b": FREQ}, "at_least": 3}),
        ("if(${a} = 3 or ${w} = 'high', 'yes', 'no')", "yes_no",
         {"any": {"a": ["3"], "w": ["high"]}}),
        ("if(${a} >= 2 or ${b} >= 2, 1, 0)", "yes_no",
         {"any": {"a": ["2", "3"], "b": ["2", "3"]}}),
        ("${a} = 3 and not(${w} = 'low')", "yes_no", {"all": {"a": ["3"], "w": ["high"]}}),
        ("if(${age} >= 65, 'old', if(${age} >= 18, 'adult', 'young'))", "select_one",
         {"recode": {"old": {"age": {"min": 65}}, "adult": {"age": {"min": 18}}, "young": {}}}),
        ("once(if(random() < 0.5, 'x', if(random() < 1 div 3, 'y', 'z')))", "select_one",
         {"random": {"x": 3, "y": 1, "z": 2}}),
    ],
)  # fmt: skip
def test_calculations_that_are_one_operation(text, kind, rule):
    entry, notes = read_calculation(text)
    assert entry is not None, notes
    assert (entry["type"], entry["derived"]) == (kind, rule)
    assert entry["label"] == "Result"
    assert (entry["privacy"] == "none") == ("random" in rule)
    assert not any("omitted" in each for each in notes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be parsed at its end"),
        ("today()", "uses 'today', which Candor does not compute"),
        ("concat(${a}, 'x')", "uses 'concat'"),
        ("${nobody} + 1", "depends on 'nobody'"),
        ("${a} * ${b}", "multiplies or divides answers by answers"),
        ("${a} div 0", "divides by 0"),
        ("${w} + 1", "whose choices are not numbers"),
        ("${boxes} + 1", "calculates with 'boxes'"),
        ("${a} + 'x'", "cannot be parsed at"),
        ("7", "does not depend on any answer"),
        ("'x'", "does not depend on any answer"),
        ("(${a} + ${b}) div 3", "neither a sum of points nor their mean"),
        ("if(${a} = 1 and ${b} = 1, 1, 0) + ${a}", "for more than one answer at once"),
        ("if(${a} + ${b} >= 3, ${a}, 0)", "a result that is not a constant"),
        ("if(${a} + ${b} >= 30, 1, 0)", "a result that is impossible"),
        ("if(${a} + ${b} = 3, 'x', 'y')", "in two places"),
        ("if(${a} + ${b} >= 3, 'x', if(${a} + ${w} = 1, 'y', 'z'))", "whose choices are not"),
        ("if(${a} + ${b} >= 3, 'x', if(${b} = 1, 'y', 'z'))", "mixes different kinds"),
        ("if(${a} + ${b} >= 3, 'x', if(${b} + ${age} >= 1, 'y', 'z'))", "compares different sums"),
        ("if((${a} = 1 or ${b} = 1) and ${w} = 'low', 1, 0)", "joins different questions"),
        ("if(${a} = 1 or ${b} = 1, 'no', 'yes')", "calls the opposite Yes"),
        ("if(${a} = 1 or ${b} = 1, 'x', if(${a} = 2, 'y', 'z'))", "joins different questions"),
        ("if(${a} + ${b} >= 3, 'prefer_not_to_say', 'x')", "the result 'prefer_not_to_say'"),
        ("if(${a} + ${b} >= 10 div 3 div 7, 2, 1", "cannot be parsed at its end"),
        ("${a} + ${b} )", "cannot be parsed at ')'"),
        ("once(random())", "draws a random number that no later"),
        ("if(random() < 0.00001, 'x', 'y')", "are not whole weights"),
        ("if(random() < 1, 'x', 'y')", "are not whole weights"),
        ("(" * 40 + "${a}" + ")" * 40, "nested too deeply"),
        ("if(" * 28 + "${a} = 1" + ", 1, 0) = 1" * 27 + ", 1, 0)", "nested too deeply"),
        ("${a} + " * 400 + "${a}", "too long"),
        ("9" * 500 + ".5 + 0 * ${a}", "points above a million"),
    ],
)  # fmt: skip
def test_calculations_that_candor_leaves_out(text, words):
    entry, notes = read_calculation(text)
    assert entry is None
    assert any(words in each and each.endswith("The row is omitted.") for each in notes), notes


def test_protection_in_the_form_stays_as_it_is():
    privacy = {"privacy": "strong"}
    rows = [dict(row) for row in table(COLUMNS, *ROWS[:2], calculated("total", "${a} + ${b}"))]
    rows[0] |= privacy
    rows[2] |= {"privacy::epsilon": 3}
    entries = imported(rows, CHOICES).survey.as_definition()["questions"]
    assert [each["privacy"] for each in entries] == [{"epsilon": "0.5"}, KEPT, {"epsilon": 3}]


def test_a_derived_answer_that_is_stored_as_given_leaves_its_items_as_they_are():
    rows = [dict(row) for row in table(COLUMNS, *ROWS[:2], calculated("total", "${a} + ${b}"))]
    rows[2] |= {"privacy": "none"}
    entries = imported(rows, CHOICES).survey.as_definition()["questions"]
    assert [each["privacy"] for each in entries] == ["none"] * 3


def test_an_answer_on_which_more_than_calculations_depends_is_sent():
    more = ("text", "why", "Why?", None, "${a} = 3")
    total = calculated("total", "${a} + ${b}")
    read = imported(table(COLUMNS, *ROWS[:2], more, total), CHOICES)
    entries = {each["name"]: each for each in read.survey.as_definition()["questions"]}
    assert (entries["a"]["privacy"], entries["b"]["privacy"]) == ("none", KEPT)
    assert entries["total"]["privacy"] == {"epsilon": "1", "goal": "mean"}
    assert read.unprotected == ("a",)


def test_an_item_that_can_be_declined_makes_the_derived_answer_so():
    rows = [dict(row) for row in table(COLUMNS, *ROWS[:2], calculated("total", "${a} + ${b}"))]
    rows[1]["required"] = "no"
    *_, item, total = imported(rows, CHOICES).survey.as_definition()["questions"]
    assert item["optional"]
    assert total["prefer_not_to_say"]


def test_a_condition_on_a_calculation_keeps_it_and_names_its_results():
    positive = calculated("positive", "if(${a} + ${b} >= 3, 1, 0)")
    more = ("select_one word", "more", "More?", "yes", "${positive} = 1")
    rows = [dict(row) for row in table(COLUMNS, *ROWS[:2], positive, more)]
    rows[3]["privacy"] = "medium"
    *_, derived_one, asked_one = imported(rows, CHOICES).survey.as_definition()["questions"]
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
    with pytest.raises(DefinitionError, match="survey, row 7") as caught:
        from_xlsform(sheets)
    assert "is not an earlier question" in caught.value.fault


# Pieces of calculations; "|" stands between them.
PIECES = (
    "${a}|${b}|${w}|${boxes}|${age}|0|1|3|0.5|+|-|*|div|=|!=|>=|<|(|)|,|and|or|not(|if(|selected(|"
    "count-selected(|sum(|once(|random()|coalesce(|'high'|'p'|'yes'|'no'|'x'"
)
PARTS = st.sampled_from(PIECES.split("|"))


@given(st.lists(PARTS, max_size=14).map(" ".join))
def test_any_calculation_is_read_or_left_out(text):
    entry, notes = read_calculation(text)
    assert (entry is None) == any("omitted" in each for each in notes)


NUMBERS = st.sampled_from(["0", "1", "2", "3", "0.5"])
CONDITIONS_IN_ODK = st.recursive(
    st.sampled_from([
        "${a} = 1", "${a} >= 2", "${b} != 0", "${w} = 'high'", "not(${w} = 'high')",
        "selected(${boxes}, 'p')", "${age} >= 18", "${age} < 18", "3 > ${b}",
    ]),
    lambda inner: st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
        lambda parts: f"({' '.join(parts)})"),
    max_leaves=3,
)  # fmt: skip
VALUES_IN_ODK = st.recursive(
    st.sampled_from(["${a}", "${b}", "count-selected(${boxes})", "${age}", "2"])
    | st.tuples(CONDITIONS_IN_ODK, NUMBERS, NUMBERS).map(lambda parts: f"if({', '.join(parts)})"),
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-"), inner).map(" ".join)
        | st.tuples(NUMBERS, inner).map(lambda parts: f"{parts[0]} * ({parts[1]})")
        | st.tuples(inner, NUMBERS).map(lambda parts: f"({parts[0]}) div {parts[1]}")
    ),
    max_leaves=4,
)
BOUNDS_IN_ODK = st.tuples(VALUES_IN_ODK, st.sampled_from([">=", ">", "<", "<=", "="]), NUMBERS).map(
    " ".join
)


@st.composite
def calculations_in_odk(draw):
    """A number, or a result that one or two conditions decide."""
    if draw(st.booleans()):
        return draw(VALUES_IN_ODK)
    if draw(st.booleans()):
        value = draw(VALUES_IN_ODK)
        conditions = [
            f"{value} {sign} {draw(NUMBERS)}"
            for sign in draw(
                st.lists(st.sampled_from([">=", ">", "<", "<="]), min_size=1, max_size=2)
            )
        ]
    else:
        conditions = draw(st.lists(CONDITIONS_IN_ODK, min_size=1, max_size=2))
    if len(conditions) == 1:
        results = draw(st.sampled_from(["1, 0", "'x', 'y'"]))
        return f"if({conditions[0]}, {results})"
    return f"if({conditions[0]}, 'x', if({conditions[1]}, 'y', 'z'))"


EVERYONE = [
    {"a": a, "b": b, "w": w, "boxes": boxes, "age": age}
    for a in "0123" for b in "03" for w in ("low", "high")
    for boxes in ([], ["p"], ["q", "r"]) for age in ("17", "18")
]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=40)
@given(calculations_in_odk())
def test_a_calculation_that_comes_in_gives_the_same_answers(text):
    entry, _ = read_calculation(text)
    if entry is None:
        return
    age = {"type": "integer", "name": "age", "label": "Age", "required": "yes",
           "constraint": ". >= 0 and . <= 99"}  # fmt: skip
    read = imported([age, *table(COLUMNS, *ROWS, calculated("result", text, "Result"))], CHOICES)
    questions = read.survey.as_definition()["questions"]
    labels = {each["name"]: each["label"] for each in entry.get("choices", [])}
    written = labels | {
        {"Yes": "yes", "No": "no"}.get(label, name): {"Yes": "1", "No": "0"}.get(label, label)
        for name, label in labels.items()
    }
    for answers in EVERYONE:
        expected = with_derived(questions, answers)["result"]
        texts = {name: in_odk({"type": ""}, answer) for name, answer in answers.items()}
        path = text.replace("${", "/data/").replace("}", "")
        found = Calculation(path, texts, iter(())).value()
        if entry["type"] == "number":
            assert is_rounded(entry, found, expected), (entry, answers)
        else:
            assert found == written[expected], (entry, answers)


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


def joint(*names, **rest):
    return asked("both", "joint", {"epsilon": "2.2"}, derived={"joint": [*names]}, **rest)


JOINT = (
    asked("drinks", "yes_no", KEPT, **ANY),
    asked("drives", "yes_no", KEPT, relevant={"drinks": ["yes"]}, optional=True, **ANY),
    asked("with", "scale", KEPT, choices=letters("123"), relevant={"drinks": ["yes"]},
          otherwise="2"),
    joint("drinks", "drives", "with"),
)  # fmt: skip


def test_other_tools_combine_the_answers_of_a_joint_question_as_the_page_does():
    survey = parse_survey(definition(*JOINT))
    written = calculations(xform(survey_xlsx(survey)))["both"]
    found = set()
    for drinks, drives, glass in itertools.product(
        ("yes", "no", DECLINED), ("yes", "no", ""), "123"
    ):
        more = {"drives": drives, "with": glass} if drinks == "yes" else {"drives": "", "with": ""}
        answers = {"drinks": drinks, **more}
        found.add(Calculation(written, answers, iter(())).value())
    # Those who do not drink are not asked the others, and the last of these counts as 2.
    assert found == {choice.name for choice in survey.questions[-1].choices}
    assert "no+not_asked+2" in found
    assert f"yes+{DECLINED}+3" in found


def test_a_joint_question_comes_back_from_its_workbook():
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
