"""Estimates of quantiles: the median and the quartiles of a number."""

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import scipy

from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import later
from survey.estimation.finite_population import finite_level, known_interval
from survey.estimation.mean_estimates import NumberEstimate, NumericReports
from survey.estimation.mean_intervals import chance_with_extreme_report
from survey.estimation.share_intervals import Interval

QUANTILES = (0.25, 0.5, 0.75)
Bools = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]
CURVE_METHOD = later("inverted score tests of the cumulative share")
# With fewer responses, the test statistics of the curve are not close to normal.
MIN_FOR_CURVE = 20
# See `places_in_mean`.
MEAN_OVER = 0.12
# The level of each test, relative to 1 - the level of the interval. With 1, the coverage for two
# common answers and 200 to 1,000 responses would be 0.94: the tests are not quite exact.
PART_OF_MISSES = 0.8


def estimate_quantile(seen: NumericReports, share: float, level: float = 0.95) -> NumberEstimate:
    """The smallest value v for which at least this share of the numbers are at most v.

    Raises UnanswerableQuestion if the reports do not determine the distribution.

    Notes
    -----
    For the randomizer for quantiles, see `quantile_of_curve`. With fewer than MIN_FOR_CURVE
    responses, the coverage of its interval would be 0.81 to 0.94.

    Otherwise, the estimate uses the maximum-likelihood shares. The interval has two ends. The
    lower end is the smallest value v for which "at least `share` of the answers are at most v"
    cannot be ruled out. The upper end is the largest v for which "less than `share` of the answers
    are below v" cannot be ruled out. Each uses the bounds of `mean_interval` at (1 - level) / 2,
    with the unbiased scores. The interval then grows on both sides by the width of the rounding
    minus one step. For a finite population, (1 - level) / 2 becomes larger for each v, as
    `finite_level` says.
    """
    if seen.for_quantiles and seen.counts.sum() >= MIN_FOR_CURVE:
        return quantile_of_curve(seen, share, level)
    return quantile_of_shares(seen, share, level)


def quantile_of_shares(seen: NumericReports, share: float, level: float) -> NumberEstimate:
    """The estimate from the maximum-likelihood shares, as `estimate_quantile` says."""
    k = len(seen.values)
    if seen.shares is None:
        raise UnanswerableQuestion("These reports do not allow an estimate of the distribution.")
    distribution = seen.shares[:k] / max(float(seen.shares[:k].sum()), 1e-12)
    value = crossing(seen, np.cumsum(distribution), share)
    if seen.known:
        return NumberEstimate(value, None, known_interval(value, level))
    bounds = non_private_bounds if seen.non_private else scored_bounds
    reached, unreached = bounds(seen, share, level)
    low = int(np.argmax(reached)) if reached.any() else k - 1
    high = min(int(np.flatnonzero(unreached)[-1]) + 1, k - 1) if unreached.any() else 0
    more = max(0.0, seen.width - seen.step)
    # The last value can be above the highest answer.
    most = float(seen.values[-1] if seen.highest is None else seen.highest)
    interval = Interval(
        max(float(seen.values[0]), float(seen.values[low]) - more),
        min(most, float(seen.values[high]) + more),
        level,
        later("inverted bounds of the distribution"),
    )
    return NumberEstimate(min(value, most), None, interval)


def scored_bounds(seen: NumericReports, share: float, level: float) -> tuple[Bools, Bools]:
    """Two tests of the share of answers up to each value: it is at least `share`, or less."""
    k = len(seen.values)
    among = seen.score(np.ones(k))
    scores = seen.scores(np.vstack([np.triu(np.ones((k, k))), np.zeros((seen.outside, k))]))
    excess = [scores[:, place] - share * among for place in range(k)]
    misses = [(1 - level) / 2] * k
    if seen.size is not None:
        ratios = [
            seen.error_ratio(np.asarray(np.arange(k) <= place, np.float64) - share)
            for place in range(k)
        ]
        misses = [(1 - finite_level(level, ratio)) / 2 for ratio in ratios]
    pairs = list(zip(excess, misses, strict=True))
    reached = [
        chance_with_extreme_report(seen.counts, scores, upwards=True) > miss
        for scores, miss in pairs
    ]
    unreached = [
        chance_with_extreme_report(seen.counts, scores, upwards=False) < 1 - miss
        for scores, miss in pairs
    ]
    return np.array(reached), np.array(unreached)


def non_private_bounds(seen: NumericReports, share: float, level: float) -> tuple[Bools, Bools]:
    """The tests of `scored_bounds` for a non-private question, by Clopper & Pearson's bounds."""
    k, n = len(seen.values), float(seen.counts.sum())
    ratio = 1.0 if seen.size is None else math.sqrt((seen.size - n) / max(1.0, seen.size - 1))
    miss = (1 - finite_level(level, min(1.0, ratio))) / 2
    below = np.cumsum(seen.counts[:k])
    above = below[-1] - below
    bound = scipy.special.betaincinv
    highest = np.where(above > 0, bound(below + 1, np.maximum(above, 1), 1 - miss), 1.0)
    lowest = np.where(below > 0, bound(np.maximum(below, 1), above + 1, miss), 0.0)
    return highest >= share, lowest < share


def crossing(seen: NumericReports, below: Array, share: float) -> float:
    """The point at which the distribution reaches the share, with linear interpolation."""
    place = min(int(np.searchsorted(below, share - 1e-12)), len(below) - 1)
    if not seen.width:
        return float(seen.values[place])
    before = below[place - 1] if place else 0.0
    part = (share - before) / max(below[place] - before, 1e-12)
    middle = float(seen.values[place]) + seen.width * (min(part, 1.0) - 0.5)
    return float(min(max(middle, float(seen.values[0])), float(seen.values[-1])))


def quantile_of_curve(seen: NumericReports, share: float, level: float) -> NumberEstimate:
    """The estimate of `estimate_quantile` from the distribution function at each answer.

    Raises UnanswerableQuestion if too few respondents gave a number.

    Notes
    -----
    Let F(v) be the share of answers up to v. Its unbiased estimates at all v become a function that
    never falls, by isotonic regression. The estimate is the first answer at which it reaches the
    share. It is consistent for any distribution.

    An answer v is the quantile if F(v) is at least the share, and F at the answer before is less. A
    test of each statement rejects it with a probability of at most 4 % at the level 0.95. The
    interval has all answers for which neither is rejected, and those between them. `score_signals`
    describes the tests.

    A true quantile v could fail both tests only if F(v) and F(v - 1) are both close to the share.
    But then a neighbour of v usually passes, and v is between accepted answers. So the coverage is
    at least about `level`. It is near to it if F stays at the share for a while, because many
    people gave the same number. docs/evidence/quantiles.md has simulations.

    For the respondents themselves or a finite population, the interval is the same as for people
    like the respondents. So it is longer than it must be, and its coverage is higher.
    """
    k, n = len(seen.values), float(seen.counts.sum())
    among = seen.score(np.ones(k))
    if seen.counts @ among <= 0 or seen.chances is None:
        raise UnanswerableQuestion("Too few people gave a number for an estimate.")
    upto = seen.scores(np.vstack([np.triu(np.ones((k, k))), np.zeros((seen.outside, k))]))
    excess = upto - share * among[:, np.newaxis]
    more = places_in_mean(excess, seen.chances, n)
    found = places_of_quantile(seen.counts, excess, more, level)
    value, low, high = (float(seen.values[int(place)]) for place in found)
    return NumberEstimate(value, None, Interval(low, high, level, CURVE_METHOD))


def places_in_mean(excess: Array, chances: Array, n: float) -> int:
    """The number of additional places over which the tests take the mean of F.

    It is MEAN_OVER of the places within which an even distribution rises by one standard error.
    """
    k = excess.shape[1]
    error = math.sqrt(float((chances.mean(axis=0) @ excess**2).max()) / n)
    return int(min(round(MEAN_OVER * error * (k - 1)), k // 4))


def places_of_quantile(
    counts: Array, excess: Array, more: int, level: float
) -> tuple[Places, Places, Places]:
    """The places of the estimate and of both ends of the interval, for one survey or several.

    Parameters
    ----------
    counts : ndarray, shape (reports,) or (surveys, reports)
    excess : ndarray, shape (reports, k)
        For each report, the score of F - share at each of k places.
    more : see `places_in_mean`

    Returns
    -------
    three ndarrays of int, without an axis or of shape (surveys,)
    """
    n, k = counts.sum(axis=-1, keepdims=True), excess.shape[1]
    rising = np.apply_along_axis(rising_heights, -1, counts @ excess / n)
    place = first_place(rising >= -1e-12)
    limit = NormalDist().inv_cdf(1 - (1 - level) * PART_OF_MISSES)
    low = first_place(score_signals(counts, excess, more) >= -limit)
    # From the last answer down. Below the first answer, F is 0, which is always less.
    less = score_signals(counts, excess[:, ::-1], more) < limit
    last = k - first_place(np.insert(less, k, True, axis=-1))
    ends = np.minimum(low, place), np.maximum(np.minimum(last, k - 1), place)
    return place, np.asarray(ends[0]), np.asarray(ends[1])


def rising_heights(heights: Array) -> Array:
    """The nearest heights that never fall, by least squares."""
    return np.asarray(scipy.optimize.isotonic_regression(heights).x)


def score_signals(counts: Array, excess: Array, more: int) -> Array:
    """The mean excess of F over the share at each place, in standard errors.

    The places are in ascending or descending sequence. The other parameters are those of
    `places_of_quantile`.

    Notes
    -----
    If F is the share, the scores have the mean zero, and the standard error of the mean is
    sqrt(mean of the squared scores / n). F at the next places is at least as far on the other side
    of the share. So the test can use the mean over this place and a few of the next ones, which has
    less random error. An end of the interval moves by at most half of these places.
    """
    n, k = counts.sum(axis=-1, keepdims=True), excess.shape[1]
    sums = np.cumsum(np.pad(excess, ((0, 0), (1, 0))), axis=1)
    ends = np.minimum(np.arange(k) + more + 1, k)
    means = (sums[:, ends] - sums[:, :k]) / (ends - np.arange(k))
    errors = np.sqrt(counts @ means**2) / n
    return np.asarray(counts @ means / n / np.maximum(errors, 1e-300))


def first_place(chosen: Bools) -> Places:
    """The first chosen place of each row, or the last place if none is chosen."""
    places = np.where(chosen.any(axis=-1), chosen.argmax(axis=-1), chosen.shape[-1] - 1)
    return np.asarray(places, dtype=np.intp)
