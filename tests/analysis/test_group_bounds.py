"""Bounds of groups and intervals of differences: published figures, agreement with the test."""

import math

import pytest

from survey.analysis.groups.group_bounds import GroupBounds, mover_interval
from survey.analysis.groups.groups import compare
from tests.support.analysed import plain

pytestmark = pytest.mark.fast


def test_mover_has_the_intervals_of_zou_and_donner():
    """Newcombe's example: 56 of 70 and 48 of 80, Wilson's bounds, interval 0.0524 to 0.3339."""
    bounds = [GroupBounds(*ends, "Wilson") for ends in ((0.6920, 0.8771), (0.4903, 0.7005))]
    found = mover_interval(bounds[0], bounds[1], (0.8, 0.6), 0.0)
    assert found == pytest.approx((0.0524, 0.3339), abs=2e-3)
    unknown = GroupBounds(-math.inf, 0.5, "none")
    assert mover_interval(unknown, bounds[1], (0.3, 0.6), 0.0)[0] == -math.inf


def test_an_interval_is_symmetric_in_the_two_groups():
    one, other = GroupBounds(0.2, 0.7, "a"), GroupBounds(0.1, 0.5, "b")
    low, high = mover_interval(one, other, (0.4, 0.3), 0.1)
    assert mover_interval(other, one, (0.3, 0.4), 0.1) == pytest.approx((-high, -low))


@pytest.mark.parametrize("yes", range(8))
def test_an_interval_excludes_zero_exactly_if_the_test_rejects(yes):
    answers = [0] * yes + [1] * (7 - yes) + [0, 1, 1, 1, 1, 1]
    found = compare(plain(answers, 2, "o"), plain([0] * 7 + [1] * 6, 2, "g"), answer=0)
    (difference,) = found.differences
    figure = difference.figure
    assert -1 <= figure.low <= figure.value <= figure.high <= 1
    assert (difference.p < 0.05) == (not figure.low <= 0 <= figure.high)
