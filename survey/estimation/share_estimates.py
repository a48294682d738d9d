"""Estimates of shares, from the count of each report.

One function serves every table, and another serves reports of bits. Closed forms of the literature,
such as 2P - 1/2, serve only as tests, not as a second implementation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import Boxes, OneHot
from survey.core.randomizer import Randomizer
from survey.core.scores import (
    Array,
    most_likely_shares,
    probabilities,
    support_of,
    unbiased_scores,
)
from survey.estimation.finite_population import (
    finite_covariance,
    finite_mean_interval,
    finite_share_interval,
)
from survey.estimation.mean_intervals import student_interval, student_quantile
from survey.estimation.share_intervals import Interval

# Names of methods.
COUNTED_BITS = "Student, error at each share, continuity-corrected"
COUNTED_BITS_FINITE = "Student, error at each share, continuity-corrected, for a finite population"


@dataclass(frozen=True, kw_only=True)
class ShareEstimate:
    """The share of one answer.

    Attributes
    ----------
    value : float
        The unbiased, unclipped estimate: it may be below 0 or above 1.
    standard_error : float or None
        The square root of the unbiased variance estimate: sample variance of the scores / n, where
        the sample variance divides by n - 1. None for a single response.
    interval : Interval
        Within [0, 1].
    possible : float
        An estimate within [0, 1]. For a table it is the maximum-likelihood estimate. For bits it is
        the nearest set of shares that add up to one. It is biased near the ends.
    simultaneous : Interval
        Within [0, 1]. The simultaneous intervals of a family of shares all contain their shares
        with at least the probability `level`.
    """

    value: float
    standard_error: float | None
    interval: Interval
    possible: float
    simultaneous: Interval


@dataclass(frozen=True)
class SharesEstimate:
    """The shares of all answers to one question.

    Attributes
    ----------
    n : int, at least 1
    shares : one ShareEstimate for each answer; their values add up to 1
    covariance : tuple of tuples of float, shape (answers, answers), or None for n = 1
        Estimated covariance of the values. The diagonal has the squared standard errors.
    """

    n: int
    shares: tuple[ShareEstimate, ...]
    covariance: tuple[tuple[float, ...], ...] | None


def simultaneous_level(level: float, family: int) -> float:
    """The level of each interval so that all of a family hold together with at least `level`.

    This is Bonferroni's inequality. It holds for any dependence between the estimates.
    """
    return 1 - (1 - level) / family


def responses_in(counts: Sequence[int]) -> int:
    """The number of responses. Raises UnanswerableQuestion if there are none."""
    n = int(sum(counts))
    if n == 0:
        raise UnanswerableQuestion("There are no responses yet.")
    return n


def estimate_shares(
    randomizer: Randomizer,
    counts: Sequence[int],
    level: float = 0.95,
    target: npt.ArrayLike | None = None,
    family: int = 1,
    size: int | None = None,
) -> SharesEstimate:
    """Estimate the shares of a question's answers from the counts of its reports.

    Parameters
    ----------
    randomizer : Randomizer with k answers and m reports
    counts : sequence of int, length m
        The count of each report.
    level : float in (0, 1)
        Confidence level of each interval by itself (not of all together).
    target : array_like of 0 and 1, shape (k, t), optional
        The answers in each share; by default each answer has its own share.
    family : int, at least 1
        The number of shares whose simultaneous intervals hold together.
    size : int, at least the number of reports, or None
        The number of people whom the estimates describe; None for people like the respondents.

    Raises
    ------
    UnanswerableQuestion
        If there are no reports, or if the table does not determine the shares.

    Notes
    -----
    value = sum_y f_y S_y with the scores of `survey.core.scores`; Var = (E[S^2] - E[S]^2) / n for
    people like the respondents. The interval is wrong if respondents do not answer independently
    (households, one person several times), and for anyone else than the people it is about.
    """
    n = responses_in(counts)
    wanted = np.eye(randomizer.answers) if target is None else np.asarray(target, dtype=np.float64)
    scores = unbiased_scores(randomizer, wanted)
    values = np.asarray(counts, dtype=np.float64) / n @ scores
    unlimited = covariance_of(scores, counts)
    covariance = finite_shares_covariance(randomizer, counts, wanted, scores, unlimited, size)
    possible = most_likely_shares(randomizer, counts) @ wanted
    levels = levels_of(level, family)
    shares = []
    for column, value in enumerate(values):
        support = support_of(randomizer, scores[:, column], wanted[:, column] > 0)
        if support is not None:
            p, q = float(support.p), float(support.q)
            hits = support.count(counts)
            intervals = [finite_share_interval(hits, n, p, q, size, each) for each in levels]
        else:
            ratio, worth = relative_error(unlimited, covariance, column), scores[:, column]
            intervals = [
                finite_mean_interval(counts, worth, 0.0, 1.0, each, None, ratio) for each in levels
            ]
        error = None if covariance is None else math.sqrt(max(0.0, covariance[column, column]))
        shares.append(
            ShareEstimate(
                value=float(value),
                standard_error=error,
                interval=intervals[0],
                possible=float(possible[column]),
                simultaneous=intervals[-1],
            )
        )
    return SharesEstimate(n, tuple(shares), as_tuples(covariance))


def finite_shares_covariance(
    randomizer: Randomizer,
    counts: Sequence[int],
    target: Array,
    scores: Array,
    unlimited: Array | None,
    size: int | None,
) -> Array | None:
    """The covariance for a finite population, from that for an unlimited one."""
    if unlimited is None or size is None:
        return unlimited
    n = sum(counts)
    values = np.asarray(counts, dtype=np.float64) / n @ scores
    noise = probabilities(randomizer) @ scores**2 - target**2
    squares = mean_products(randomizer, counts, target, values)
    return finite_covariance(unlimited, values, squares, size, noise.min(axis=0) / n)


def relative_error(unlimited: Array | None, covariance: Array | None, column: int) -> float:
    """The standard error of a share, relative to that for an unlimited population."""
    if unlimited is None or covariance is None or unlimited[column, column] <= 0:
        return 1.0
    return math.sqrt(covariance[column, column] / unlimited[column, column])


def mean_products(
    randomizer: Randomizer, counts: Sequence[int], target: Array, values: Array
) -> Array:
    """The estimated mean products of the target's columns, shape (t, t)."""
    products = target[:, :, np.newaxis] * target[:, np.newaxis, :]
    places = np.arange(target.shape[1])
    # A product is often one of the columns, or zero. Then it needs no scores of its own.
    if (products[:, places, places] == target).all():
        products[:, places, places] = 0
        if not products.any():
            return np.diag(values)
        products[:, places, places] = target
    scores = unbiased_scores(randomizer, products.reshape(len(target), -1))
    return (np.asarray(counts, dtype=np.float64) / sum(counts) @ scores).reshape(products.shape[1:])


def levels_of(level: float, family: int) -> tuple[float, ...]:
    """The level of an interval by itself, then that of its simultaneous interval if it differs."""
    return (level,) if family == 1 else (level, simultaneous_level(level, family))


def covariance_of(scores: Array, counts: Sequence[int]) -> Array | None:
    """Unbiased covariance of the mean scores, shape (t, t); None for a single response."""
    n = int(sum(counts))
    if n == 1:
        return None
    observed = np.asarray(counts, dtype=np.float64) / n
    centred = scores - observed @ scores
    covariance: Array = (centred.T * observed) @ centred / (n - 1)
    return covariance


def as_tuples(matrix: Array | None) -> tuple[tuple[float, ...], ...] | None:
    return None if matrix is None else tuple(tuple(map(float, row)) for row in matrix)


def estimate_one_hot(
    randomizer: OneHot,
    counts: Sequence[int],
    level: float = 0.95,
    family: int = 1,
    size: int | None = None,
) -> SharesEstimate:
    """Estimate shares from reports of bits, with one or several bits for each answer.

    Parameters
    ----------
    counts : sequence of int, length 2k
        For each answer, the number of its bits that are set in all reports, and that are not.
    level : float in (0, 1)
        Confidence level of each interval by itself.
    family : int, at least 1
        The number of shares whose simultaneous intervals hold together.
    size : as for `estimate_shares`

    Notes
    -----
    Let answer j have c_j bits. A report has a mean of P_j = c_j q + (p - q) pi_j of them set, so
    value_j = (P_j - c_j q) / (p - q). The covariance is that of `covariance_of_bits` with estimates
    in place of the shares, divided by n - 1. It is unbiased.
    """
    k, sizes = randomizer.answers, np.array(randomizer.sizes, dtype=np.float64)
    ones = np.asarray(counts[0::2], dtype=np.float64)
    n = responses_in(counts[:2]) // randomizer.sizes[0]
    p, q = float(randomizer.p), float(randomizer.q)
    seen = ones / n
    values = (seen - sizes * q) / (p - q)
    covariance = None
    if n > 1:
        covariance = covariance_of_bits(randomizer, values, seen) / (n - 1)
        least = np.array([min(share_noise(randomizer, j)) / n for j in range(k)])
        covariance = finite_covariance(covariance, values, np.diag(values), size, least)
    possible = nearest_shares(values)
    shares = []
    for j in range(k):
        intervals = [
            one_hot_interval(randomizer, j, int(ones[j]), n, size, each)
            for each in levels_of(level, family)
        ]
        error = None if covariance is None else math.sqrt(max(0.0, covariance[j, j]))
        shares.append(
            ShareEstimate(
                value=float(values[j]),
                standard_error=error,
                interval=intervals[0],
                possible=float(possible[j]),
                simultaneous=intervals[-1],
            )
        )
    return SharesEstimate(n, tuple(shares), as_tuples(covariance))


def covariance_of_bits(randomizer: OneHot, shares: Array, seen: Array | None = None) -> Array:
    """The covariance of the unbiased shares of one report, shape (k, k), for these true shares.

    `seen` has the mean numbers of set bits, if they are already known without a rounding error.

    Notes
    -----
    Two bits are both set with probability both_own if one of them is that of the true answer, else
    both_other. If c are the numbers of bits of the answers, the mean product of the numbers of set
    bits of i and j is therefore

        (c_i pi_j + c_j pi_i) (both_own - both_other) + c_i c_j both_other,

    and for i = j it is P_i + 2 (c_i - 1) pi_i (both_own - both_other) + c_i (c_i - 1) both_other
    with P_i = c_i q + (p - q) pi_i.
    """
    sizes = np.array(randomizer.sizes, dtype=np.float64)
    p, q, other = (float(each) for each in (randomizer.p, randomizer.q, randomizer.both_other))
    more = float(randomizer.both_own - randomizer.both_other)
    if seen is None:
        seen = sizes * q + (p - q) * shares
    pairs = np.outer(sizes, shares)
    both = (pairs + pairs.T) * more + np.outer(sizes, sizes) * other
    alone = 2 * (sizes - 1) * shares * more + sizes * (sizes - 1) * other
    np.fill_diagonal(both, seen + alone)
    return np.asarray((both - np.outer(seen, seen)) / (p - q) ** 2)


def share_noise(randomizer: OneHot, answer: int) -> tuple[float, float]:
    """The variance of the unbiased share of one report for people with the answer, and others."""
    c = randomizer.sizes[answer]
    p, q, own, other = (
        float(each)
        for each in (randomizer.p, randomizer.q, randomizer.both_own, randomizer.both_other)
    )
    with_it = p + (c - 1) * (q + 2 * own + (c - 2) * other) - (p + (c - 1) * q) ** 2
    without = c * q + c * (c - 1) * other - (c * q) ** 2
    return with_it / (p - q) ** 2, without / (p - q) ** 2


def one_hot_interval(
    randomizer: OneHot, answer: int, ones: int, n: int, size: int | None, level: float
) -> Interval:
    """The interval of the share of an answer, from the number of its bits that are set.

    Notes
    -----
    For an answer with one bit, it is `finite_share_interval`. Otherwise it has all shares whose
    expected number of set bits is within Student's quantile of standard errors, plus one half, of
    the observed number. The standard error is that of the tested share. The half is a continuity
    correction, because the number is an integer. In all enumerated cases, the interval covered
    with at least the probability `level` (tests/estimation/test_types_joint_items.py).
    """
    p, q, c = float(randomizer.p), float(randomizer.q), randomizer.sizes[answer]
    if c == 1:
        return finite_share_interval(ones, n, p, q, size, level)
    with_it, without = share_noise(randomizer, answer)
    sampled = 1.0 if size is None else (size - n) / max(1, size - 1)
    times = student_quantile(n - 1, level)

    def error_if(share: float) -> float:
        noise = share * with_it + (1 - share) * without
        return math.sqrt((noise + sampled * share * (1 - share)) / n) + 0.5 / abs(p - q) / n / times

    value = (ones / n - c * q) / (p - q)
    found = student_interval(value, error_if, n, 0.0, 1.0, level)
    return replace(found, method=COUNTED_BITS if size is None else COUNTED_BITS_FINITE)


def nearest_shares(values: Array) -> Array:
    """The nearest non-negative shares that add up to one.

    This is the Euclidean projection onto the simplex: Held, Wolfe & Crowder, Math. Prog. 6 (1974)
    62.
    """
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(values) + 1)
    kept = np.flatnonzero(falling > excess)[-1]
    return np.asarray(np.maximum(values - excess[kept], 0))


def estimate_boxes(
    randomizer: Boxes,
    counts: Sequence[int],
    level: float = 0.95,
    family: int = 1,
    size: int | None = None,
) -> tuple[tuple[int, ShareEstimate] | None, ...]:
    """Estimate the share of each box, with the number of responses that report on it.

    Parameters
    ----------
    counts : sequence of int, length 2k
        For each box, the number of reports that it is ticked, and not ticked.
    level : float in (0, 1)
        Confidence level of each interval by itself.
    family : int, at least 1
        The number of shares whose simultaneous intervals hold together.
    size : as for `estimate_shares`

    Returns
    -------
    tuple
        For each box n and its estimate, or None if no response reports on it yet.
    """
    estimates: list[tuple[int, ShareEstimate] | None] = []
    for box in range(randomizer.answers):
        pair = counts[2 * box : 2 * box + 2]
        if sum(pair) == 0:
            estimates.append(None)
            continue
        estimate = estimate_shares(randomizer.table, pair, level, family=family, size=size)
        estimates.append((estimate.n, estimate.shares[0]))
    return tuple(estimates)


def gamma_of(randomizer: Randomizer) -> Fraction | None:
    """gamma of a symmetric two-answer table, Pr(report = answer) = 1/2 + gamma, else None."""
    rows = randomizer.rows
    if len(rows) != 2 or len(rows[0]) != 2 or rows[0][0] != rows[1][1]:
        return None
    return Fraction(rows[0][0], randomizer.total) - Fraction(1, 2)


def variance_bound(randomizer: Randomizer, n: int) -> float | None:
    """The variance bound 1 / (16 gamma^2 n) for every true share; None if there is no gamma."""
    gamma = gamma_of(randomizer)
    return None if gamma is None else float(1 / (16 * gamma**2 * n))


def variance_at_observed(randomizer: Randomizer, observed: float, n: int) -> float | None:
    """P (1 - P) / (4 gamma^2 n) at the observed share P; None if there is no gamma.

    It is the variance of the estimate if P is the probability of the report. It is at most
    `variance_bound`.
    """
    gamma = gamma_of(randomizer)
    return None if gamma is None else observed * (1 - observed) / float(4 * gamma**2 * n)
