"""Tests that groups have the same share or mean, by permuting the respondents' groups.

The reports on the outcome stay, and the reports on the group change places at random. If outcome
and group are independent, every order is equally likely, so the test has its level with any number
of responses. If only the means are equal, it has its level with many responses, because each
statistic is divided by its variance (Janssen, Stat. Probab. Lett. 36 (1997) 9; Chung & Romano, Ann.
Stat. 41 (2013) 484).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from survey.analysis.columns.variables import Codes
from survey.analysis.groups.figures import EMPTY_SHARE
from survey.analysis.permutations import (
    MAX_PERMUTED,
    permutation_p_values,
    report_tables,
    sorted_responses,
)
from survey.core.scores import Array

# Relative to the largest possible second moment. A smaller one consists of rounding errors.
NEGLIGIBLE = 1e-20


@dataclass(frozen=True, kw_only=True)
class GroupReports:
    """The reports on an outcome and on a group.

    Attributes
    ----------
    outcome, group : ndarray of int, shape (n,)
        The codes of each response.
    scores : ndarray, shape (outcome codes, 2)
        The scores of the measure, and of having given a listed answer.
    inside : ndarray, shape (group codes, k)
        The scores of being in each group.
    low, high : float
        The range of the measure.
    """

    outcome: Codes
    group: Codes
    scores: Array
    inside: Array
    low: float
    high: float

    @property
    def n(self) -> int:
        return len(self.outcome)

    @property
    def cells(self) -> int:
        return len(self.scores) * len(self.inside)

    @property
    def is_permutable(self) -> bool:
        return max(self.n, self.cells) <= MAX_PERMUTED

    @property
    def sizes(self) -> Array:
        """The estimated share of each group."""
        shares = np.bincount(self.group, minlength=len(self.inside)) / self.n
        return np.asarray(shares @ self.inside)

    def moments(self, groups: Codes) -> Array:
        """Sums over responses, for each group code, of s, a, s², s a and a², over n.

        The shape is (t, 5, group codes). s and a are the columns of `scores`.
        """
        s, a = self.scores.T
        powers = np.stack([s, a, s * s, s * a, a * a])
        tables = report_tables(self.outcome, groups, (len(self.scores), len(self.inside)))
        return np.asarray(powers @ tables.astype(np.float64) / self.n)

    def common(self, moments: Array, among: Array) -> Array:
        """The measure in some groups together, shape (t, 1), within its range."""
        above, below = moments[:, 0] @ among, moments[:, 1] @ among
        ratio = above / np.where(below > EMPTY_SHARE, below, np.inf)
        return np.clip(ratio, self.low, self.high)[:, np.newaxis]

    def statistics(self, moments: Array, contrasts: Array, among: Array) -> Array:
        """The score statistic of contrasts of group scores, shape (t,).

        Parameters
        ----------
        contrasts : ndarray, shape (group codes, q)
        among : ndarray, shape (group codes,)
            The scores of being in any of the groups.

        Notes
        -----
        With the common measure r and the deviation e = s - r a, it is n U' M^-1 U. U has the means
        of e times each contrast, and M the means of e² times two contrasts.
        """
        r = self.common(moments, among)
        means = (moments[:, 0] - r * moments[:, 1]) @ contrasts
        squares = moments[:, 2] - 2 * r * moments[:, 3] + r * r * moments[:, 4]
        products = (contrasts[:, :, np.newaxis] * contrasts[:, np.newaxis, :]).reshape(
            len(contrasts), -1
        )
        q = contrasts.shape[1]
        second = (squares @ products).reshape(-1, q, q)
        scale = float((self.scores**2).max() * (contrasts**2).max()) or 1.0
        if q == 1:
            spread = second[:, 0, 0]
            there = spread > NEGLIGIBLE * scale
            return np.asarray(
                np.where(there, self.n * means[:, 0] ** 2 / np.where(there, spread, 1), 0.0)
            )
        inverse = np.linalg.pinv(second, rcond=1e-10, hermitian=True)
        return np.asarray(self.n * np.einsum("ti,tij,tj->t", means, inverse, means))

    def pair_contrast(self, one: int, other: int) -> tuple[Array, Array]:
        """The contrast of two groups, shape (group codes, 1), and the scores of both together."""
        first, second = self.inside[:, one], self.inside[:, other]
        sizes = self.sizes
        contrast = (first * sizes[other] - second * sizes[one]) / (sizes[one] + sizes[other])
        return contrast[:, np.newaxis], first + second

    def all_contrasts(self, places: Sequence[int]) -> tuple[Array, Array]:
        """The contrasts of each group but the first with all together, and the scores of all."""
        inside, sizes = self.inside[:, places], self.sizes[list(places)]
        among = inside.sum(axis=1)
        contrasts = inside[:, 1:] - among[:, np.newaxis] * sizes[1:] / sizes.sum()
        return contrasts, among

    def of_pair(self, one: int, other: int) -> "GroupReports":
        """The responses in two groups of a non-private question."""
        places = [one, other]
        codes = np.flatnonzero(self.inside[:, places].sum(axis=1) > 0)
        kept = np.isin(self.group, codes)
        used, outcome = np.unique(self.outcome[kept], return_inverse=True)
        group = np.searchsorted(codes, self.group[kept])
        inside = self.inside[codes][:, places]
        return GroupReports(
            outcome=outcome,
            group=group,
            scores=self.scores[used],
            inside=inside,
            low=self.low,
            high=self.high,
        )


def permutation_tests(
    reports: GroupReports, tests: Sequence[tuple[Array, Array]]
) -> list[tuple[float, float]]:
    """The statistic and the p-value of each test, which has its contrasts and `among`."""
    outcome, group = sorted_responses(reports.outcome, reports.group)
    reports = replace(reports, outcome=outcome, group=group)
    itself = reports.moments(reports.group[np.newaxis])
    observed = [float(reports.statistics(itself, *test)[0]) for test in tests]
    degrees = [test[0].shape[1] for test in tests]
    if not reports.is_permutable:
        by_chi_square = map(scipy.special.chdtrc, degrees, observed)
        return [(each, float(p)) for each, p in zip(observed, by_chi_square, strict=True)]

    def of_orders(orders: Codes, places: Sequence[int]) -> Array:
        moments = reports.moments(orders)
        return np.column_stack([reports.statistics(moments, *tests[place]) for place in places])

    held = max(reports.cells, 5 * len(reports.inside))
    p_values = permutation_p_values(reports.group, observed, of_orders, held)
    return list(zip(observed, p_values, strict=True))
