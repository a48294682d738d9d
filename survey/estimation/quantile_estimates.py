"""Estimates of quantiles: the median and the quartiles of a number."""

import math
from dataclasses import replace
from functools import lru_cache
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
# With fewer responses, the test statistics of the curve are not close to normal.
MIN_FOR_CURVE = 20
# The weights of the two monotone bounds at each end of an interval: see `remove_falls`.
FALLS_OF_LOW, FALLS_OF_HIGH = 0.3, 0.7


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
    if not seen.for_quantiles:
        return quantile_of_shares(seen, share, level)
    enough = seen.counts.sum() >= MIN_FOR_CURVE
    found = (quantile_of_curve if enough else quantile_of_shares)(seen, share, level)
    return found if seen.highest is None else within_answers(found, seen.highest)


def within_answers(found: NumberEstimate, highest: float) -> NumberEstimate:
    """The estimate within the possible answers. The last level can be above the highest answer."""
    low, high = min(found.interval.low, highest), min(found.interval.high, highest)
    heaped = found.heaped and (min(found.heaped[0], highest), min(found.heaped[1], highest))
    interval = replace(found.interval, low=low, high=high)
    return replace(found, value=min(found.value, highest), interval=interval, heaped=heaped)


def quantile_of_shares(seen: NumericReports, share: float, level: float) -> NumberEstimate:
    """The estimate from the maximum-likelihood shares, as `estimate_quantile` says."""
    k = len(seen.values)
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
    reached = [pushed(seen.counts, scores, upwards=True) > miss for scores, miss in pairs]
    unreached = [pushed(seen.counts, scores, upwards=False) < 1 - miss for scores, miss in pairs]
    return np.array(reached), np.array(unreached)


def plain_bounds(seen: NumericReports, share: float, level: float) -> tuple[Bools, Bools]:
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
    """The estimate of `estimate_quantile` from the interpolated distribution function.

    Raises UnanswerableQuestion if too few respondents gave a number.

    Notes
    -----
    Let F be the true distribution function. If answers are rounded at random to levels w apart, the
    cumulative share of a level v is the mean of F from v to v + w. `cumulative_curve` estimates F
    from these means. If F is smooth between two levels, the estimate is therefore consistent for
    skewed answers, too. It is the value at which the curve reaches the share, after `remove_falls`.

    For each value, the scores of F(value) - share have the mean zero if the value is the quantile.
    Under this hypothesis, the standard error of the mean is sqrt(mean of the squared scores / n).
    The quotient of both rises with the value, except for random error, which `remove_falls`
    reduces. The interval contains the values whose quotient is then from -z to z. If answers are
    rounded to levels, each half of the interval has the length sqrt(length^2 + (w / 10)^2), because
    the shape of F between two levels is not known exactly.

    The ends are possible answers, so the coverage can be far above the level where a single answer
    is common: docs/evidence/quantiles.md has the formula, and the measured coverage. If answers are
    rounded to levels, the interval is wrong where F jumps, because many people gave the same or
    nearly the same number. Then use `heaped`: see `heaped_interval`.

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
    signals = means / np.maximum(errors, 1e-300)
    limit = NormalDist().inv_cdf((1 + level) / 2)
    rising, heaped = remove_falls(means), None
    if seen.width:
        value = first_reached(places, rising)
        low = first_reached(places, remove_falls(signals, FALLS_OF_LOW) + limit)
        high = last_reached(places, remove_falls(signals, FALLS_OF_HIGH) - limit)
        shape = SHAPE_ERROR * seen.width
        low = value - math.hypot(max(0.0, value - low), shape)
        high = value + math.hypot(max(0.0, high - value), shape)
        value, low, high = (answer_at(seen, each) for each in (value, low, high))
        heaped = heaped_interval(seen, upto, share * among, limit)
        heaped = min(low, heaped[0]), max(high, heaped[1])
    else:
        value = first_listed(places, rising >= -1e-12)
        low = first_listed(places, remove_falls(signals, FALLS_OF_LOW) >= -limit)
        under = np.flatnonzero(remove_falls(signals, FALLS_OF_HIGH) < limit)
        high = float(places[min(under[-1] + 1, k - 1)]) if len(under) else float(places[0])
        low, high = min(low, value), max(high, value)
    return NumberEstimate(value, None, Interval(low, high, level, CURVE_METHOD), heaped=heaped)


def heaped_interval(
    seen: NumericReports, upto: Array, goal: Array, limit: float
) -> tuple[float, float]:
    """The ends of the interval of a quantile for any distribution of the answers.

    Parameters
    ----------
    upto : ndarray, shape (reports, k)
        The scores of the cumulative shares.
    goal : ndarray, shape (reports,)
        The scores of the share that the quantile has to reach.
    limit : float
        The normal quantile of the tests.

    Notes
    -----
    A number is the quantile if F reaches the share there, and not before. The cumulative shares
    bound F (`cumulative_bounds`). So a test rejects the number if its upper bound of F is below the
    share, or if the lower bound of F just before it is above the share. Each test uses the smaller
    of two upper bounds, or the larger of two lower ones. The interval has the numbers that no test
    rejects, and those between them. `quantile_of_curve` adds the other interval. Its coverage in
    docs/evidence/quantiles.md is at least 0.95, also where all people give the same number.
    """
    n = float(seen.counts.sum())
    places, upper, lower = cumulative_bounds(seen.values, seen.width)

    def signals(weights: Array) -> Array:
        excess = upto @ weights.T - goal[:, np.newaxis]
        errors = np.sqrt(seen.counts @ excess**2) / n
        return np.asarray(seen.counts @ excess / n / np.maximum(errors, 1e-300))

    reach = np.minimum(signals(upper[0]), signals(upper[1]))
    before = np.maximum(signals(lower[0]), signals(lower[1]))
    low = first_reached(places, reach + limit)
    high = last_reached(places, before - limit)
    first, last = float(seen.values[0]), float(seen.values[-1])
    low = first + seen.step * math.ceil((low - first) / seen.step - 1e-9)
    high = first + seen.step * math.floor((high - first) / seen.step + 1e-9)
    return max(low, first), min(high, last)


def cumulative_bounds(values: Array, width: float) -> tuple[Array, Array, Array]:
    """Values, and bounds of the distribution function F there, from the cumulative shares.

    Parameters
    ----------
    values : ndarray, shape (k,)
        The levels.
    width : float
        Their distance. Answers are rounded to them at random.

    Returns
    -------
    ndarray, shape (p,)
        Values from the first to the last level.
    ndarray, shape (2, p, k)
        Two matrices. Times the cumulative shares, each of them is at least F at each value.
    ndarray, shape (2, p, k)
        Two others. Times the cumulative shares, each of them is at most F just below each value.

    Notes
    -----
    The cumulative share H_j is the mean of F between two levels, and F never falls. At the part x
    of the way from level j to the next, F is therefore at most H_(j+1). It is also at most
    (H_j - x H_(j-1)) / (1 - x), because F is at least H_(j-1) from level j on. The lower bounds are
    the mirror image. For any H that never falls, there is an F that reaches the smaller of both
    upper bounds, and another that reaches the larger of both lower bounds.
    """
    upper, lower = bound_weights(len(values))
    places = float(values[0]) + width * np.arange(upper.shape[1]) / PLACES_PER_CELL
    return places, upper, lower


@lru_cache
def bound_weights(k: int) -> tuple[Array, Array]:
    """The matrices of `cumulative_bounds` for k levels."""
    # The share below the first level is 0, and the share up to the last level and beyond is 1.
    shares = np.vstack([np.zeros(k), np.eye(k), np.eye(k)[-1:]])
    upper, lower = [], []
    for place in range(PLACES_PER_CELL * (k - 1) + 1):
        level, part = divmod(place, PLACES_PER_CELL)
        x = part / PLACES_PER_CELL
        before, here, after = shares[level : level + 3]
        upper.append(((here - x * before) / (1 - x), after))
        if not part:  # The value just below a level is at the end of the part before it.
            level, x = level - 1, 1.0
        if level < 0:
            lower.append((shares[0], shares[0]))
            continue
        before, here, after = shares[level : level + 3]
        lower.append(((here - (1 - x) * after) / x, before))
    return np.swapaxes(upper, 0, 1), np.swapaxes(lower, 0, 1)


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
    At a level j with two levels on each side, it is
    (7 (H_(j-1) + H_j) - H_(j-2) - H_(j+1)) / 12. The next levels have a formula with the three
    nearest shares. At an end it is (3 H_first - H_second) / 2, because some people may give exactly
    this answer.
    """
    if not width:
        return values, np.eye(len(values))
    weights = curve_weights(len(values))
    return float(values[0]) + width * np.arange(len(weights)) / PLACES_PER_CELL, weights


@lru_cache
def curve_weights(k: int) -> Array:
    """The matrix of `cumulative_curve` for k levels with rounding."""
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
    return np.array(rows)


def remove_falls(heights: Array, part: float = 0.5) -> Array:
    """Replace heights by others that never fall.

    Each is a weighted mean of the largest height up to this place, with the weight `part`, and the
    smallest height from this place on. If an interval used only the largest at its lower end, and
    only the smallest at its upper end, it would contain all accepted values and all between them.
    With few responses, it would be long. With the weights FALLS_OF_LOW and FALLS_OF_HIGH, it is
    shorter. Its coverage in simulations with smoothly spread answers is still at least the level
    (docs/evidence/quantiles.md).
    """
    largest, smallest = np.maximum.accumulate(heights), np.minimum.accumulate(heights[::-1])[::-1]
    return np.asarray(part * largest + (1 - part) * smallest)


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


def last_reached(places: Array, heights: Array) -> float:
    """The last place at which the heights are at most zero, with linear interpolation."""
    return -first_reached(-places[::-1], -heights[::-1])


def first_listed(places: Array, chosen: Bools) -> float:
    return float(places[int(np.argmax(chosen)) if chosen.any() else -1])


def answer_at(seen: NumericReports, value: float) -> float:
    """A place of the curve, rounded to an answer. The curve has F(answer) half a step above it."""
    first, last = float(seen.values[0]), float(seen.values[-1])
    steps = math.ceil((value - first) / seen.step - 0.5 - 1e-9)
    return min(max(first + seen.step * steps, first), last)
