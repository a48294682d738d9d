"""Estimates of shares, from how often each report came.

One path for every table, one for reports of bits. Closed forms of the literature (2P - 1/2 and
its kin) are what the tests compare with; they are not a second implementation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import Boxes, OneHot
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, most_likely_shares, support_of, unbiased_scores
from survey.estimation.mean_intervals import mean_interval
from survey.estimation.share_intervals import Interval, share_interval


@dataclass(frozen=True)
class ShareEstimate:
    """The share of one answer.

    Attributes
    ----------
    value : float
        Unbiased estimate, unclipped: it may lie below 0 or above 1.
    standard_error : float or None
        Square root of the unbiased variance estimate (sample variance of the scores / n, the
        sample variance dividing by n - 1); None for a single response.
    interval : Interval
        Within [0, 1].
    possible : float
        An estimate within [0, 1]: of a table the maximum-likelihood one, of bits the shares
        nearest to the unbiased ones that add up to one. Biased near the ends.
    """

    value: float
    standard_error: float | None
    interval: Interval
    possible: float


@dataclass(frozen=True)
class SharesEstimate:
    """The shares of all answers to one question.

    Attributes
    ----------
    n : int, at least 1
    shares : one ShareEstimate for each answer; their values add up to 1
    covariance : tuple of tuples of float, shape (answers, answers), or None for n = 1
        Estimated covariance of the values; the diagonal is the squared standard errors.
    """

    n: int
    shares: tuple[ShareEstimate, ...]
    covariance: tuple[tuple[float, ...], ...] | None


def responses_in(counts: Sequence[int]) -> int:
    """How many responses these are; raises UnanswerableQuestion where there are none."""
    n = int(sum(counts))
    if n == 0:
        raise UnanswerableQuestion("There are no responses yet.")
    return n


def estimate_shares(
    randomizer: Randomizer,
    counts: Sequence[int],
    level: float = 0.95,
    target: npt.ArrayLike | None = None,
) -> SharesEstimate:
    """Debias the counts of one question's reports.

    Parameters
    ----------
    randomizer : Randomizer with k answers and m reports
    counts : sequence of int, length m
        How often each report came.
    level : float in (0, 1)
        Confidence level of each interval by itself (not of all together).
    target : array_like of 0 and 1, shape (k, t), optional
        Which answers each share is of; without it, each answer by itself.

    Raises
    ------
    UnanswerableQuestion
        With no reports at all, or where the table does not determine the shares.

    Notes
    -----
    value = sum_y f_y S_y with the scores of `survey.core.scores`; Var = (E[S^2] - E[S]^2) / n.
    The interval is wrong where respondents do not answer independently (households, one person
    many times), and for anything but people like those who took part.
    """
    n = responses_in(counts)
    wanted = np.eye(randomizer.answers) if target is None else np.asarray(target, dtype=np.float64)
    scores = unbiased_scores(randomizer, wanted)
    values = np.asarray(counts, dtype=np.float64) / n @ scores
    covariance = covariance_of(scores, counts)
    possible = most_likely_shares(randomizer, counts) @ wanted
    shares = []
    for column, value in enumerate(values):
        support = support_of(randomizer, scores[:, column], wanted[:, column] > 0)
        if support is not None:
            p, q = float(support.p), float(support.q)
            interval = share_interval(support.count(counts), n, p, q, level)
        else:
            interval = mean_interval(counts, scores[:, column], 0.0, 1.0, level)
        error = None if covariance is None else math.sqrt(max(0.0, covariance[column, column]))
        shares.append(ShareEstimate(float(value), error, interval, float(possible[column])))
    return SharesEstimate(n, tuple(shares), as_tuples(covariance))


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
    randomizer: OneHot, counts: Sequence[int], level: float = 0.95
) -> SharesEstimate:
    """The shares from reports of bits, one of which stands for each answer.

    Parameters
    ----------
    counts : sequence of int, length 2k
        For each answer, how many reports have its bit set, and how many have it not.

    Notes
    -----
    Bit j is set with chance P_j = q + (p - q) pi_j, so value_j = (P_j - q) / (p - q). Two bits
    are both set with chance (pi_i + pi_j) both_own + (1 - pi_i - pi_j) both_other, from which the
    covariance: that minus P_i P_j, over (n - 1) (p - q)^2, with estimates put in. It is unbiased.
    """
    k = randomizer.answers
    ones = np.asarray(counts[0::2], dtype=np.float64)
    n = responses_in(counts[:2])
    p, q = float(randomizer.p), float(randomizer.q)
    seen = ones / n
    values = (seen - q) / (p - q)
    covariance = None
    if n > 1:
        pairs = np.add.outer(values, values)
        both = pairs * float(randomizer.both_own) + (1 - pairs) * float(randomizer.both_other)
        np.fill_diagonal(both, seen)
        covariance = (both - np.outer(seen, seen)) / (n - 1) / (p - q) ** 2
    possible = nearest_shares(values)
    shares = tuple(
        ShareEstimate(
            float(values[j]),
            None if covariance is None else math.sqrt(max(0.0, covariance[j, j])),
            share_interval(int(ones[j]), n, p, q, level),
            float(possible[j]),
        )
        for j in range(k)
    )
    return SharesEstimate(n, shares, as_tuples(covariance))


def nearest_shares(values: Array) -> Array:
    """The shares, non-negative and adding up to one, nearest to these values.

    Euclidean projection onto the simplex: Held, Wolfe & Crowder, Math. Prog. 6 (1974) 62.
    """
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(values) + 1)
    kept = np.flatnonzero(falling > excess)[-1]
    return np.asarray(np.maximum(values - excess[kept], 0))


def estimate_boxes(
    randomizer: Boxes, counts: Sequence[int], level: float = 0.95
) -> tuple[tuple[int, ShareEstimate] | None, ...]:
    """The share of each box, with the number of responses that report on it.

    Parameters
    ----------
    counts : sequence of int, length 2k
        For each box, how often it was reported ticked, and not ticked.

    Returns
    -------
    tuple
        For each box n and its estimate, or None where nobody has reported on it yet.
    """
    estimates: list[tuple[int, ShareEstimate] | None] = []
    for box in range(randomizer.answers):
        pair = counts[2 * box : 2 * box + 2]
        if sum(pair) == 0:
            estimates.append(None)
            continue
        estimate = estimate_shares(randomizer.table, pair, level)
        estimates.append((estimate.n, estimate.shares[0]))
    return tuple(estimates)


def gamma_of(randomizer: Randomizer) -> Fraction | None:
    """gamma of a symmetric two-answer table, Pr(report = answer) = 1/2 + gamma, else None."""
    rows = randomizer.rows
    if len(rows) != 2 or len(rows[0]) != 2 or rows[0][0] != rows[1][1]:
        return None
    return Fraction(rows[0][0], randomizer.total) - Fraction(1, 2)


def variance_bound(randomizer: Randomizer, n: int) -> float | None:
    """1 / (16 gamma^2 n), which no true share exceeds; None where there is no gamma."""
    gamma = gamma_of(randomizer)
    return None if gamma is None else float(1 / (16 * gamma**2 * n))


def variance_at_observed(randomizer: Randomizer, observed: float, n: int) -> float | None:
    """P (1 - P) / (4 gamma^2 n) at the observed share P; None where there is no gamma.

    The variance that the estimate has if P is the chance of the report; at most the bound.
    """
    gamma = gamma_of(randomizer)
    return None if gamma is None else observed * (1 - observed) / float(4 * gamma**2 * n)
