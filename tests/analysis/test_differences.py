"""Differences of groups: Holm’s procedure, simultaneous intervals, and designs."""

import numpy as np
import pytest

from survey.analysis import SurveyDesign
from survey.analysis.groups.groups import compare
from tests.support.analysed import STRONG, plain, through
from tests.support.blocks import remarked

pytestmark = pytest.mark.fast


@pytest.mark.slow
def test_simultaneous_intervals_hold_at_once_and_holm_seldom_alarms():
    """1,000 surveys of 500 people in 4 equal groups, with 6 differences.

    Both may fail in 5 % of them, here 1.4 points more at 2 standard errors. They fail in 2 to 7.8
    %, and more once in 20,000.
    """
    r, surveys, n = np.random.default_rng(6), 1000, 500
    missed, alarms, single = 0, 0, 0
    for _ in range(surveys):
        group, answers = r.integers(0, 4, n), r.choice(2, n, p=[0.3, 0.7])
        columns = through(r, STRONG, answers, "o"), plain(group, 4, "g")
        # With weights, the slower Gaffke's bounds are not used.
        found = compare(*columns, SurveyDesign(weights=np.ones(n)))
        missed += any(not d.low <= 0 <= d.high for d in found.differences)
        alarms += any(d.adjusted < 0.05 for d in found.differences)
        single += any(d.p < 0.05 for d in found.differences)
    assert 0.01 < missed / surveys < 0.078
    assert 0.01 < alarms / surveys < 0.078
    # The correction is for this rate.
    assert single / surveys > 0.1


def test_differences_in_which_nothing_varies_need_no_design():
    same = plain([0] * 8, 2, "o"), plain([0, 0, 1, 1] * 2, 2, "g")
    apart = plain([0, 0, 1, 1] * 2, 2, "o"), plain([0, 0, 1, 1] * 2, 2, "g")
    (equal,), (different,) = compare(*same).differences, compare(*apart).differences
    assert equal.p == 1
    assert -0.7 < equal.low < 0 < equal.high < 0.7
    # All 4 of one group and none of the other: Fisher's test has 2 / 70, Barnard's half of that.
    assert 0.005 < different.p < 2 / 70
    assert different.high < 0
    # With weights, Student's quantile takes the place of the normal one.
    weighted = compare(*apart, SurveyDesign(weights=np.ones(8)))
    assert different.p < weighted.differences[0].p < 0.05
    (equal,) = compare(*same, SurveyDesign(weights=np.ones(8))).differences
    assert equal.p == 1
    assert -0.8 < equal.low < 0 < equal.high < 0.8
    # The mean of a scale whose reports are all the same has no test.
    scale = plain([2] * 8, 3, "o", values=range(3))
    none = compare(scale, apart[1], SurveyDesign(weights=np.ones(8)))
    assert none.differences[0].p == 1
    assert "has no test" in remarked(none)[-1]
