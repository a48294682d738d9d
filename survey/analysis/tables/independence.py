"""The score test of independence: Pearson's test, for the scores of the reports.

Browsers randomise most questions separately. So if the true answers are independent, the reports
are too, and the test knows the distribution of its statistic for any number of responses. Questions
of one draw have a test of their own (survey/analysis/tables/one_draw.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import scipy

from survey.analysis.columns.answer_scores import coherent
from survey.analysis.columns.factors import Factor
from survey.analysis.columns.variables import Codes
from survey.analysis.groups.equal_probabilities import SupportingCounts, equal_pair_p
from survey.analysis.permutations import (
    MAX_PERMUTED,
    permutation_p_values,
    report_tables,
    sorted_responses,
)
from survey.analysis.tables.association import (
    FLAT,
    NEGLIGIBLE_VARIANCE,
    SAME_ANSWER,
    SCORE,
    Test,
    independence,
    require_all_possible,
)
from survey.analysis.tables.joint_shares import JointShares
from survey.analysis.tables.one_draw import one_draw_test
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array


@dataclass(frozen=True)
class ScoredReports:
    """The reports on one question, and their scores.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
    scores : ndarray, shape (codes, listed answers)
    with_special_answers : bool
        Whether there are special answers, which the scores leave out.
    """

    codes: Codes
    scores: Array
    with_special_answers: bool

    @property
    def whitened(self) -> Array:
        """Scores with mean zero that are uncorrelated and have variance one, shape (codes, rank).

        An answer that nobody reports, and the last answer, have no score of their own.
        """
        shares = np.bincount(self.codes, minlength=len(self.scores)) / len(self.codes)
        centred = self.scores - shares @ self.scores
        values, directions = np.linalg.eigh((centred.T * shares) @ centred)
        free = values > max(FLAT * values.max(initial=0.0), NEGLIGIBLE_VARIANCE)
        return np.asarray(centred @ directions[:, free] / np.sqrt(values[free]))


def score_test(joint: JointShares) -> Test:
    """Test independence of all the questions, by the scores of the reports.

    Raises UnanswerableQuestion with weights, strata or clusters, with special answers of three
    questions, and if all reports on a question agree. For questions of one draw, it raises if their
    reports have no complete table of probabilities.

    Notes
    -----
    Without special answers, the statistic is n times the sum of squared means of products of
    whitened scores, over all pairs of questions, and all three. If a question has as many reports
    as answers, this is Pearson's statistic of the table of reports. With special answers, see
    `listed_statistics`. The p-value of two questions is that of permutations (`permutations.py`),
    or for two reports each that of `equal_pair_p`. That of three questions, or of more than
    MAX_PERMUTED responses, is that of chi-square. For questions of one draw, see `one_draw_test`.
    """
    require_all_possible(joint)
    if not joint.sample.simple:
        raise UnanswerableQuestion("No score test is available with weights, strata or clusters.")
    if len(joint.factors) < len(joint.columns):
        statistic, degrees, p = one_draw_test(joint)
        return Test(
            name=SCORE, hypothesis=independence(joint), statistic=statistic, degrees=degrees, p=p
        )
    parts = [scored_reports(joint, place, each) for place, each in enumerate(joint.factors)]
    if not joint.without_special_answers and len(parts) > 2:
        raise UnanswerableQuestion(
            "No score test of three questions is available, because these shares exclude "
            "special answers."
        )
    statistic, degrees, p = pair_test(parts) if len(parts) == 2 else mutual_test(parts)
    if degrees == 0:
        raise UnanswerableQuestion(SAME_ANSWER)
    return Test(
        name=SCORE, hypothesis=independence(joint), statistic=statistic, degrees=degrees, p=p
    )


def scored_reports(joint: JointShares, place: int, factor: Factor) -> ScoredReports:
    """The reports of one factor, with only the codes that occur."""
    used, codes = np.unique(joint.sample.reports[joint.sample.codes, place], return_inverse=True)
    column = joint.columns[place]
    scores = coherent(factor.column)[used][:, : column.listed]
    return ScoredReports(codes, scores, column.special_answers > 0)


def pair_test(parts: Sequence[ScoredReports]) -> tuple[float, int, float]:
    """The statistic, the degrees of freedom and the p-value for two questions."""
    orders = sorted_responses(*(part.codes for part in parts))
    first, second = (replace(part, codes=each) for part, each in zip(parts, orders, strict=True))
    if first.with_special_answers or second.with_special_answers:
        observed = listed_statistics(first, second, second.codes[np.newaxis])
        degrees = (first.scores.shape[1] - 1) * (second.scores.shape[1] - 1)
    else:
        if len(first.scores) == len(second.scores) == 2:
            counts = two_by_two(first.codes, second.codes)
            return float(counts.statistic(counts.supporting)), 1, equal_pair_p(counts)
        one, other = first.whitened, second.whitened
        observed = whitened_statistics(first, second, one, other, second.codes[np.newaxis])
        degrees = one.shape[1] * other.shape[1]
    statistic, cells = float(observed[0]), len(first.scores) * len(second.scores)
    if degrees == 0 or max(cells, len(first.codes)) > MAX_PERMUTED:
        return statistic, degrees, float(scipy.special.chdtrc(max(1, degrees), statistic))

    def of_orders(orders: Codes, places: Sequence[int]) -> Array:
        if first.with_special_answers or second.with_special_answers:
            return listed_statistics(first, second, orders)[:, np.newaxis]
        return whitened_statistics(first, second, one, other, orders)[:, np.newaxis]

    held = max(cells, degrees**2)
    (p,) = permutation_p_values(second.codes, [statistic], of_orders, held)
    return statistic, degrees, p


def two_by_two(first: Codes, second: Codes) -> SupportingCounts:
    """The counts of two reports on one question among those with each report on the other."""
    (table,) = report_tables(first, second[np.newaxis], (2, 2)).astype(np.float64)
    return SupportingCounts(table[:, 0], table.sum(axis=1), 0.0, 1.0)


def two_by_two_p(first: Codes, second: Codes) -> float:
    """The p-value for two questions with two different reports each, which are binomial."""
    return equal_pair_p(two_by_two(first, second))


def whitened_statistics(
    first: ScoredReports, second: ScoredReports, one: Array, other: Array, orders: Codes
) -> Array:
    """n times the sum of squared mean products, shape (t,), for orders of the second codes."""
    n = len(first.codes)
    tables = report_tables(first.codes, orders, (len(one), len(other)))
    products = one.T @ tables.astype(np.float64) @ other / n
    return np.asarray(n * (products**2).sum(axis=(1, 2)))


def listed_statistics(first: ScoredReports, second: ScoredReports, orders: Codes) -> Array:
    """The statistic for independence among those who gave listed answers to both, shape (t,).

    Notes
    -----
    Let a and b be the scores of having given a listed answer. Among respondents who did so for both
    questions, r and q are the estimated shares of two answers. The mean of (s - r a)(t - q b) is
    zero if the two answers are independent among them. The special answers may depend on each
    other. The statistic is n U' M^-1 U. U has these means for all answers but the last, and M the
    means of products of two such terms.
    """
    n = len(first.codes)
    tables = report_tables(first.codes, orders, (len(first.scores), len(second.scores))) / n
    joint = first.scores.T @ tables @ second.scores
    total = joint.sum(axis=(1, 2))
    positive = total > NEGLIGIBLE_VARIANCE
    scale = np.where(positive, total, 1)[:, np.newaxis]
    deviations = []
    for part, sums in ((first, joint.sum(axis=2)), (second, joint.sum(axis=1))):
        shares = np.clip(sums / scale, 0, 1)[:, np.newaxis, :-1]
        listed = part.scores.sum(axis=1)[:, np.newaxis]
        deviations.append(part.scores[:, :-1] - listed * shares)
    one, other = deviations
    means = np.einsum("tyi,tyz,tzj->tij", one, tables, other, optimize=True)
    squares = [each[:, :, :, np.newaxis] * each[:, :, np.newaxis, :] for each in deviations]
    second_moments = np.einsum(
        "tyik,tyz,tzjl->tijkl", squares[0], tables, squares[1], optimize=True
    )
    q = one.shape[2] * other.shape[2]
    vector = means.reshape(-1, q)
    inverse = np.linalg.pinv(second_moments.reshape(-1, q, q), rcond=FLAT, hermitian=True)
    found = n * np.einsum("ti,tij,tj->t", vector, inverse, vector)
    return np.where(positive, found, 0.0)


def mutual_test(parts: Sequence[ScoredReports]) -> tuple[float, int, float]:
    """The statistic, the degrees of freedom and the p-value of chi-square for three questions."""
    whitened = [part.whitened[part.codes] for part in parts]
    n, statistic, degrees = len(parts[0].codes), 0.0, 0
    for size in range(2, len(parts) + 1):
        for chosen in combinations(whitened, size):
            products = chosen[0]
            for part in chosen[1:-1]:
                products = (products[:, :, np.newaxis] * part[:, np.newaxis, :]).reshape(n, -1)
            means = products.T @ chosen[-1] / n
            statistic += n * float((means**2).sum())
            degrees += means.size
    ranks = [part.shape[1] for part in whitened]
    if min(ranks) == 0:
        return 0.0, 0, 1.0
    return statistic, degrees, float(scipy.special.chdtrc(degrees, statistic))
