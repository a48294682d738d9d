"""The builder's texts for derived answers, read as rules and written from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.admin.builder.derived_texts import (
    GIVEN,
    derived_data,
    derived_entry,
    operation_in_form,
    points_entry,
    points_lines,
)
from survey.admin.builder.fields import empty_question
from survey.core.errors import DefinitionError
from survey.core.translate import in_language
from survey.definition.derived_answers import OPERATIONS
from survey.definition.survey import parse_survey
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.derived_survey import LOW_HIGH, SHOWN, SOURCES, derived

WORTH = {"never": -1, "some": 0, "often": 3}
# For each type, the operation and the other texts of the form, and the rule.
RULES = {
    "the usual points": (
        "number", "sum", {"points": "mood\ntired\nage\nacts"},
        {"sum": ["mood", "tired", "age", "acts"]},
    ),
    "points that are not the usual ones": (
        "yes_no", "sum",
        {"points": "sleep: never -1, some 0, often 3\nage: 2", "at_least": "2.5"},
        {"sum": {"sleep": WORTH, "age": 2}, "at_least": "2.5"},
    ),
    "bands of a sum": (
        "scale", "sum",
        {"points": "sleep: never -1, some 0, often 3", "bands": "low: -1\nhigh: 1.5"},
        {"sum": {"sleep": WORTH}, "bands": {"low": "-1", "high": "1.5"}},
    ),
    "a mean": (
        "yes_no", "mean", {"points": "mood\nage", "at_least": "20"},
        {"mean": ["mood", "age"], "at_least": "20"},
    ),
    "a mean of boxes": (
        "number", "mean", {"points": "mood: never 1, some 2, often 3\nacts: never 0, some 5, "
                                     "often -5"},
        {"mean": {"mood": {"never": 1, "some": 2, "often": 3},
                  "acts": {"never": 0, "some": 5, "often": -5}}},
    ),
    "a count": (
        "number", "count", {"conditions": "sleep: some, often\nage: 18 to 65"},
        {"count": {"sleep": ["some", "often"], "age": {"min": "18", "max": "65"}}},
    ),
    "a count that means Yes": (
        "yes_no", "count", {"conditions": "sleep: often\nage: at least 18", "at_least": "2"},
        {"count": {"sleep": ["often"], "age": {"min": "18"}}, "at_least": "2"},
    ),
    "bands of a count": (
        "select_one", "count", {"conditions": "sleep: often\nage: at most 17",
                                "bands": "low: 0\nhigh: 2"},
        {"count": {"sleep": ["often"], "age": {"max": "17"}}, "bands": {"low": "0", "high": "2"}},
    ),
    "any": (
        "yes_no", "any", {"conditions": "acts: some, often\nage: at most 17"},
        {"any": {"acts": ["some", "often"], "age": {"max": "17"}}},
    ),
    "all": (
        "yes_no", "all", {"conditions": "tired: yes\nage: 18 to 65"},
        {"all": {"tired": ["yes"], "age": {"min": "18", "max": "65"}}},
    ),
    "recode": (
        "select_one", "recode", {"recode": "low if sleep: never, some; age: at least 18"},
        {"recode": {"low": {"sleep": ["never", "some"], "age": {"min": "18"}}}},
    ),
    "joint": ("joint", "joint", {"joint": "mood\nsleep"}, {"joint": ["mood", "sleep"]}),
    "random": (
        "select_one", "random", {"arms": "low: 1\nhigh: 2"}, {"random": {"low": 1, "high": 2}},
    ),
}  # fmt: skip
OF_TYPE = {
    "number": {"min": -1000, "max": 1000, "step": 0.5},
    "select_one": {"choices": LOW_HIGH},
    "scale": {"choices": LOW_HIGH},
}


def typed(kind, operation, **texts):
    """The form's data for a question with these texts."""
    return empty_question() | {"type": kind, "derived": operation} | texts


def read(kind, operation, **texts):
    return derived_entry(typed(kind, operation, **texts), operation, "q")


def parsed(kind, rule):
    """The rule as a checked definition stores it, and the questions by name."""
    shown = {"privacy": "none" if "random" in rule else {"epsilon": "2"}}
    last = derived("last", rule, kind, **SHOWN | shown, **OF_TYPE.get(kind, {}))
    if {"random", "joint"} & rule.keys():
        del last["prefer_not_to_say"]
    survey = parse_survey(definition(*SOURCES, last))
    return survey.questions[-1].derived, {each.name: each for each in survey.questions}


def test_every_operation_has_a_text_here():
    assert {operation for _, operation, *_ in RULES.values()} == set(OPERATIONS)


@check_each(("kind", "operation", "texts", "rule"), RULES.values())
def test_a_text_is_read_as_a_rule(kind, operation, texts, rule):
    data = typed(kind, operation, **texts)
    assert operation_in_form(data) == operation
    assert derived_entry(data, operation, "q") == rule


@check_each("language", ["en", "vi", "th", "zh"])
@check_each(("kind", "operation", "texts", "rule"), RULES.values())
def test_a_stored_rule_is_written_as_text_and_read_again(kind, operation, texts, rule, language):
    stored, questions = parsed(kind, rule)
    with in_language(language):
        data = derived_data(stored, questions)
        again = derived_entry(typed(kind, operation, **data), operation, "q")
    assert parsed(kind, again)[0] == stored
    # Vietnamese has a decimal comma. No text has another point.
    point = "," if language == "vi" else "."
    written = {name: text.replace(".", point) for name, text in texts.items()}
    if operation == "joint":  # The type of the question is its operation.
        assert data == written
    else:
        assert data == {"derived": operation, "at_least": "", "bands": ""} | written


def test_an_answer_that_is_given_has_no_texts():
    assert derived_data(None, {}) == {}


@check_each("kind", ["yes_no", "select_one", "scale", "number"])
@check_each("menu", ["", GIVEN, "product", None])
def test_without_an_operation_of_the_menu_the_answer_is_given(kind, menu):
    assert operation_in_form(typed(kind, menu)) == GIVEN


def test_the_type_decides_whether_there_is_an_operation():
    """The menu keeps its value if the type changes, and the form hides it."""
    for kind in ("select_multiple", "text", "note"):
        assert operation_in_form(typed(kind, "sum")) == GIVEN
    for menu in (GIVEN, "sum", ""):
        assert operation_in_form(typed("joint", menu)) == "joint"


def test_a_joint_question_reads_no_other_text_of_the_form():
    rule = read("joint", "joint", joint="mood\nsleep", points="age", bands="low: x", at_least="1")
    assert rule == {"joint": ["mood", "sleep"]}


def test_empty_lines_and_spaces_do_not_count():
    assert read("joint", "joint", joint="\n mood \n\n\tsleep\n") == {"joint": ["mood", "sleep"]}
    assert read("select_one", "random", arms=" low :1 \r\n\r\n high:  2") == {
        "random": {"low": 1, "high": 2}
    }
    assert points_entry("\n a :never  0 , often   3\n", "q") == {"a": {"never": 0, "often": 3}}
    recode = read("select_one", "recode", recode="\n  low   if  sleep : some ;age: 18 to 65; \n")
    assert recode["recode"] == {"low": {"sleep": ["some"], "age": {"min": "18", "max": "65"}}}


@pytest.mark.parametrize(("kind", "operation", "texts", "rule"), [
    ("number", "sum", {"points": None}, {"sum": []}),
    ("yes_no", "any", {"conditions": ""}, {"any": {}}),
    ("select_one", "recode", {"recode": ""}, {"recode": {}}),
    ("select_one", "random", {"arms": ""}, {"random": {}}),
    ("select_one", "count", {"conditions": "", "bands": None}, {"count": {}, "bands": {}}),
    ("joint", "joint", {"joint": None}, {"joint": []}),
])  # fmt: skip
def test_an_empty_text_is_an_empty_rule(kind, operation, texts, rule):
    """The definition's parser refuses it, with a sentence for each operation."""
    assert read(kind, operation, **texts) == rule


@pytest.mark.parametrize(
    ("kind", "operation", "texts", "place", "fault"),
    [
        ("yes_no", "sum", {"points": "smokes\nage: 2"}, "q.sum",
         "give points to every question, or to none."),
        ("yes_no", "mean", {"points": "smokes: yes two no 0"}, "q.mean",
         "“smokes: yes two no 0” does not give points. Write “smokes: never 0, often 3”, or "
         "“age: 2” for a number."),
        ("yes_no", "sum", {"points": "smokes: yes 1,"}, "q.sum",
         "“smokes: yes 1,” does not give points. Write “smokes: never 0, often 3”, or “age: 2” "
         "for a number."),
        ("yes_no", "mean", {"points": "age\nage"}, "q.mean",
         "“age” is used twice. Delete one of the lines."),
        ("select_one", "random", {"arms": "low: 1\nlow: 2"}, "q.random",
         "“low” is used twice. Delete one of the lines."),
        ("select_one", "sum", {"points": "age", "bands": "low: 0\nlow: 2"}, "q.bands",
         "“low” is used twice. Delete one of the lines."),
        ("select_one", "recode", {"recode": "low"}, "q.recode",
         "“low” is not an answer with conditions. Write “high if smokes: often; age: at least "
         "18”."),
        ("select_one", "recode", {"recode": "low if"}, "q.recode",
         "“low if” is not an answer with conditions. Write “high if smokes: often; age: at least "
         "18”."),
        ("select_one", "recode", {"recode": "low if a: x\nlow if b: y"}, "q.recode",
         "“low” is used twice. Delete one of the lines."),
        ("select_one", "recode", {"recode": "low if smokes: yes; age"}, "q.recode.low",
         "“age” is not a condition. Write “smokes: yes” or “age: 18 to 65”."),
        ("yes_no", "all", {"conditions": "a: x\na: y"}, "q.all",
         "“a” is used twice. Put both conditions in one line."),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_named(kind, operation, texts, place, fault):
    with pytest.raises(DefinitionError) as caught:
        read(kind, operation, **texts)
    assert (caught.value.place, caught.value.fault, caught.value.reason) == (place, fault, "line")


def test_the_lines_have_the_order_of_the_questions():
    """A stored definition has sorted names."""
    stored, questions = parsed("number", {"sum": {"age": 1, "mood": WORTH}})
    assert points_lines(stored["sum"], questions) == "mood: never -1, some 0, often 3\nage: 1"
    # Names that are not those of questions come last.
    assert points_lines({"who": 3} | stored["sum"], questions).splitlines()[2] == "who: 3"


def test_one_question_with_other_points_gives_all_questions_theirs():
    _, questions = parsed("number", {"sum": ["tired", "acts"]})
    usual = {"tired": {"yes": 1, "no": 0}, "acts": dict.fromkeys(["never", "some", "often"], 1)}
    assert points_lines(usual, questions) == "tired\nacts"
    other = usual | {"tired": {"yes": 2, "no": 0}}
    assert points_lines(other, questions) == "tired: yes 2, no 0\nacts: never 1, some 1, often 1"
    # Without the questions, nothing is known to be usual.
    assert points_entry(points_lines(usual, {}), "q") == usual


NAMES = st.sampled_from(["a", "b_2", "never", "no", "to"])
WHOLE_NUMBERS = st.integers(-(10**6), 10**6)


@given(st.dictionaries(NAMES, WHOLE_NUMBERS | st.dictionaries(NAMES, WHOLE_NUMBERS, min_size=1)))
def test_any_points_are_read_as_they_are_written(entries):
    assert points_entry(points_lines(entries, {}), "q") == (entries or [])
