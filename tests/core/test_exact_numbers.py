"""Numbers as people write them: exact fractions, with halves rounded up."""

import math
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest

from survey.core.errors import MechanismError
from survey.core.exact_numbers import exact, half_up, probability, typed_decimal
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each(
    ("written", "value"),
    [
        (0.1, Fraction(1, 10)), ("0.1", Fraction(1, 10)), ("2/3", Fraction(2, 3)),
        (" 2 / 3 ", Fraction(2, 3)), ("-1/4", Fraction(-1, 4)), (".5", Fraction(1, 2)),
        ("5.", Fraction(5)), ("+1e-3", Fraction(1, 1_000)), ("2E2", Fraction(200)),
        (7, Fraction(7)), (Fraction(3, 8), Fraction(3, 8)), ("9" * 20, Fraction(10**20 - 1)),
    ],
)  # fmt: skip
def test_a_number_is_the_fraction_that_it_shows(written, value):
    assert exact(written, "p") == value


@check_each(
    "written",
    [
        True, None, [], "", "x", "1/0", "1,5", "0x1", "1/2/3", "1.5/2", "nan", "inf", math.nan,
        math.inf, "9" * 41, "1e999", "--1", "1\n2",
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_by_its_name(written):
    with pytest.raises(
        MechanismError, match="p must be a number or a fraction such as 2/3"
    ) as refused:
        exact(written, "p")
    assert (refused.value.parameter, refused.value.reason) == ("p", "number")


def test_a_probability_lies_between_0_and_1_and_may_be_either():
    assert [probability(each, "p") for each in (0, "1/3", 1)] == [0, Fraction(1, 3), 1]
    for outside in (-0.1, "4/3"):
        with pytest.raises(MechanismError, match="p must be a probability from 0 to 1"):
            probability(outside, "p")


def test_a_typed_number_is_the_decimal_that_it_shows():
    for typed, value in ((" 2.50 ", "2.50"), ("−3", "-3"), ("+.5", "0.5"), ("1e-3", "0.001")):
        assert typed_decimal(typed) == Decimal(value)
    assert typed_decimal("2.50").as_tuple().exponent == -2
    assert math.isfinite(float(typed_decimal("9e99") / typed_decimal("1e-99")))


def test_no_typed_number_is_too_large_or_no_decimal():
    for typed in ("", "x", "1e999999", "1e-999999", "NaN", "inf", "1_000", "9" * 41, "1/2", "1,5"):
        with pytest.raises(ValueError, match="not a number"):
            typed_decimal(typed)


@check_each(
    ("value", "places", "rounded"),
    [
        (0.25, 1, 0.3), (-0.25, 1, -0.3), (1.005, 2, 1.01), (2.5, 0, 3.0), (0.2499, 1, 0.2),
        (Fraction(1, 8), 2, 0.13), (Fraction(-1, 8), 2, -0.13), (Fraction(1, 3), 3, 0.333),
    ],
)  # fmt: skip
def test_halves_go_away_from_zero(value, places, rounded):
    assert half_up(value, places) == rounded


def test_rounding_is_that_of_the_decimals_that_a_number_is_written_with():
    for thousandths in range(-2_000, 2_001):
        value = thousandths / 1_000
        expected = Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP)
        assert half_up(value, 2) == float(expected), value


def test_what_is_not_finite_stays_what_it_is():
    assert half_up(math.inf, 2) == math.inf
    assert math.isnan(half_up(math.nan, 2))
