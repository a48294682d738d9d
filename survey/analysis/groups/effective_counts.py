"""Binomial counts of groups in a sample with weights, strata or clusters.

An effective sample size takes the place of the number of reports. It is the size of a simple random
sample in which the share would vary as much (Kish, "Survey Sampling" (1965), ch. 8). Tests and
intervals of binomial counts then apply, with Student's quantile in place of the normal one (Rao &
Scott, Biometrics 48 (1992) 577; Korn & Graubard, Surv. Methodol. 24 (1998) 193).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from survey.analysis.columns.sample_means import Sample
from survey.analysis.columns.variables import Codes
from survey.analysis.groups.equal_probabilities import SupportingCounts
from survey.core.scores import SAME_SCORE, Array, distinct_scores
from survey.estimation.mean_intervals import student_quantile
from survey.estimation.share_intervals import tail_bounds

# The linearised variance is used only if each group has at least this many effective reports of
# both kinds. From fewer, it is often far too small or too large.
MIN_EFFECTIVE_REPORTS = 10
# Relative to the sum of squares. Less information on a correlation consists of rounding errors.
NEGLIGIBLE_INFORMATION = 1e-9


@dataclass(frozen=True)
class ClusterCorrelation:
    """The correlation of the reports of two respondents in one cluster, from 0 to 1.

    `size` is the effective size of a cluster.
    """

    value: float
    size: float


@dataclass(frozen=True)
class GroupCount:
    """The supporting reports of one group, of an effective number n.

    Attributes
    ----------
    supporting, n : float
    reports : float
        How many reports there are. They are more than n if weights or clusters reduce what they
        say, and fewer in a sample of most of a finite population.
    degrees : float
        The degrees of freedom of n.
    """

    supporting: float
    n: float
    reports: float
    degrees: float = math.inf

    def mean_score_ends(self, scores: tuple[float, float], level: float) -> tuple[float, float]:
        """Clopper and Pearson's interval of the mean score.

        `scores` are those of other and of supporting reports. With an estimated n, the normal
        quantile of the level is Student's.
        """
        known = 2 * float(scipy.special.ndtr(student_quantile(self.degrees, level))) - 1
        # The interval extends by half a report, which can be more than half an effective one.
        further = max(0.0, (self.n / self.reports - 1) / 2)
        low = tail_bounds(max(0.0, self.supporting - further), self.n, known)[0]
        high = tail_bounds(min(self.n, self.supporting + further), self.n, known)[1]
        other, supporting = scores
        return other + low * (supporting - other), other + high * (supporting - other)


@dataclass(frozen=True, kw_only=True)
class EffectiveCounts:
    """The supporting shares of k groups of a non-private question, and how they vary.

    Attributes
    ----------
    shares : ndarray, shape (k,)
        The weighted share of supporting reports; 0 in an empty group.
    sizes, reports : ndarray, shape (k,)
        The weighted share of each group, and its reports.
    alone, together : ndarray, shape (k, k)
        The covariance of the shares, divided by P (1 - P) for the probability P of a supporting
        report. In `alone`, reports in one cluster are independent. In `together`, they are the
        same.
    linearised : ndarray, shape (k, k)
        The covariance of the shares by linearisation.
    correlation : ClusterCorrelation
    degrees : int
        Clusters minus strata.
    span : tuple of float
        The range of the probability of a supporting report.
    """

    shares: Array
    sizes: Array
    reports: Array
    alone: Array
    together: Array
    linearised: Array
    correlation: ClusterCorrelation
    degrees: int
    span: tuple[float, float]

    @property
    def spread(self) -> Array:
        """The covariance of the shares, divided by P (1 - P), with the correlation in clusters."""
        rho = self.correlation.value
        return (1 - rho) * self.alone + rho * self.together

    def of_group(self, place: int) -> GroupCount:
        """The count of one group, for its interval."""
        n, share = np.array([1 / self.spread[place, place]]), float(self.shares[place])
        n, degrees = self.deflate(n, np.diag(n), [place], share)
        return GroupCount(float(n[0]) * share, float(n[0]), float(self.reports[place]), degrees)

    def if_equal(self, places: Sequence[int]) -> tuple[SupportingCounts, float]:
        """The counts of several groups, for a test that they have the same share.

        Pearson's statistic of these counts has its usual mean (Rao & Scott, JASA 76 (1981) 221).
        Sizes are rounded, because the test enumerates outcomes.
        """
        chosen = list(places)
        common = float(self.sizes[chosen] @ self.shares[chosen] / self.sizes[chosen].sum())
        n = 1 / np.diag(self.spread)[chosen]
        n, degrees = self.deflate(n, np.diag(n) - np.outer(n, n) / n.sum(), chosen, common)
        n = np.maximum(1, n.round())
        return SupportingCounts(n * self.shares[chosen], n, *self.span), degrees

    def deflate(
        self, n: Array, form: Array, places: Sequence[int], share: float
    ) -> tuple[Array, float]:
        """Effective sizes with the larger of two design effects, and its degrees of freedom.

        The trace of `form` times the covariance, divided by that of simple random sampling, is a
        design effect. One is from the correlation in clusters, and the other from linearisation.
        """
        chosen, contrasts = np.ix_(places, places), max(1, len(places) - 1)
        least, rise = (
            float((form * each[chosen]).sum()) / contrasts
            for each in (self.alone, self.together - self.alone)
        )
        rho, size = self.correlation.value, self.correlation.size
        effect, degrees = least + rho * rise, float(self.degrees)
        if size > 1:
            # The estimate of 1 + (size - 1) rho has the degrees of freedom of the sample.
            uncertain = abs(rise) * (1 + (size - 1) * rho) / (size - 1)
            degrees *= (effect / uncertain) ** 2 if uncertain > 0 else math.inf
        if n.min() / effect * min(share, 1 - share) >= MIN_EFFECTIVE_REPORTS:
            linearised = float((form * self.linearised[chosen]).sum()) / contrasts
            if linearised > effect * share * (1 - share):
                effect, degrees = linearised / (share * (1 - share)), float(self.degrees)
        return n / effect, max(degrees, float(self.degrees))


def effective_counts(
    sample: Sample,
    supports: npt.NDArray[np.bool_],
    group: Codes,
    linearised: Array,
    correction: float = 1.0,
    span: tuple[float, float] = (0.0, 1.0),
) -> EffectiveCounts:
    """The effective counts of k groups.

    Parameters
    ----------
    supports : ndarray of bool, shape (m,)
        Whether each combination of reports supports the answer.
    group : ndarray of int, shape (m,)
        The group of each combination. It is in none of them from k on.
    linearised : ndarray, shape (k, k)
        The covariance of the shares of supporting reports by linearisation.
    correction : float
        The factor of all variances for a finite population.
    span : tuple of float
        The range of the probability of a supporting report.
    """
    k = len(linearised)
    group = group[sample.codes]
    kept = group < k
    group = group[kept]
    y = supports[sample.codes][kept].astype(np.float64)
    weights = (np.full(sample.n, 1 / sample.n) if sample.weights is None else sample.weights)[kept]
    sizes: Array = np.bincount(group, weights, k).astype(np.float64)
    divisors = np.where(sizes > 0, sizes, 1)
    shares = np.bincount(group, weights * y, k) / divisors
    scale = correction / np.outer(divisors, divisors)
    alone: Array = np.diag(np.bincount(group, weights**2, k)).astype(np.float64)
    together, correlation = alone, ClusterCorrelation(0.0, 1.0)
    if sample.units is not None:
        units = sample.units[kept]
        members = scipy.sparse.csr_array((weights, (units, group)))
        together = (members.T @ members).toarray()
        cells = group if sample.strata is None else group + k * sample.strata[units]
        variance = float(sizes @ (shares * (1 - shares)) / sizes.sum())
        correlation = cluster_correlation(y, weights, units, cells, variance)
    return EffectiveCounts(
        shares=shares,
        sizes=sizes,
        reports=np.bincount(group, minlength=k).astype(np.float64),
        alone=scale * alone,
        together=scale * together,
        linearised=linearised,
        correlation=correlation,
        degrees=sample.degrees,
        span=span,
    )


@dataclass(frozen=True)
class SupportedShare:
    """Which combinations of reports support a share, shape (m,), of those that are counted.

    `scores` are those of other and of supporting reports.
    """

    supports: npt.NDArray[np.bool_]
    counted: npt.NDArray[np.bool_]
    scores: tuple[float, float]


def supporting_reports(sample: Sample, scores: Array, among: Array) -> SupportedShare | None:
    """The supporting reports of a ratio of mean scores, as for `binomial_ends`.

    None if the scores are not those of one group of a measure with two scores, or if possible
    reports are not listed.
    """
    counted = np.abs(among) > SAME_SCORE
    is_group = len(distinct_scores(among[counted])) == 1 and not scores[~counted].any()
    ratios = np.divide(scores, among, out=np.zeros(len(scores)), where=counted)
    values = distinct_scores(ratios[counted])
    if not is_group or len(values) != 2 or sample.in_bits:
        return None
    return SupportedShare(counted & (ratios > sum(values) / 2), counted, (values[0], values[1]))


def binomial_ends(
    sample: Sample, scores: Array, among: Array, level: float
) -> tuple[float, float] | None:
    """The ends of a ratio of two mean scores in a sample with a design, from effective counts.

    Parameters
    ----------
    scores, among : ndarray, shape (m,)
        The scores of each combination of reports, for the numerator and the denominator.

    Returns
    -------
    The ends, which may be outside the range of the ratio. None if the scores are not those of one
    group of a measure with two scores, or if all of the group are in one cluster. It is also None
    if possible reports are not listed, or if the sample is the whole population.
    """
    found = supporting_reports(sample, scores, among)
    if found is None or sample.clusters_with(found.counted) < 2:
        return None
    supports, counted = found.supports, found.counted
    share, size = (float(sample.mean(each.astype(np.float64))) for each in (supports, counted))
    deviations = ((supports - share / size * counted) / size)[:, np.newaxis]
    variance, correction = sample.covariance(deviations), 1.0
    if sample.finite is not None:
        whole = float(replace(sample, finite=None).covariance(deviations)[0, 0])
        correction = float(variance[0, 0]) / whole if whole > 0 else 0.0
        if correction <= NEGLIGIBLE_INFORMATION:
            return None
    group = np.where(counted, 0, 1)
    counts = effective_counts(sample, supports, group, variance, correction)
    return counts.of_group(0).mean_score_ends(found.scores, level)


def cluster_correlation(
    y: Array, weights: Array, units: Codes, cells: Codes, variance: float
) -> ClusterCorrelation:
    """Estimate the correlation of reports in one cluster from their mean variance.

    It is a moment estimate: the sum of weighted products of residuals of different respondents in
    a cluster, with its expected value at correlations 0 and 1. Residuals are from the share in
    the respondent's cell, a group within a stratum.
    """
    cells = np.unique(cells, return_inverse=True)[1]
    sizes, squares = np.bincount(cells, weights), np.bincount(cells, weights**2)
    residuals = y - (np.bincount(cells, weights * y) / sizes)[cells]
    products = float((np.bincount(units, weights * residuals) ** 2).sum())
    products -= float((weights**2 * residuals**2).sum())
    # The residuals are M y, and C has the weights of the products. Without correlation, their
    # expected sum is tr(C M M'). With correlation 1, it is tr(C M J M'), and J is 1 for each pair
    # in a cluster.
    sums, square_sums = (
        scipy.sparse.csr_array((each, (units, cells))) for each in (weights, weights**2)
    )
    totals = np.bincount(units, weights)
    together = sums.T @ sums
    by_cell = together.diagonal()
    crossed = np.asarray((square_sums * sums).sum(axis=0)).reshape(-1)
    at_zero = -2 * float(((crossed - np.bincount(cells, weights**3)) / sizes).sum())
    at_zero += float((squares * (by_cell - squares) / sizes**2).sum())
    pairs = together.tocoo()
    row, column = pairs.coords
    at_one = float((totals**2).sum() - 2 * (totals @ (sums * sums) / sizes).sum())
    at_one += float((pairs.data**2 / sizes[row] / sizes[column]).sum())
    at_one -= float(
        squares.sum() - 2 * (crossed / sizes).sum() + (squares * by_cell / sizes**2).sum()
    )
    known, whole = at_one - at_zero, float((totals**2).sum())
    if known <= NEGLIGIBLE_INFORMATION * whole or variance <= 0:
        return ClusterCorrelation(0.0, 1.0)
    rho = min(1.0, max(0.0, (products / variance - at_zero) / known))
    return ClusterCorrelation(rho, whole / float(squares.sum()))
