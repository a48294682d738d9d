"""Tests of equal binomial probabilities: false alarms by enumeration, and peers."""

import math

import numpy as np
import pytest
from scipy.stats import barnard_exact, binom, chi2, t

from bench import group_tests
from bench.best_tests import smallest_loss
from survey.analysis.groups.equal_probabilities import (
    MAX_EXCESS,
    SupportingCounts,
    beyond,
    binomial_chances,
    equal_pair_p,
    equal_probabilities,
    larger_p,
    likely_outcomes,
    plausible_probabilities,
)

pytestmark = pytest.mark.fast

SHARES = (0.01, 0.05, 0.1, 0.2, 0.35, 0.5)
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


@pytest.mark.parametrize(
    ("mechanism", "sizes"),
    [("non-private", (5, 5)), ("coin flips", (5, 5)), ("forced response", (5, 5)),
     ("k-ary", (5, 5)), ("non-private", (5, 30))],
)  # fmt: skip
def test_no_fair_test_loses_less_power_in_groups_of_five(mechanism, sizes):
    """Compared with Student's test, at the shares at which it has at most 5.5 % false alarms."""
    *_, loss, smallest = group_tests.enumerated(mechanism, sizes)
    assert 4 < float(smallest) <= float(loss) < float(smallest) + 0.15


def test_the_search_finds_a_better_test_if_there_is_one():
    """One that finds a difference in the two most extreme outcomes only can be improved."""
    sizes, design = (5, 5), (1.0, 0.0)
    outcomes = np.arange(6)
    chances = np.outer(binom.pmf(outcomes, 5, 0.1), binom.pmf(outcomes, 5, 0.5))
    powers = np.array([chances[0, 5] + chances[5, 0]])
    loss, best = smallest_loss(sizes, design, chances.reshape(1, -1), powers, 0.05 * MAX_EXCESS)
    assert loss == pytest.approx(powers[0] - chances[best].sum(), abs=1e-4)
    assert (best == (enumerated(sizes, *design) < 0.05)).all()


@pytest.mark.parametrize("mechanism", ["coin", "gamma 0.1", "five answers"])
def test_in_groups_of_twenty_it_finds_as_much_as_students_test(mechanism):
    """At the shares at which Student's test has at most 5.5 % false alarms."""
    (p, q), n = MECHANISMS[mechanism], 20
    one, other = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    variance = (one * (n - one) + other * (n - other)) / n**3 * 2 * n / (2 * n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        students = 2 * t.sf(abs(one - other) / n / np.sqrt(variance), 2 * n - 1) < 0.05
    mine = enumerated((n, n), p, q) < 0.05
    pmf = binom.pmf(np.arange(n + 1), n, q + (p - q) * np.array(SHARES)[:, np.newaxis])
    powers = [pmf @ rejected @ pmf.T for rejected in (students, mine)]
    fair = np.diag(powers[0]) <= 0.055
    assert fair.sum() > 1
    assert (powers[1] >= powers[0] - 0.0005)[np.ix_(fair, fair)].all()


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


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("sizes", "supporting"),
    [
        ((12, 12, 12), (0, 3, 11)),
        ((12, 12, 12), (0, 1, 12)),
        ((5, 20, 30), (5, 2, 1)),
        ((4, 40, 40), (0, 30, 8)),
    ],
)
def test_small_p_values_of_three_groups_are_near_the_enumerated_ones(sizes, supporting):
    """From 2e-5 to 4e-9. The simulation has a relative standard error of up to 12 %."""
    counts = SupportingCounts(np.array(supporting, float), np.array(sizes, float), 0.0, 1.0)
    axes = [np.arange(size + 1.0) for size in sizes]
    outcomes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    statistic, p = equal_probabilities(counts)
    parts = []
    for part in beyond(counts.statistic(outcomes), statistic):
        places = np.flatnonzero(part)
        chances = [
            binomial_chances(outcomes[places, group], size, plausible_probabilities(counts))
            for group, size in enumerate(sizes)
        ]
        parts.append(np.prod(chances, axis=0).sum(axis=1))
    assert p == pytest.approx(larger_p(*parts), rel=0.3)


def test_the_p_of_several_groups_has_no_lower_limit():
    """Ten groups of 240 responses: the statistic has a chi-squared distribution."""
    sizes = np.full(10, 240.0)
    counts = SupportingCounts(np.round(sizes * np.linspace(0.2, 0.42, 10)), sizes, 0.0, 1.0)
    statistic, p = equal_probabilities(counts)
    assert 1e-9 < p < 1e-6
    assert p == pytest.approx(chi2.sf(statistic, 9), rel=0.3)


def test_the_chances_are_those_of_the_binomial_distribution():
    chances = np.array([0.0, 0.2, 1.0])
    found = binomial_chances(np.arange(8.0), 7, chances)
    assert found == pytest.approx(binom.pmf(np.arange(8), 7, chances[:, np.newaxis]), abs=1e-12)
    likely = likely_outcomes(10_000, np.array([0.5]))
    assert binom.cdf(likely[0] - 1, 10_000, 0.5) + binom.sf(likely[-1], 10_000, 0.5) < 1e-13


def test_the_same_outcomes_always_have_the_same_p():
    counts = SupportingCounts(np.array([2.0, 5, 9]), np.array([9.0, 9, 12]), 0.0, 1.0)
    assert equal_probabilities(counts) == equal_probabilities(counts)
