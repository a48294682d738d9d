"""Intervals of differences of groups agree with the test."""

import pytest

from survey.analysis.groups.groups import compare
from tests.support.analysed import plain

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("yes", range(8))
def test_an_interval_excludes_zero_exactly_if_the_test_rejects(yes):
    answers = [0] * yes + [1] * (7 - yes) + [0, 1, 1, 1, 1, 1]
    found = compare(plain(answers, 2, "o"), plain([0] * 7 + [1] * 6, 2, "g"), answer=0)
    (difference,) = found.differences
    figure = difference.figure
    assert -1 <= figure.low <= figure.value <= figure.high <= 1
    assert (difference.p < 0.05) == (not figure.low <= 0 <= figure.high)
