"""Numbers in XLSForm."""

from fractions import Fraction

import pytest

from survey.definition.types import QUESTION_TYPES
from survey.formats.types import EARLIER, FORMATS
from survey.formats.xlsform.conditions import EarlierQuestion, Held, NumberBounds
from survey.formats.xlsform.expressions import UnsupportedCondition, parse_expression
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast

HALVES = EarlierQuestion(
    name="q",
    kind=QUESTION_TYPES["number"],
    low=Fraction(0),
    high=Fraction(10),
    step=Fraction(1, 2),
)


def test_a_number_is_weighted():
    question = FORMATS[question_of("number", "none", min=-3, max=5)]
    assert question.points_as_xpath(1) == "${q}"
    assert question.points_as_xpath(-2) == "-2 * ${q}"
    assert question.declined_ends(-2) == (-10, 6)
    assert EARLIER[HALVES].ends(-2) == [0, -20]


def test_a_strict_bound_is_the_next_value_of_the_grid():
    for sign, text, bounds in [
        (">", "2", NumberBounds(low=Fraction(5, 2))),
        ("<", "2.2", NumberBounds(high=Fraction(2))),
        ("=", "2", NumberBounds(Fraction(2), Fraction(2))),
    ]:
        found = EARLIER[HALVES].compare(sign, parse_expression(text), of_choices=False)
        assert found == Held("q", bounds)


def test_the_opposite_of_one_bound_is_the_other_side():
    below = EARLIER[HALVES].opposite(NumberBounds(low=Fraction(2)))
    assert below == Held("q", NumberBounds(high=Fraction(3, 2)))
    between = NumberBounds(Fraction(2), Fraction(3))
    assert EARLIER[HALVES].opposite(between) == Held("q", between, holds=False)


def test_a_number_is_compared_with_a_number():
    text = parse_expression("'old'")
    assert EARLIER[HALVES].compare("=", text, of_choices=True) is False
    with pytest.raises(UnsupportedCondition, match="compares a number with 'old'"):
        EARLIER[HALVES].compare("=", text, of_choices=False)
