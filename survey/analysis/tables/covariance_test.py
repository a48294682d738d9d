"""The test of no correlation, from the covariance of the scores.

The standard error of a correlation depends on the variances of the answers, which are poorly known
for private questions. Under the hypothesis of no correlation, they do not matter.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from survey.analysis.columns.sample_means import Sample
from survey.analysis.columns.variables import Codes
from survey.analysis.groups.measures import Measure
from survey.analysis.permutations import permutation_p_values, sorted_responses
from survey.analysis.tables.independence import two_by_two_p
from survey.core.scores import Array

# Relative to the largest product. A smaller second moment consists of rounding errors.
NEGLIGIBLE = 1e-20
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
    """
    codes = sorted_responses(*(sample.reports[sample.codes, place] for place in (0, 1)))
    first, second = (
        np.column_stack([measure.scores, measure.among])[each]
        for each, measure in zip(codes, measures, strict=True)
    )
    n = sample.n
    (observed,) = correlation_statistics(first, second, np.arange(n)[np.newaxis])
    if observed <= 0 and not varies(first, second):
        return None
    parts = [
        np.unique(each.round(DECIMALS), axis=0, return_inverse=True) for each in (first, second)
    ]
    if all(len(values) == 2 and np.ptp(values[:, 1]) == 0 for values, _ in parts):
        return two_by_two_p(*(inverse.reshape(-1) for _, inverse in parts))
    if n > MAX_RESPONSES:
        return float(scipy.special.chdtrc(1, observed))

    def of_orders(orders: Codes, places: Sequence[int]) -> Array:
        return correlation_statistics(first, second, orders)[:, np.newaxis]

    (p,) = permutation_p_values(np.arange(n), [float(observed)], of_orders, 2 * n)
    return p


def varies(first: Array, second: Array) -> bool:
    """Whether the scores of both questions take more than one value."""
    return all(float(np.ptp(part, axis=0).max()) > 0 for part in (first, second))


def correlation_statistics(first: Array, second: Array, orders: Codes) -> Array:
    """n U² / M for orders of the responses to the second question, shape (t,)."""
    s, a = first.T
    t, b = second.T
    both = b[orders] @ a
    there = both > 0
    scale = np.where(there, both, 1)
    x, y = ((b[orders] @ s) / scale, (t[orders] @ a) / scale)
    if max(np.ptp(a), np.ptp(b)) < 10**-DECIMALS:
        # Without special answers, the means are those of each question in every order.
        one, other = s - x[0] * a, t - y[0] * b
        sums, squares = other[orders] @ one, (other**2)[orders] @ (one**2)
    else:
        products = (s - x[:, np.newaxis] * a) * (t[orders] - y[:, np.newaxis] * b[orders])
        sums, squares = products.sum(axis=1), (products**2).sum(axis=1)
    least = NEGLIGIBLE * max(1.0, float((s**2).max() * (t**2).max())) * len(first)
    there &= squares > least
    # n U² / M is the square of the sum of products, divided by the sum of their squares.
    return np.where(there, sums**2 / np.where(there, squares, 1), 0.0)
