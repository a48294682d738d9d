"""Numbers of the lessons as text."""

import pytest

from survey.core.translate import in_language
from survey.learn.written_numbers import (
    as_power,
    density_text,
    probability_text,
    round_to_text,
    share_in_percent,
    with_digits,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each(
    ("probability", "text"),
    [
        (0.0, "0"), (1.0, "1"), (1 + 1e-16, "1"), (0.25, "0.25"), (0.123456, "0.1235"),
        (2.72e-20, "2.7 × 10⁻²⁰"), (1 - 3e-7, "1 − 3.0 × 10⁻⁷"),
    ],
)  # fmt: skip
def test_probabilities(probability, text):
    assert probability_text(probability) == text


@check_each(
    ("share", "text"),
    [
        (0.0, "0.0 %"), (0.0004, "< 0.1 %"), (0.0006, "0.1 %"), (0.75, "75.0 %"),
        (0.9994, "99.9 %"), (0.99966, "> 99.9 %"), (1.0, "100.0 %"), (1.001, "100.1 %"),
        (-0.02, "−2.0 %"), (1 - 1e-16, "100.0 %"),
    ],
)  # fmt: skip
def test_only_rounding_never_makes_a_share_certain(share, text):
    assert share_in_percent(share) == text


def test_digits_and_decimals_have_no_exponent_and_a_true_minus_sign():
    assert [with_digits(each, 2) for each in (0.194, 1.94, 9.96, 19.6, 196.1, -0.053)] == [
        "0.19", "1.9", "10", "20", "196", "−0.053",
    ]  # fmt: skip
    assert [round_to_text(each, 1) for each in (62.5, 62.04, 1_234.56)] == ["62.5", "62", "1,234.6"]


def test_densities_above_zero_are_never_written_as_zero():
    assert density_text(0.00166) == "0.001660"
    assert density_text(0.0) == "< 10⁻³⁰⁰"
    assert density_text(5e-9) == "5.0 × 10⁻⁹"


def test_the_decimal_sign_is_that_of_the_language():
    with in_language("vi"):
        assert as_power(1.6e-8) == "1,6 × 10⁻⁸"
