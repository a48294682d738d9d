"""Estimates about numbers and scales: mean, standard deviation, quantiles.

All from one thing: for each report, a score for whatever quantity of the answers is asked about.
For a table these are the unbiased scores; for a plain question the quantity itself. Answers
outside the scale ("prefer not to say") count in no mean: it is a ratio of two means of scores.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import OneHot
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, most_likely_shares, unbiased_scores
from survey.estimation.mean_intervals import (
    mean_interval,
    pushed,
    student_interval,
    student_quantile,
)
from survey.estimation.share_estimates import covariance_of, responses_in
from survey.estimation.share_intervals import Interval

QUANTILES = (0.25, 0.5, 0.75)
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class NumberEstimate:
    """One quantity of a number, in its unit; `standard_error` is None where none is known."""

    value: float
    standard_error: float | None
    interval: Interval


@dataclass(frozen=True)
class NumericReports:
    """The reports of one question with numeric answers.

    Attributes
    ----------
    counts : ndarray, shape (m,)
        How often each report came.
    values : ndarray, shape (k,), ascending
        The numbers that the answers stand for.
    outside : int
        How many answers are none of these numbers; they come after them.
    scores : function from a target, shape (k + outside, t), to scores, shape (m, t)
        Raises UnanswerableQuestion where the reports do not tell the target.
    shares : ndarray, shape (k + outside,), or None
        Most likely shares of the answers; None where the reports tell the mean alone.
    width : float
        Distance of the values, if answers between two of them were rounded by chance, else 0.
    step : float
        Distance of the answers themselves.
    plain : bool
        Whether each report is its answer.
    """

    counts: Array
    values: Array
    outside: int
    scores: Callable[[Array], Array]
    shares: Array | None
    width: float = 0.0
    step: float = 0.0
    plain: bool = False

    def target(self, of_value: Array) -> Array:
        """A quantity of the numbers, as a target that is zero for all other answers."""
        return np.append(of_value, np.zeros(self.outside))[:, np.newaxis]

    def score(self, of_value: Array) -> Array:
        return self.scores(self.target(of_value))[:, 0]


def seen_through(
    table: Randomizer,
    counts: Array,
    values: Array,
    outside: int,
    width: float = 0.0,
    step: float = 0.0,
) -> NumericReports:
    """The reports of a table."""
    shares = None
    with suppress(UnanswerableQuestion):  # such as one bit, which tells the mean alone
        shares = most_likely_shares(table, counts)
    return NumericReports(
        counts, values, outside, lambda t: unbiased_scores(table, t), shares, width, step
    )


def seen_plainly(counts: Array, values: Array, outside: int) -> NumericReports:
    """Answers as given: each report is its answer."""
    shares = counts / counts.sum()
    return NumericReports(counts, values, outside, lambda target: target, shares, plain=True)


def mean(seen: NumericReports, level: float = 0.95) -> NumberEstimate:
    """The mean of those who gave a number.

    Notes
    -----
    sum_y f_y S_y / sum_y f_y A_y, with scores S of the value and A of giving one; the standard
    error is that of S - mean A over the mean of A (the delta method). Unbiased where everyone
    gives a number, and rounding by chance does not change it.
    """
    among = seen.score(np.ones_like(seen.values))
    scores = seen.score(seen.values)
    value, error = ratio_of_means(seen, scores, among)
    ends = float(seen.values[0]), float(seen.values[-1])
    return NumberEstimate(value, error, mean_interval(seen.counts, scores, *ends, level, among))


def mean_of_bits(
    randomizer: OneHot, counts: Sequence[int], values: Array, level: float = 0.95
) -> NumberEstimate:
    """The mean of those who chose one of the first answers, from reports of bits.

    Parameters
    ----------
    counts : sequence of int, length 2 (k + outside)
        For each answer, how many reports have its bit set, and how many have it not.
    values : ndarray, shape (k,), ascending
        What the first answers count; the others ("prefer not to say") count in no mean.

    Notes
    -----
    c + sum_j (v_j - c) e_j / g with unbiased shares e, c the middle of the values, and g = 1 minus
    the e of the other answers; since true shares add up to one, no sum over k noisy bits need be
    divided by. sum_j (v_j - c) e_j - (m - c) g is zero on average if m is the mean, hence the
    interval (Fieller, JRSS B 16 (1954) 175). The variance of its part in one report is a sum over
    the answers, share times second moment, less the square of its mean m - c: unbiased shares are
    put in, and a few responses more of the largest second moment, as Wilson's interval does.
    """
    k, n = len(values), responses_in(counts[:2])
    p, q = float(randomizer.p), float(randomizer.q)
    shares = (np.asarray(counts[0::2], dtype=np.float64) / n - q) / (p - q)
    level_share = 1 - float(shares[k:].sum())
    if level_share <= 0:
        raise UnanswerableQuestion("Too few people chose an answer to estimate the mean.")
    low, high = float(values[0]), float(values[-1])
    middle = (low + high) / 2
    value = middle + float((values - middle) @ shares[:k]) / level_share

    def variance(m: float, more: float) -> float:
        weights = np.append(values - middle, np.full(randomizer.answers - k, m - middle))
        noise = noise_of_bits(randomizer, weights)
        second = noise + weights**2
        half = float(second.max() + second.min()) / 2
        seen = float(np.clip(half + shares @ (second - half), second.min(), second.max()))
        mixed = (n * seen + more * float(second.max())) / (n + more)
        return max(mixed - (m - middle) ** 2, float(noise.min())) / level_share**2

    few = student_quantile(n, level) ** 2
    error = math.sqrt(variance(value, 0.0) / (n - 1)) if n > 1 else None
    interval = student_interval(
        value, lambda m: math.sqrt(variance(m, few) / n), n, low, high, level
    )
    return NumberEstimate(value, error, interval)


def noise_of_bits(randomizer: OneHot, weights: Array) -> Array:
    """For each true answer, the variance of the weighted sum of one report's unbiased shares."""
    p, q = float(randomizer.p), float(randomizer.q)
    with_own, of_others = float(randomizer.both_own) - p * q, float(randomizer.both_other) - q * q
    rest, squares = weights.sum() - weights, weights @ weights - weights**2
    alone = weights**2 * p * (1 - p) + squares * q * (1 - q)
    pairs = 2 * weights * rest * with_own + (rest**2 - squares) * of_others
    return np.asarray((alone + pairs) / (p - q) ** 2)


def ratio_of_means(seen: NumericReports, scores: Array, among: Array) -> tuple[float, float | None]:
    """Ratio of the mean scores, with its standard error."""
    n = float(seen.counts.sum())
    below = float(seen.counts @ among) / n
    if below <= 0:
        raise UnanswerableQuestion("Too few people gave a number for an estimate.")
    value = float(seen.counts @ scores) / n / below
    spread = covariance_of((scores - value * among)[:, np.newaxis], [int(c) for c in seen.counts])
    return value, None if spread is None else math.sqrt(max(0.0, float(spread[0, 0]))) / below


def deviation(seen: NumericReports, level: float = 0.95) -> NumberEstimate:
    """The standard deviation of those who gave a number.

    Raises UnanswerableQuestion where the reports tell the mean alone.

    Notes
    -----
    The root of the mean score of (x - mean)^2, plus the squared standard error of the mean, which
    makes it unbiased (of plain answers: the sum over n - 1), less what rounding by chance adds to
    evenly spread answers, (w^2 - s^2) / 6 for width w and step s. Zero instead of below zero.
    The interval is the hull of those of the mean square about five points of the mean's own
    interval at (1 + level) / 2, since the mean is not known either. Its lower end takes off the
    most that rounding can add, its upper end nothing.
    """
    among = seen.score(np.ones_like(seen.values))
    centre, centre_error = ratio_of_means(seen, seen.score(seen.values), among)
    variance, error = ratio_of_means(seen, seen.score((seen.values - centre) ** 2), among)
    usual, most = rounding_adds(seen.width, seen.step)
    value = math.sqrt(max(0.0, variance + (centre_error or 0.0) ** 2 - usual))
    largest = float(seen.values[-1] - seen.values[0]) ** 2 / 4
    bounds = [mean_interval(*s[:2], 0.0, largest, level, s[2]) for s in squares(seen, level)]
    low = max(0.0, min(bound.low for bound in bounds) - most)
    high = max(bound.high for bound in bounds)
    interval = Interval(math.sqrt(low), math.sqrt(high), level, bounds[0].method)
    return NumberEstimate(value, error / (2 * value) if error and value else None, interval)


def squares(seen: NumericReports, level: float) -> list[tuple[Array, Array, Array]]:
    """Counts, scores and shares of the mean square about each of some points, perhaps the mean."""
    among, scores = seen.score(np.ones_like(seen.values)), seen.score(seen.values)
    ends = float(seen.values[0]), float(seen.values[-1])
    where = mean_interval(seen.counts, scores, *ends, (1 + level) / 2, among)
    low, high = where.low, where.high
    centre = min(max(ratio_of_means(seen, scores, among)[0], low), high)
    square_statistics = []
    for point in (low, (low + centre) / 2, centre, (centre + high) / 2, high):
        counts, scores, answered = seen.counts, seen.score((seen.values - point) ** 2), among
        if seen.plain:  # an answer at the point, which nobody gave, could have come too
            counts, scores, answered = (
                np.append(counts, 0),
                np.append(scores, 0),
                np.append(answered, 1),
            )
        square_statistics.append((counts, scores, answered))
    return square_statistics


def rounding_adds(width: float, step: float) -> tuple[float, float]:
    """What rounding by chance adds to a variance: for evenly spread answers, and at the most,
    that is j k s^2 for one j steps above a point and k below the next."""
    if not width:
        return 0.0, 0.0
    steps = round(width / step)
    return (width**2 - step**2) / 6, (steps // 2) * (steps - steps // 2) * step**2


def estimate_quantile(seen: NumericReports, share: float, level: float = 0.95) -> NumberEstimate:
    """The value that this share of those who gave a number does not exceed.

    Raises UnanswerableQuestion where the reports do not tell the distribution.

    Notes
    -----
    From the most likely shares. The interval is from the smallest value v for which "a share of
    at least `share` is at most v" cannot be ruled out, to the largest one for which "less than
    `share` is below v" cannot, each at (1 - level) / 2 by the bounds of `mean_interval`, with the
    unbiased scores; and the width of the rounding, less one step, to each side.
    """
    k = len(seen.values)
    if seen.shares is None:
        raise UnanswerableQuestion("These reports do not allow an estimate of the distribution.")
    distribution = seen.shares[:k] / max(float(seen.shares[:k].sum()), 1e-12)
    value = crossing(seen, np.cumsum(distribution), share)
    reached, unreached = (plain_bounds if seen.plain else scored_bounds)(seen, share, level)
    low = int(np.argmax(reached)) if reached.any() else k - 1
    high = min(int(np.flatnonzero(unreached)[-1]) + 1, k - 1) if unreached.any() else 0
    more = max(0.0, seen.width - seen.step)
    ends = float(seen.values[0]), float(seen.values[-1])
    interval = Interval(
        max(ends[0], float(seen.values[low]) - more),
        min(ends[1], float(seen.values[high]) + more),
        level,
        "inverted bounds of the distribution",
    )
    return NumberEstimate(value, None, interval)


def scored_bounds(seen: NumericReports, share: float, level: float) -> tuple[Bools, Bools]:
    """For each value: may the share of answers up to it be at least, and less than, `share`?"""
    k, miss = len(seen.values), (1 - level) / 2
    among = seen.score(np.ones(k))
    scores = seen.scores(np.vstack([np.triu(np.ones((k, k))), np.zeros((seen.outside, k))]))
    excess = [scores[:, place] - share * among for place in range(k)]
    reached = [pushed(seen.counts, scores, upwards=True) > miss for scores in excess]
    unreached = [pushed(seen.counts, scores, upwards=False) < 1 - miss for scores in excess]
    return np.array(reached), np.array(unreached)


def plain_bounds(seen: NumericReports, share: float, level: float) -> tuple[Bools, Bools]:
    """The same for answers as given: Clopper & Pearson's bounds, which those are then."""
    k, miss = len(seen.values), (1 - level) / 2
    below = np.cumsum(seen.counts[:k])
    above = below[-1] - below
    bound = scipy.special.betaincinv
    highest = np.where(above > 0, bound(below + 1, np.maximum(above, 1), 1 - miss), 1.0)
    lowest = np.where(below > 0, bound(np.maximum(below, 1), above + 1, miss), 0.0)
    return highest >= share, lowest < share


def crossing(seen: NumericReports, below: Array, share: float) -> float:
    """Where the distribution reaches the share; between rounded values, by a straight line."""
    place = min(int(np.searchsorted(below, share - 1e-12)), len(below) - 1)
    if not seen.width:
        return float(seen.values[place])
    before = below[place - 1] if place else 0.0
    part = (share - before) / max(below[place] - before, 1e-12)
    middle = float(seen.values[place]) + seen.width * (min(part, 1.0) - 0.5)
    return float(min(max(middle, float(seen.values[0])), float(seen.values[-1])))
