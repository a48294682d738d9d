"""Uncertainty about the respondents themselves, or about a population of known size.

Let n of N people report on a question, each person as likely as any other. Two things are random:
who reports, and the randomisation. About the respondents themselves, N = n, and only the
randomisation is random.

Let V be the expected variance of a report's score given its answer, and S^2 the variance of the
answers' values in the population, with divisor N - 1. The mean of the scores has the variance V / n
+ (1 - n / N) S^2 / n (Cochran, Sampling Techniques, 1977, 2.8).
"""

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import scipy

from survey.core.processor_time import require_time
from survey.estimation.mean_intervals import mean_interval
from survey.estimation.share_intervals import Interval, exact_bounds, share_interval

# With more reports, the distribution of their number is not computed in full.
MAX_EXACT_REPORTS = 500
# The number of counts that are searched first, if the population has more people than this.
GRID = 2000
# Likelihood ratios that are closer than this are equal. The exported scripts round differently.
TIE = 1e-9
# A finite variance that is smaller than this, relative to the unlimited one, is zero.
ROUNDING = 1e-12
# The steps of the search for an end whose level depends on the end. The last one changes it by less
# than the rounding of pages.
LEVEL_STEPS = 4
NORMAL = NormalDist()
# Names of methods.
FINITE_METHOD = "exact for a finite population, likelihood-ratio ordered"
ADJUSTED_METHOD = "likelihood-ratio ordered, level adjusted to a finite population"
GAFFKE_FINITE = "Gaffke, Dirichlet-weighted scores, level adjusted to a finite population"
STUDENT_FINITE = "Student, error at each mean, for a finite population"
KNOWN = "known exactly, no interval"

Integers = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]


def finite_variance(variance: float, spread: float, size: int | None, least: float = 0.0) -> float:
    """The variance of a mean score for a finite population.

    Parameters
    ----------
    variance : float
        The unbiased estimate for an unlimited population: sample variance of the scores / n.
    spread : float
        An estimate of the mean square of the answers' values, minus the square of the estimated
        mean. For a share with the estimate e, it is e (1 - e).
    size : int, at least the number of reports, or None for an unlimited population
    least : float
        The smallest possible variance from randomisation alone, divided by n.

    Returns
    -------
    float, from `least` to `variance`

    Notes
    -----
    The expected sample variance of the scores is V + S^2, so ((size - 1) variance - spread) / size
    is unbiased. The square of an estimated mean is too large by the variance of this mean; the
    formula allows for this.
    """
    if size is None:
        return variance
    finite = min(variance, max(least, ((size - 1) * variance - spread) / size))
    return finite if finite > ROUNDING * variance else 0.0


def finite_covariance(
    covariance: Array, values: Array, products: Array, size: int | None, least: Array
) -> Array:
    """The covariance of mean scores for a finite population, by `finite_variance`, shape (t, t).

    Parameters
    ----------
    covariance : ndarray, shape (t, t)
        The unbiased estimate for an unlimited population.
    values : ndarray, shape (t,)
        The mean scores.
    products : ndarray, shape (t, t)
        Estimates of the mean products of the answers' values.
    size : as for `finite_variance`
    least : ndarray, shape (t,)
    """
    if size is None:
        return covariance
    finite = ((size - 1) * covariance - products + np.outer(values, values)) / size
    variances = np.minimum(np.diag(covariance), np.maximum(least, np.diag(finite)))
    finite[np.abs(finite) < ROUNDING * np.abs(covariance).max()] = 0.0
    variances[variances < ROUNDING * np.abs(covariance).max()] = 0.0
    np.fill_diagonal(finite, variances)
    return np.asarray(finite)


def finite_level(level: float, ratio: float) -> float:
    """The level at which an interval for an unlimited population is right for a finite one.

    Parameters
    ----------
    level : float in (0, 1)
    ratio : float in [0, 1]
        The standard error for the finite population, relative to that for the unlimited one.

    Notes
    -----
    The normal quantile of the level is multiplied by the ratio. For a normal distribution, this is
    exact.
    """
    if ratio >= 1:
        return level
    return 2 * NORMAL.cdf(ratio * NORMAL.inv_cdf((1 + level) / 2)) - 1


def finite_share_interval(
    successes: int, n: int, p: float, q: float, size: int | None, level: float = 0.95
) -> Interval:
    """Interval for a share of a population of `size` people, from the reports of n of them.

    Parameters
    ----------
    successes : int, 0 to n
        The number of reports that support the answer.
    n : int, at least 1
    p, q : float in [0, 1], different
        The probability of such a report for people with, and without, the answer.
    size : int, at least n, or None for an unlimited population
        For n, the interval is about the people who reported.
    level : float in (0, 1)

    Returns
    -------
    Interval
        Never empty, within [0, 1]. Up to 500 reports, it covers at least `level` for every share
        that is possible in such a population, and its ends are such shares. In populations of more
        than `GRID` people, it may miss a share that the test accepts between two rejected ones.
        With half as fine a grid, the smallest coverage was 0.9499.

    Notes
    -----
    If M people have the answer, then K of those who report have it, where K is hypergeometric. The
    number of successes is Bin(K, p) + Bin(n - K, q). The interval inverts the same test as
    `share_interval` over M: outcomes are ordered by their likelihood ratio against the best M.

    With more than 500 reports, each end is that of `share_interval` at the level of `finite_level`,
    with the ratio for the share at this end. It then moves outwards to the next possible share. The
    coverage was at least `level` in all enumerated cases (tests/estimation/
    test_finite_population.py). The interval is wrong if the respondents are not a random sample of
    the population.
    """
    if size is None:
        return share_interval(successes, n, p, q, level)
    if size == n and {p, q} == {0.0, 1.0}:
        return known_interval((successes / n - q) / (p - q), level)
    if n <= MAX_EXACT_REPORTS:
        low, high = finite_bounds(int(successes), int(n), p, q, int(size), level)
        return Interval(low, high, level, FINITE_METHOD)
    low, high = adjusted_bounds(int(successes), int(n), p, q, int(size), level)
    return Interval(low, high, level, ADJUSTED_METHOD)


def finite_mean_interval(
    counts: npt.ArrayLike,
    scores: Array,
    low: float,
    high: float,
    level: float = 0.95,
    among: Array | None = None,
    ratio: float = 1.0,
) -> Interval:
    """`mean_interval` for a finite population.

    Parameters
    ----------
    ratio : float in [0, 1]
        As for `finite_level`. With 0, nothing is uncertain, and both ends are the estimate.

    The other parameters are those of `mean_interval`.
    """
    if ratio >= 1:
        return mean_interval(counts, scores, low, high, level, among)
    if ratio <= 0:
        seen = np.asarray(counts, dtype=np.float64)
        value = float(seen @ scores) / float(seen.sum() if among is None else seen @ among)
        return known_interval(min(max(value, low), high), level)
    found = mean_interval(counts, scores, low, high, finite_level(level, ratio), among)
    return Interval(found.low, found.high, level, GAFFKE_FINITE)


def known_interval(value: float, level: float) -> Interval:
    """The interval of a quantity that is known exactly."""
    return Interval(value, value, level, KNOWN)


# ---- At most 500 reports: the whole distribution ----


@lru_cache(maxsize=4096)
def finite_bounds(
    successes: int, n: int, p: float, q: float, size: int, level: float
) -> tuple[float, float]:
    """The smallest and the largest share that the likelihood-ratio-ordered test accepts."""
    counts, chances, best = grid_of_counts(n, p, q, size)

    def accepted(chances: Array) -> npt.NDArray[np.bool_]:
        ratios = chances / best
        likelier = ratios > ratios[:, [successes]] * (1 + TIE)
        return np.asarray((likelier * chances).sum(axis=1) < level)

    places = np.flatnonzero(accepted(chances))
    ends = []
    for place, step in ((places[0], -1), (places[-1], 1)):
        inside, beyond = int(counts[place]), int(place) + step
        # Between the counts of the grid, bisection finds the end.
        outside = int(counts[beyond]) if 0 <= beyond < len(counts) else inside
        while abs(outside - inside) > 1:
            require_time()
            middle = (inside + outside) // 2
            if accepted(outcome_chances(np.array([middle]), n, p, q, size))[0]:
                inside = middle
            else:
                outside = middle
        ends.append(inside / size)
    return ends[0], ends[1]


@lru_cache(maxsize=8)
def grid_of_counts(n: int, p: float, q: float, size: int) -> tuple[Integers, Array, Array]:
    """Numbers of people with the answer, the chances of each outcome, and their largest chances.

    The numbers are 0 to `size`, or, for more people than `GRID`, numbers at about equal distances.
    """
    counts = np.unique(np.round(np.linspace(0, size, min(size, GRID) + 1)).astype(np.int64))
    chances = outcome_chances(counts, n, p, q, size)
    # An outcome may be impossible for the numbers of the grid.
    return counts, chances, np.maximum(chances.max(axis=0), 1e-300)


def outcome_chances(counts: Integers, n: int, p: float, q: float, size: int) -> Array:
    """For each number of people with the answer, the probabilities of 0 to n successes."""
    by_sample = chances_in_sample(n, p, q)
    return by_sample[counts] if size == n else hypergeometric(counts, n, size) @ by_sample


@lru_cache(maxsize=8)
def chances_in_sample(n: int, p: float, q: float) -> Array:
    """Pr(y successes | K of the n people who report have the answer), shape (n + 1, n + 1)."""
    with_answer, without = binomials(n, p), binomials(n, q)
    rows = [np.convolve(with_answer[k, : k + 1], without[n - k, : n - k + 1]) for k in range(n + 1)]
    return np.array(rows)


def binomials(n: int, chance: float) -> Array:
    """Pr(y successes of m), for m and y from 0 to n."""
    trials, hits = np.arange(n + 1.0)[:, np.newaxis], np.arange(n + 1.0)
    misses = np.maximum(trials - hits, 0)
    exponents = log_choose(trials, hits)
    exponents += scipy.special.xlogy(hits, chance) + scipy.special.xlog1py(misses, -chance)
    return np.asarray(np.where(hits <= trials, np.exp(exponents), 0.0))


def hypergeometric(counts: Integers, n: int, size: int) -> Array:
    """Pr(K of n people have the answer), shape (counts, n + 1), if this many of `size` have it."""
    have, drawn = counts[:, np.newaxis].astype(np.float64), np.arange(n + 1.0)
    exponents = log_choose(have, drawn) + log_choose(size - have, n - drawn)
    exponents -= log_choose(np.array(float(size)), np.array(float(n)))
    return np.asarray(np.exp(exponents))


def log_choose(whole: Array, part: Array) -> Array:
    """ln (whole choose part); minus infinity if the part is larger than the whole."""
    log = scipy.special.gammaln
    rest = log(np.maximum(whole - part, 0) + 1)
    return np.asarray(np.where(part <= whole, log(whole + 1) - log(part + 1) - rest, -math.inf))


# ---- More reports: the interval for an unlimited population, at an adjusted level ----


@lru_cache(maxsize=4096)
def adjusted_bounds(
    successes: int, n: int, p: float, q: float, size: int, level: float
) -> tuple[float, float]:
    """The ends of `share_interval`, each at the level that fits it, moved to possible shares."""
    ends = []
    for place in (0, 1):
        share = min(1.0, max(0.0, (successes / n - q) / (p - q)))
        for _ in range(LEVEL_STEPS):
            ratio = share_error_ratio(share, n, p, q, size)
            # Nothing is uncertain.
            if not ratio:
                break
            fitting = finite_level(level, ratio)
            share = exact_bounds(successes, n, p, q, fitting)[place]
        ends.append(share * size)
    # Rounding must not move an end that is a possible share already.
    return math.floor(ends[0] + TIE) / size, math.ceil(ends[1] - TIE) / size


def share_error_ratio(share: float, n: int, p: float, q: float, size: int) -> float:
    """The standard error of a share for a finite population, relative to an unlimited one."""
    chance = q + (p - q) * share
    whole, sampling = chance * (1 - chance), (p - q) ** 2 * share * (1 - share)
    if whole <= 0:
        return 1.0 if size > n else 0.0
    return math.sqrt(max(0.0, 1 - (n - 1) / (size - 1) * sampling / whole))
