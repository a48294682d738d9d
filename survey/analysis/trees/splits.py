"""Decide whether splitting a branch of a tree by a question gains more than noise."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from survey.analysis.columns.sample_means import Sample
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import p_words
from survey.core.scores import Array
from survey.core.translate import translate
from survey.estimation.share_estimates import nearest_shares

# The fewest estimated respondents with an answer, in a branch, for a test.
MIN_TESTED_PEOPLE = 10
# The answer's share must be this many standard errors above zero.
MIN_STANDARD_ERRORS = 2.0


@dataclass(frozen=True, kw_only=True)
class BranchSplit:
    """The question that splits a branch.

    Attributes
    ----------
    gain : float
        Information gain in bits, of the possible shares nearest to the estimated ones.
    noise : float
        The expected gain, in bits, if the question is independent of the target in this branch.
    p : float
        The p-value of that hypothesis for this question alone.
    cut : float, optional
        For a number, the largest value of the first branch.
    tried : int
        The number of splits that were tested in this branch.
    """

    column: AnalysisColumn
    gain: float
    noise: float
    p: float
    cut: float | None = None
    tried: int = 1

    @property
    def adjusted_p(self) -> float:
        """p with Bonferroni's correction, which decides whether the branch is split."""
        return min(1.0, self.tried * self.p)


def split_p_text(split: BranchSplit) -> str:
    """The p-value that decides, within a sentence."""
    p = p_words(split.adjusted_p)
    if split.tried == 1:
        return p
    return translate("%(p)s with Bonferroni’s correction", p=p)


def find_split(
    column: AnalysisColumn, sample: Sample, groups: Array, scores: Array
) -> BranchSplit | None:
    """The split of a branch by a question, with its gain, its p-value, and the gain from noise.

    Parameters
    ----------
    sample : the responses of a branch
    groups : ndarray, shape (m, a)
        The score of each combination of reports for the question's answers.
    scores : ndarray, shape (m, k)
        The same for the target's listed answers, and for being in the branch.

    Returns
    -------
    BranchSplit, or None if fewer than two answers of either question clearly occur.

    Notes
    -----
    In the branch, theta_aj is the estimated share of the question's answer a and the target's
    answer j. Let d = theta_aj - theta_a theta_j, and V its covariance about zero. To second order,
    the gain is sum d^2 / (theta_a theta_j) / (2 ln 2). If the question is independent of the
    target, it is a sum of chi-squares. Their weights are the eigenvalues of D V,
    D = diag(1 / (theta_a theta_j)). The tail used is that of a multiple of one chi-square with the
    same mean and variance (Rao & Scott, Ann. Stat. 12 (1984) 46). V is about zero, the value of d
    under the hypothesis: two questions with the same answers have no variance about the estimate.
    """
    products = groups[:, :, np.newaxis] * scores[:, np.newaxis, :]
    rows = which_answers_occur(sample, products.sum(axis=2))
    columns = which_answers_occur(sample, products.sum(axis=1))
    if rows.sum() < 2 or columns.sum() < 2:
        return None
    products = products[:, rows][:, :, columns]
    shape = products.shape[1:]
    cells = products.reshape(len(products), -1)
    total = sample.mean(cells)
    here = float(total.sum())
    if here <= 0:
        return None
    joint = total / here
    influence = (cells - cells.sum(axis=1, keepdims=True) * joint) / here
    of_row, of_column = joint.reshape(shape).sum(axis=1), joint.reshape(shape).sum(axis=0)
    if of_row.min() <= 0 or of_column.min() <= 0:
        return None
    expected = np.outer(of_row, of_column).reshape(-1)
    drift = influence_on_deviations(influence.reshape(-1, *shape), of_row, of_column)
    covariance = sample.covariance(drift / np.sqrt(expected))
    deviations = (joint - expected) / np.sqrt(expected)
    covariance = covariance + np.outer(deviations, deviations) / sample.degrees
    apart = float((deviations**2).sum())
    first, second = float(np.trace(covariance)), float((covariance**2).sum())
    # Nothing varies, for example because everyone gave one answer.
    if second <= 0:
        return None
    p = float(scipy.special.chdtrc(first**2 / second, apart * first / second))
    noise = first / (2 * math.log(2))
    return BranchSplit(column=column, gain=information_gain(joint.reshape(shape)), noise=noise, p=p)


def influence_on_deviations(table: Array, of_row: Array, of_column: Array) -> Array:
    """The influence of each combination of reports on the cells' deviations from independence.

    It is computed from the influence on the cells, shape (m, a, k).
    """
    rows = table.sum(axis=2, keepdims=True) * of_column
    columns = table.sum(axis=1, keepdims=True) * of_row[:, np.newaxis]
    deviations: Array = (table - rows - columns).reshape(len(table), -1)
    return deviations


def which_answers_occur(sample: Sample, scores: Array) -> npt.NDArray[np.bool_]:
    """Which answers clearly occur, as booleans of shape (answers,).

    Their share is clearly above zero, and at least MIN_TESTED_PEOPLE people gave them.
    """
    means = sample.mean(scores)
    covariance = sample.covariance(scores - means)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0))
    return np.asarray(
        (means > MIN_STANDARD_ERRORS * errors) & (means * sample.n >= MIN_TESTED_PEOPLE)
    )


def entropy(shares: Array) -> float:
    """-sum p log2 p, in bits."""
    there = shares[shares > 0]
    return float(-(there * np.log2(there)).sum())


def information_gain(joint: Array) -> float:
    """H(target) + H(predictor) - H(both), in bits, of the possible shares nearest to `joint`.

    This is ID3's H(S) - sum |S_a| / |S| H(S_a).
    """
    possible = nearest_shares(joint.reshape(-1)).reshape(joint.shape)
    rows, columns = possible.sum(axis=1), possible.sum(axis=0)
    return entropy(rows) + entropy(columns) - entropy(possible.reshape(-1))
