"""The numbers of "Two coins", by hand."""

from fractions import Fraction

import pytest

from survey.web.learn.controls import read_values
from survey.web.learn.lessons.two_coins import (
    NO,
    YES,
    TwoCoins,
    chance_of_trait,
    report_chances,
    reported_yes,
)

pytestmark = pytest.mark.fast


def test_two_coins_report_yes_with_three_quarters_and_one_quarter():
    assert report_chances() == (Fraction(3, 4), Fraction(1, 4))
    assert reported_yes(0.2) == pytest.approx(0.35)


def test_a_yes_at_a_prevalence_of_five_percent_means_14_percent_not_75():
    # 0.05 x 3/4 = 0.0375 of 0.0375 + 0.95 x 1/4 = 0.275
    assert chance_of_trait(0.05, YES) == pytest.approx(0.0375 / 0.275)
    assert chance_of_trait(0.05, NO) == pytest.approx(0.0125 / 0.725)
    assert chance_of_trait(0.5, YES) == pytest.approx(0.75)


@pytest.mark.parametrize("share", ["0", "100"])
def test_at_the_ends_a_report_changes_nothing(share):
    shown = TwoCoins().show(read_values(TwoCoins.controls, {"share": share}))
    expected = float(share) / 100
    assert shown.numbers["after_yes"] == shown.numbers["after_no"] == expected


def test_the_estimate_is_twice_the_share_of_yes_less_a_half():
    numbers = TwoCoins().show(read_values(TwoCoins.controls, {"n": "10000", "draw": "4"})).numbers
    assert numbers["estimate"] == pytest.approx(2 * numbers["yes"] / 10_000 - 0.5)
    # The draws average to 0.05 x 3/4 + 0.95 x 1/4 = 0.275. The standard error of a mean of 400 of
    # them is 0.00022, so the test fails by chance once in 10,000 times.
    mean = sum(
        TwoCoins().show(read_values(TwoCoins.controls, {"n": "10000", "draw": str(draw)}))
        .numbers["yes"] for draw in range(1, 401)
    ) / 400 / 10_000  # fmt: skip
    assert abs(mean - 0.275) < 3.9 * 0.00022
