"""The test of no correlation, from the covariance of the scores.

The standard error of a correlation depends on the variances of the answers, which are poorly known
for private questions. Under the hypothesis of no correlation, they do not matter.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from survey.analysis.columns.answer_scores import scores_for
from survey.analysis.columns.sample_means import Sample
from survey.analysis.columns.variables import Codes
from survey.analysis.groups.measures import Measure
from survey.analysis.permutations import permutation_p_values, sorted_responses
from survey.analysis.tables.independence import two_by_two_p
from survey.core.scores import Array

# Relative to the largest product. A smaller second moment consists of rounding errors.
NEGLIGIBLE = 1e-20
# Relative to the squared range. A smaller variance is zero.
NEGLIGIBLE_PART = 1e-12
# Scores that agree to these decimals are equal.
DECIMALS = 9
# Permutations take time in proportion to the responses. With more, the normal distribution is
# exact enough.
MAX_RESPONSES = 1_000


def covariance_p_value(measures: tuple[Measure, Measure], sample: Sample) -> float | None:
    """The two-sided p-value for no correlation, without weights, strata and clusters.

    It is None if nothing varies.

    Notes
    -----
    A deviation is score - mean x score of a listed answer. Let U be the mean product of the
    deviations of both questions, and M the mean of its square. The statistic is n U² / M, and the
    p-value that of permutations, or `two_by_two_p` for two scores each. With more than
    MAX_RESPONSES, it is that of chi-square.

    Without a positive estimate of both variances, there is no correlation. With special answers,
    this depends on the order of the responses, so only orders with a correlation count. Otherwise,
    up to 17 % of the p-values that pages show would be below 0.05 without any correlation.
    """
    codes = sorted_responses(*(sample.reports[sample.codes, place] for place in (0, 1)))
    first, second = (
        np.column_stack(
            [measure.scores, measure.among, scores_for(measure.column, measure.of_answer**2)]
        )[each]
        for each, measure in zip(codes, measures, strict=True)
    )
    n = sample.n
    (observed,) = correlation_statistics(first, second, np.arange(n)[np.newaxis])
    if observed <= 0 and not varies(first, second):
        return None
    parts = [
        np.unique(each[:, :2].round(DECIMALS), axis=0, return_inverse=True)
        for each in (first, second)
    ]
    if all(len(values) == 2 and np.ptp(values[:, 1]) == 0 for values, _ in parts):
        return two_by_two_p(*(inverse.reshape(-1) for _, inverse in parts))
    if n > MAX_RESPONSES:
        return float(scipy.special.chdtrc(1, observed))

    def of_orders(orders: Codes, places: Sequence[int]) -> Array:
        found = correlation_statistics(first, second, orders)
        if special_answers(first, second):
            known = variances_in(first, second, orders) > [[least_variance(m)] for m in measures]
            found = np.where(known.all(axis=0), found, np.nan)
        return found[:, np.newaxis]

    (p,) = permutation_p_values(np.arange(n), [float(observed)], of_orders, 2 * n)
    return p


def varies(first: Array, second: Array) -> bool:
    """Whether the scores of both questions take more than one value."""
    return all(float(np.ptp(part, axis=0).max()) > 0 for part in (first, second))


def special_answers(first: Array, second: Array) -> bool:
    """Whether the score of a listed answer differs between responses."""
    return bool(max(np.ptp(first[:, 1]), np.ptp(second[:, 1])) >= 10**-DECIMALS)


def least_variance(measure: Measure) -> float:
    """A correlation needs a variance above this, without subtracting that of random rounding."""
    width = measure.high - measure.low
    return measure.column.rounding + NEGLIGIBLE_PART * max(1.0, width**2)


def variances_in(first: Array, second: Array, orders: Codes) -> Array:
    """The variances of both questions in orders of the second one, shape (2, t).

    They are among those who give listed answers to both; NaN if nobody is estimated to do so.
    """
    s, a, s_squared = first.T
    t, b, t_squared = second.T
    listed = b[orders]
    both = listed @ a
    both = np.where(both > 0, both, np.nan)
    return np.array(
        [
            (listed @ s_squared) / both - ((listed @ s) / both) ** 2,
            (t_squared[orders] @ a) / both - ((t[orders] @ a) / both) ** 2,
        ]
    )


def correlation_statistics(first: Array, second: Array, orders: Codes) -> Array:
    """n U² / M for orders of the responses to the second question, shape (t,).

    The scores of a response, shape (n, 3), are for its quantity, a listed answer, and the square.
    """
    s, a, _ = first.T
    t, b, _ = second.T
    both = b[orders] @ a
    there = both > 0
    scale = np.where(there, both, 1)
    x, y = ((b[orders] @ s) / scale, (t[orders] @ a) / scale)
    if not special_answers(first, second):
        # The means are those of each question in every order.
        one, other = s - x[0] * a, t - y[0] * b
        sums, squares = other[orders] @ one, (other**2)[orders] @ (one**2)
    else:
        products = (s - x[:, np.newaxis] * a) * (t[orders] - y[:, np.newaxis] * b[orders])
        sums, squares = products.sum(axis=1), (products**2).sum(axis=1)
    least = NEGLIGIBLE * max(1.0, float((s**2).max() * (t**2).max())) * len(first)
    there &= squares > least
    # n U² / M is the square of the sum of products, divided by the sum of their squares.
    return np.where(there, sums**2 / np.where(there, squares, 1), 0.0)
