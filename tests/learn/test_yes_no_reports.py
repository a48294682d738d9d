"""Reports of yes/no answers, by hand."""

import numpy as np
import pytest

from survey.learn.yes_no_reports import (
    NO,
    TWO_COINS,
    YES,
    best_randomizer,
    chance_of_trait,
    draw_yes_reports,
    estimated_shares,
    report_chances,
    reported_yes,
)

pytestmark = pytest.mark.fast


def test_two_coins_report_yes_with_three_quarters_and_one_quarter():
    assert report_chances(TWO_COINS) == (3 / 4, 1 / 4)
    assert reported_yes(TWO_COINS, 0.2) == pytest.approx(0.35)


def test_the_randomizer_never_loses_more_than_epsilon():
    for tenths in range(1, 41):
        table = best_randomizer(tenths / 10)
        assert 0.99 * tenths / 10 < table.epsilon <= tenths / 10


def test_a_yes_at_a_prevalence_of_five_percent_means_14_percent_not_75():
    # 0.05 x 3/4 = 0.0375 of 0.0375 + 0.95 x 1/4 = 0.275
    assert chance_of_trait(0.05, YES) == pytest.approx(0.0375 / 0.275)
    assert chance_of_trait(0.05, NO) == pytest.approx(0.0125 / 0.725)
    assert chance_of_trait(0.5, YES) == pytest.approx(0.75)


def test_the_estimates_are_twice_the_share_of_yes_less_a_half():
    estimates = estimated_shares(TWO_COINS, np.array([0, 399, 1_000]), 1_000)
    assert estimates == pytest.approx([-0.5, 0.298, 1.5])


def test_reports_come_from_both_answers():
    """2,000 surveys of 30 Yes and 10 No: on average 25 reports Yes, with a variance of 7.5.

    The mean has a standard error of 0.061. 4.5 of them fail by chance once in 150,000 times.
    """
    drawn = draw_yes_reports(TWO_COINS, 30, 40, 2_000, np.random.default_rng(8))
    assert drawn.shape == (2_000,)
    assert abs(float(drawn.mean()) - 25) < 4.5 * 0.061
