"""Intervals for differences and trends of estimates, from each estimate's own interval.

This is MOVER, the method of variance estimates recovery: Zou & Donner, Stat. Med. 27 (2008) 1693,
for sums with coefficients Zou, Huang & Zhang, Comput. Stat. Data Anal. 53 (2009) 3755. The distance
from each estimate to the end of its interval takes the place of the standard error. If the
estimates may depend on each other, bounds of their covariances lengthen the interval.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

import numpy as np

from survey.estimation.share_intervals import Array, share_interval

# How the respondents of two samples are related.
DIFFERENT = "different"
SHARED = "shared"
REMEMBERED = "remembered"
# The p-value is the end of this many bisections, from 1 down to the smallest p-value. The first one
# is just below 5 %, so a simulation that only asks for this level can end there.
BISECTIONS = 24
MIN_P = 1e-6
FIRST_P = 0.05 * (1 - 1e-9)


@dataclass(frozen=True, kw_only=True)
class AnswerMean:
    """What is known about the mean of n answers, without their noise.

    Attributes
    ----------
    low, high : the mean lies between them, up to its uncertainty
    bottom, top : each answer lies between them
    n : the number of people with an answer, or less
    everyone : whether all people have an answer; without, some gave a special answer
    """

    low: float
    high: float
    bottom: float
    top: float
    n: float
    everyone: bool = True

    @property
    def variance(self) -> float:
        """The largest variance of an answer.

        For the mean m, it is at most (top - m)(m - bottom): Bhatia & Davis, Am. Math. Mon. 107
        (2000) 353. For a share it is m (1 - m).
        """
        worst = min(max((self.bottom + self.top) / 2, self.low), self.high)
        return max(0.0, (self.top - worst) * (worst - self.bottom))


@dataclass(frozen=True)
class OwnInterval:
    """An estimate with its own interval.

    The interval must not be cut at the possible range, such as 0 and 1. The distances to its ends
    take the place of standard errors, and an unbiased estimate can be outside the range. `answers`
    bounds what the answers alone add to its variance. It is None if there is no such bound.
    """

    value: float
    low: float
    high: float
    answers: AnswerMean | None = None


def share_own_interval(successes: int, n: int, p: float, q: float, level: float) -> OwnInterval:
    """The interval of a share pi from a count with success probability q + (p - q) pi.

    It is the interval of that probability, mapped to the share without cutting it at 0 and 1. The
    coverage of differences was simulated in 504 cases: n from 10 to 2,000, shares from 1 to 50 %,
    six randomizers. It was 0.939 to 1, with a simulation error of 0.005.
    """
    seen = share_interval(successes, n, 1.0, 0.0, level)
    low, high = sorted((end - q) / (p - q) for end in (seen.low, seen.high))
    answers = AnswerMean(
        low=min(max(low, 0.0), 1.0), high=max(min(high, 1.0), 0.0), bottom=0.0, top=1.0, n=n
    )
    return OwnInterval((successes / n - q) / (p - q), low, high, answers)


def largest_covariance(one: AnswerMean, other: AnswerMean, sign: int) -> float:
    """The largest possible covariance, times the sign, of two means of the same people's answers.

    All people of the smaller group can belong to the larger one. No correlation exceeds 1. If
    everyone has an answer, the product of both distances from the bottom of the range is not
    negative, nor is that of the distances from the top. The covariance of two shares p and q is
    therefore at least -p q and -(1 - p)(1 - q). Likewise, it is at most p (1 - q) and (1 - p) q:
    Fréchet, Ann. Univ. Lyon A 14 (1951) 53.
    """
    found = [math.sqrt(one.variance * other.variance)]
    if one.everyone and other.everyone:
        above = one.high - one.bottom, other.high - other.bottom
        below = one.top - one.low, other.top - other.low
        if sign > 0:
            above, below = (above[0], below[1]), (below[0], above[1])
        found += [math.prod(above), math.prod(below)]
    return min(found) / max(one.n, other.n)


def combined_interval(
    estimates: Sequence[OwnInterval],
    coefficients: Sequence[float],
    level: float,
    relation: str = DIFFERENT,
    correlation: float = 0.0,
) -> tuple[float, float]:
    """The interval of the sum of coefficient times estimate, at the level of the own intervals.

    An end is infinite if that of an own interval is.

    Parameters
    ----------
    relation : DIFFERENT, SHARED or REMEMBERED
        DIFFERENT respondents, or respondents who may be the same. These drew independent reports
        (SHARED), or their devices may have sent the same reports again (REMEMBERED).
    correlation : float in [-1, 1]
        That of each pair of estimates, if it is known. The relation is then DIFFERENT.

    Notes
    -----
    Let a_i be the distances of the summands to their ends on one side. With different respondents,
    the end is √(Σ a_i²) from the sum. Otherwise each pair adds 2 b_ij below the root. With a known
    correlation ρ, b_ij is ρ a_i a_j, or -ρ a_i a_j for coefficients of opposite sign. Otherwise it
    is at most a_i a_j, because no correlation exceeds 1 (Minkowski).

    Given the answers, independent reports have no covariance, so only the answers add to it: b_ij
    is at most z² times `largest_covariance`. Remembered reports are equal for equal answers, and
    independent for others. Their noise has a covariance of at least zero, which shortens a
    difference, so the same bound holds for coefficients of opposite sign. The noise of people who
    gave the same special answer twice is an exception, if two means differ by more than 65 % of
    their range. It then has a negative covariance, of at most a third of its variance.
    """
    middle = sum(c * each.value for c, each in zip(coefficients, estimates, strict=True))
    ends = [
        (c * each.low, c * each.high) if c >= 0 else (c * each.high, c * each.low)
        for c, each in zip(coefficients, estimates, strict=True)
    ]
    reaches = []
    for place, side in ((0, 1), (1, -1)):
        arms = [
            max(0.0, side * (c * each.value - pair[place]))
            for c, each, pair in zip(coefficients, estimates, ends, strict=True)
        ]
        square = sum(arm * arm for arm in arms)
        if math.isfinite(square) and relation != DIFFERENT:
            square += 2 * dependence(estimates, coefficients, arms, level, relation)
        elif math.isfinite(square) and correlation:
            signed = [math.copysign(arm, c) for c, arm in zip(coefficients, arms, strict=True)]
            square += 2 * correlation * sum(one * other for one, other in combinations(signed, 2))
        reaches.append(math.sqrt(max(0.0, square)))
    return middle - reaches[0], middle + reaches[1]


def combined_intervals(
    estimates: Sequence[OwnInterval], coefficients: Array
) -> tuple[Array, Array]:
    """`combined_interval` of different respondents for many sums at once.

    `coefficients` has shape (estimates, sums), and both results have shape (sums,).
    """
    values = coefficients * np.array([[each.value] for each in estimates])
    ends = [
        coefficients * np.array([[getattr(each, name)] for each in estimates])
        for name in ("low", "high")
    ]
    falls = np.maximum(0.0, values - np.minimum(*ends))
    rises = np.maximum(0.0, np.maximum(*ends) - values)
    middle = values.sum(axis=0)
    low, high = (np.sqrt((arms**2).sum(axis=0)) for arms in (falls, rises))
    return middle - low, middle + high


def dependence(
    estimates: Sequence[OwnInterval],
    coefficients: Sequence[float],
    arms: Sequence[float],
    level: float,
    relation: str,
) -> float:
    """The sum of the largest possible covariances of all pairs, in squared arms."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    total = 0.0
    for one, other in combinations(range(len(estimates)), 2):
        most = arms[one] * arms[other]
        first, second = estimates[one].answers, estimates[other].answers
        product = coefficients[one] * coefficients[other]
        if first is not None and second is not None and (relation == SHARED or product < 0):
            covariance = largest_covariance(first, second, -1 if product < 0 else 1)
            most = min(most, z * z * covariance * abs(product))
        total += most
    return total


def combined_error(
    errors: Sequence[float],
    answers: Sequence[AnswerMean | None],
    coefficients: Sequence[float],
    relation: str = DIFFERENT,
) -> float:
    """The standard error of the sum, or its bound if the estimates may depend on each other."""
    arms = [abs(c) * error for c, error in zip(coefficients, errors, strict=True)]
    variance = sum(arm * arm for arm in arms)
    if relation != DIFFERENT:
        own = [OwnInterval(0.0, 0.0, 0.0, each) for each in answers]
        # At this level, the normal quantile is 1.
        one_sigma = 2 * NormalDist().cdf(1) - 1
        variance += 2 * dependence(own, coefficients, arms, one_sigma, relation)
    return math.sqrt(variance)


def p_of_zero(interval_at: Callable[[float], tuple[float, float]]) -> float:
    """The p-value for a true value of zero: 1 - the level of the longest interval without zero.

    It therefore agrees with the interval at every level. `interval_at` gives the interval at a
    level. The result is at least 1e-6.
    """
    low, middle, high = math.log(MIN_P), math.log(FIRST_P), 0.0
    for _ in range(BISECTIONS):
        ends = interval_at(1 - math.exp(middle))
        if ends[0] <= 0 <= ends[1]:
            low = middle
        else:
            high = middle
        middle = (low + high) / 2
    return math.exp(high)
