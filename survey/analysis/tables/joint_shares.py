"""Joint shares of the answers to two or three questions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from survey.analysis.columns.answer_scores import coherent, require_shares
from survey.analysis.columns.combinations import SAME
from survey.analysis.columns.conditions import possible_cells
from survey.analysis.columns.factors import Factor, factors_of
from survey.analysis.columns.sample_means import Sample, complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array, most_likely

# A larger table would not be readable.
MAX_TABLE_CELLS = 400
# The limit of numbers in memory, 320 MB.
MAX_HELD_SCORES = 40_000_000
# The tolerance for rounding in the sum of the probabilities of all reports.
CHANCE_SUM_TOLERANCE = 1e-9
# The same limit for the maximum-likelihood shares.
MAX_LIKELIHOOD_TERMS = 10_000_000
# Relative to the largest eigenvalue of a covariance. A smaller eigenvalue counts as zero.
SINGULAR = 1e-10
# A smaller variance consists of rounding errors.
NEGLIGIBLE_VARIANCE = 1e-25
# A larger share of impossible answers is more than rounding, if it has no variance.
MAX_FIXED_SHARE = 1e-9
# The p value below which the reports contradict the survey's conditions.
CONTRADICTION = 1e-6


@dataclass(frozen=True, kw_only=True)
class JointShares:
    """Estimated shares of all combinations of answers, including special answers.

    The cells are in row-major order: the last column's answer changes first.

    Attributes
    ----------
    columns : two or three columns
    factors : one for each draw
    sample : the responses that report on all of them, by the factors' codes
    scores : ndarray, shape (m, cells)
        The score of each combination of reports for each cell.
    shares : ndarray, shape (cells,)
        They add up to one. Without impossible cells they are unbiased.
    covariance : ndarray, shape (cells, cells)
    possible : ndarray of bool, shape (cells,)
        False for the cells that the survey's conditions exclude. Their shares are zero.
    contradicted : bool
        Whether the reports contradict the survey's conditions. Then all cells count as possible.
    """

    columns: tuple[AnalysisColumn, ...]
    factors: tuple[Factor, ...]
    sample: Sample
    scores: Array
    shares: Array
    covariance: Array
    possible: npt.NDArray[np.bool_]
    contradicted: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(column.answers) for column in self.columns)

    @property
    def listed(self) -> npt.NDArray[np.bool_]:
        """Which cells consist of listed answers only, shape (cells,)."""
        there = np.ones(self.shape, dtype=bool)
        for axis, column in enumerate(self.columns):
            kept = np.arange(len(column.answers)) < column.listed
            there &= kept.reshape([-1 if other == axis else 1 for other in range(there.ndim)])
        return there.reshape(-1)

    @property
    def without_special_answers(self) -> bool:
        return all(column.special_answers == 0 for column in self.columns)


def cell_count(columns: Sequence[AnalysisColumn]) -> int:
    """The number of cells of a table. Raises UnanswerableQuestion if there are too many."""
    cells = math.prod(len(column.answers) for column in columns)
    if cells > MAX_TABLE_CELLS:
        sizes = " × ".join(str(len(column.answers)) for column in columns)
        raise UnanswerableQuestion(
            "%(sizes)s answers make %(cells)s cells, more than %(maximum)s. Choose a question "
            "with fewer answers.",
            sizes=sizes,
            cells=cells,
            maximum=MAX_TABLE_CELLS,
        )
    return cells


def joint_shares(
    columns: Sequence[AnalysisColumn], design: SurveyDesign | None = None
) -> JointShares:
    """Joint shares by products of scores.

    Parameters
    ----------
    columns : two or three columns of the same responses
    design : weights, strata and clusters

    Raises
    ------
    UnanswerableQuestion
        If a question determines only its mean, if there would be too many cells, and as
        `complete_case_sample`.

    Notes
    -----
    Given the answers, the reports on different questions are independent. E[S_a S_b | answers i, j]
    is therefore one for their cell and zero elsewhere. The mean of the products is unbiased for any
    relation between the answers. Boxes of one table of combinations are one factor of that product,
    with the scores of the table for both (survey/analysis/columns/factors.py).

    Scores of bits add up to one only on average. Each is first shifted by (1 - their sum) / k. They
    stay unbiased, and the shares add up to one.
    """
    if len(columns) not in (2, 3):
        raise UnanswerableQuestion("Choose two or three questions for a cross-tabulation.")
    for column in columns:
        require_shares(column)
    cells = cell_count(columns)
    factors = factors_of(columns)
    sample = complete_case_sample([factor.column for factor in factors], design, finite=True)
    if len(sample.reports) * cells > MAX_HELD_SCORES:
        raise UnanswerableQuestion(
            "This table has %(reports)s combinations of reports for %(cells)s cells, which "
            "is too many. Choose a question with fewer answers.",
            reports=len(sample.reports),
            cells=cells,
        )
    parts = [
        coherent(factor.column)[sample.reports[:, place]] for place, factor in enumerate(factors)
    ]
    scores = multiply_factors(parts, factors, tuple(len(column.answers) for column in columns))
    joint = shares_from_scores(columns, factors, sample, scores, np.ones(cells, dtype=bool))
    return with_conditions_used(joint, possible_cells(columns))


def shares_from_scores(
    columns: Sequence[AnalysisColumn],
    factors: tuple[Factor, ...],
    sample: Sample,
    scores: Array,
    possible: npt.NDArray[np.bool_],
) -> JointShares:
    """The joint shares from the scores of each combination of reports."""
    shares = sample.mean(scores)
    covariance = sample.covariance(scores - shares)
    return JointShares(
        columns=tuple(columns),
        factors=factors,
        sample=sample,
        scores=scores,
        shares=shares,
        covariance=covariance,
        possible=possible,
    )


def with_conditions_used(joint: JointShares, possible: npt.NDArray[np.bool_]) -> JointShares:
    """The shares with zeros for the cells that the survey's conditions exclude."""
    if possible.all():
        return joint
    scores, largest = np.where(possible, joint.scores, 0.0), np.abs(joint.scores).max()
    if np.abs(joint.scores - scores).max() <= SAME * largest:
        # The table of a joint question has no impossible combinations. Their scores are rounding
        # errors, which explain nothing of the others.
        return shares_from_scores(joint.columns, joint.factors, joint.sample, scores, possible)
    spread = joint.covariance[np.ix_(~possible, ~possible)]
    if contradict(joint.shares[~possible], spread) or excluded_report(joint, possible):
        return replace(joint, contradicted=True)
    scores = without_impossible_cells(joint.scores, joint.sample, possible)
    return shares_from_scores(joint.columns, joint.factors, joint.sample, scores, possible)


def contradict(shares: Array, covariance: Array) -> bool:
    """Whether shares that should be zero are not, by a chi-squared test.

    It finds data that were not collected with these conditions. For data that were, it is wrong in
    one of a million tables.
    """
    values, directions = np.linalg.eigh(covariance)
    free = values > max(NEGLIGIBLE_VARIANCE, SINGULAR * values.max(initial=0.0))
    fixed = directions[:, ~free].T @ shares
    if np.abs(fixed).max(initial=0.0) > MAX_FIXED_SHARE:
        return True
    statistic = float(((directions[:, free].T @ shares) ** 2 / values[free]).sum())
    return bool(free.any()) and float(scipy.special.chdtrc(free.sum(), statistic)) < CONTRADICTION


def excluded_report(joint: JointShares, possible: npt.NDArray[np.bool_]) -> bool:
    """Whether a combination of reports occurs that no possible answers can give.

    Non-private answers show it for certain.
    """
    if not all(factor.column.tabled for factor in joint.factors):
        return False
    came = joint.sample.reports[joint.sample.shares > 0]
    return bool((chances_of(joint, came)[possible].sum(axis=0) <= 0).any())


def without_impossible_cells(
    scores: Array, sample: Sample, possible: npt.NDArray[np.bool_]
) -> Array:
    """The scores with zeros for impossible cells, shape (m, cells).

    Notes
    -----
    The scores of impossible cells are zero on average. What they explain of the other scores, by
    least squares, is therefore only noise. This is the generalised least squares estimate of the
    shares under the restriction (Aitken, Proc. R. Soc. Edinb. 55 (1936) 42), with the covariance of
    the scores among the responses.
    """
    centred = scores - sample.mean(scores)
    spread = (centred.T * sample.shares) @ centred
    known = np.linalg.pinv(spread[np.ix_(~possible, ~possible)], rcond=SINGULAR, hermitian=True)
    better = scores - scores[:, ~possible] @ known @ spread[~possible]
    better[:, ~possible] = 0
    return np.asarray(better)


def multiply_factors(
    parts: Sequence[Array], factors: Sequence[Factor], shape: tuple[int, ...]
) -> Array:
    """Products of the factors' scores or probabilities, shape (m, cells).

    Parameters
    ----------
    parts : for each factor, shape (m, its answers)
    shape : the number of answers of each column
    """
    products = np.ones((len(parts[0]), 1))
    for part in parts:
        products = (products[:, :, np.newaxis] * part[:, np.newaxis, :]).reshape(len(products), -1)
    axes = [axis for factor in factors for axis in factor.axes]
    apart = products.reshape(-1, *(shape[axis] for axis in axes))
    in_order = apart.transpose(0, *(1 + axes.index(axis) for axis in range(len(shape))))
    return np.asarray(in_order.reshape(len(products), -1))


def likeliest(joint: JointShares) -> Array:
    """The maximum-likelihood joint shares, shape (cells,).

    They are within [0, 1], add up to one, and are biased near the ends. With weights, each response
    counts with its weight.

    Raises
    ------
    UnanswerableQuestion
        If a question has no table, or there are too many reports and cells.

    Notes
    -----
    It maximises sum_y f_y ln sum_ij pi_ij A_i,y B_j,y with survey/core/scores.py. The projected
    Newton steps begin at the unbiased shares, and no step reduces the likelihood. They end when a
    bound shows that the likelihood is within 1e-14 of its maximum, or at worst 1e-6. The likelihood
    has no other maximum.
    """
    for factor in joint.factors:
        if not factor.column.tabled:
            raise UnanswerableQuestion(
                "There are no transition probabilities for %(question)s.",
                question=factor.column.name,
            )
    came = joint.sample.shares > 0
    if int(came.sum()) * len(joint.shares) > MAX_LIKELIHOOD_TERMS:
        raise UnanswerableQuestion(
            "There are too many different reports to calculate the likelihood."
        )
    if (joint.shares >= 0).all() and joint.possible.all() and is_saturated(joint):
        return np.asarray(joint.shares / joint.shares.sum())
    chances = chances_of(joint, joint.sample.reports[came])[joint.possible]
    shares = np.zeros(len(joint.shares))
    shares[joint.possible] = most_likely(
        chances, joint.sample.shares[came], joint.shares[joint.possible]
    )
    return shares


def is_saturated(joint: JointShares) -> bool:
    """Whether there are as many reports as answers, so that possible unbiased shares fit best.

    For reports of bits, the column has only the reports that occur. Their number may equal that of
    the answers by chance, so the sums of the probabilities are checked too.
    """
    tables = [factor.column.chances for factor in joint.factors]
    return all(
        table.shape[0] == table.shape[1]
        and bool(np.abs(table.sum(axis=1) - 1).max() < CHANCE_SUM_TOLERANCE)
        for table in tables
    )


def chances_of(joint: JointShares, reports: npt.NDArray[np.int64]) -> Array:
    """Pr(combination of reports | cell), shape (cells, m), for reports of shape (m, factors)."""
    parts = [
        factor.column.chances[:, reports[:, place]].T for place, factor in enumerate(joint.factors)
    ]
    return multiply_factors(parts, joint.factors, joint.shape).T
