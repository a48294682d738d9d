"""Differences between groups: false alarms and coverage, enumerated, and simulated with a seed."""

import math

import numpy as np
import pytest
from scipy.stats import barnard_exact, binom, hypergeom

from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.groups.differences import holm
from survey.analysis.groups.equal_probabilities import (
    MAX_EXCESS,
    SupportingCounts,
    equal_pair_p,
    equal_probabilities,
)
from survey.analysis.groups.group_bounds import GroupBounds, mover_interval
from survey.analysis.groups.group_tests import group_tests, two_scores
from survey.analysis.groups.groups import compare
from survey.analysis.groups.measures import measured
from survey.analysis.groups.permuted_groups import GroupReports, permutation_tests
from survey.core.randomizer import Randomizer
from tests.support.analysed import COIN, THREE, column, plain, reported

pytestmark = pytest.mark.fast

SHARES = (0.01, 0.05, 0.1, 0.2, 0.35, 0.5)
FORCED = Randomizer.from_rows([[11, 1], [1, 11]])
SUBSET = (0.55, 0.35)
MECHANISMS = {
    "non-private": (1.0, 0.0), "coin": (0.75, 0.25), "gamma 0.1": (0.6, 0.4),
    "five answers": (0.4, 0.15), "subset": SUBSET, "forced": (11 / 12, 1 / 12),
}  # fmt: skip


def enumerated(sizes, p, q):
    """The p-values of all outcomes of two groups."""
    found = np.zeros([size + 1 for size in sizes])
    for one, other in np.ndindex(*found.shape):
        supporting = np.array([one, other], dtype=float)
        counts = SupportingCounts(supporting, np.array(sizes, dtype=float), q, p)
        found[one, other] = equal_pair_p(counts)
    return found


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("sizes", [(5, 5), (5, 40), (12, 15)])
def test_equal_groups_are_called_different_in_at_most_5_and_a_half_percent(sizes, mechanism):
    p, q = MECHANISMS[mechanism]
    rejected = enumerated(sizes, p, q) < 0.05
    for share in SHARES:
        first, second = (binom.pmf(np.arange(n + 1), n, q + (p - q) * share) for n in sizes)
        assert first @ rejected @ second < 0.05 * MAX_EXCESS + 0.001


def test_the_exact_test_is_near_barnards():
    for table in ([7, 2], [9, 1]), ([2, 10], [9, 6]), ([4, 1], [12, 13]):
        (one, not_one), (other, not_other) = table
        sizes = np.array([one + not_one, other + not_other], dtype=float)
        mine = equal_pair_p(SupportingCounts(np.array([one, other], float), sizes, 0.0, 1.0))
        published = barnard_exact([[one, other], [not_one, not_other]], n=64).pvalue
        assert published / MAX_EXCESS - 0.002 <= mine <= published + 0.002


def test_many_responses_have_the_normal_distribution():
    counts = SupportingCounts(np.array([5_300.0, 5_100]), np.array([1e4, 1e4]), 0.0, 1.0)
    z = 200 / math.sqrt(2e4 * 0.52 * 0.48)
    assert equal_pair_p(counts) == pytest.approx(math.erfc(z / math.sqrt(2)), rel=0.02)
    huge = SupportingCounts(counts.supporting * 1000, counts.n * 1000, 0.0, 1.0)
    assert equal_pair_p(huge) < 1e-10
    same = SupportingCounts(np.array([5.0, 10]), np.array([10.0, 20]), 0.0, 1.0)
    assert equal_pair_p(same) == 1


@pytest.mark.parametrize("share", [0.02, 0.4])
@pytest.mark.parametrize("mechanism", ["non-private", "coin"])
def test_four_equal_groups_are_called_different_in_at_most_5_and_a_half_percent(mechanism, share):
    """300 surveys. With other seeds, 5 % is more than 9 % once in 1,000."""
    p, q = MECHANISMS[mechanism]
    r, sizes = np.random.default_rng(31), np.array([5.0, 10, 20, 30])
    alarms = 0
    for _ in range(300):
        supporting = r.binomial(sizes.astype(int), q + (p - q) * share).astype(float)
        alarms += equal_probabilities(SupportingCounts(supporting, sizes, q, p))[1] < 0.05
    assert alarms / 300 < 0.09


CASES = [
    # Sizes, the table of the outcome, that of the group or None, the share of "yes".
    ((8, 40), COIN, None, 0.05), ((8, 40), None, None, 0.1), ((5, 30), FORCED, None, 0.02),
    ((40, 40), COIN, COIN, 0.2), ((20, 100), FORCED, FORCED, 0.05),
    ((25, 25, 30), COIN, THREE, 0.3),
]  # fmt: skip


@pytest.mark.parametrize("sizes, table, group_table, share", CASES)
@pytest.mark.slow
def test_small_groups_are_covered_and_seldom_called_different(sizes, table, group_table, share):
    """150 surveys. With other seeds, coverage of 0.95 is below 0.88 once in 4,000."""
    r, surveys, held, alarms = np.random.default_rng(32), 150, 0, 0
    true_groups = np.repeat(np.arange(len(sizes)), sizes)
    for _ in range(surveys):
        answers = (r.random(len(true_groups)) > share).astype(int)
        outcome = (plain(answers, 2, "o") if table is None
                   else column(reported(r, table, answers), table, "o"))  # fmt: skip
        group = (plain(true_groups, len(sizes), "g") if group_table is None
                 else column(reported(r, group_table, true_groups), group_table, "g"))  # fmt: skip
        found = compare(outcome, group, answer=0)
        if not found.differences:
            held += 1
            continue
        held += all(d.low <= 0 <= d.high for d in found.differences)
        alarms += any(d.adjusted < 0.05 for d in found.differences)
        for d in found.differences:
            assert (d.p < 0.05) == (not d.figure.low <= 0 <= d.figure.high)
    assert held / surveys > 0.88
    assert alarms / surveys < 0.12


def test_special_answers_are_tested_by_permutations():
    """Random answers with "prefer not to say": at most 5.5 %, with 300 surveys below 9 %."""
    r, alarms = np.random.default_rng(33), 0
    for _ in range(300):
        answers = r.choice(3, size=60, p=[0.1, 0.75, 0.15])
        outcome = column(reported(r, THREE, answers), THREE, "o", extras=1)
        group = plain(np.repeat([0, 1], [12, 48]), 2, "g")
        measure, sample = measured(outcome, 0), complete_case_sample((outcome, group))
        assert two_scores(measure, group, sample) is None
        alarms += group_tests(measure, group, sample, [0, 1], [(1, 0)]).p < 0.05
    assert alarms / 300 < 0.09


def test_permutations_of_two_groups_have_the_hypergeometric_distribution():
    outcome, group = np.array([0] * 6 + [1] * 9), np.array([0] * 4 + [1] * 2 + [0] * 3 + [1] * 6)
    scores = np.array([[1.0, 1], [0, 1]])
    reports = GroupReports(outcome, group, scores, np.eye(2), 0.0, 1.0)
    ((statistic, p),) = permutation_tests(reports, [reports.pair_contrast(0, 1)])
    chances = hypergeom.pmf(np.arange(7), 15, 6, 7)
    differences = np.abs(np.arange(7) / 7 - (6 - np.arange(7)) / 8)
    assert p == pytest.approx(chances[differences >= differences[4] - 1e-12].sum(), abs=0.04)
    # Its variance is that of the products, and so a little different from Pearson's.
    assert statistic == pytest.approx(15 * (4 * 6 - 3 * 2) ** 2 / (6 * 9 * 7 * 8), rel=0.05)


def test_mover_has_the_intervals_of_zou_and_donner():
    """Newcombe's example: 56 of 70 and 48 of 80, Wilson's bounds, interval 0.0524 to 0.3339."""
    bounds = [GroupBounds(*ends, "Wilson") for ends in ((0.6920, 0.8771), (0.4903, 0.7005))]
    found = mover_interval(bounds[0], bounds[1], (0.8, 0.6), 0.0)
    assert found == pytest.approx((0.0524, 0.3339), abs=2e-3)
    unknown = GroupBounds(-math.inf, 0.5, "none")
    assert mover_interval(unknown, bounds[1], (0.3, 0.6), 0.0)[0] == -math.inf


def test_holm_needs_no_more_than_the_smallest_permutation_p():
    assert holm([1e-4] * 435)[0] < 0.05
