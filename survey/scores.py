"""Scores: what each report is worth, so that the mean of the scores is the estimate.

For any table P (answers x reports) and target T (answers x quantities), scores S with
P @ S = T make the mean of the reports' scores an unbiased estimate of the target. Among all such
S the one with least variance under equally common answers is taken. For the coin flip and T the
identity the estimate is 2P - 1/2; in general for two answers (P - 1/2 + gamma) / (2 gamma).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .errors import UnanswerableQuestion
from .randomizer import Randomizer

Array = npt.NDArray[np.float64]
TOLERANCE = 1e-9  # of P @ S = T; a target that the table can give is met to about 1e-14


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
    table = probabilities(randomizer)
    values = np.asarray(target, dtype=np.float64)
    root_mass = np.sqrt(table.sum(axis=0))
    scaled = np.linalg.lstsq(table / root_mass, values, rcond=None)[0]
    scores: Array = scaled / root_mass[:, np.newaxis]
    if np.max(np.abs(table @ scores - values)) > TOLERANCE:
        raise UnanswerableQuestion(
            "These reports do not tell the share of each answer: the rows of the table are not "
            "independent of one another."
        )
    return scores


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

    Notes
    -----
    Expectation maximisation, pi_x <- pi_x g_x with g_x = sum_y f_y P[x, y] / (pi P)_y and f the
    observed shares. The likelihood is concave, and max_x g_x - 1 bounds how far the mean log
    likelihood is below its maximum: iteration ends when that is under 1e-12. Where the unbiased
    estimate of a square table lies inside the simplex it is the maximum already.
    """
    table = probabilities(randomizer)
    observed = np.asarray(counts, dtype=np.float64) / np.sum(counts)
    answers = len(table)
    shares = np.full(answers, 1 / answers)
    unbiased = observed @ unbiased_scores(randomizer, np.eye(answers))
    if table.shape[0] == table.shape[1] and unbiased.min() >= 0:
        return np.asarray(unbiased / unbiased.sum())
    # a start near the estimate, with every share positive: EM never leaves a zero
    start = np.maximum(unbiased, 1e-3)
    shares = start / start.sum()
    for _ in range(100_000):
        gain = table @ np.divide(observed, shares @ table)
        if gain.max() - 1 < 1e-12:
            break
        shares = shares * gain
    return np.asarray(shares / shares.sum())


@dataclass(frozen=True)
class Support:
    """The reports that speak for one answer, where that is all a report says about its share.

    `p` is the chance of such a report for people with the answer, `q` for everyone else, so that
    their share in all reports is P = q + (p - q) pi, and pi = (P - q) / (p - q).
    """

    reports: tuple[int, ...]
    p: float
    q: float

    def count(self, counts: Sequence[int]) -> int:
        return sum(counts[report] for report in self.reports)


def support_of(randomizer: Randomizer, scores: Array, answer: int) -> Support | None:
    """The support of an answer if its scores, shape (m,), take two values, else None."""
    high, low = scores.max(), scores.min()
    speaks = scores > (high + low) / 2
    if np.max(np.abs(scores - np.where(speaks, high, low))) > TOLERANCE:
        return None
    # from the integers, so that the chances carry no error of the solver
    reports = tuple(int(report) for report in np.flatnonzero(speaks))
    chances = [sum(row[report] for report in reports) / randomizer.total for row in randomizer.rows]
    return Support(reports, p=chances[answer], q=chances[answer - 1])
