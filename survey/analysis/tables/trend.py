"""The test of independence that looks for a trend: one answer rises or falls with the other.

It finds trends more often than the score test, whose degrees of freedom are for every relation. It
is no test of zero correlation: answers can be dependent without one.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from survey.analysis.columns.variables import AnalysisColumn, Codes
from survey.analysis.permutations import MAX_PERMUTED, permutation_p_values, sorted_responses
from survey.analysis.tables.association import TREND, Test, independence
from survey.analysis.tables.joint_shares import JointShares
from survey.core.scores import Array, most_likely

# With as few reports on both questions, the score test is the same.
TWO_REPORTS = 2
# Relative to the square of the largest value. A smaller variance consists of rounding errors.
NEGLIGIBLE = 1e-18


def trend_test(joint: JointShares) -> Test | None:
    """Test independence of two questions, whose answers are numbers, against a trend.

    It is None where it does not apply: with weights, strata or clusters, special answers,
    conditions, three questions, answers without an order, or a question asked in different ways.

    Notes
    -----
    With a trend, the share of the answers i and j is proportional to p_i q_j exp(θ x_i y_j), where
    x and y are their values. For θ = 0, the efficient score of two reports is (E[x | report] -
    E[x]) (E[y | report] - E[y]). The expected answers are those at the maximum-likelihood shares of
    each question. The statistic is n times the squared correlation of these expected answers, and
    the p-value that of permutations. For non-private questions it is the linear-by-linear
    association test (Agresti, "Categorical Data Analysis" (2013), ch. 3.4).
    """
    if not joint.sample.simple or not joint.without_special_answers or not joint.possible.all():
        return None
    if len(joint.columns) != 2 or len(joint.factors) != 2:
        return None
    orders = sorted_responses(*(joint.sample.reports[joint.sample.codes, i] for i in (0, 1)))
    if all(len(np.unique(codes)) <= TWO_REPORTS for codes in orders):
        return None
    first, second = (expected_answers(joint, place, orders[place]) for place in (0, 1))
    if first is None or second is None:
        return None
    statistic = float((first @ second) ** 2 / len(first))
    p = float(scipy.special.chdtrc(1, statistic))
    if len(first) <= MAX_PERMUTED:
        places = np.arange(len(first))

        def of_orders(orders: Codes, _: Sequence[int]) -> Array:
            return ((second[orders] @ first) ** 2 / len(first))[:, np.newaxis]

        (p,) = permutation_p_values(places, [statistic], of_orders, 2 * len(first))
    return Test(name=TREND, hypothesis=independence(joint), statistic=statistic, degrees=1, p=p)


def values_of(column: AnalysisColumn) -> Array | None:
    """The numbers of the answers; 0 and 1 for two answers; None if they have no order."""
    if column.values is not None:
        return column.values
    return np.arange(2.0) if column.listed == 2 else None


def expected_answers(joint: JointShares, place: int, codes: Codes) -> Array | None:
    """The expected answer of each report at the most likely shares, standardised; shape (n,).

    It is None if there is no table, or if the expected answers do not vary.
    """
    column = joint.columns[place]
    values = values_of(column)
    if values is None or not column.tabled or column.designs.size:
        return None
    tally = np.bincount(codes, minlength=column.chances.shape[1]) / len(codes)
    k = len(values)
    shares = most_likely(column.chances, tally, np.full(k, 1 / k))
    chances = shares @ column.chances
    means = (shares * values) @ column.chances / np.where(chances > 0, chances, np.inf)
    off = means[codes] - tally @ means
    variance = float(off @ off) / len(off)
    is_rounding = variance <= NEGLIGIBLE * max(1.0, float((values**2).max()))
    return None if is_rounding else off / np.sqrt(variance)
