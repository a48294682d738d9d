"""The odds ratio of a table of two by two, with a score or Student interval."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from survey.analysis.groups.figures import EMPTY_SHARE, IntervalEstimate
from survey.analysis.tables.joint_shares import (
    CHANCE_SUM_TOLERANCE,
    MAX_LIKELIHOOD_TERMS,
    JointShares,
    chances_of,
)
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.estimation.mean_intervals import student_quantile

LOG_SCALE = "Student, on the log scale"
SCORE_TEST = "score test, Student"
# The signs of the logarithms of the cells in that of the odds ratio.
SIGNS = np.array([1.0, -1.0, -1.0, 1.0])
# Logarithms of odds ratios at which the score test is computed. Ratios beyond count as 0 and ∞.
LOG_RATIOS = np.linspace(-25, 25, 201)
# A row or column counts as at least this part of the four cells, so that no odds are 0 / 0.
MIN_PART = 1e-9
Places = npt.NDArray[np.intp]


def odds_ratio(
    joint: JointShares, four: Places, chances: Array | None, level: float
) -> IntervalEstimate:
    """The odds ratio ad / bc of four cells.

    It is 0 or infinite, without a standard error (NaN), if a cell is estimated at zero or less.

    Parameters
    ----------
    four : the places of the cells, in row-major order
    chances : the `known_chances`, shape (cells, m), or None

    Raises UnanswerableQuestion if cells that are estimated at zero or less make both ad and bc
    zero. Without `chances`, one such cell is enough.

    Notes
    -----
    The interval is that of `ScoreTest`, or else symmetric on the log scale with Student's quantile.
    The latter is too long if a cell can hardly be distinguished from zero.
    """
    cells = joint.shares[four]
    there = np.where(cells > EMPTY_SHARE, cells, 0.0)
    above, below = float(there[0] * there[3]), float(there[1] * there[2])
    too_few = above == below == 0 or cells.sum() <= EMPTY_SHARE
    if too_few or (chances is None and not there.all()):
        raise UnanswerableQuestion(
            "Too many of the four cells are estimated at zero or less, so there is no odds ratio."
        )
    value = above / below if below > 0 else math.inf
    error = log_error(joint, four) if there.all() else math.nan
    if chances is not None:
        low, high = ScoreTest.of_cells(joint, four, chances).ends(value, level)
        return IntervalEstimate(
            value=value, standard_error=value * error, low=low, high=high, method=SCORE_TEST
        )
    times = math.exp(min(student_quantile(joint.sample.student_degrees, level) * error, 700.0))
    return IntervalEstimate(
        value=value,
        standard_error=value * error,
        low=value / times,
        high=value * times,
        method=LOG_SCALE,
    )


def known_chances(joint: JointShares) -> Array | None:
    """Pr(report | cell) of all possible reports, shape (cells, m).

    It is None with weights, strata or clusters, if some reports or probabilities are not known, or
    if there are too many.
    """
    tabled = all(factor.column.tabled for factor in joint.factors)
    if not (tabled and joint.sample.simple and joint.scores.size <= MAX_LIKELIHOOD_TERMS):
        return None
    chances = chances_of(joint, joint.sample.reports)
    # Some reports may not be listed, and some respondents may have another randomizer.
    is_complete = np.abs(chances.sum(axis=1) - 1).max() < CHANCE_SUM_TOLERANCE
    return chances if is_complete else None


def log_error(joint: JointShares, four: Places) -> float:
    """The standard error of the logarithm of an odds ratio whose cells are above zero.

    The variance is g' V g with g = (1/a, -1/b, -1/c, 1/d). For non-private questions it is Woolf's
    1/n11 + 1/n12 + 1/n21 + 1/n22, times n / (n - 1) (Woolf, Ann. Hum. Genet. 19 (1955) 251).
    """
    gradient = SIGNS / joint.shares[four]
    spread = joint.covariance[np.ix_(four, four)]
    return math.sqrt(max(0.0, float(gradient @ spread @ gradient)))


@dataclass(frozen=True, kw_only=True)
class ScoreTest:
    """The score test of each odds ratio of four cells, for n responses.

    Attributes
    ----------
    cells : ndarray, shape (4,)
        The unbiased shares of the four cells.
    moments : ndarray, shape (4, 4, 4)
        E[S S' | cell] for each of the four cells, with the scores S of a report for the four.
    others : float
        The sum of the shares of all other cells, with negative shares as zero.
    other_moments : ndarray, shape (4, 4)
        The sum of these shares times E[S S' | cell].
    n, degrees : int

    Notes
    -----
    An odds ratio θ with the estimated totals of rows and columns, limited to possible ones, gives
    the cells π(θ). Let g be (1/a, -1/b, -1/c, 1/d) at these cells. If θ is the true ratio, the mean
    of g'S is zero up to terms of second order in the errors of the totals. The statistic is the
    root of n times that mean, divided by its standard deviation at π(θ). This is Neyman's C(α) of
    1959. For non-private questions it is Pearson's for the expected counts with this odds ratio
    (Cornfield, Proc. 3rd Berkeley Symp. 4 (1956) 135). Near an empty row it is Fieller's for the
    odds of the row. It is therefore right also if cells cannot be distinguished from zero.
    """

    cells: Array
    moments: Array
    others: float
    other_moments: Array
    n: int
    degrees: int

    @classmethod
    def of_cells(cls, joint: JointShares, four: Places, chances: Array) -> "ScoreTest":
        """The test of four cells, with Pr(report | cell) of all reports, shape (cells, m)."""
        scores, others = joint.scores[:, four], np.maximum(joint.shares, 0)
        others[four] = 0

        def second_moments(weights: Array) -> Array:
            return np.asarray((scores.T * weights) @ scores)

        return cls(
            cells=joint.shares[four],
            moments=np.array([second_moments(each) for each in chances[four]]),
            others=float(others.sum()),
            other_moments=second_moments(others @ chances),
            n=joint.sample.n,
            degrees=joint.sample.student_degrees,
        )

    def statistics(self, log_ratios: Array) -> Array:
        """The statistic for each logarithm, which is above zero if the estimate is larger."""
        total = float(self.cells.sum())
        row, column = np.clip(
            [self.cells[:2].sum() / total, self.cells[::2].sum() / total], MIN_PART, 1 - MIN_PART
        )
        expected = total * cells_with_ratio(row, column, log_ratios)
        gradients = SIGNS / expected
        gradients /= np.abs(gradients).max(axis=1, keepdims=True)
        moments = self.other_moments + np.tensordot(expected, self.moments, axes=1)
        variances = np.einsum("ti,tij,tj->t", gradients, moments, gradients)
        roots = np.sqrt(self.n * (total + self.others) / variances)
        return np.asarray(roots * (gradients @ self.cells))

    def ends(self, value: float, level: float) -> tuple[float, float]:
        """The lowest and the highest ratio that is not rejected, and not beyond `value`.

        If all are rejected, the estimate is outside the possible range. As for shares, the far end
        is then as far from the nearest possible ratio as it would be from the estimate.
        """
        own = [math.log(value)] if 0 < value < math.inf else []
        logs = np.sort(np.append(LOG_RATIOS, own))
        sizes = np.abs(self.statistics(logs))
        limit = student_quantile(self.degrees, level)
        if sizes.min() > limit:
            limit += float(sizes.min())

        def end(inside: int, outside: int, beyond: float) -> float:
            if not 0 <= outside < len(logs):
                return beyond
            log = scipy.optimize.brentq(
                lambda log: abs(float(self.statistics(np.array([log]))[0])) - limit,
                logs[outside],
                logs[inside],
            )
            return math.exp(log)

        kept = np.flatnonzero(sizes <= limit)
        first, last = int(kept[0]), int(kept[-1])
        return min(end(first, first - 1, 0.0), value), max(end(last, last + 1, math.inf), value)


def cells_with_ratio(row: float, column: float, log_ratios: Array) -> Array:
    """The four cells with sum one, shape (t, 4), with totals of the first row and column.

    The first cell is the root of Plackett (JASA 60 (1965) 516), in a form without differences.
    """
    larger = log_ratios >= 0
    ratio = np.exp(np.abs(log_ratios))
    # For ratios below one, the columns are exchanged.
    first = np.where(larger, column, 1 - column)
    more = ratio - 1
    root = np.sqrt((1 + more * (row - first)) ** 2 + 4 * more * first * (1 - row))
    a = 2 * ratio * row * first / (1 + more * (row + first) + root)
    b = 2 * row * (1 - first) / (1 + more * (first - row) + root)
    c = 2 * (1 - row) * first / (1 + more * (row - first) + root)
    d = 2 * ratio * (1 - row) * (1 - first) / (1 + more * (2 - row - first) + root)
    return np.where(larger, [a, b, c, d], [b, a, d, c]).T
