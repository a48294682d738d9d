"""Estimates of quantiles: the median and the quartiles of a number."""

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import scipy

from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import later, translate
from survey.estimation.finite_population import finite_level, known_interval
from survey.estimation.mean_estimates import NumberEstimate, NumericReports
from survey.estimation.mean_intervals import pushed
from survey.estimation.share_intervals import Interval

QUANTILES = (0.25, 0.5, 0.75)
Bools = npt.NDArray[np.bool_]
CURVE_METHOD = later("inverted score tests of the cumulative share")
# Between two levels, the curve is computed at this many places.
PLACES_PER_CELL = 10
# The error of the curve between two levels, relative to their distance. In
# tests/estimation/test_quantile_estimates.py, it is at most this without random error.
SHAPE_ERROR = 0.1


def estimate_quantile(seen: NumericReports, share: float, level: float = 0.95) -> NumberEstimate:
    """The value that this share of the respondents who gave a number does not exceed.

    Raises UnanswerableQuestion if the reports do not determine the distribution.

    Notes
    -----
    For the randomizer for quantiles, see `quantile_of_curve`.

    For any other, the estimate uses the maximum-likelihood shares. The interval has two ends. The
    lower end is the smallest value v for which "at least `share` of the answers are at most v"
    cannot be ruled out. The upper end is the largest v for which "less than `share` of the answers
    are below v" cannot be ruled out. Each uses the bounds of `mean_interval` at (1 - level) / 2,
    with the unbiased scores. The interval then grows on both sides by the width of the rounding
    minus one step. For a finite population, (1 - level) / 2 becomes larger for each v, as
    `finite_level` says.
    """
    k = len(seen.values)
    if seen.for_quantiles:
        return quantile_of_curve(seen, share, level)
    if seen.shares is None:
        raise UnanswerableQuestion(
            translate("These reports do not allow an estimate of the distribution.")
        )
    distribution = seen.shares[:k] / max(float(seen.shares[:k].sum()), 1e-12)
    value = crossing(seen, np.cumsum(distribution), share)
    if seen.known:
        return NumberEstimate(value, None, known_interval(value, level))
    reached, unreached = (plain_bounds if seen.plain else scored_bounds)(seen, share, level)
    low = int(np.argmax(reached)) if reached.any() else k - 1
    high = min(int(np.flatnonzero(unreached)[-1]) + 1, k - 1) if unreached.any() else 0
    more = max(0.0, seen.width - seen.step)
    ends = float(seen.values[0]), float(seen.values[-1])
    interval = Interval(
        max(ends[0], float(seen.values[low]) - more),
        min(ends[1], float(seen.values[high]) + more),
        level,
        later("inverted bounds of the distribution"),
    )
    return NumberEstimate(value, None, interval)


def scored_bounds(seen: NumericReports, share: float, level: float) -> tuple[Bools, Bools]:
    """For each value: may the share of answers up to it be at least, and less than, `share`?"""
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
    reached = [pushed(seen.counts, scores, upwards=True) > miss for scores, miss in pairs]
    unreached = [pushed(seen.counts, scores, upwards=False) < 1 - miss for scores, miss in pairs]
    return np.array(reached), np.array(unreached)


def plain_bounds(seen: NumericReports, share: float, level: float) -> tuple[Bools, Bools]:
    """The same for a non-private question. The bounds are then those of Clopper & Pearson."""
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
    """The smallest value that at least this share of those who gave a number do not exceed.

    Raises UnanswerableQuestion if too few respondents gave a number.

    Notes
    -----
    Let F be the true distribution function. If answers are rounded at random to levels w apart, the
    cumulative share of a level v is the mean of F from v to v + w. `cumulative_curve` estimates F
    from these means. So the estimate is right for skewed answers, too, as far as F is smooth
    between two levels. It is the value at which the curve reaches the share, after `remove_falls`.

    For each value, the scores of F(value) - share have the mean zero if the value is the quantile.
    Under this hypothesis, the standard error of the mean is sqrt(mean of the squared scores / n).
    The quotient of both rises with the value, except for random error, which `remove_falls`
    reduces. The interval contains the values whose quotient is then from -z to z. If answers are
    rounded to levels, each half of the interval has the length sqrt(length^2 + (w / 10)^2), because
    the shape of F between two levels is not known exactly.

    The ends are possible answers, so the coverage can be far above the level where a single answer
    is common: docs/evidence/quantiles.md has the formula, and the measured coverage. It is wrong
    if F jumps or bends strongly between two levels, with very many responses.

    For the respondents themselves or a finite population, the interval is the same as for people
    like the respondents. So it is longer than it must be, and its coverage is higher.
    """
    k, n = len(seen.values), float(seen.counts.sum())
    among = seen.score(np.ones(k))
    if seen.counts @ among <= 0:
        raise UnanswerableQuestion(translate("Too few people gave a number for an estimate."))
    upto = seen.scores(np.vstack([np.triu(np.ones((k, k))), np.zeros((seen.outside, k))]))
    places, weights = cumulative_curve(seen.values, seen.width)
    excess = upto @ weights.T - share * among[:, np.newaxis]
    means = seen.counts @ excess / n
    errors = np.sqrt(seen.counts @ excess**2) / n
    signals = remove_falls(means / np.maximum(errors, 1e-300))
    limit = NormalDist().inv_cdf((1 + level) / 2)
    rising = remove_falls(means)
    if seen.width:
        value = first_reached(places, rising)
        low = first_reached(places, signals + limit)
        high = -first_reached(-places[::-1], limit - signals[::-1])
        shape = SHAPE_ERROR * seen.width
        low, high = value - math.hypot(value - low, shape), value + math.hypot(high - value, shape)
        value, low, high = (answer_at(seen, each) for each in (value, low, high))
    else:
        value = first_listed(places, rising >= -1e-12)
        low = first_listed(places, signals >= -limit)
        under = np.flatnonzero(signals < limit)
        high = float(places[min(under[-1] + 1, k - 1)]) if len(under) else float(places[0])
    return NumberEstimate(value, None, Interval(low, high, level, CURVE_METHOD))


def cumulative_curve(values: Array, width: float) -> tuple[Array, Array]:
    """Values, and for each the weights of the cumulative shares in its distribution function.

    Parameters
    ----------
    values : ndarray, shape (k,)
        The levels.
    width : float
        Their distance if answers are rounded to them at random, else 0.

    Returns
    -------
    ndarray, shape (p,)
        Values from the first to the last level.
    ndarray, shape (p, k)
        The distribution function at each value is this matrix times the cumulative shares.

    Notes
    -----
    Without rounding, the distribution function at a level is its cumulative share. With rounding, a
    cumulative share H_j is the mean of the function between two levels. The curve is a parabola
    between two levels, and keeps these means (Colella & Woodward, J. Comput. Phys. 54 (1984) 174).
    At an inner level it is (7 (H_before + H_after) - H_before_that - H_after_that) / 12. At an end
    it is (3 H_first - H_second) / 2, because some people may give exactly this answer.
    """
    k = len(values)
    if not width:
        return values, np.eye(k)
    cells, shares = k - 1, np.eye(k)
    at_levels = np.zeros((k, k))
    if cells == 1:
        at_levels[1] = shares[1]
    else:
        at_levels[0] = (3 * shares[0] - shares[1]) / 2
        at_levels[cells] = (3 * shares[cells - 1] - shares[cells - 2]) / 2
    for j in range(1, cells):
        if cells == 2:
            at_levels[j] = (shares[0] + shares[1]) / 2
        elif j == 1:
            at_levels[j] = (2 * shares[0] + 5 * shares[1] - shares[2]) / 6
        elif j == cells - 1:
            at_levels[j] = (2 * shares[j] + 5 * shares[j - 1] - shares[j - 2]) / 6
        else:
            outer, inner = shares[j - 2] + shares[j + 1], shares[j - 1] + shares[j]
            at_levels[j] = (7 * inner - outer) / 12
    rows = []
    for j in range(cells):
        for x in np.arange(PLACES_PER_CELL) / PLACES_PER_CELL:
            start, end = 1 - 4 * x + 3 * x**2, 3 * x**2 - 2 * x
            mean = 6 * (x - x**2)
            rows.append(start * at_levels[j] + end * at_levels[j + 1] + mean * shares[j])
    rows.append(at_levels[cells])
    places = float(values[0]) + width * np.arange(len(rows)) / PLACES_PER_CELL
    return places, np.array(rows)


def remove_falls(heights: Array) -> Array:
    """Heights that never fall: the mean of the largest so far and the smallest from here on."""
    largest, smallest = np.maximum.accumulate(heights), np.minimum.accumulate(heights[::-1])[::-1]
    return np.asarray((largest + smallest) / 2)


def first_reached(places: Array, heights: Array) -> float:
    """The first place at which the heights reach zero, with linear interpolation."""
    reached = heights >= 0
    if not reached.any():
        return float(places[-1])
    place = int(np.argmax(reached))
    if not place:
        return float(places[0])
    below, above = float(heights[place - 1]), float(heights[place])
    part = below / (below - above)
    return float(places[place - 1] + part * (places[place] - places[place - 1]))


def first_listed(places: Array, chosen: Bools) -> float:
    return float(places[int(np.argmax(chosen)) if chosen.any() else -1])


def answer_at(seen: NumericReports, value: float) -> float:
    """The possible answer at a place of the curve, which reaches F(answer) half a step later."""
    first, last = float(seen.values[0]), float(seen.values[-1])
    steps = math.ceil((value - first) / seen.step - 0.5 - 1e-9)
    return min(max(first + seen.step * steps, first), last)
