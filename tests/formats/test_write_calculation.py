"""Other tools calculate the derived answers that Candor's page does."""

import itertools
import json

import pytest

from survey.definition.choices import NOT_ASKED
from survey.definition.survey import parse_survey
from survey.formats.definition_files import survey_xlsx
from tests.browser.tape import DECLINED, possible_answers, sources, with_derived
from tests.formats.calculated_forms import (
    ANY,
    DERIVED,
    ENTRIES,
    EVERY_OPERATION,
    JOINT,
    KEPT,
    derived,
    number,
)
from tests.formats.odk_calculation import Calculation, calculations, in_odk, is_rounded, xform
from tests.support.definitions import definition
from tests.support.every_type import asked, letters
from tests.support.joint_survey import joint_questions, joint_survey

pytestmark = pytest.mark.fast


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
        derived("mean", "number", {"mean": {"age": 1, "a": {"1": 1, "2": 2, "3": 3}, "n": 2,
                "b": {"1": 1, "2": 2, "3": 3}, "m": 2, "boxes": {"p": 3, "q": 10}}},
                **number(0, 99)),
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
        # The mean is of 4 questions for those who are not asked, and else of all 6.
        "mean": ("9.25", "", "7.5"),
    }
    for name, values in expected.items():
        for answers, value in zip((unasked, declined, answered), values, strict=True):
            assert Calculation(found[name], answers, iter(())).value() == value, (name, answers)


def test_a_mean_divides_by_the_number_of_questions_that_are_asked():
    adult = {"relevant": {"age": {"min": 18}}}
    items = [
        asked("age", "number", "none", **number(0, 99)),
        *(asked(name, "scale", "none", choices=letters("123"), **adult) for name in "abc"),
        asked("d", "scale", "none", choices=letters("123")),
    ]
    points = {"1": 1, "2": 2, "3": 3}
    of_all = derived("of_all", "yes_no", {"mean": dict.fromkeys("abcd", points), "at_least": 2})
    of_adults = derived("of_adults", "yes_no", {"mean": dict.fromkeys("abc", points),
                        "at_least": 2}, **adult)  # fmt: skip
    written = calculations(xform(survey_xlsx(parse_survey(definition(*items, of_all, of_adults)))))
    assert "div (1 + if((" in written["of_all"]
    assert written["of_adults"].count(") div 3 ") == 1
    for answers, mean in (("", "2"), ("111", "1"), ("333", "2")):
        parts = dict(zip("abc", answers, strict=False)) or dict.fromkeys("abc", "")
        each = {"age": "18" if answers else "17", "d": mean, **parts}
        values = [int(value) for name, value in each.items() if name != "age" and value]
        expected = "yes" if sum(values) / len(values) >= 2 else "no"
        assert Calculation(written["of_all"], each, iter(())).value() == expected


def test_an_arm_is_drawn_with_its_weights(converted):
    # The weights are 1, 2 and 5. Two independent numbers between 0 and 1 decide.
    ends = [(0.1, 0.9, "u"), (0.124, 0.0, "u"), (0.126, 0.28, "v"), (0.9, 0.29, "w")]
    for first, second, arm in ends:
        assert Calculation(converted["arm"], {}, iter((first, second))).value() == arm
    assert converted["arm"] == (
        "once(if(random() < 1 div 8, 'u', if(random() < 2 div 7, 'v', 'w')))"
    )


def test_every_combination_of_answers_is_an_answer_to_the_joint_question():
    survey = parse_survey(joint_survey())
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
