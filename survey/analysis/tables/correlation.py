"""The correlation of two questions' answers."""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from survey.analysis.columns.sample_means import Sample, complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.figures import EMPTY_SHARE, IntervalEstimate
from survey.analysis.groups.measures import Measure, measured, scores_for
from survey.analysis.tables.association import VARIES_NOT, on_fisher_scale
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import translate


@dataclass(frozen=True)
class Correlation:
    """A correlation among respondents who gave listed answers to both; `figure` may exceed 1.

    `p` is two-sided, for no correlation, on the scale of the interval: it is below 1 - level if the
    interval excludes zero. It is None if nothing varies.
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


def require_variance(measure: Measure, variance: float) -> None:
    """Raise UnanswerableQuestion if a variance is not estimated to be above zero."""
    if variance <= 1e-12 * max(1.0, (measure.high - measure.low) ** 2):
        raise UnanswerableQuestion(
            translate(
                "The variance of “%(question)s” is estimated at zero or less, so it has no "
                "correlation.",
                question=measure.column.label,
            )
        )


def moments_of(measures: tuple[Measure, Measure], sample: Sample) -> tuple[Array, Array]:
    """Estimates of x, y, x^2, y^2 and xy, with their covariance by the delta method.

    They are among respondents who gave listed answers to both. Raises UnanswerableQuestion if there
    are none.
    """
    of_first, of_second = (
        [part[sample.reports[:, place]] for part in powers(measure)]
        for place, measure in enumerate(measures)
    )
    # The first column identifies respondents who gave listed answers to both.
    exponents = ((0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (1, 1))
    scores = np.column_stack([of_first[a] * of_second[b] for a, b in exponents])
    means = sample.mean(scores)
    if means[0] <= EMPTY_SHARE:
        raise UnanswerableQuestion(
            translate(
                "The estimated share of respondents without a special answer to either question "
                "is zero."
            )
        )
    moments = means[1:] / means[0]
    linear = np.hstack([-moments[:, np.newaxis], np.eye(5)]) / means[0]
    return moments, linear @ sample.covariance(scores - means) @ linear.T


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

    The standard error is by the delta method, the interval on Fisher's scale. It is wrong with few
    responses: if the variance of a private answer is almost unknown, the estimate is biased away
    from zero.
    """
    measures = measured(first, answers[0]), measured(second, answers[1])
    sample = complete_case_sample((first, second), design)
    moments, spread = moments_of(measures, sample)
    x, y, xx, yy, xy = (float(moment) for moment in moments)
    variances = xx - x * x - first.rounding, yy - y * y - second.rounding
    for measure, variance in zip(measures, variances, strict=True):
        require_variance(measure, variance)
    covariance = xy - x * y
    root = math.sqrt(variances[0] * variances[1])
    value = covariance / root
    gradient = gradient_of(x, y, value, variances, root)
    error = math.sqrt(max(0.0, float(gradient @ spread @ gradient)))
    return Correlation(
        measures[0],
        measures[1],
        sample.n,
        len(first.reports) - sample.n,
        level,
        on_fisher_scale(value, error, sample.degrees, level),
        correlation_p_value(value, error, sample.degrees),
        covariance,
        (math.sqrt(variances[0]), math.sqrt(variances[1])),
    )


def powers(measure: Measure) -> tuple[Array, Array, Array]:
    """Scores of having given a listed answer, of its quantity, and of the quantity squared."""
    squares = scores_for(measure.column, measure.of_answer**2)
    return measure.among, measure.scores, squares


def correlation_p_value(value: float, error: float, degrees: int) -> float | None:
    """The p-value for no correlation, by Student's distribution on the interval's scale."""
    if error <= VARIES_NOT:
        return None
    off = value if abs(value) >= 1 else math.atanh(value) * (1 - value**2)
    return float(2 * scipy.special.stdtr(degrees, -abs(off) / error))


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
