"""Boxes in XLSForm."""

from fractions import Fraction
from itertools import product

import pytest

from survey.definition.types import QUESTION_TYPES
from survey.formats.types import EARLIER, FORMATS
from survey.formats.xlsform.conditions import EarlierQuestion, Held
from survey.formats.xlsform.expressions import UnsupportedCondition, parse_expression
from survey.formats.xlsform.read_calculation import Points
from tests.support.question_results import MANY, question_of

pytestmark = pytest.mark.fast

BOXES = QUESTION_TYPES["select_multiple"]
EARLIER_BOXES = EARLIER[EarlierQuestion(name="q", kind=BOXES, names={"a": "a", "b": "b"})]
ONE_BOX = EARLIER[EarlierQuestion(name="q", kind=BOXES, names={"a": "a"})]
QUESTION = FORMATS[question_of("select_multiple", "none", choices=MANY[:3])]


def test_boxes_are_counted_or_have_points_of_their_own():
    assert QUESTION.points_as_xpath({"c0": 1, "c1": 1, "c2": 1}) == "count-selected(${q})"
    assert QUESTION.points_as_xpath({"c0": -2, "c1": 0, "c2": 3}) == (
        "if(selected(${q}, 'c0'), -2, 0) + if(selected(${q}, 'c2'), 3, 0)"
    )


def test_the_ends_of_the_points_are_those_of_all_combinations_of_ticks():
    points = {"c0": -2, "c1": 1, "c2": 3}
    sums = [
        sum(each * tick for each, tick in zip(points.values(), ticks, strict=True))
        for ticks in product((0, 1), repeat=3)
    ]
    assert QUESTION.declined_ends(points) == (min(sums), max(sums))
    assert EARLIER_BOXES.ends(points) == [min(sums), max(sums)]


def test_only_a_single_box_can_equal_a_text():
    text = parse_expression("'a'")
    assert ONE_BOX.compare("=", text, of_choices=False) == Held("q", frozenset("a"))
    with pytest.raises(UnsupportedCondition):
        EARLIER_BOXES.compare("=", text, of_choices=False)


def test_two_boxes_can_be_ticked_for_two_conditions():
    assert EARLIER_BOXES.both(frozenset("a"), frozenset("b")) is None
    assert EARLIER_BOXES.both(frozenset("ab"), frozenset("b")) == frozenset("b")
    assert EARLIER_BOXES.opposite(frozenset("a")) == Held("q", frozenset("a"), holds=False)
    with pytest.raises(UnsupportedCondition):
        EARLIER_BOXES.require_countable(["a", "b"])


def test_several_boxes_give_one_point_together_and_one_box_any_points():
    two, none = Points(Fraction(2)), Points()
    assert EARLIER_BOXES.points_if(["a"], two, none) == Points(of={"q": {"a": 2, "b": 0}})
    with pytest.raises(UnsupportedCondition):
        EARLIER_BOXES.points_if(["a", "b"], two, none)
    both = EARLIER_BOXES.points_if(["a", "b"], Points(Fraction(1)), none)
    assert both == Points(held={"q": ["a", "b"]})
