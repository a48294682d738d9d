"""Scores: the value of each report. The mean of the scores is the estimate.

For a table P (answers x reports) and a target T (answers x quantities), let scores S satisfy P @ S
= T. Then the mean of the reports' scores is an unbiased estimate of the target. Of all such S, this
module uses the one with least variance for equally common answers. For the coin flip and T the
identity, the estimate is 2P - 1/2. For two answers in general it is (P - 1/2 + gamma) / (2 gamma).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from survey.core.errors import UnanswerableQuestion
from survey.core.randomizer import Randomizer

Array = npt.NDArray[np.float64]
# The relative error of P @ S = T that is allowed. A possible target is met to 1e-14.
TOLERANCE = 1e-9
# Scores that differ less, relative to the largest, are equal.
SAME_SCORE = 1e-9
NEWTON_STEPS = 500  # A dozen are usual.
# Distances of the mean log likelihood from its maximum. The first is the goal. At the second, a
# step without gain ends the search. The third is still accepted after the last step.
CLOSE = 1e-14
CLOSE_ENOUGH = 1e-9
NEAR_ENOUGH = 1e-6


def probabilities(randomizer: Randomizer) -> Array:
    """Pr(report y | answer x) as floats, shape (answers, reports)."""
    return np.array(randomizer.rows, dtype=np.float64) / randomizer.total


def distinct_scores(scores: Array) -> tuple[float, ...]:
    """The different scores, up to rounding, in increasing order."""
    ordered = np.sort(scores.reshape(-1))
    close = SAME_SCORE * max(1.0, float(np.abs(ordered).max(initial=0.0)))
    return tuple(float(each) for each in ordered[np.append(True, np.diff(ordered) > close)])


def unbiased_scores(randomizer: Randomizer, target: npt.ArrayLike) -> Array:
    """The least-variance unbiased scores.

    Parameters
    ----------
    randomizer : Randomizer with k answers and m reports
    target : array_like, shape (k, t)
        The quantity of each answer; the identity matrix for shares.

    Returns
    -------
    ndarray, shape (m, t)

    Raises
    ------
    UnanswerableQuestion
        If no S satisfies P @ S = T: these reports do not determine the target.

    Notes
    -----
    With w_y = sum_x P[x, y], minimise sum_y w_y S_y^2 subject to P S = T. With R = sqrt(w) S this
    is the minimum-norm solution of (P / sqrt(w)) R = T. The weighted inverse is the best linear
    unbiased one of Barg & Ye, "Optimal schemes for discrete distribution estimation under locally
    differential privacy", IEEE Trans. IT 64 (2018).
    """
    return scores_of_table(probabilities(randomizer), target)


def scores_of_table(table: Array, target: npt.ArrayLike) -> Array:
    """Like `unbiased_scores`, for Pr(report y | answer x), shape (k, m)."""
    values = np.asarray(target, dtype=np.float64)
    root_mass = np.sqrt(table.sum(axis=0))
    scaled = np.linalg.lstsq(table / root_mass, values, rcond=None)[0]
    scores: Array = scaled / root_mass[:, np.newaxis]
    if np.max(np.abs(table @ scores - values)) > TOLERANCE * max(1.0, np.abs(scores).max()):
        raise UnanswerableQuestion(
            "These reports do not determine the share of each answer, because the rows of the "
            "table are not independent. Choose another table."
        )
    return scores


@lru_cache(maxsize=512)
def determines_shares(randomizer: Randomizer) -> bool:
    """Whether the reports determine the share of each answer, not only, for example, a mean."""
    if randomizer.reports < randomizer.answers:
        return False
    try:
        unbiased_scores(randomizer, np.eye(randomizer.answers))
    except UnanswerableQuestion:
        return False
    return True


def score_variances(randomizer: Randomizer, target: npt.ArrayLike) -> Array:
    """The variance of one report's scores for each answer, shape (k, t): sum_y P S^2 - T^2.

    Raises UnanswerableQuestion like `unbiased_scores`.
    """
    scores = unbiased_scores(randomizer, target)
    return probabilities(randomizer) @ scores**2 - np.asarray(target, dtype=np.float64) ** 2


def most_likely_shares(randomizer: Randomizer, counts: npt.ArrayLike) -> Array:
    """The maximum-likelihood shares, which are non-negative and add up to one.

    Parameters
    ----------
    randomizer : Randomizer with k answers and m reports
    counts : array_like, shape (m,)
        The number of times that each report occurs; at least one in total.

    Returns
    -------
    ndarray, shape (k,)

    Raises
    ------
    UnanswerableQuestion
        If the search does not find the maximum. This is not known to happen.

    Notes
    -----
    It minimises -sum_y f_y ln (pi P)_y + sum_x pi_x over pi >= 0, where f are the observed shares.
    The shares at the minimum add up to one. The method is projected Newton steps (Bertsekas, SIAM
    J. Control Optim. 20 (1982) 221). With g_x = sum_y f_y P[x, y] / (pi P)_y, the value max_x g_x -
    1 bounds the distance of the mean log likelihood from its maximum. If the unbiased estimate of a
    square table is possible, it is already the maximum.
    """
    return kept_likely_shares(randomizer, tuple(map(float, np.asarray(counts)))).copy()


@lru_cache(maxsize=16)
def kept_likely_shares(randomizer: Randomizer, counts: tuple[float, ...]) -> Array:
    """`most_likely_shares`, kept because several results of a question need the same shares."""
    table = probabilities(randomizer)
    observed = np.array(counts) / sum(counts)
    try:
        unbiased = observed @ unbiased_scores(randomizer, np.eye(len(table)))
    except UnanswerableQuestion:  # There are several maxima, and the search finds one.
        unbiased = np.ones(len(table))
    if table.shape[0] == table.shape[1] and unbiased.min() >= 0:
        return np.asarray(unbiased / unbiased.sum())
    return most_likely(table, observed, unbiased)


def most_likely(table: Array, observed: Array, start: Array) -> Array:
    """The shares, non-negative and with sum one, that maximise sum_y f_y ln (pi P)_y.

    Parameters
    ----------
    table : ndarray, shape (k, m)
        Pr(report y | answer x), or m of its columns, including all reports that occur.
    observed : ndarray, shape (m,)
        f, the share of each report. The shares add up to one.
    start : ndarray, shape (k,)
        A point near the expected maximum, of any sign, but not all zero.

    Raises UnanswerableQuestion if the search does not find the maximum. `most_likely_shares`
    describes the method. The likelihood never falls from one step to the next.
    """
    seen = observed > 0  # A report that does not occur is not part of the likelihood.
    table, observed = table[:, seen], observed[seen]

    def height(shares: Array) -> float:
        chances = shares @ table
        if chances.min() <= 0:
            return np.inf
        return float(shares.sum() - observed @ np.log(chances))

    shares = np.maximum(start, 1 / len(table) / 100)
    shares /= shares.sum()
    off = np.inf
    for _ in range(NEWTON_STEPS):
        here, before = height(shares), off
        ratios = observed / (shares @ table)
        slope = 1 - table @ ratios
        off = max(-slope.min(), np.abs(shares * slope).max())
        if off < CLOSE or (off < CLOSE_ENOUGH and off >= before):  # Rounding ends the descent.
            return np.asarray(shares / shares.sum())
        # Shares near zero that would only fall become zero, outside of Newton's step.
        far = float(np.abs(shares - np.maximum(shares - slope, 0)).max())
        free = (shares > min(0.01, far)) | (slope < 0)
        bent = table[free] * (ratios / np.sqrt(observed))
        curvature = bent @ bent.T
        # The ridge fades near the maximum. It gives a direction where the table is flat.
        ridge = max(far, 1e-14) * np.trace(curvature) / len(curvature) * np.eye(len(curvature))
        step = -shares
        step[free] = -np.linalg.solve(curvature + ridge, slope[free])
        stride = 1.0
        # Rounding alone must not stop the last steps.
        limit = here + 1e-14 * max(1.0, abs(here))
        while height(np.maximum(shares + stride * step, 0)) > limit and stride > CLOSE:
            stride /= 2
        shares = np.maximum(shares + stride * step, 0)
    if off < NEAR_ENOUGH:  # This happens with a flat table and very many reports.
        return np.asarray(shares / shares.sum())
    raise UnanswerableQuestion(
        "The search found no most likely shares for these reports. Use the unbiased estimates."
    )


@dataclass(frozen=True)
class SupportingReports:
    """The reports that support one answer, if a report says nothing else about its share.

    `p` is the probability of such a report for people with the answer, and `q` for everyone else.
    So their share in all reports is P = q + (p - q) pi, and pi = (P - q) / (p - q).
    """

    reports: tuple[int, ...]
    p: Fraction
    q: Fraction

    def count(self, counts: Sequence[int]) -> int:
        return sum(counts[report] for report in self.reports)


def support_of(
    randomizer: Randomizer, scores: Array, meant: npt.NDArray[np.bool_]
) -> SupportingReports | None:
    """The support of some answers if their scores, shape (m,), have two values, else None.

    `meant`, shape (k,), selects the answers: one answer, or those in which a box is ticked.
    """
    high, low = scores.max(), scores.min()
    speaks = scores > (high + low) / 2
    if np.max(np.abs(scores - np.where(speaks, high, low))) > TOLERANCE * max(1.0, high - low):
        return None
    reports = tuple(int(report) for report in np.flatnonzero(speaks))
    # If scores have two values, each side has one probability for all its answers.
    p, q = (
        Fraction(sum(row[report] for report in reports), randomizer.total)
        for row in (randomizer.rows[int(np.argmax(meant))], randomizer.rows[int(np.argmin(meant))])
    )
    return SupportingReports(reports, p, q)
