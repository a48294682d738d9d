"""Conditions of XLSForm: what a definition has, what becomes a derived answer, and what neither."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.definition.choices import DECLINED
from survey.definition.parse_question import parse_question
from survey.definition.types import QUESTION_TYPES
from survey.formats.xlsform.conditions import (
    EarlierQuestion,
    Held,
    Joined,
    NumberBounds,
    read_condition,
    relevant_as_xpath,
)
from tests.support.check_each import check_each
from tests.support.question_results import MANY

pytestmark = pytest.mark.fast

ONE, BOXES, NUMBER = map(QUESTION_TYPES.get, ("select_one", "select_multiple", "number"))
KNOWN = {
    "Sex": EarlierQuestion(name="sex", kind=ONE, names={"m": "1", "f": "2", "x": "x"}),
    "boxes": EarlierQuestion(name="boxes", kind=BOXES, names={"a": "a", "b": "b"}),
    "age": EarlierQuestion(name="age", kind=NUMBER),
    "maybe": EarlierQuestion(name="maybe", kind=ONE, names={"a": "a", "b": "b"}, skippable=True),
    "level": EarlierQuestion(name="level", kind=ONE, names={"0": "0", "1": "1", "2": "2"}),
    "free": EarlierQuestion(
        name="free", kind=ONE, names={"y": "y", DECLINED: DECLINED}, optional=True
    ),
}

QUESTIONS = {
    each.name: parse_question(
        {"name": each.name, "type": each.kind.name, "label": "?", "privacy": "none"}
        | ({"min": 0, "max": 9} if each.kind == NUMBER else {"choices": MANY}),
        "",
        "en",
    )
    for each in KNOWN.values()
}


def read(*texts):
    return read_condition(texts, KNOWN, {"never"})


@check_each(
    ("text", "relevant"),
    [
        ("${Sex} = '1'", {"sex": ["m"]}),
        ('${ Sex }="1"', {"sex": ["m"]}),
        ("2 = ${Sex}", {"sex": ["f"]}),
        ("selected(${Sex}, '1') or ${Sex} = 'x'", {"sex": ["m", "x"]}),
        ("not(${Sex} = '1')", {"sex": ["f", "x"]}),
        ("${Sex} != 1 and ${Sex} != 2", {"sex": ["x"]}),
        ("selected(${boxes}, 'a') or selected(${boxes}, 'b')", {"boxes": ["a", "b"]}),
        ("count-selected(${boxes}) >= 1", {"boxes": ["a", "b"]}),
        ("${boxes} != ''", {"boxes": ["a", "b"]}),
        ("${age} >= 18 and ${age} <= 65", {"age": {"min": 18, "max": 65}}),
        ("18 < ${age} and (${age} < 65 and ${age}>20)", {"age": {"min": 21, "max": 64}}),
        ("not(${age} > 17)", {"age": {"max": 17}}),
        ("${age} = 7", {"age": {"min": 7, "max": 7}}),
        ("${age} > -3.5", {"age": {"min": -3}}),
        ("${age} >= 1.5 * 12", {"age": {"min": 18}}),
        ("(${Sex}=1 or ${Sex}=2) and ${age}>=2", {"sex": ["f", "m"], "age": {"min": 2}}),
        ("${level} >= 1", {"level": ["1", "2"]}),
        ("${maybe} != '' and ${maybe} != 'a'", {"maybe": ["b"]}),
        ("${free} != ''", {"free": ["y"]}),
        # Paths are the same questions.
        ("../age >= 18", {"age": {"min": 18}}),
        ("/data/group-1/Sex='x'", {"sex": ["x"]}),
        ("current()/../../group/maybe = 'a'", {"maybe": ["a"]}),
        ("selected( ../boxes , 'b')", {"boxes": ["b"]}),
        # Constants are computed.
        ("true() and ${Sex} = 'x'", {"sex": ["x"]}),
        ("${Sex} = 'x' or 1 = 2", {"sex": ["x"]}),
        ("not(false())", {}),
        ("1", {}),
        ("TRUE", {}),
        ("'a' = 'a' and 2 + 3 * 4 = 14 and 7 mod 4 = 3 and number('5') div 2 = 2.5", {}),
        ("if(1 > 2, false(), ${age} > 3)", {"age": {"min": 4}}),
        ("${Sex} != ''", {}),
        # Nobody is asked the question `never`.
        ("${never} = 'a' or ${Sex} = 'x'", {"sex": ["x"]}),
    ],
)
def test_conditions_that_a_definition_has(text, relevant):
    found = read(text)
    assert (found.relevant, found.others, found.faults, found.possible) == (relevant, (), (), True)


SEX_OR_AGE = Joined((Held("sex", frozenset("m")), Held("age", NumberBounds(low=4))), True)


@check_each(
    ("text", "formula"),
    [
        ("${Sex} = 1 or ${age} > 3", SEX_OR_AGE),
        ("not(${Sex} != 1 and not(${age} > 3))", SEX_OR_AGE),
        ("${maybe} != 'a'", Held("maybe", frozenset("a"), holds=False)),
        ("not(selected(${boxes}, 'a'))", Held("boxes", frozenset("a"), holds=False)),
        ("${age} != 3", Held("age", NumberBounds(3, 3), holds=False)),
        ("${maybe} = ''", Held("maybe", frozenset("ab"), holds=False)),
    ],
)
def test_conditions_that_become_a_derived_answer(text, formula):
    found = read(text)
    assert found.others == ((text, formula),)
    assert (found.relevant, found.faults, found.possible) == ({}, (), True)


@check_each(
    "text",
    [
        "false()",
        "FALSE",
        "no",
        "0",
        "1 = 2",
        "not(true())",
        "'a' = 'b' or 3 < 2",
        "'x' > 1",
        "${age} > 9 and ${age} < 5",
        "${Sex} = 1 and ${Sex} = 2",
        "${Sex} = 'x' and false()",
        "${never} = 'a'",
        "selected(../never, 'a')",
        "${never} != ''",
        "${level} > 2",
    ],
)
def test_conditions_that_nobody_meets(text):
    assert not read(text).possible


@check_each(
    ("text", "words"),
    [
        ("${Sex} = '3'", "names '3', which is not a choice of 'sex'"),
        ("${Sex} > 1", "whose choices are not numbers"),
        ("${boxes} = 'a'", "in a way that Candor does not support"),
        ("${later} = 'a'", "depends on 'later'"),
        ("count-selected(${boxes}) > 1", "uses 'count-selected', which Candor does not compute"),
        (". > 3", "uses '.'"),
        ("${age} > ${Sex}", "compares with '${Sex}'"),
        ("${age} > 'old'", "compares a number with 'old'"),
        ("${age} >= 3)", "cannot be parsed at ')'"),
        ("${age} >=", "cannot be parsed at its end"),
        ("${age} + or(1)", "cannot be parsed at 'or'"),
        ("", "cannot be parsed at its end"),
        ("${age} >= 3 ; drop", "cannot be parsed from '; drop' on"),
        ("instance('c')/rows/row[name = ${Sex}]/label = 'x'", "uses"),
        ("(" * 40 + "${age} > 1" + ")" * 40, "nested too deep"),
        ("${age} > 1 or " * 500, "too long"),
    ],
)
def test_conditions_that_candor_does_not_understand(text, words):
    ((part, fault),) = read(text).faults
    assert part == text
    assert words in fault


def test_the_known_parts_of_a_condition_stay():
    found = read("${Sex} = 'x' and ${later} > 3 and ${age} > 3", "today() > 5 and ${boxes} = 'a'")
    assert found.relevant == {"sex": ["x"], "age": {"min": 4}}
    assert [part for part, _ in found.faults] == ["${later} > 3", "today() > 5", "${boxes} = 'a'"]


@given(st.text("${}Sexboxesage()'\"<>=!.,-019 andornotselected/\\[]", max_size=60))
def test_any_text_is_read_or_refused_as_a_condition(text):
    relevant = read(text).relevant
    again = {
        each.name: EarlierQuestion(
            name=each.name,
            kind=each.kind,
            names={n: n for n in each.names},
            skippable=each.skippable,
        )
        for each in KNOWN.values()
    }
    if relevant:
        assert read_condition([relevant_as_xpath(relevant, QUESTIONS)], again).relevant == relevant
