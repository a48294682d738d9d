"""The values of a number: exact, few or a million, and their levels."""

from fractions import Fraction

import pytest

from survey.core.errors import MechanismError
from survey.core.number_grid import Grid, decimal, decimal_text
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def test_values_are_exact_decimals():
    grid = Grid.between(0, 1, 0.1)
    assert list(grid) == ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"]
    assert grid.index("0.3") == grid.index(0.3) == 3
    assert "0.35" not in list(grid)
    with pytest.raises(ValueError, match="not one of the values"):
        grid.index("0.35")
    with pytest.raises(ValueError, match="a number"):
        grid.index("much")
    with pytest.raises(IndexError):
        grid[11]
    assert grid[2:4] == ["0.2", "0.3"]


@pytest.mark.parametrize(
    ("value", "text"),
    [("62", "62"), ("62.50", "62.5"), ("-0.05", "-0.05"), ("1/8", "0.125"), ("0", "0")],
)
def test_decimals_are_written_as_people_do(value, text):
    assert decimal_text(decimal(value, "value")) == text


def test_what_has_no_end_is_no_decimal():
    with pytest.raises(MechanismError, match="a decimal number"):
        decimal("1/3", "step")


@check_each(
    ("values", "most", "levels", "width"),
    [
        (11, 11, 11, 1),
        (121, 11, 11, 12),
        (121, 21, 21, 6),
        (41, 11, 11, 4),
        (13, 11, 7, 2),
        (98, 11, 11, 10),  # 97 steps are a prime number, so the last point is beyond the end.
        (1_000_001, 11, 11, 100_000),
        (2, 11, 2, 1),
    ],
)
def test_levels_divide_the_range_evenly_where_they_can(values, most, levels, width):
    grid = Grid(Fraction(0), Fraction(1), values)
    assert grid.levels(most) == levels
    assert grid.width(levels) == width
    coarse = grid.coarse(levels)
    assert coarse.high >= grid.high
    assert coarse.value(coarse.size - 2) < grid.high


@check_each("values", range(2, 300))
def test_every_value_has_a_point_on_either_side(values):
    grid = Grid(Fraction(0), Fraction(1), values)
    levels = grid.levels(11)
    width = grid.width(levels)
    assert 2 <= levels <= 11
    assert (values - 1) // width + ((values - 1) % width > 0) <= levels - 1
