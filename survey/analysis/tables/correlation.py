"""The correlation of two questions' answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from survey.analysis.columns.answer_scores import coherent, scores_for
from survey.analysis.columns.factors import factors_of
from survey.analysis.columns.sample_means import Sample, complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.figures import (
    EMPTY_SHARE,
    WHOLE_RANGE,
    IntervalEstimate,
)
from survey.analysis.groups.group_bounds import NEXT_TO_ZERO
from survey.analysis.groups.measures import Measure, measure_of
from survey.analysis.tables.association import NOBODY_LISTED, VARIES_NOT, on_fisher_scale
from survey.analysis.tables.zero_correlation import covariance_p_value, least_variance
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import later
from survey.estimation.mean_intervals import possible_ends, student_quantile

COVARIANCE = "Fieller, from the covariance"
LACKING_REPORTS_REMARK = later(
    "Some possible reports do not occur in these responses. The interval of φ can therefore be too "
    "short."
)


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """A correlation among respondents who gave listed answers to both; `figure` may exceed 1.

    `p` is two-sided, for no correlation. It is below 1 - level exactly if the interval excludes
    zero, and None if nothing varies. `exact` is whether it is valid with few responses too.
    `lacks_reports` is whether the interval can be too short (`lacks_reports`).
    """

    first: Measure
    second: Measure
    n: int
    left_out: int
    level: float
    figure: IntervalEstimate
    p: float | None
    covariance: float
    deviations: tuple[float, float]
    exact: bool
    lacks_reports: bool


def lacks_reports(sample: Sample) -> bool:
    """Whether the interval of two questions of one draw can be too short.

    By enumeration, 95 % intervals of φ cover at least 94 % of the surveys in which each report
    occurs. With rare answers and weak randomisation, reports are often missing, and the intervals
    cover as little as 80 % of all surveys (tests/analysis/test_correlation.py).
    """
    return sample.simple and sample.reports.shape[1] == 1 and not sample.counts.all()


def require_variance(measure: Measure, variance: float) -> None:
    """Raise UnanswerableQuestion if a variance is not estimated to be above that of rounding."""
    if variance <= least_variance(measure):
        raise UnanswerableQuestion(
            "The variance of “%(question)s” is estimated at zero or less, so Candor "
            "cannot calculate its correlation.",
            question=measure.column.label,
        )


def moments_of(measures: tuple[Measure, Measure], sample: Sample) -> tuple[Array, Array]:
    """Estimates of x, y, x^2, y^2 and xy, with their covariance by the delta method.

    They are among respondents who gave listed answers to both. Raises UnanswerableQuestion if there
    are none.
    """
    scores = moment_scores(measures, sample)
    means = sample.mean(scores)
    if means[0] <= EMPTY_SHARE:
        raise UnanswerableQuestion(NOBODY_LISTED)
    moments = means[1:] / means[0]
    linear = np.hstack([-moments[:, np.newaxis], np.eye(5)]) / means[0]
    return moments, linear @ sample.covariance(scores - means) @ linear.T


def moment_scores(measures: tuple[Measure, Measure], sample: Sample) -> Array:
    """Scores of 1, x, y, x^2, y^2 and xy among those who gave listed answers to both, shape (m, 6).

    They are products of scores, or for two questions of one draw the scores of their combinations.
    """
    factors = factors_of([measure.column for measure in measures])
    exponents = ((0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (1, 1))
    if len(factors) == 1:
        one, other = (quantities(measure) for measure in measures)
        of_cells = np.column_stack([np.outer(one[a], other[b]).reshape(-1) for a, b in exponents])
        return np.asarray(coherent(factors[0].column)[sample.reports[:, 0]] @ of_cells)
    of_first, of_second = (
        [part[sample.reports[:, place]] for part in powers(measure)]
        for place, measure in enumerate(measures)
    )
    return np.column_stack([of_first[a] * of_second[b] for a, b in exponents])


def pearson_correlation(
    first: AnalysisColumn,
    second: AnalysisColumn,
    design: SurveyDesign | None = None,
    answers: tuple[int | None, int | None] = (None, None),
    level: float = 0.95,
) -> Correlation:
    """Pearson's correlation of two questions.

    Parameters
    ----------
    first, second : columns of the same responses, private or not
    answers : for each question the place of an answer, which counts 1 and the others 0. Without
        one, the answers' values, or for two answers the first.
    level : float in (0, 1)

    Raises
    ------
    UnanswerableQuestion
        If reports determine only the mean, if a variance is not estimated to be above zero, and as
        `complete_case_sample`.

    Notes
    -----
    It uses unbiased estimates of five moments: x, y, x^2, y^2 and xy. Each is divided by the
    estimated share of respondents who gave listed answers to both. The result is the covariance
    over the root of the variances. For non-private questions that is Pearson's coefficient. For
    two-answer designs it is what Fox & Tracy (Social Science Research 13 (1984) 188) and RRreg's
    RRcor give, but not cut off at -1 and 1. A private number's variance is reduced by what random
    rounding adds.

    The standard error is by the delta method. The interval is on Fisher's scale for two non-private
    questions with more than two answers, otherwise `covariance_interval`. The p-value is that of
    `covariance_p_value`. With a sampling design, and for two questions of one draw, it is that of
    `covariance_wald_p`, because reports of one draw cannot be permuted. If the variance of a
    private answer is almost unknown, the estimate is biased away from zero.
    """
    measures = measure_of(first, answers[0]), measure_of(second, answers[1])
    factors = factors_of((first, second))
    sample = complete_case_sample([factor.column for factor in factors], design, finite=True)
    return correlation_in(sample, measures, level, len(first.reports) - sample.n)


def correlation_in(
    sample: Sample, measures: tuple[Measure, Measure], level: float, left_out: int
) -> Correlation:
    """The correlation in a sample, from which some responses are left out."""
    first, second = (measure.column for measure in measures)
    moments, spread = moments_of(measures, sample)
    x, y, xx, yy, xy = (float(moment) for moment in moments)
    variances = xx - x * x, yy - y * y
    for measure, variance in zip(measures, variances, strict=True):
        require_variance(measure, variance)
    variances = variances[0] - first.rounding, variances[1] - second.rounding
    covariance = xy - x * y
    root = math.sqrt(variances[0] * variances[1])
    value = covariance / root
    at_zero, at_value, at_one = (
        gradient_of(x, y, each, variances, root) for each in (0.0, value, 1.0)
    )
    error, null_error = standard_error(at_value, spread), standard_error(at_zero, spread)
    p, exact = None, sample.simple and sample.reports.shape[1] == len(measures)
    if error > VARIES_NOT:
        p = (
            covariance_p_value(measures, sample)
            if exact
            else covariance_wald_p(value, null_error, sample.student_degrees)
        )
    # On Fisher's scale, the interval of two rare answers is too short.
    if first.private or second.private or first.listed == second.listed == 2:
        edges = [at_zero, at_one]
        figure = covariance_interval(value, error, edges, spread, sample.student_degrees, level)
    else:
        figure = on_fisher_scale(value, error, sample.student_degrees, level)
    return Correlation(
        first=measures[0],
        second=measures[1],
        n=sample.n,
        left_out=left_out,
        level=level,
        figure=figure if p is None else agreeing_with(figure, p, level),
        p=p,
        covariance=covariance,
        deviations=(math.sqrt(variances[0]), math.sqrt(variances[1])),
        exact=exact,
        lacks_reports=first.listed == second.listed == 2 and lacks_reports(sample),
    )


def quantities(measure: Measure) -> tuple[Array, Array, Array]:
    """Of each answer, shape (k,): whether it is listed, its quantity, and the quantity squared."""
    listed = np.arange(len(measure.of_answer)) < measure.column.listed
    return listed.astype(np.float64), measure.of_answer, measure.of_answer**2


def powers(measure: Measure) -> tuple[Array, Array, Array]:
    """Scores of having given a listed answer, of its quantity, and of the quantity squared."""
    squares = scores_for(measure.column, measure.of_answer**2)
    return measure.among, measure.scores, squares


def covariance_wald_p(value: float, null_error: float, degrees: int) -> float | None:
    """The p-value for no correlation by Student's distribution, also with a sampling design.

    `null_error` is the standard error of the covariance, divided by both standard deviations.
    """
    if null_error <= VARIES_NOT:
        return None
    return float(2 * scipy.special.stdtr(degrees, -abs(value) / null_error))


def covariance_interval(
    value: float,
    error: float,
    edges: Sequence[Array],
    spread: Array,
    degrees: int,
    level: float,
) -> IntervalEstimate:
    """The correlations ρ for which the covariance does not differ from ρ times both deviations.

    Parameters
    ----------
    error : the standard error at the estimate, which is not used by the interval
    edges : the gradients of covariance - ρ x deviations at ρ = 0 and ρ = 1
    spread : the covariance of the moments

    Notes
    -----
    It is Fieller's interval (JRSS B 16 (1954) 175), with the standard error at each ρ. Near ρ = 0
    the poorly known variances of private answers hardly matter, so it is shorter than the interval
    with the standard error at the estimate.
    """
    if error <= VARIES_NOT:
        return IntervalEstimate(
            value=value, standard_error=error, low=-1.0, high=1.0, method=WHOLE_RANGE
        )
    slope = edges[1] - edges[0]
    times = student_quantile(degrees, level) ** 2
    # (value - ρ)² <= times (edge + ρ slope)' spread (edge + ρ slope)
    a = 1 - times * float(slope @ spread @ slope)
    b = value + times * float(slope @ spread @ edges[0])
    c = value**2 - times * float(edges[0] @ spread @ edges[0])
    root = b * b - a * c
    if a > 0:
        half = math.sqrt(max(0.0, root))
        ends = possible_ends(value, (b - half) / a, (b + half) / a, -1.0, 1.0)
        return IntervalEstimate(
            value=value, standard_error=error, low=ends[0], high=ends[1], method=COVARIANCE
        )
    # All ρ but those between the roots are accepted. Inside -1 and 1 that is one side or all.
    low, high = -1.0, 1.0
    if root > 0:
        first, last = (
            sorted(((b - math.sqrt(root)) / a, (b + math.sqrt(root)) / a))
            if a
            else ((c / (2 * b), math.inf) if b < 0 else (-math.inf, c / (2 * b)))
        )
        low = last if first <= -1.0 < last < 1.0 else low
        high = first if -1.0 < first < 1.0 <= last else high
    return IntervalEstimate(
        value=value, standard_error=error, low=low, high=high, method=COVARIANCE
    )


def agreeing_with(
    figure: IntervalEstimate, p: float, level: float, null: float = 0.0
) -> IntervalEstimate:
    """The interval, with an end moved to the null value unless it excludes it if p < 1 - level."""
    low, high = figure.low, figure.high
    if p >= 1 - level:
        low, high = min(low, null), max(high, null)
    elif figure.value > null:
        low, high = max(low, null + NEXT_TO_ZERO), max(high, null + NEXT_TO_ZERO)
    else:
        low, high = min(low, null - NEXT_TO_ZERO), min(high, null - NEXT_TO_ZERO)
    return replace(figure, low=low, high=high)


def standard_error(gradient: Array, spread: Array) -> float:
    """The standard error of a function of the moments, which have this covariance."""
    return math.sqrt(max(0.0, float(gradient @ spread @ gradient)))


def gradient_of(
    x: float, y: float, value: float, variances: tuple[float, float], root: float
) -> Array:
    """The gradient of the correlation in the means of x, y, x^2, y^2 and xy."""
    return np.array(
        [
            -y / root + value * x / variances[0],
            -x / root + value * y / variances[1],
            -value / (2 * variances[0]),
            -value / (2 * variances[1]),
            1 / root,
        ]
    )
