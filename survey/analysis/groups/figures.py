"""One figure of an analysis, with its standard error and interval."""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from survey.analysis.columns.sample_means import Sample
from survey.core.scores import Array
from survey.estimation.mean_intervals import mean_interval, possible_ends
from survey.estimation.number_text import percent

# Figures of one table up to which each interval is found by Gaffke's bounds.
MAX_GAFFKE_FIGURES = 40
EMPTY_SHARE = 1e-9  # an estimated share of nobody, but for rounding
MIN_STUDENT_RESPONSES = 30  # responses from which Student's law is taken for reports made of bits
NEGLIGIBLE_RELATIVE_ERROR = 1e-7  # of a range: a standard error that is made of rounding
FIELLER, STUDENT, WHOLE_RANGE = "Fieller, Student", "Student", "the whole range"


@dataclass(frozen=True)
class IntervalEstimate:
    """An estimate.

    Attributes
    ----------
    value : float
        Unclipped.
    standard_error : float
    low, high : float
        The interval, within what is possible.
    method : str
        How the interval was found.
    """

    value: float
    standard_error: float
    low: float
    high: float
    method: str


def with_interval(figure: IntervalEstimate) -> str:
    """A share and its interval, in percent."""
    return f"{percent(figure.value)} ({percent(figure.low)} to {percent(figure.high)})"


def t_quantile(degrees: int, level: float) -> float:
    """Student's."""
    return float(scipy.special.stdtrit(degrees, (1 + level) / 2))


def t_interval_estimate(
    value: float, error: float, degrees: int, low: float, high: float, level: float
) -> IntervalEstimate:
    """A figure whose interval is value +- t times its standard error, within [low, high]; all of
    that where nothing varies, since Student's law then knows nothing."""
    if error <= NEGLIGIBLE_RELATIVE_ERROR * (high - low):
        return IntervalEstimate(value, error, low, high, WHOLE_RANGE)
    half = t_quantile(degrees, level) * error
    ends = possible_ends(value, value - half, value + half, low, high)
    return IntervalEstimate(value, error, *ends, STUDENT)


def ratio_estimate(
    sample: Sample,
    scores: Array,
    among: Array,
    low: float,
    high: float,
    level: float,
    fine: bool = True,
    covariance: Array | None = None,
) -> IntervalEstimate | None:
    """The ratio of two mean scores, such as a share of those who gave one of some answers.

    Parameters
    ----------
    scores, among : ndarray, shape (m,)
        What each combination of reports is worth, above and below.
    low, high : float
        Between what the ratio lies for certain.
    fine : bool
        Whether to use Gaffke's bounds where they hold: without weights, strata and clusters, and
        where all reports that could have come are listed, which are at most 20,000.
    covariance : ndarray, shape (2, 2), optional
        Of the means of both, where it is known already.

    Returns
    -------
    IntervalEstimate, or None where the mean below is estimated to be zero or less, but for
    rounding.

    Notes
    -----
    The standard error is that of scores - ratio x among, over the mean of among (delta method). The
    interval holds the values v for which the mean of scores - v among may be zero: by Gaffke's
    bounds (survey/estimation/mean_intervals.py), or by Student's law (Fieller, JRSS B 16 (1954)
    175), which knows nothing where all reports are worth the same, nor of reports made of bits in
    fewer than 30 responses: then the interval is the whole range, or Gaffke's where all reports are
    listed.
    """
    above, below = (float(mean) for mean in sample.mean(np.column_stack([scores, among])))
    if below <= EMPTY_SHARE:
        return None
    value = above / below
    if covariance is None:
        covariance = sample.covariance(np.column_stack([scores - above, among - below]))
    gradient = np.array([1, -value]) / below
    error = math.sqrt(max(0.0, float(gradient @ covariance @ gradient)))
    alike = error <= NEGLIGIBLE_RELATIVE_ERROR * (high - low)
    if sample.all_listed and ((sample.simple and fine) or alike):
        gaffke_interval = mean_interval(sample.counts, scores, low, high, level, among)
        return IntervalEstimate(
            value, error, gaffke_interval.low, gaffke_interval.high, gaffke_interval.method
        )
    if alike or (sample.in_bits and sample.n < MIN_STUDENT_RESPONSES):
        return IntervalEstimate(value, error, low, high, WHOLE_RANGE)
    ends = fieller_ends(above, below, covariance, t_quantile(sample.degrees, level))
    if ends is None:
        return IntervalEstimate(value, error, low, high, FIELLER)
    return IntervalEstimate(value, error, *possible_ends(value, *ends, low, high), FIELLER)


def fieller_ends(
    above: float, below: float, covariance: Array, quantile: float
) -> tuple[float, float] | None:
    """The ends of Fieller's interval of above / below; None where the mean below may be zero, and
    the ratio anything."""
    times = quantile**2
    a = below**2 - times * covariance[1, 1]
    b = above * below - times * covariance[0, 1]
    c = above**2 - times * covariance[0, 0]
    if a <= 0:
        return None
    root = math.sqrt(max(0.0, b * b - a * c))
    return (b - root) / a, (b + root) / a
