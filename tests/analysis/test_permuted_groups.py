"""Permutations of groups: the hypergeometric distribution, and statistics in closed form."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from survey.analysis.groups.permuted_groups import GroupReports, permutation_tests

pytestmark = pytest.mark.fast


def test_permutations_of_two_groups_have_the_hypergeometric_distribution():
    outcome, group = np.array([0] * 6 + [1] * 9), np.array([0] * 4 + [1] * 2 + [0] * 3 + [1] * 6)
    scores = np.array([[1.0, 1], [0, 1]])
    reports = GroupReports(
        outcome=outcome, group=group, scores=scores, inside=np.eye(2), low=0.0, high=1.0
    )
    ((statistic, p),) = permutation_tests(reports, [reports.pair_contrast(0, 1)])
    chances = hypergeom.pmf(np.arange(7), 15, 6, 7)
    differences = np.abs(np.arange(7) / 7 - (6 - np.arange(7)) / 8)
    assert p == pytest.approx(chances[differences >= differences[4] - 1e-12].sum(), abs=0.04)
    # Its variance is that of the products, and so a little different from Pearson's.
    assert statistic == pytest.approx(15 * (4 * 6 - 3 * 2) ** 2 / (6 * 9 * 7 * 8), rel=0.05)


def test_the_responses_of_a_pair_are_those_of_its_groups():
    group = np.array([0, 1, 2, 2, 1, 0])
    scores = np.array([[0.0, 1], [1, 1]])
    reports = GroupReports(
        outcome=np.array([0, 1, 0, 1, 0, 1]),
        group=group,
        scores=scores,
        inside=np.eye(3),
        low=0.0,
        high=1.0,
    )
    pair = reports.of_pair(2, 0)
    assert pair.n == 4
    assert pair.outcome.tolist() == [0, 0, 1, 1]
    assert pair.sizes == pytest.approx([0.5, 0.5])
    assert reports.sizes == pytest.approx([1 / 3] * 3)


def test_without_any_difference_the_statistic_is_zero_and_p_is_one():
    outcome, group = np.tile([0, 1], 6), np.repeat([0, 1, 2], 4)
    scores = np.array([[0.0, 1], [1, 1]])
    reports = GroupReports(
        outcome=outcome, group=group, scores=scores, inside=np.eye(3), low=0.0, high=1.0
    )
    ((statistic, p),) = permutation_tests(reports, [reports.all_contrasts([0, 1, 2])])
    assert statistic == pytest.approx(0, abs=1e-12)
    assert p == 1
