"""Bounds for means of scores, compared with closed forms, beta quantiles and integration."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betainc, betaincinv

from survey.core.mechanisms import build_randomizer
from survey.core.scores import unbiased_scores
from survey.estimation.mean_intervals import (
    chance_positive,
    chance_with_extreme_report,
    mean_interval,
    student_interval,
    student_quantile,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

MISS = 0.025
WINDOW = unbiased_scores(
    build_randomizer({"mechanism": "window", "epsilon": 1}, "numbers", 11), np.arange(11)[:, None]
)[:, 0]


def integrated(counts, scores):
    """Pr(sum of G_y scores[y] > 0) from the characteristic function (Gil-Pelaez, 1951)."""
    scores = np.asarray(scores) / np.abs(scores).max()

    def part(t):
        angle = counts @ np.arctan(t * scores)
        return math.sin(angle) / t * math.exp(-0.5 * float(counts @ np.log1p((t * scores) ** 2)))

    whole, error = quad(part, 0, np.inf, limit=2000, epsabs=1e-10, epsrel=1e-9)
    assert error < 1e-6
    return 0.5 + whole / math.pi


def smaller(chance):
    return min(chance, 1 - chance)


@check_each("ones", [1, 2, 5, 20, 500])
@check_each("others", [1, 3, 10, 100, 5000])
def test_of_two_scores_the_chance_is_the_exact_beta(ones, others):
    for value in betaincinv(ones, others, [1e-3, MISS, 0.2, 0.5, 0.9, 1 - MISS, 0.999]):
        found = chance_positive(np.array([ones, others]), np.array([1 - value, -value]))
        exact = 1 - betainc(ones, others, value)
        fewest = min(ones, others)
        tolerance = 0.1 if fewest < 5 else 5e-3 if fewest < 100 else 5e-4
        assert smaller(found) == pytest.approx(smaller(exact), rel=tolerance)


@pytest.mark.parametrize(
    ("responses", "most", "usual"),
    [(3, 0.08, 0.05), (10, 0.08, 0.035), (30, 0.06, 0.025), (100, 0.05, 0.01), (400, 0.04, 0.005)],
)
def test_of_many_scores_the_chance_is_that_of_integration(responses, most, usual):
    """Near the level that intervals use. `usual` holds for nineteen of twenty cases."""
    generator, errors = np.random.default_rng(responses), []
    while len(errors) < 100:
        size = generator.integers(3, 12)
        counts = generator.multinomial(responses, generator.dirichlet(np.full(size, 0.7)))
        scores = generator.normal(size=size)
        counts[np.argmax(scores)] += 1
        mean = counts @ scores / counts.sum()
        spread = math.sqrt(counts @ (scores - mean) ** 2) / counts.sum()
        scores -= mean + generator.choice([-1, 1]) * generator.uniform(1.5, 2.5) * spread
        there = counts > 0
        if not scores[there].min() < 0 < scores[there].max():
            continue
        found = chance_positive(counts.astype(float), scores)
        if 0.005 < smaller(found) < 0.06:
            exact = integrated(counts[there], scores[there])
            errors.append(abs(smaller(found) / smaller(exact) - 1))
    assert max(errors) < most
    assert np.quantile(errors, 0.95) < usual


def test_the_chance_is_certain_where_all_scores_have_one_sign():
    assert chance_positive(np.array([2, 3, 0]), np.array([1.0, 0.0, -5.0])) == 1
    assert chance_positive(np.array([2, 3, 0]), np.array([-1.0, 0.0, 5.0])) == 0
    assert chance_positive(np.array([2, 3]), np.zeros(2)) == 0


def test_the_chance_is_one_half_by_symmetry_and_steady_beside_it():
    counts, scores = np.array([4.0, 7.0, 4.0]), np.array([-1.0, 0.0, 1.0])
    assert chance_positive(counts, scores) == pytest.approx(0.5, abs=1e-12)
    beside = [chance_positive(counts, scores + shift) for shift in np.linspace(-1e-3, 1e-3, 201)]
    # The formula is 0/0 there, and its limit is used.
    assert np.diff(beside).min() > -1e-6
    assert np.diff(beside).max() < 2e-4


def test_the_chance_does_not_depend_on_the_unit():
    counts = np.array([4, 7, 2])
    for unit in (1e-9, 3.0, 1e12):
        assert chance_positive(counts, unit * np.array([-1, 0.2, 1.5])) == pytest.approx(
            chance_positive(counts, np.array([-1, 0.2, 1.5])), rel=1e-9
        )


def test_pushing_adds_one_report_of_the_most_extreme_score():
    counts, scores = np.array([4.0, 7.0, 0.0]), np.array([-1.0, 0.2, 1.5])
    assert chance_with_extreme_report(counts, scores, True) == chance_positive(
        np.array([4.0, 7.0, 1.0]), scores
    )
    assert chance_with_extreme_report(counts, scores, False) == chance_positive(
        np.array([5.0, 7.0, 0.0]), scores
    )
    assert counts.sum() == 11


@pytest.mark.parametrize("n", [1, 2, 5, 20, 100, 1000])
def test_of_two_scores_the_interval_is_clopper_and_pearsons(n):
    for ones in sorted({0, 1, n // 4, n // 2, n - 1, n}):
        found = mean_interval([ones, n - ones], np.array([1.0, 0.0]), 0, 1)
        low = betaincinv(ones, n - ones + 1, MISS) if ones else 0.0
        high = betaincinv(ones + 1, n - ones, 1 - MISS) if ones < n else 1.0
        # Relative to the interval's own length.
        assert (found.low, found.high) == pytest.approx((low, high), abs=0.005 * (high - low))


@check_each("n", [1, 3, 10, 200])
@check_each("place", range(4))
def test_of_reports_all_alike_the_ends_have_a_closed_form(n, place):
    """n responses with one score and one added report: their weights are Beta(n, 1)."""
    scores = np.array([-3.0, 0.0, 1.0, 4.0])
    counts = np.zeros(4, dtype=int)
    counts[place] = n
    found = mean_interval(counts, scores, -3.0, 4.0)
    # The share of the responses in the worst case.
    share = MISS ** (1 / n)
    low = share * scores[place] + (1 - share) * -3
    high = share * scores[place] + (1 - share) * 4
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02 * (high - low))


def test_of_many_responses_the_interval_is_the_normal_one():
    generator = np.random.default_rng(1)
    counts = generator.multinomial(1_000_000, np.full(len(WINDOW), 1 / len(WINDOW)))
    n, mean = counts.sum(), counts @ WINDOW / counts.sum()
    error = math.sqrt(counts @ (WINDOW - mean) ** 2) / n
    found = mean_interval(counts, WINDOW, 0, 10)
    assert found.low == pytest.approx(mean - 1.959964 * error, abs=0.005 * error)
    assert found.high == pytest.approx(mean + 1.959964 * error, abs=0.005 * error)


@pytest.mark.parametrize("counts", [[3, 0, 2, 9, 4], [1, 0, 0, 0, 0], [0, 0, 0, 2, 1]])
def test_those_who_gave_no_number_do_not_count(counts):
    scores, values = np.array([0.0, 1.0, 5.0, 9.0, 0.0]), np.array([0.0, 1.0, 5.0, 9.0])
    among = np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    ratio = mean_interval(counts, scores, 0, 9, among=among)
    alone = mean_interval(counts[:4], values, 0, 9)
    assert (ratio.low, ratio.high) == pytest.approx((alone.low, alone.high), abs=1e-5)


def test_a_ratio_is_the_non_private_mean_where_everyone_counts():
    counts = np.random.default_rng(2).multinomial(50, np.full(len(WINDOW), 1 / len(WINDOW)))
    ratio = mean_interval(counts, WINDOW, 0, 10, among=np.ones(len(WINDOW)))
    assert ratio == mean_interval(counts, WINDOW, 0, 10)


def test_a_ratio_holds_what_its_tests_do_not_exclude():
    """Few respondents answer, and their reports are noisy.

    The ends solve the two equations.
    """
    counts = np.array([30, 20, 12, 40])
    scores, among = np.array([9.0, 4.0, -2.0, -1.0]), np.array([1.4, 1.2, 1.1, -0.4])
    found = mean_interval(counts, scores, 0, 10, among=among)
    assert chance_with_extreme_report(counts, scores - found.low * among, False) == pytest.approx(
        1 - MISS, abs=1e-5
    )
    assert chance_with_extreme_report(counts, scores - found.high * among, True) == pytest.approx(
        MISS, abs=1e-5
    )


def test_a_ratio_of_hardly_anyone_says_nothing():
    found = mean_interval([3, 3, 30], np.array([9.0, 1.0, -1.0]), 0, 10,
                          among=np.array([2.0, 2.0, -0.399]))  # fmt: skip
    assert (found.low, found.high) == (0, 10)


@pytest.mark.parametrize(("shift", "factor"), [(5.0, 1.0), (-2.0, 10.0), (0.0, 1e-6)])
def test_the_interval_moves_with_the_unit(shift, factor):
    counts = np.random.default_rng(3).multinomial(40, np.full(len(WINDOW), 1 / len(WINDOW)))
    one = mean_interval(counts, WINDOW, 0, 10)
    other = mean_interval(counts, shift + factor * WINDOW, shift, shift + factor * 10)
    assert other.low == pytest.approx(shift + factor * one.low, abs=factor * 1e-5)
    assert other.high == pytest.approx(shift + factor * one.high, abs=factor * 1e-5)


def test_turning_the_scores_round_turns_the_interval_round():
    counts = np.array([5, 1, 0, 9, 2])
    scores = np.array([-2.0, 0.0, 1.0, 3.0, 7.0])
    one, other = mean_interval(counts, scores, -2, 7), mean_interval(counts, -scores, -7, 2)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-5)


def test_an_estimate_out_of_the_range_leaves_an_interval_as_long_as_from_its_end():
    """All 200 reports have a score of 12, but the mean is at most 10."""
    scores = np.array([-4.0, 5.0, 12.0])
    counts = np.array([0, 40, 160])
    free = mean_interval(counts, scores, -100, 100)
    # The estimate is 10.6.
    assert free.low < 10.6 < free.high
    kept = mean_interval(counts, scores, 0, 10)
    assert kept.high == 10
    assert kept.low == pytest.approx(free.low - 0.6, abs=1e-4)
    # Without this, the interval could end before it begins.
    beyond = mean_interval([0, 0, 2000], scores, 0, 10)
    assert beyond.low == pytest.approx(10 - 16 * (1 - MISS ** (1 / 2000)), abs=1e-3)
    assert beyond.high == 10


@pytest.mark.parametrize("n", [1, 2, 7, 100, 100_000])
def test_no_interval_is_empty_or_leaves_the_range(n):
    generator = np.random.default_rng(n)
    lots = [generator.multinomial(n, generator.dirichlet(np.full(len(WINDOW), 0.2)))
            for _ in range(40)]  # fmt: skip
    # All reports agree.
    lots += [n * row for row in np.eye(len(WINDOW), dtype=int)]
    for counts in lots:
        found = mean_interval(counts, WINDOW, 0, 10)
        assert 0 <= found.low < found.high <= 10
        assert found.high - found.low > 10 * min(0.3, 1 / n)


def test_more_confidence_is_a_longer_interval():
    counts = np.random.default_rng(4).multinomial(300, np.full(len(WINDOW), 1 / len(WINDOW)))
    ends = [mean_interval(counts, WINDOW, 0, 10, level) for level in (0.5, 0.9, 0.95, 0.99, 0.999)]
    assert all(a.low > b.low and a.high < b.high for a, b in pairwise(ends))
    assert [end.level for end in ends] == [0.5, 0.9, 0.95, 0.99, 0.999]


@pytest.mark.parametrize(
    ("n", "quantile"), [(2, 12.7062), (3, 4.3027), (10, 2.2622), (31, 2.0423), (10_001, 1.9602)]
)
def test_students_quantiles_are_those_of_the_tables(n, quantile):
    assert student_quantile(n - 1, 0.95) == pytest.approx(quantile, abs=5e-5)


def test_students_interval_with_one_error_is_value_plus_and_minus():
    found = student_interval(4.0, lambda mean: 0.5, 10, 0, 10)
    assert (found.low, found.high) == pytest.approx((4 - 1.13108, 4 + 1.13108), abs=1e-4)
    assert student_interval(4.0, lambda mean: 50.0, 10, 0, 10).low == 0


def test_students_interval_takes_the_error_at_each_mean():
    """With error sqrt(m (1 - m) / n) it is Wilson's, with Student's quantile."""
    n, seen = 40, 0.3
    found = student_interval(seen, lambda m: math.sqrt(max(m * (1 - m), 1e-9) / n), n, 0, 1)
    z = student_quantile(n - 1, 0.95)
    centre = (seen + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(seen * (1 - seen) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half), abs=1e-6)


def test_students_interval_of_one_response_or_of_an_impossible_value():
    assert (student_interval(4.0, lambda mean: 0.1, 1, 0, 10).low) == 0
    assert (student_interval(4.0, lambda mean: 0.1, 1, 0, 10).high) == 10
    moved = student_interval(-3.0, lambda mean: 0.5, 10, 0, 10)
    assert (moved.low, moved.high) == pytest.approx((0, 1.13108), abs=1e-4)
