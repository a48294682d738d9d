"""The score test of independence: scipy, and exactness under the hypothesis by enumeration."""

import numpy as np
import pytest
from scipy.stats import binom, chi2_contingency

from survey.analysis.groups.equal_probabilities import MAX_EXCESS
from survey.analysis.tables.independence import (
    ScoredReports,
    mutual_test,
    pair_test,
    two_by_two,
    two_by_two_p,
)

pytestmark = pytest.mark.fast

TABLE = np.array([[12, 5, 9], [4, 11, 8]])


def scored(codes, k):
    return ScoredReports(np.asarray(codes), np.eye(k), False)


def listed(table):
    return np.repeat(np.indices(table.shape).reshape(2, -1), table.reshape(-1), axis=1)


def test_two_questions_have_pearsons_statistic():
    first, second = listed(TABLE)
    statistic, degrees, p = pair_test([scored(first, 2), scored(second, 3)])
    expected = chi2_contingency(TABLE, correction=False)
    assert (statistic, degrees) == (pytest.approx(expected.statistic), expected.dof)
    assert p == pytest.approx(expected.pvalue, abs=0.02)
    assert mutual_test([scored(first, 2), scored(second, 3)])[2] == pytest.approx(expected.pvalue)


def test_whitened_scores_are_uncorrelated_with_variance_one():
    scores = scored(listed(TABLE)[1], 3).whitened[listed(TABLE)[1]]
    assert scores.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert scores.T @ scores / len(scores) == pytest.approx(np.eye(2), abs=1e-12)


def test_two_by_two_counts_the_reports():
    counts = two_by_two(*listed(np.array([[3, 1], [2, 4]])))
    assert (counts.supporting.tolist(), counts.n.tolist()) == ([3, 2], [4, 6])


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_independent_reports_are_rejected_in_at_most_5_and_a_half_percent(share):
    """All outcomes of 5 and 5 responses to the first question's two answers."""
    chances, rejected = binom.pmf(np.arange(6), 5, share), 0.0
    for one, other in np.ndindex(6, 6):
        table = np.array([[one, 5 - one], [other, 5 - other]])
        rejected += chances[one] * chances[other] * (two_by_two_p(*listed(table)) < 0.05)
    assert rejected < 0.05 * MAX_EXCESS


def test_if_all_reports_agree_there_is_no_degree_of_freedom():
    assert pair_test([scored([0] * 6, 1), scored([0, 1, 2] * 2, 3)])[1] == 0
