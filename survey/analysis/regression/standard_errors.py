"""Standard errors of a maximum-likelihood fit, of four kinds.

* observed: from the curvature of the likelihood at its maximum, with pseudo-data for the penalty
* expected: from the mean curvature over reports (Fisher's information). It is known if all
  predictors are non-private and every possible report has its column. It has the same pseudo-data.
* sandwich: also uses the spread of the scores. It is correct even if the model is not (Huber
  (1967); White, Econometrica 50 (1982) 1).
* clustered: the same with sums over clusters within strata, and weights (Binder, Int. Stat. Rev. 51
  (1983) 279)

Sandwich and clustered have the factor m / (m - 1), with m the respondents or clusters of a stratum,
as is usual for samples. Observed and expected have none.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from survey.analysis.columns.variables import Codes, SurveyDesign
from survey.analysis.regression.likelihood import KnownPredictorLikelihood, Likelihood
from survey.analysis.regression.maximum_likelihood import Fit, definite, exact_curvature
from survey.analysis.regression.models import Array
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import later, translate_constant, translate_plural

OBSERVED = later("observed")
EXPECTED = later("expected")
SANDWICH = later("sandwich")
CLUSTERED = later("clustered")
# The kinds that can be requested. With clusters, a sandwich is clustered.
KINDS = (OBSERVED, EXPECTED, SANDWICH)


@dataclass(frozen=True)
class Errors:
    """The covariance of theta, shape (size, size), and its kind.

    `freedom` has the degrees of freedom of t, or None for the normal distribution.
    """

    covariance: Array
    kind: str
    freedom: int | None = None

    def reach(self, level: float) -> float:
        """Half the width of an interval, in standard errors."""
        if self.freedom is None:
            return float(scipy.special.ndtri((1 + level) / 2))
        return float(scipy.special.stdtrit(self.freedom, (1 + level) / 2))


def errors_of(
    likelihood: Likelihood,
    fit: Fit,
    kind: str | None,
    design: SurveyDesign | None = None,
) -> Errors:
    """The standard errors of a fit.

    Parameters
    ----------
    kind : one of KINDS; None for observed without a design, sandwich with one
    design : of the respondents of the likelihood; None if all are independent with equal weights

    Raises
    ------
    UnanswerableQuestion
        If this kind is not possible, with the reason.
    """
    sampled = design is not None and design.given
    kind = kind or (SANDWICH if sampled else OBSERVED)
    if sampled and kind != SANDWICH:
        raise UnanswerableQuestion(
            "With weights, strata or clusters, choose sandwich standard errors. The %(kind)s "
            "ones assume a simple random sample.",
            kind=translate_constant(kind),
        )
    information = fit.found.curvature
    if kind == EXPECTED:
        information = expected_information(likelihood, fit.theta)
    elif not definite(information):
        information = exact_curvature(likelihood, fit.theta)
    inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
    if kind != SANDWICH:
        return Errors(inverse, kind)
    units, strata = independent_units(design, likelihood.n)
    spread, freedom = spread_of_scores(likelihood, fit.theta, units, strata)
    return sandwich_errors(inverse @ spread @ inverse, freedom, design)


def sandwich_errors(covariance: Array, freedom: int, design: SurveyDesign | None) -> Errors:
    """Sandwich errors. With strata or clusters, the degrees of freedom are finite."""
    design = design or SurveyDesign()
    grouped = design.clusters is not None or design.strata is not None
    kind = SANDWICH if design.clusters is None else CLUSTERED
    return Errors(covariance, kind, freedom if grouped else None)


def expected_information(likelihood: Likelihood, theta: Array) -> Array:
    if not isinstance(likelihood, KnownPredictorLikelihood) or not likelihood.outcome.complete:
        raise UnanswerableQuestion(
            "Expected standard errors need a sum over every possible report. With private "
            "predictors, or reports of many bits, these are too many. Choose observed ones."
        )
    return likelihood.expected_information(theta)


def independent_units(design: SurveyDesign | None, n: int) -> tuple[Codes | None, Codes | None]:
    """The units that were drawn independently: clusters or respondents.

    The first array has the cluster of each respondent, or is None if units are respondents. The
    second has the stratum of each cluster, or is None. Clusters of two strata are two.
    """
    if design is None or (design.clusters is None and design.strata is None):
        return None, None
    strata = np.zeros(n, dtype=np.int64)
    if design.strata is not None:
        strata = np.unique(design.strata, return_inverse=True)[1].reshape(-1).astype(np.int64)
    units = np.arange(n)
    if design.clusters is not None:
        clusters = np.unique(design.clusters, return_inverse=True)[1].reshape(-1)
        pairs = strata * (int(clusters.max()) + 1) + clusters
        units = np.unique(pairs, return_inverse=True)[1].reshape(-1)
    units = units.astype(np.int64)
    of_unit = np.zeros(int(units.max()) + 1, dtype=np.int64)
    of_unit[units] = strata
    return units, of_unit


def spread_of_scores(
    likelihood: Likelihood, theta: Array, units: Codes | None, strata: Codes | None
) -> tuple[Array, int]:
    """The covariance of the sum of the scores, and its degrees of freedom."""
    if units is None or strata is None:
        squares, total = np.zeros((len(theta), len(theta))), np.zeros(len(theta))
        for _, scores in likelihood.scores(theta):
            squares += scores @ scores.T
            total += scores.sum(axis=1)
        n = likelihood.n
        return (squares - np.outer(total, total) / n) * n / (n - 1), n - 1
    totals = np.zeros((len(theta), len(strata)))
    for rows, scores in likelihood.scores(theta):
        for place, row in enumerate(scores):
            totals[place] += np.bincount(units[rows], row, minlength=len(strata))
    return spread_of_totals(totals, strata)


def spread_of_totals(totals: Array, strata: Codes) -> tuple[Array, int]:
    """sum over strata h of n_h / (n_h - 1) sum over its clusters of (t - mean)(t - mean)'.

    Parameters
    ----------
    totals : float array (quantities, clusters)
    strata : int array (clusters,)

    Raises
    ------
    UnanswerableQuestion
        If a stratum has one cluster, which does not show how clusters differ.
    """
    sizes = np.bincount(strata).astype(np.float64)
    if sizes.min() < 2:
        if len(sizes) == 1:
            raise UnanswerableQuestion(
                "All respondents are in one cluster, so the variance cannot be estimated. Use "
                "a design with at least two clusters."
            )
        raise UnanswerableQuestion(
            translate_plural(
                "%(n)s of the strata has a single cluster or respondent, so its variance cannot be "
                "estimated. Merge strata.",
                "%(n)s of the strata have a single cluster or respondent, so their variance cannot "
                "be estimated. Merge strata.",
                int((sizes < 2).sum()),
            )
        )
    means = np.stack([np.bincount(strata, row) for row in totals]) / sizes
    apart = (totals - means[:, strata]) * np.sqrt(sizes / (sizes - 1))[strata]
    return apart @ apart.T, int(len(strata) - len(sizes))
