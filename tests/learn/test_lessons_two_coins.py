"""The numbers of "Two coins", by hand."""

import pytest

from survey.learn.controls import read_values
from survey.learn.lessons.two_coins import TwoCoins

pytestmark = pytest.mark.fast


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
