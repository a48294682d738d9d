"""Estimates: the shares of the true answers, from how often each report came.

One path for every table. Closed forms of the literature (2P - 1/2 and its kin) are what the
tests compare with; they are not a second implementation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from .errors import UnanswerableQuestion
from .intervals import Interval, score_interval, share_interval
from .randomizer import Randomizer
from .scores import most_likely_shares, support_of, unbiased_scores


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
    most_likely : float
        Maximum-likelihood estimate within [0, 1].
    """

    value: float
    standard_error: float | None
    interval: Interval
    most_likely: float


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


def estimate_shares(
    randomizer: Randomizer, counts: Sequence[int], level: float = 0.95
) -> SharesEstimate:
    """Debias the counts of one question's reports.

    Parameters
    ----------
    randomizer : Randomizer with k answers and m reports
    counts : sequence of int, length m
        How often each report came.
    level : float in (0, 1)
        Confidence level of each interval by itself (not of all together).

    Raises
    ------
    UnanswerableQuestion
        With no reports at all, or where the table does not determine the shares.

    Notes
    -----
    value = sum_y f_y S_y with the scores of `survey.scores`; Var = (E[S^2] - E[S]^2) / n.
    The interval is wrong where respondents do not answer independently (households, one person
    many times), and for anything but people like those who took part.
    """
    n = int(sum(counts))
    if n == 0:
        raise UnanswerableQuestion("There are no responses yet.")
    scores = unbiased_scores(randomizer, np.eye(randomizer.answers))
    observed = np.asarray(counts, dtype=np.float64) / n
    values = observed @ scores
    covariance = None
    if n > 1:
        centred = scores - values
        covariance = (centred.T * observed) @ centred / (n - 1)
    most_likely = most_likely_shares(randomizer, counts)
    shares = []
    for answer, value in enumerate(values):
        error = None if covariance is None else math.sqrt(max(0.0, covariance[answer, answer]))
        shares.append(
            ShareEstimate(
                value=float(value),
                standard_error=error,
                interval=interval_of(randomizer, scores[:, answer], counts, answer, error, level),
                most_likely=float(most_likely[answer]),
            )
        )
    rows = None if covariance is None else tuple(tuple(map(float, row)) for row in covariance)
    return SharesEstimate(n, tuple(shares), rows)


def interval_of(
    randomizer: Randomizer,
    scores: npt.NDArray[np.float64],
    counts: Sequence[int],
    answer: int,
    standard_error: float | None,
    level: float,
) -> Interval:
    """The binomial interval where the scores have two levels, else one for bounded scores."""
    n = int(sum(counts))
    support = support_of(randomizer, scores, answer)
    if support is not None:
        return share_interval(support.count(counts), n, float(support.p), float(support.q), level)
    value = float(np.asarray(counts) @ scores / n)
    span = float(scores.max() - scores.min())
    return score_interval(value, standard_error or 0.0, span, n, level)


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
