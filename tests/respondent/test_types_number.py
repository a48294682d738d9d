"""Numbers as people type them on the paper-and-coin page."""

from fractions import Fraction

import pytest

from survey.core.languages import ENGLISH
from survey.core.number_grid import Grid
from survey.respondent.types import GIVEN
from survey.respondent.types.number import nearest_place, number_from_field
from tests.support.check_each import check_each
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast


@check_each(
    ("typed", "value"),
    [
        ("62", 62), ("62.5", Fraction(125, 2)), ("62,5", Fraction(125, 2)), (" 6 2 ", 62),
        ("๖๒", 62), ("６２", 62), ("−3", -3), ("–3", -3), ("+3", 3), (".5", Fraction(1, 2)),
        ("5.", 5), ("1000", 1000), ("0,500", Fraction(1, 2)), ("1,000", None), ("1.000", None),
        ("1e3", None), ("2/3", None), ("", None), ("-", None), ("1.2.3", None), ("1,2,3", None),
        ("0x1f", None), ("nan", None), ("9" * 21, None), ("9" * 20, 10**20 - 1),
    ],
)  # fmt: skip
def test_numbers_are_read_as_people_type_them(typed, value):
    assert number_from_field(typed, Grid.between(-99, 99, 1)) == value


@pytest.mark.parametrize(
    ("low", "high", "step", "value"),
    [(0, 1000, 1, None), (-1000, 0, "0.5", None), (0, 999, 1, "1.255"), (0, 1000, ".005", "1.255")],
)
def test_a_number_is_ambiguous_where_it_could_be_a_thousand(low, high, step, value):
    """As in static/respondent/numbers.js."""
    read = number_from_field("1,255", Grid.between(low, high, step))
    assert read == (None if value is None else Fraction(value))


@pytest.mark.parametrize(
    ("typed", "place"),
    [
        ("350", 4),
        ("349.9", 3),
        ("-0", 0),
        ("4999", 50),
        ("5000", 50),
        ("5000.1", None),
        ("-1", None),
    ],
)
def test_a_number_is_rounded_to_the_nearest_step(typed, place):
    """Halves are rounded up, as by Math.round in the browser."""
    grid = Grid.between(0, 5000, 100)
    assert nearest_place(grid, number_from_field(typed, grid)) == place


def test_a_declined_number_follows_those_of_the_grid():
    number = question_of("number", "none", min=0, max=20, step=5, prefer_not_to_say=True)
    answer = GIVEN[number]
    assert answer.field_names() == {number.name, f"{number.name}-declined"}
    assert answer.report({number.name: ["15"]}, ENGLISH) == "3"
    assert answer.report({f"{number.name}-declined": ["1"]}, ENGLISH) == "5"
    for both in ({}, {number.name: ["15"], f"{number.name}-declined": ["1"]}):
        with pytest.raises(ValueError, match="Type a number from 0 to 20"):
            answer.report(both, ENGLISH)
    assert answer.rounding_sentence({number.name: ["13"]}, ENGLISH) == "13 is counted as 15."
