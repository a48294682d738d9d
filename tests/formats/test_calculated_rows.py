"""Derived answers in XLSForm: other tools calculate the same, and their calculations come in."""

import io
import itertools
import json
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from pyxform.xls2xform import convert

from survey.definition.frozen import fingerprint_of
from survey.definition.survey import parse_survey
from survey.formats.definition_files import read_survey, survey_xlsx
from survey.formats.xlsform.read_form import from_xlsform
from survey.formats.xlsform.write_form import to_xlsform
from tests.browser.tape import DECLINED, possible_answers, sources, with_derived
from tests.formats.odk_calculation import Calculation
from tests.support.definitions import definition
from tests.support.every_type import asked, letters
from tests.support.xlsforms import ENGLISH, table

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
                assert abs(float(found) - float(Fraction(expected))) < 1e-9, answers
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
