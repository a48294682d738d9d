"""The test that no element of a mean vector is negative, with a known covariance.

The statistic is the squared distance of the estimates from the nearest vector without negative
elements: Kudô, Biometrika 50 (1963) 403. Generalised moment selection omits the elements that are
clearly positive: Andrews & Soares, Econometrica 78 (2010) 119.
"""

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt
import scipy

from survey.core.scores import Array

# An estimate with a smaller standard error has no random error.
MIN_ERROR = 1e-12
# Relative to the squared standard errors.
RIDGE = 1e-7
# The points of the integration, and primes whose roots define it.
POINTS = 8_192
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)


def nonnegative_p(estimates: Array, covariance: Array, n: int) -> float:
    """The p-value for means that are all at least zero.

    Parameters
    ----------
    estimates : ndarray, shape (d,), with d at most 10
    covariance : ndarray, shape (d, d)
        Of the estimates, so its diagonal has their squared standard errors.
    n : the number of respondents

    Notes
    -----
    Means that are more than root log n standard errors above zero are left out, because they hold.
    The p-value is sum over k of w_k Pr(chi-squared with k degrees >= statistic), which is that of
    the least favourable case, means of zero. The weight w_k is the probability that k of the
    nearest means are zero. It is 1 if no estimate is left.
    """
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    known = errors > MIN_ERROR
    # A share without random error is 0, 1 or -1. The latter contradicts every response.
    if (estimates[~known] < -0.5).any():
        return 0.0
    relative = np.divide(estimates, errors, out=np.zeros_like(estimates), where=known)
    kept = np.flatnonzero(known & (relative <= math.sqrt(math.log(n))))
    if not len(kept) or float(np.min(estimates[kept])) >= 0:
        return 1.0
    # Two equal answers make a singular covariance. This changes no digit that is shown.
    chosen = covariance[np.ix_(kept, kept)] + RIDGE * np.diag(errors[kept] ** 2)
    statistic = squared_distance(estimates[kept], chosen)
    weights = zero_weights(chosen)
    tails = [0.0, *(float(scipy.special.chdtrc(k, statistic)) for k in range(1, len(weights)))]
    return min(1.0, float(weights @ np.array(tails)))


def subsets(size: int) -> Iterator[tuple[list[int], list[int]]]:
    """All ways to divide 0 to size - 1 into two lists."""
    for many in range(size + 1):
        for chosen in combinations(range(size), many):
            yield list(chosen), [each for each in range(size) if each not in chosen]


def squared_distance(estimates: Array, covariance: Array) -> float:
    """The smallest squared Mahalanobis distance to a vector without negative elements."""
    best = math.inf
    for zero, free in subsets(len(estimates)):
        push = np.linalg.inv(covariance[np.ix_(zero, zero)]) @ estimates[zero]
        nearest = estimates[free] - covariance[np.ix_(free, zero)] @ push
        if (nearest >= 0).all():
            best = min(best, float(estimates[zero] @ push))
    return best


def zero_weights(covariance: Array) -> Array:
    """The probability that k of the nearest means are zero, for k = 0 to d, if all means are 0."""
    size = len(covariance)
    weights = np.zeros(size + 1)
    for zero, free in subsets(size):
        if 0 < len(zero) < size or size <= 3:
            inverse: Array = np.linalg.inv(covariance[np.ix_(zero, zero)]).astype(np.float64)
            given = covariance[np.ix_(free, zero)] @ inverse
            rest = covariance[np.ix_(free, free)] - given @ covariance[np.ix_(zero, free)]
            weights[len(zero)] += orthant(inverse) * orthant(rest)
        elif not zero:
            weights[0] = orthant(covariance)
    if size > 3:
        weights[size] = max(0.0, 1 - weights.sum())
    return np.asarray(weights / weights.sum())


def orthant(covariance: Array) -> float:
    """The probability that a normal vector with mean zero has no negative element.

    It is exact for up to three elements. For more, it is the integral of Genz (J. Comput. Graph.
    Stat. 1 (1992) 141) over fixed points, with an error below 0.001.
    """
    size = len(covariance)
    if size == 0:
        return 1.0
    # Rounding can make the variance of a nearly determined element negative.
    errors = np.sqrt(np.maximum(np.diag(covariance), MIN_ERROR**2))
    correlation = covariance / np.outer(errors, errors)
    if size <= 3:
        pairs = correlation[np.triu_indices(size, 1)].clip(-1, 1)
        return float(0.5**size + np.arcsin(pairs).sum() / (2 * math.pi) / 2 ** (size - 2))
    return lattice_orthant(correlation)


def lattice_orthant(correlation: Array) -> float:
    size = len(correlation)
    try:
        root = np.linalg.cholesky(correlation + 1e-10 * np.eye(size))
    except np.linalg.LinAlgError:
        return 0.0
    points = np.arange(1, POINTS + 1)[:, None] * np.sqrt(np.array(PRIMES[: size - 1]))
    uniform: npt.NDArray[np.float64] = np.abs(2 * (points % 1) - 1)
    values = np.zeros((POINTS, size))
    chance = np.ones(POINTS)
    for place in range(size):
        bound = -(values[:, :place] @ root[place, :place]) / root[place, place]
        above = scipy.special.ndtr(-bound)
        chance = chance * above
        if place < size - 1:
            inside = np.clip(1 - above + uniform[:, place] * above, 1e-300, 1 - 1e-16)
            values[:, place] = scipy.special.ndtri(inside)
    return float(chance.mean())
