"""Confidence intervals for means of scores that take more than two values.

Means of numbers and scales, parts of a histogram, and quantiles are all of this kind. Each is a
mean of bounded scores, one for each kind of report, or a ratio of two such means.
"""

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import scipy

from survey.core.processor_time import require_time
from survey.estimation.share_intervals import Interval

Array = npt.NDArray[np.float64]
METHOD = "Gaffke, Dirichlet-weighted scores"
STUDENT = "Student, error at each mean"
NORMAL = NormalDist()
# For Newton's method: the maximum number of steps, and the last step relative to theta.
STEPS = 100
CLOSE = 1e-9
# Relative to the range. The exported scripts find the same ends to 1e-9.
ROOT = 1e-12
# Smaller chances have no normal quantile, or an inaccurate one. No interval needs them.
LEAST_CHANCE = 1e-15


def chance_positive(counts: Array, scores: Array) -> float:
    """Pr(sum over y of G_y scores[y] > 0) for independent G_y ~ Gamma(counts[y]).

    This is the saddlepoint formula of Lugannani & Rice, Adv. Appl. Prob. 12 (1980) 475. At the
    tails of a 95 % interval its relative error is at most 8 %, and with a hundred responses mostly
    at most 1 %. This changes the level by at most 0.2 percentage points.
    tests/estimation/test_mean_intervals.py compares it with numerical integration.
    """
    there = (counts > 0) & (scores != 0)
    weights, values = counts[there], scores[there]
    if not len(values) or (top := float(values.max())) <= 0:
        return 0.0
    if (bottom := float(values.min())) >= 0:
        return 1.0
    values = values / max(top, -bottom)
    theta = tilt(weights, values)
    factors = 1 - theta * values
    curvature = float(weights @ (values / factors) ** 2)
    depth = 2 * float(weights @ np.log(factors))  # -2 K(theta), at least 0
    # At the mean the formula is 0/0, so this is its limit.
    if depth < 1e-7:
        third = 2 * float(weights @ values**3)
        return 0.5 + third / (6 * math.sqrt(2 * math.pi) * float(curvature**1.5))
    w = math.copysign(math.sqrt(depth), theta)
    u = theta * math.sqrt(curvature)
    tail = NORMAL.cdf(-w) + NORMAL.pdf(w) * (1 / u - 1 / w)
    return min(1.0, max(0.0, tail))


def tilt(weights: Array, values: Array) -> float:
    """The zero of sum over y of weights[y] values[y] / (1 - theta values[y]).

    There is exactly one zero between the poles, which are one over the smallest and the largest
    value.

    Newton's method runs on that sum times both factors that vanish at the poles. This product is
    almost linear, so a few steps are enough. If a step leaves the side with the zero, bisection
    replaces it.

    Parameters
    ----------
    weights : array of shape (m,), above 0
    values : array of shape (m,), at least one below 0 and one above
    """
    bottom, top = float(values.min()), float(values.max())
    low, high = 1 / bottom * (1 - 1e-12), 1 / top * (1 - 1e-12)
    theta, ratios = 0.0, values
    for _ in range(STEPS):
        slope, bend = float(weights @ ratios), float((weights * ratios) @ ratios)
        if slope < 0:
            low = theta
        else:
            high = theta
        near, far = 1 - theta * bottom, 1 - theta * top
        bent = bend * near * far - slope * (bottom * far + top * near)
        before, theta = theta, theta - slope * near * far / bent if bent > 0 else math.inf
        if not low <= theta <= high:
            theta = (low + high) / 2
        # The next step would be smaller than the rounding error.
        if abs(theta - before) <= CLOSE * abs(theta):
            break
        ratios = values / (1 - theta * values)
    return theta


def chance_with_extreme_report(counts: Array, scores: Array, upwards: bool) -> float:
    """`chance_positive` with one additional report of the most extreme possible score."""
    more = counts.astype(np.float64)
    more[scores.argmax() if upwards else scores.argmin()] += 1
    return chance_positive(more, scores)


def normal_quantile(chance: float) -> float:
    """The normal quantile of `chance_with_extreme_report`.

    It is almost linear in the value, so the search is short.
    """
    return NORMAL.inv_cdf(min(max(chance, LEAST_CHANCE), 1 - LEAST_CHANCE))


def mean_interval(
    counts: npt.ArrayLike,
    scores: Array,
    low: float,
    high: float,
    level: float = 0.95,
    among: Array | None = None,
) -> Interval:
    """Interval for the mean of a score, or for the ratio of two means.

    Parameters
    ----------
    counts : array_like of int, shape (m,)
        The count of each report; at least one in total.
    scores : ndarray, shape (m,)
        The score of every possible report.
    low, high : float
        The range that certainly contains the estimated quantity.
    level : float in (0, 1)
    among : ndarray, shape (m,), optional
        Scores of the mean's denominator, such as the share who gave a number. The quantity is then
        the ratio of both means (as Fieller's, without the normal distribution).

    Returns
    -------
    Interval
        Within [low, high].

    Notes
    -----
    Gaffke's bounds (2005): the upper end is the 1 - a/2 quantile of the mean of the scores under
    Dirichlet weights. There is one weight for each response, and one for an additional response
    with the largest possible score. The lower end mirrors this. For two scores the bounds are those
    of Clopper & Pearson. No proof is known that they always hold, but Phan, Thomas & Learned-Miller
    (ICML 2021) found no case where they fail. docs/evidence/coverage.md has the measured coverage.
    The interval is wrong if respondents do not answer independently.
    """
    seen = np.asarray(counts, dtype=np.float64)
    share = np.ones_like(scores) if among is None else among
    miss = (1 - level) / 2

    def excess(value: float, upwards: bool) -> float:
        require_time()
        chance = chance_with_extreme_report(seen, scores - value * share, upwards)
        return normal_quantile(chance) - normal_quantile(miss if upwards else 1 - miss)

    value = float(seen @ scores) / max(float(seen @ share), 1e-12)
    lowest, highest = min(low, value) - (high - low), max(high, value) + (high - low)
    ends = []
    for upwards in (False, True):
        if excess(lowest, upwards) <= 0:
            ends.append(lowest)
        elif excess(highest, upwards) >= 0:
            ends.append(highest)
        else:
            tolerance = (high - low) * ROOT
            root = scipy.optimize.brentq(excess, lowest, highest, args=(upwards,), xtol=tolerance)
            ends.append(float(root))
    return Interval(*possible_ends(value, min(ends), max(ends), low, high), level, METHOD)


def possible_ends(
    value: float, bottom: float, top: float, low: float, high: float
) -> tuple[float, float]:
    """The ends of an interval about an estimate, limited to the possible range.

    If the estimate is outside the range, the far end moves inwards with it. The interval is
    therefore never empty.
    """
    moved = min(max(value, low), high) - value
    bottom, top = bottom + min(moved, 0.0), top + max(moved, 0.0)
    return min(max(bottom, low), high), max(min(top, high), low)


def student_quantile(degrees: float, level: float) -> float:
    """The quantile of Student's distribution for a two-sided interval; infinite for 0 degrees."""
    return float(scipy.special.stdtrit(degrees, (1 + level) / 2)) if degrees > 0 else math.inf


def student_interval(
    value: float,
    error_if: Callable[[float], float],
    n: int,
    low: float,
    high: float,
    level: float = 0.95,
) -> Interval:
    """Interval with all means within Student's quantile of standard errors of an estimate.

    Parameters
    ----------
    value : float
        The estimate. It is first moved into [low, high], so the interval is never empty.
    error_if : function of a mean, to a positive float
        The standard error of the estimate if that is the true mean.
    n : int, at least 1
        The number of responses. With a single one the interval is the whole range.
    low, high : float
        The range that certainly contains the mean, and the interval.
    level : float in (0, 1)

    Notes
    -----
    It is for means of sums over many bits, of which only the counts are known. It holds its level
    as far as such a mean has a normal distribution. docs/evidence/coverage.md has the measured
    coverage.
    """
    if n == 1:
        return Interval(low, high, level, STUDENT)
    times, start = student_quantile(n - 1, level), min(max(value, low), high)

    def beyond(mean: float) -> float:
        require_time()
        return abs(mean - start) - times * error_if(mean)

    tolerance = (high - low) * ROOT
    ends = [
        end
        if beyond(end) <= 0
        else float(scipy.optimize.brentq(beyond, start, end, xtol=tolerance))
        for end in (low, high)
    ]
    return Interval(ends[0], ends[1], level, STUDENT)
