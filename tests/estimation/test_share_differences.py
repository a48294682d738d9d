"""Intervals of differences: coverage, dependence between waves, and agreement with the p-value."""

import math
from dataclasses import replace

import numpy as np
import pytest

from survey.estimation import share_differences
from survey.estimation.share_differences import (
    DIFFERENT,
    MIN_P,
    REMEMBERED,
    SHARED,
    AnswerMean,
    OwnInterval,
    combined_error,
    combined_interval,
    combined_intervals,
    largest_covariance,
    p_of_zero,
    share_own_interval,
)

COIN, WEAK, DIRECT, FORCED = (0.75, 0.25), (0.6225, 0.3775), (1.0, 0.0), (5 / 6, 1 / 6)


def test_without_dependence_the_arms_add_as_squares() -> None:
    own = (OwnInterval(0.5, 0.2, 0.9), OwnInterval(0.4, 0.0, 0.8))
    low, high = combined_interval(own, (1, -1), 0.95)
    assert low == pytest.approx(0.1 - 0.5)  # 3-4-5
    assert high == pytest.approx(0.1 + (0.4**2 + 0.4**2) ** 0.5)


def test_many_sums_at_once_have_the_same_intervals() -> None:
    own = (OwnInterval(0.5, 0.2, 0.9), OwnInterval(0.4, 0.0, 0.8))
    coefficients = np.array([[1.0, 1.0, -2.0, 0.0], [-1.0, 0.5, -0.1, 1.0]])
    found = combined_intervals(own, coefficients)
    for place, each in enumerate(coefficients.T):
        assert combined_interval(own, each, 0.95) == (found[0][place], found[1][place])


def test_a_difference_has_the_interval_of_zou_and_donner() -> None:
    """Newcombe's example: 56 of 70 and 48 of 80, Wilson's bounds, interval 0.0524 to 0.3339."""
    own = (OwnInterval(0.8, 0.6920, 0.8771), OwnInterval(0.6, 0.4903, 0.7005))
    assert combined_interval(own, (1, -1), 0.95) == pytest.approx((0.0524, 0.3339), abs=2e-3)


def test_without_a_spread_dependent_errors_add() -> None:
    own = (OwnInterval(0.5, 0.2, 0.9), OwnInterval(0.4, 0.0, 0.8))
    low, high = combined_interval(own, (1, -1), 0.95, REMEMBERED)
    assert (low, high) == (pytest.approx(0.2 - 0.8), pytest.approx(0.9 - 0.0))
    assert combined_error((3, 4), (None, None), (1, -1), SHARED) == pytest.approx(7)
    # Their variances are at most 1 and 4.
    answers = (
        AnswerMean(low=0, high=2, bottom=0, top=2, n=1),
        AnswerMean(low=0, high=4, bottom=0, top=4, n=1),
    )
    assert combined_error((3, 4), answers, (1, -1), SHARED) == pytest.approx(29**0.5)
    # Equal reports add noise to a sum, so only the correlation bounds it.
    assert combined_error((3, 4), answers, (1, 1), REMEMBERED) == pytest.approx(7)


@pytest.mark.parametrize("shares", [(0.05, 0.15), (0.3, 0.6), (0.9, 0.8), (0.5, 0.5)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_covariance_of_two_shares_is_the_largest_of_all_joint_tables(shares, sign) -> None:
    one, other = (
        AnswerMean(low=share, high=share, bottom=0, top=1, n=n)
        for share, n in zip(shares, (50, 80), strict=True)
    )
    both = np.linspace(max(0, sum(shares) - 1), min(shares), 101)
    most = max(sign * (both - shares[0] * shares[1]))
    assert largest_covariance(one, other, sign) == pytest.approx(most / 80)
    # A special answer has no place between "no" and "yes", so only the correlation is a bound.
    some = replace(one, everyone=False)
    spread = math.prod(share * (1 - share) for share in shares) ** 0.5
    assert largest_covariance(some, other, sign) == pytest.approx(spread / 80)


def test_an_interval_of_the_mean_bounds_the_covariance_by_its_worst_mean() -> None:
    one, other = (
        AnswerMean(low=0.0, high=0.2, bottom=0, top=1, n=100),
        AnswerMean(low=0.1, high=0.3, bottom=0, top=1, n=100),
    )
    assert largest_covariance(one, other, -1) == pytest.approx(0.2 * 0.3 / 100)
    scale = AnswerMean(low=1.0, high=2.0, bottom=1, top=5, n=100)
    assert scale.variance == pytest.approx(3)


@pytest.mark.parametrize(
    ("n", "shares", "first", "second"),
    [
        ((10, 10), (0.3, 0.5), WEAK, WEAK),
        ((10, 200), (0.01, 0.01), WEAK, COIN),
        ((30, 30), (0.05, 0.2), COIN, DIRECT),
        ((100, 400), (0.01, 0.1), FORCED, FORCED),
        ((2000, 2000), (0.3, 0.5), COIN, COIN),
    ],
)
def test_the_interval_of_a_difference_covers_it(n, shares, first, second) -> None:
    # Rates were 0.952 to 0.978, with a simulation error of 0.004.
    draw = np.random.default_rng(2008)
    repeats, covered = 3_000, 0
    counts = [
        draw.binomial(size, q + (p - q) * share, repeats)
        for size, share, (p, q) in zip(n, shares, (first, second), strict=True)
    ]
    known: dict[tuple[int, int], OwnInterval] = {}
    for pair in zip(*counts, strict=True):
        own = []
        for place, (count, (p, q)) in enumerate(zip(pair, (first, second), strict=True)):
            key = (place, int(count))
            known[key] = known.get(key) or share_own_interval(key[1], n[place], p, q, 0.95)
            own.append(known[key])
        low, high = combined_interval(own, (1, -1), 0.95)
        covered += low <= shares[0] - shares[1] <= high
    assert covered / repeats >= 0.94


@pytest.mark.parametrize("changed", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("waves", [2, 4])
def test_remembered_reports_are_covered_however_many_answers_change(waves, changed) -> None:
    # Rates were 0.998 to 1 if no answer or every second one changes. If all change between two
    # waves, the bound is nearly reached: 0.943, with a simulation error of 0.012.
    draw = np.random.default_rng(17)
    n, repeats, covered = 300, 400, 0
    middle = (waves - 1) / 2
    trend = [place - middle for place in range(waves)]
    p, q = COIN
    for _ in range(repeats):
        # Everyone has one report for each answer, as a device with a secret key has.
        reports = draw.random((2, n)) < np.array([[q], [p]])
        answers = draw.random(n) < 0.4
        own, truths = [], [0.4]
        for wave in range(waves):
            if wave:
                answers = answers ^ (draw.random(n) < changed)
                truths.append(truths[-1] * (1 - changed) + (1 - truths[-1]) * changed)
            count = int(np.where(answers, reports[1], reports[0]).sum())
            own.append(share_own_interval(count, n, p, q, 0.95))
        true = sum(c * share for c, share in zip(trend, truths, strict=True))
        low, high = combined_interval(own, trend, 0.95, REMEMBERED)
        covered += low <= true <= high
    assert covered / repeats >= 0.94


def test_the_p_value_agrees_with_the_interval() -> None:
    def at(level: float) -> tuple[float, float]:
        own = [share_own_interval(count, 200, *COIN, level) for count in (120, 95)]
        return combined_interval(own, (1, -1), level, DIFFERENT)

    p = p_of_zero(at)
    assert 0.001 < p < 0.05
    assert at(1 - p * 1.001)[0] > 0 > at(1 - p * 0.999)[0]
    assert p_of_zero(lambda level: (-1, 1)) == 1
    assert p_of_zero(lambda level: (1, 2)) == pytest.approx(MIN_P, rel=1e-4)


def test_a_known_correlation_shortens_a_difference_and_infinite_ends_stay() -> None:
    """With the arms a and b, the end is √(a² + b² - 2ρab) from the difference."""
    one, other = OwnInterval(0.4, 0.2, 0.7), OwnInterval(0.3, 0.1, 0.5)
    low, high = combined_interval((one, other), (1, -1), 0.95, correlation=0.1)
    assert low == pytest.approx(0.1 - math.sqrt(0.2**2 + 0.2**2 - 0.2 * 0.2 * 0.2))
    assert high == pytest.approx(0.1 + math.sqrt(0.3**2 + 0.2**2 - 0.2 * 0.3 * 0.2))
    mirrored = combined_interval((other, one), (1, -1), 0.95, correlation=0.1)
    assert mirrored == pytest.approx((-high, -low))
    unknown = OwnInterval(0.4, -math.inf, 0.7)
    assert combined_interval((unknown, other), (1, -1), 0.95, correlation=0.1)[0] == -math.inf


@pytest.mark.parametrize(("end", "is_smaller"), [(0.949, False), (0.951, True)])
def test_one_bisection_says_whether_p_is_below_5_percent(monkeypatch, end, is_smaller) -> None:
    """The interval contains zero from this level on."""
    monkeypatch.setattr(share_differences, "BISECTIONS", 1)
    p = p_of_zero(lambda level: (end - level, 1.0))
    assert (p < 0.05) == is_smaller
