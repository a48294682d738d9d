"""The score test of independence for answers that come from one draw.

Items of a joint question, or boxes of one table, are randomised together: a report keeps the whole
combination, or replaces all of it. The reports on two items therefore depend on each other although
the answers are independent, and the permutations of `independence.py` would reject too often. This
test compares the reports with those that the most likely independent answers would give.
"""

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import numpy.typing as npt
import scipy

from survey.analysis.columns.combinations import SubsetCombinations
from survey.analysis.tables.association import FLAT, NOBODY_LISTED
from survey.analysis.tables.joint_shares import JointShares, chances_of
from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import SubsetPart
from survey.core.processor_time import require_time
from survey.core.scores import Array, most_likely
from survey.core.translate import later
from survey.estimation.share_estimates import covariance_of_bits

# Rounds of the search, each over the answers to every question.
MAX_ROUNDS = 500
# The last round changes no share by more.
CONVERGED = 1e-9
NOT_CONVERGED = later(
    "No score test is available, because the search for the most likely shares did not converge."
)
# Reports that no answers can give are left out.
IMPOSSIBLE_CHANCE = 1e-15


@dataclass(frozen=True)
class IndependentCells:
    """Cells whose listed answers are independent; the special answers are free.

    Attributes
    ----------
    shape : the number of listed answers of each question
    listed, other : ndarray of int
        The places of the cells of listed answers, and of the other possible cells.
    chances : ndarray, shape (cells, m)
        Pr(report | cell).
    """

    shape: tuple[int, ...]
    listed: npt.NDArray[np.intp]
    other: npt.NDArray[np.intp]
    chances: Array

    def along(self, axis: int, shares: list[Array]) -> Array:
        """Pr(report | answer to one question), shape (k, m), given the shares of the others."""
        table = self.chances[self.listed].reshape(*self.shape, -1)
        for place in reversed(range(len(self.shape))):
            if place != axis:
                table = np.tensordot(shares[place], table, axes=(0, place))
        return np.asarray(table)

    def fit(self, observed: Array, start: Array) -> tuple[Array, list[Array], Array]:
        """Pr(report) at the most likely cells, shape (m,), with the shares of the listed answers to
        each question, and those of all cells.

        Each step finds the most likely shares of one question and of the special answers, given the
        shares of the other questions. So the likelihood never falls.

        Raises UnanswerableQuestion if nobody gave a listed answer, or without convergence.
        """
        table = np.maximum(start[self.listed], 0).reshape(self.shape)
        axes = range(len(self.shape))
        sums = [table.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes]
        shares = [(each + FLAT) / (each + FLAT).sum() for each in sums]
        chances = np.zeros(len(observed))
        for _ in range(MAX_ROUNDS):
            require_time()
            before = chances
            for axis in axes:
                rows = np.concatenate([self.along(axis, shares), self.chances[self.other]])
                guess = np.append(shares[axis] * table.sum(), np.maximum(start[self.other], 0))
                found = most_likely(rows, observed, guess)
                chances, own = found @ rows, found[: self.shape[axis]]
                table, start = own, spread_over(start, self.other, found[self.shape[axis] :])
                if own.sum() <= FLAT:
                    raise UnanswerableQuestion(NOBODY_LISTED)
                shares[axis] = own / own.sum()
            if np.abs(chances - before).max() < CONVERGED:
                listed = reduce(np.multiply.outer, shares).reshape(-1) * own.sum()
                return chances, shares, spread_over(start, self.listed, listed)
        raise UnanswerableQuestion(NOT_CONVERGED)


def spread_over(shares: Array, places: npt.NDArray[np.intp], values: Array) -> Array:
    """The shares with these values at some places."""
    changed = shares.copy()
    changed[places] = values
    return changed


def one_draw_test(joint: JointShares) -> tuple[float, int, float]:
    """The statistic, the degrees of freedom and the p-value of mutual independence.

    It is among respondents who gave listed answers to all questions. Their special answers may
    depend on anything.

    Raises UnanswerableQuestion if the probabilities of some reports are not known, and if nobody is
    estimated to have given listed answers.

    Notes
    -----
    Let q be the probabilities of the reports at the most likely independent cells, for n reports
    with counts c. The residuals (c - n q) / sqrt(n q) are projected on the directions in which the
    cells can change q, and on those that keep independence. The statistic is the difference of the
    squared lengths (Neyman's C(α) of 1959, which is Rao's score statistic; without special answers
    it is Pearson's). It is right also where the most likely share of an answer is zero. The p-value
    is that of chi-square.

    Subsets have too many possible reports. Their residuals are therefore those of the unbiased
    shares of the cells, divided by the root of their covariance at the most likely independent
    cells.
    """
    tabled = all(factor.column.tabled for factor in joint.factors)
    subsets = subsets_of(joint)
    if not tabled or (subsets is None and not joint.sample.all_listed):
        raise UnanswerableQuestion(
            "No score test is available for these questions, which are randomised together: "
            "there is no complete table of the probabilities of their reports."
        )
    chances = chances_of(joint, joint.sample.reports)
    possible = joint.possible & chances.any(axis=1)
    cells = IndependentCells(
        tuple(column.listed for column in joint.columns),
        np.flatnonzero(joint.listed),
        np.flatnonzero(possible & ~joint.listed),
        chances,
    )
    n = joint.sample.n
    expected, shares, fitted = cells.fit(joint.sample.counts / n, joint.shares)
    if subsets is None:
        came = expected > IMPOSSIBLE_CHANCE
        root = np.sqrt(expected[came])
        residuals = (joint.sample.counts[came] / n - expected[came]) / root * np.sqrt(n)
        means = chances[:, came] / root
    else:
        whitened = whitening(covariance_of_bits(subsets, fitted))
        residuals = (joint.shares - fitted) @ whitened * np.sqrt(n)
        means = whitened - fitted @ whitened
    cells = replace(cells, chances=means)
    kept = [cells.along(axis, shares) for axis in range(len(cells.shape))]
    under = directions(np.concatenate([*kept, means[cells.other]]))
    whole = directions(means[possible])
    degrees = whole.shape[1] - under.shape[1]
    lengths = [float(((residuals @ each) ** 2).sum()) for each in (whole, under)]
    statistic = max(0.0, lengths[0] - lengths[1])
    return statistic, degrees, float(scipy.special.chdtrc(max(1, degrees), statistic))


def subsets_of(joint: JointShares) -> SubsetPart | None:
    """The randomizer of the cells if all their reports are subsets of one draw."""
    whole = joint.factors[0].column.combinations
    if len(joint.factors) > 1 or not isinstance(whole, SubsetCombinations):
        return None
    return whole.part(whole.sorts, len(joint.shares))


def whitening(covariance: Array) -> Array:
    """A matrix W of full column rank for which W' covariance W is the identity."""
    values, vectors = np.linalg.eigh(covariance)
    free = values > FLAT * values.max(initial=0.0)
    return np.asarray(vectors[:, free] / np.sqrt(values[free]))


def directions(rows: Array) -> Array:
    """An orthonormal basis of the space that the rows span, shape (m, rank)."""
    values, basis = np.linalg.svd(rows, full_matrices=False)[1:]
    return np.asarray(basis[values > np.sqrt(FLAT) * values.max(initial=0.0)].T)
