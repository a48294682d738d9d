"""Scores: what each report is worth, so that the mean of the scores is the estimate.

For any table P (answers x reports) and target T (answers x quantities), scores S with
P @ S = T make the mean of the reports' scores an unbiased estimate of the target. Among all such
S the one with least variance under equally common answers is taken. For the coin flip and T the
identity the estimate is 2P - 1/2; in general for two answers (P - 1/2 + gamma) / (2 gamma).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from survey.core.errors import UnanswerableQuestion
from survey.core.randomizer import Randomizer

Array = npt.NDArray[np.float64]
TOLERANCE = 1e-9  # of P @ S = T against the largest score; a target that can be met is, to 1e-14
NEWTON_STEPS = 500  # a dozen are usual
# of the mean log likelihood to its maximum: at best, where steps gain no more, and at the last
CLOSE, CLOSE_ENOUGH, NEAR_ENOUGH = 1e-14, 1e-9, 1e-6


def probabilities(randomizer: Randomizer) -> Array:
    """Pr(report y | answer x) as floats, shape (answers, reports)."""
    return np.array(randomizer.rows, dtype=np.float64) / randomizer.total


def unbiased_scores(randomizer: Randomizer, target: npt.ArrayLike) -> Array:
    """The least-variance unbiased scores.

    Parameters
    ----------
    randomizer : Randomizer with k answers and m reports
    target : array_like, shape (k, t)
        The quantity that each answer stands for; the identity for shares.

    Returns
    -------
    ndarray, shape (m, t)

    Raises
    ------
    UnanswerableQuestion
        If no S gives P @ S = T: these reports do not tell the target.

    Notes
    -----
    With w_y = sum_x P[x, y], minimise sum_y w_y S_y^2 subject to P S = T: substituting
    R = sqrt(w) S this is the minimum-norm solution of (P / sqrt(w)) R = T. The weighted
    inverse is the best linear unbiased one of Barg & Ye, "Optimal schemes for discrete
    distribution estimation under locally differential privacy", IEEE Trans. IT 64 (2018).
    """
    return scores_of_table(probabilities(randomizer), target)


def scores_of_table(table: Array, target: npt.ArrayLike) -> Array:
    """`unbiased_scores` for Pr(report y | answer x), shape (k, m)."""
    values = np.asarray(target, dtype=np.float64)
    root_mass = np.sqrt(table.sum(axis=0))
    scaled = np.linalg.lstsq(table / root_mass, values, rcond=None)[0]
    scores: Array = scaled / root_mass[:, np.newaxis]
    if np.max(np.abs(table @ scores - values)) > TOLERANCE * max(1.0, np.abs(scores).max()):
        raise UnanswerableQuestion(
            "These reports do not tell the share of each answer: the rows of the table are not "
            "independent of one another."
        )
    return scores


def score_variances(randomizer: Randomizer, target: npt.ArrayLike) -> Array:
    """Variance of one report's scores for each answer, shape (k, t): sum_y P S^2 - T^2.

    Raises UnanswerableQuestion, as `unbiased_scores`.
    """
    scores = unbiased_scores(randomizer, target)
    return probabilities(randomizer) @ scores**2 - np.asarray(target, dtype=np.float64) ** 2


def most_likely_shares(randomizer: Randomizer, counts: npt.ArrayLike) -> Array:
    """The maximum-likelihood shares: non-negative, adding up to one.

    Parameters
    ----------
    randomizer : Randomizer with k answers and m reports
    counts : array_like, shape (m,)
        How often each report came; at least one.

    Returns
    -------
    ndarray, shape (k,)

    Raises
    ------
    UnanswerableQuestion
        If the maximum is not found; not known to happen.

    Notes
    -----
    Minimises -sum_y f_y ln (pi P)_y + sum_x pi_x over pi >= 0, f the observed shares; its
    minimum adds up to one by itself. By projected Newton steps (Bertsekas, SIAM J. Control
    Optim. 20 (1982) 221). With g_x = sum_y f_y P[x, y] / (pi P)_y, max_x g_x - 1 bounds how far
    the mean log likelihood is below its maximum. Where the unbiased estimate of a square table is
    a possible one, it is the maximum already.
    """
    table = probabilities(randomizer)
    observed = np.asarray(counts, dtype=np.float64) / np.sum(counts)
    try:
        unbiased = observed @ unbiased_scores(randomizer, np.eye(len(table)))
    except UnanswerableQuestion:  # then one of several maxima is found
        unbiased = np.ones(len(table))
    if table.shape[0] == table.shape[1] and unbiased.min() >= 0:
        return np.asarray(unbiased / unbiased.sum())
    return most_likely(table, observed, unbiased)


def most_likely(table: Array, observed: Array, start: Array) -> Array:
    """The shares, non-negative and adding up to one, that make sum_y f_y ln (pi P)_y largest.

    Parameters
    ----------
    table : ndarray, shape (k, m)
        Pr(report y | answer x), or m of its columns, all that came among them.
    observed : ndarray, shape (m,)
        f, the share of each report; they add up to one.
    start : ndarray, shape (k,)
        Near to where the maximum may be; of any sign, but not all zero.

    Raises UnanswerableQuestion if the maximum is not found; `most_likely_shares` has the method,
    in which the likelihood never falls from one step to the next.
    """
    seen = observed > 0  # a report that never came has no part in the likelihood
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
        if off < CLOSE or (off < CLOSE_ENOUGH and off >= before):  # rounding ends the descent
            return np.asarray(shares / shares.sum())
        # answers next to nothing that would only fall go there, and stay out of Newton's step
        far = float(np.abs(shares - np.maximum(shares - slope, 0)).max())
        free = (shares > min(0.01, far)) | (slope < 0)
        bent = table[free] * (ratios / np.sqrt(observed))
        curvature = bent @ bent.T
        # the ridge, which fades towards the maximum, gives a direction where the table is flat
        ridge = max(far, 1e-14) * np.trace(curvature) / len(curvature) * np.eye(len(curvature))
        step = -shares
        step[free] = -np.linalg.solve(curvature + ridge, slope[free])
        stride = 1.0
        # heights that differ by rounding alone must not hold back the last steps
        limit = here + 1e-14 * max(1.0, abs(here))
        while height(np.maximum(shares + stride * step, 0)) > limit and stride > CLOSE:
            stride /= 2
        shares = np.maximum(shares + stride * step, 0)
    if off < NEAR_ENOUGH:  # as happens with a flat table and very many reports
        return np.asarray(shares / shares.sum())
    raise UnanswerableQuestion("The most likely shares were not found for these reports.")


@dataclass(frozen=True)
class SupportingReports:
    """The reports that speak for one answer, where that is all a report says about its share.

    `p` is the chance of such a report for people with the answer, `q` for everyone else, so that
    their share in all reports is P = q + (p - q) pi, and pi = (P - q) / (p - q).
    """

    reports: tuple[int, ...]
    p: Fraction
    q: Fraction

    def count(self, counts: Sequence[int]) -> int:
        return sum(counts[report] for report in self.reports)


def support_of(
    randomizer: Randomizer, scores: Array, meant: npt.NDArray[np.bool_]
) -> SupportingReports | None:
    """The support of some answers if their scores, shape (m,), take two values, else None.

    `meant`, shape (k,), says which answers they are: one, or those in which a box is ticked.
    """
    high, low = scores.max(), scores.min()
    speaks = scores > (high + low) / 2
    if np.max(np.abs(scores - np.where(speaks, high, low))) > TOLERANCE * max(1.0, high - low):
        return None
    reports = tuple(int(report) for report in np.flatnonzero(speaks))
    # scores of two values mean the same chance for all answers of either sort
    p, q = (
        Fraction(sum(row[report] for report in reports), randomizer.total)
        for row in (randomizer.rows[int(np.argmax(meant))], randomizer.rows[int(np.argmin(meant))])
    )
    return SupportingReports(reports, p, q)
