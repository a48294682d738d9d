"""Intervals for the respondents themselves, and for a population of known size."""

import math

import numpy as np
import pytest

from survey.core.mechanisms import build_randomizer
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities, unbiased_scores
from survey.definition.survey import parse_survey
from survey.definition.target_population import TargetPopulation, target_population
from survey.estimation.build_results import question_results
from survey.estimation.finite_population import (
    GRID,
    KNOWN,
    MAX_EXACT_REPORTS,
    adjusted_bounds,
    finite_covariance,
    finite_level,
    finite_share_interval,
    outcome_chances,
)
from survey.estimation.mean_estimates import (
    deviation,
    mean,
    mean_of_bits,
    seen_as_given,
    seen_through,
)
from survey.estimation.quantile_estimates import estimate_quantile
from survey.estimation.share_estimates import covariance_of, estimate_one_hot, estimate_shares
from survey.estimation.share_intervals import share_interval
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast
COIN = Randomizer(((3, 1), (1, 3)))


def kept(epsilon):
    return math.exp(epsilon) / (1 + math.exp(epsilon))


def coverage(n, size, p, q, bounds=None):
    """The probability that the interval contains the share, for each possible share."""
    counts = np.unique(np.round(np.linspace(0, size, min(size, GRID) + 1)).astype(np.int64))
    chances = outcome_chances(counts, n, p, q, size)
    ends = [(bounds or plain_bounds)(y, n, p, q, size) for y in range(n + 1)]
    low, high = np.array(ends).T
    shares = counts[:, np.newaxis] / size
    return (chances * ((low <= shares + 1e-12) & (shares - 1e-12 <= high))).sum(axis=1)


def plain_bounds(y, n, p, q, size):
    interval = finite_share_interval(y, n, p, q, size)
    return interval.low, interval.high


# ---- Shares ----


@check_each("size", [1, 5, 20, 21, 60])
@check_each(
    ("p", "q"), [(0.75, 0.25), (0.25, 0.75), (0.75, 0.05), (kept(2), 1 - kept(2)), (1.0, 0.0)]
)
def test_the_interval_covers_at_least_its_level_for_every_share(size, p, q):
    for n in {1, min(7, size), min(20, size)}:
        assert coverage(n, size, p, q).min() >= 0.95 - 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 50, 200, 500])
@pytest.mark.parametrize("times", [1, 2, 10])
@pytest.mark.parametrize("epsilon", [0.5, math.log(3), 2, 5])
def test_the_level_holds_up_to_500_reports(n, times, epsilon):
    p = kept(epsilon)
    assert coverage(n, times * n, p, 1 - p).min() >= 0.95 - 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("size", [501, 550, 1002, 5000])
@pytest.mark.parametrize("epsilon", [0.5, math.log(3), 2, 5, 8, 12])
def test_the_level_holds_beyond_500_reports(size, epsilon):
    p = kept(epsilon)
    assert coverage(MAX_EXACT_REPORTS + 1, size, p, 1 - p).min() >= 0.95 - 1e-9


def test_an_interval_that_is_too_short_would_be_caught():
    """The interval for an unlimited population, at the level of the larger population."""

    def too_short(y, n, p, q, size):
        interval = share_interval(y, n, p, q, 0.8)
        return interval.low, interval.high

    assert coverage(20, 20, 0.75, 0.25, too_short).min() < 0.94


def test_the_distribution_is_that_of_enumerated_samples_and_reports():
    """Four people, two of whom report: all samples, all reports, written out."""
    p, q = 0.7, 0.2
    for have in range(5):
        expected = np.zeros(3)
        for first in range(4):
            for second in range(4):
                if first != second:
                    one, other = (p if person < have else q for person in (first, second))
                    expected[0] += (1 - one) * (1 - other) / 12
                    expected[1] += (one * (1 - other) + (1 - one) * other) / 12
                    expected[2] += one * other / 12
        assert outcome_chances(np.array([have]), 2, p, q, 4)[0] == pytest.approx(expected)


def test_the_respondents_themselves_need_shorter_intervals():
    """At a share of 30 %: for epsilon = ln 3 about 13 % shorter, for epsilon = 2 about 35 %."""
    for epsilon, expected in ((math.log(3), 0.87), (2, 0.65)):
        p, n = kept(epsilon), 200
        seen = outcome_chances(np.array([60]), n, p, 1 - p, n)[0]
        widths = [
            [interval.high - interval.low for interval in intervals]
            for intervals in (
                [finite_share_interval(y, n, p, 1 - p, n) for y in range(n + 1)],
                [share_interval(y, n, p, 1 - p) for y in range(n + 1)],
            )
        ]
        assert seen @ widths[0] / (seen @ widths[1]) == pytest.approx(expected, abs=0.015)


def test_a_large_population_has_the_interval_for_people_like_the_respondents():
    for y in (0, 9, 20, 31, 40):
        finite = finite_share_interval(y, 40, 0.75, 0.25, 10_000_000)
        similar = share_interval(y, 40, 0.75, 0.25)
        assert finite.low == pytest.approx(similar.low, abs=0.005)
        assert finite.high == pytest.approx(similar.high, abs=0.005)


def test_impossible_counts_have_an_interval_too():
    for n, size in ((20, 20), (20, 90), (500, 500), (800, 800)):
        for y in (0, n):
            interval = finite_share_interval(y, n, 0.75, 0.25, size)
            assert 0 <= interval.low <= interval.high <= 1
        assert finite_share_interval(0, n, 0.75, 0.25, size).low == 0


def test_there_is_no_jump_at_501_reports():
    """The methods before and after differ by at most two people."""
    p = 0.75
    for y in (125, 150, 230, 300, 375):
        exact = finite_share_interval(y, 500, p, 1 - p, 500)
        adjusted = adjusted_bounds(y, 500, p, 1 - p, 500, 0.95)
        assert adjusted == pytest.approx((exact.low, exact.high), abs=2.01 / 500)


def test_answers_that_are_stored_as_given_are_known():
    interval = finite_share_interval(7, 20, 1.0, 0.0, 20)
    assert (interval.low, interval.high, interval.method) == (0.35, 0.35, KNOWN)
    estimate = estimate_shares(Randomizer.identity(3), [5, 0, 15], size=20)
    assert [share.standard_error for share in estimate.shares] == [0, 0, 0]
    assert [share.interval.high for share in estimate.shares] == [0.25, 0, 0.75]


# ---- Variances ----


def test_the_variance_for_the_respondents_is_that_of_the_randomizer():
    """p (1 - p) / (p - q)^2 / n, whatever they answered, for a symmetric table."""
    for yes in (6, 10, 14):
        error = estimate_shares(COIN, [yes, 20 - yes], size=20).shares[0].standard_error
        assert error == pytest.approx(math.sqrt(0.1875 / 0.25 / 20))


@pytest.mark.parametrize("people", [(2, 2, 2), (4, 2, 3), (300, 100, 600)])
def test_estimated_variances_are_unbiased(people):
    """Over all samples of six people and all their reports, for a table with three reports."""
    table, n, size = Randomizer(((6, 1, 1), (2, 5, 1), (1, 1, 6))), 6, sum(people)
    rows, scores = probabilities(table), unbiased_scores(table, np.eye(3))
    means, products, expected = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    compositions = [(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]
    for sample in compositions:
        drawn = math.prod(map(math.comb, people, sample)) / math.comb(size, n)
        # The generating function of the counts of the first two reports.
        chances = np.zeros((n + 1, n + 1))
        chances[0, 0] = drawn
        for answer in np.repeat([0, 1, 2], sample) if drawn else ():
            first, second, third = rows[answer]
            chances = (
                third * chances
                + first * np.roll(chances, 1, axis=0)
                + second * np.roll(chances, 1, axis=1)
            )
        for counts in compositions if drawn else ():
            chance, values = chances[counts[0], counts[1]], np.array(counts) / n @ scores
            covariance, squares = covariance_of(scores, counts), np.diag(values)
            finite = ((size - 1) * covariance - squares + np.outer(values, values)) / size
            means += chance * values
            products += chance * np.outer(values, values)
            expected += chance * finite
            used = finite_covariance(covariance, values, squares, size, np.zeros(3))
            inside = (np.diag(finite) >= 0) & (np.diag(finite) <= np.diag(covariance))
            assert np.diag(used)[inside] == pytest.approx(np.diag(finite)[inside])
    assert means == pytest.approx(np.array(people) / size)
    assert expected == pytest.approx(products - np.outer(means, means))


def test_bits_have_the_variance_of_their_noise():
    bits = build_randomizer({"mechanism": "optimized_unary_encoding", "epsilon": "1"}, "choices", 4)
    p, q = float(bits.p), float(bits.q)
    counts = [20, 30, 18, 32, 16, 34, 15, 35]
    estimate = estimate_one_hot(bits, counts, size=50)
    for share in estimate.shares:
        noise = share.value * p * (1 - p) + (1 - share.value) * q * (1 - q)
        expected = math.sqrt(noise / (p - q) ** 2 / 50)
        assert share.standard_error == pytest.approx(expected, rel=0.02)
    values = np.arange(1.0, 5.0)
    errors = [mean_of_bits(bits, counts, values, size=size).standard_error for size in (50, 500)]
    assert errors[0] < errors[1] < mean_of_bits(bits, counts, values).standard_error


# ---- Means, deviations, quantiles ----


def test_known_numbers_have_no_uncertainty():
    values, counts = np.array([1.0, 2.0, 4.0]), np.array([2.0, 1.0, 1.0])
    seen = seen_as_given(counts, values, 0, 4)
    assert (mean(seen).value, mean(seen).standard_error) == (2, 0)
    # The deviation of these four people has the divisor 4.
    assert deviation(seen).value == pytest.approx(math.sqrt((1 + 1 + 0 + 4) / 4))
    assert deviation(seen).interval.low == deviation(seen).interval.high
    median = estimate_quantile(seen, 0.5)
    assert median.interval.low == median.interval.high == median.value


def test_a_finite_population_shortens_the_intervals_of_numbers():
    table = build_randomizer({"mechanism": "k_randomized_response", "epsilon": "3"}, "choices", 5)
    counts, values = np.array([40.0, 30, 60, 30, 40]), np.arange(1.0, 6.0)
    for estimate in (mean, deviation):
        widths = []
        for size in (200, 300, 2000, None):
            interval = estimate(seen_through(table, counts, values, 0, size=size)).interval
            widths.append(interval.high - interval.low)
        assert widths == sorted(widths)
        assert widths[0] < 0.7 * widths[-1]


@pytest.mark.slow
def test_the_mean_of_the_respondents_is_covered():
    """Of 400 seeded surveys, at least 366: a false alarm for a level of 95 % has a chance of 0.1 %.

    An interval that covers 90 % would fail with a chance of 81 %.
    """
    table = build_randomizer({"mechanism": "k_randomized_response", "epsilon": "2"}, "choices", 5)
    rows, values = probabilities(table).cumsum(axis=1), np.arange(1.0, 6.0)
    rng, hits = np.random.default_rng(6), 0
    answers = np.repeat([0, 1, 2, 3, 4], [50, 25, 12, 8, 5])
    for _ in range(400):
        reports = (rng.random(100)[:, np.newaxis] > rows[answers]).sum(axis=1)
        counts = np.bincount(np.minimum(reports, 4), minlength=5).astype(float)
        interval = mean(seen_through(table, counts, values, 0, size=100)).interval
        hits += interval.low <= values[answers].mean() <= interval.high
    assert hits >= 366


def test_the_level_of_an_interval_falls_with_the_ratio():
    assert finite_level(0.95, 1.0) == 0.95
    assert finite_level(0.95, 0.5) == pytest.approx(2 * 0.836_47 - 1, abs=1e-4)
    assert finite_level(0.95, 0.0) == 0


# ---- Whole questions ----


def question(**members):
    entry = {"name": "q", "label": "Have you?", "type": "yes_no", "privacy": "none"} | members
    return parse_survey({"slug": "s", "title": "S", "questions": [entry]}).questions[0]


def test_the_target_population_follows_the_definition():
    assert target_population("people_like_respondents", 9).size is None
    assert target_population("respondents", 9) == TargetPopulation("respondents", 9)
    assert target_population(40, 9) == TargetPopulation("population", 40)
    exceeded = target_population(40, 41)
    assert exceeded.size is None
    assert "more responses than the 40 people" in exceeded.explanation


def test_a_group_is_a_part_of_the_population():
    whole = TargetPopulation("population", 100)
    assert whole.group(0.25, 10) == TargetPopulation("population", 25)
    assert whole.group(0.25, 26).size is None
    assert TargetPopulation("respondents", 30).group(0.5, 10).size is None


def test_a_question_says_whom_its_results_describe():
    counts = {0: 120, 1: 80}
    private = question(privacy={"epsilon": 2})
    respondents = question_results(private, counts, target=TargetPopulation("respondents", 200))
    assert "% of these respondents would answer “Yes”" in respondents.sentence
    population = question_results(private, counts, target=TargetPopulation("population", 1200))
    assert "% of the population of 1,200 people would answer" in population.sentence
    similar = question_results(private, counts)
    widths = [r.answers[0].high - r.answers[0].low for r in (respondents, population, similar)]
    assert widths == sorted(widths)
    assert len(set(widths)) == 3


def test_a_non_private_question_about_the_respondents_is_known():
    results = question_results(
        question(), {0: 50, 1: 150}, target=TargetPopulation("respondents", 200)
    )
    assert results.sentence == "25.0 % of these respondents answered “Yes”."
    assert any("no random error" in remark.sentence for remark in results.remarks)
    assert results.answers[0].low == results.answers[0].high == 0.25


def test_more_responses_than_people_are_explained():
    results = question_results(question(), {0: 50, 1: 150}, target=target_population(150, 200))
    assert "people like these respondents" in results.sentence
    assert any(
        "more responses than the 150 people" in remark.sentence for remark in results.remarks
    )
