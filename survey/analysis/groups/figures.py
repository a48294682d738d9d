"""One estimate of an analysis, with its standard error and interval."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from survey.analysis.columns.sample_means import Sample
from survey.analysis.groups.effective_counts import binomial_ends
from survey.core.exact_numbers import half_up
from survey.core.scores import Array
from survey.core.translate import translate, translate_number
from survey.estimation.findings.remarks import SCARCE_CLUSTERS, Remark
from survey.estimation.mean_intervals import mean_interval, possible_ends, student_quantile
from survey.estimation.number_text import (
    Written,
    beyond_interval,
    fixed_decimals,
    percent,
    points_text,
    rounded_to,
    value_or_bound,
)

# Tables with more estimates do not use Gaffke's bounds, which are slow.
MAX_GAFFKE_FIGURES = 40
# A smaller estimated share is zero, up to rounding.
EMPTY_SHARE = 1e-9
# With a design and fewer degrees of freedom, Fieller's intervals cover as little as 91 %.
MIN_FIELLER_DEGREES = 30
# For reports of bits, Student's distribution needs at least this many responses.
MIN_STUDENT_RESPONSES = 30
# Relative to the range. A smaller standard error consists of rounding errors.
NEGLIGIBLE_RELATIVE_ERROR = 1e-7
# An interval that is more than 1,000 times as long as its standard error does not come from it.
MIN_ERROR_OF_INTERVAL = 1e-3
# A smaller p-value is printed as being below this one.
SMALLEST_P = 0.001
# The p-value below which a sentence states a relation.
SIGNIFICANCE_LEVEL = 0.05
EFFECTIVE_SIZE = "Clopper-Pearson of an effective sample size"
FIELLER = "Fieller, Student"
STUDENT = "Student"
WHOLE_RANGE = "the whole range"


@dataclass(frozen=True, kw_only=True)
class IntervalEstimate:
    """An estimate with its interval.

    Attributes
    ----------
    value : float
        Unclipped; infinite for some odds ratios.
    standard_error : float
        NaN if there is none.
    low, high : float
        The interval, within the possible range.
    method : str
        The method of the interval.
    """

    value: float
    standard_error: float
    low: float
    high: float
    method: str

    @property
    def any_share(self) -> bool:
        """Whether it is a share that can have any value."""
        return self.low <= 0 and self.high >= 1

    @property
    def any_ratio(self) -> bool:
        """Whether it is an odds ratio that can have any value."""
        return self.low <= 0 and math.isinf(self.high)


def with_interval(figure: IntervalEstimate) -> str:
    """A share or a difference of shares, with its interval, in percent."""
    return translate(
        "%(value)s (%(low)s to %(high)s)",
        value=translate_number(percent(figure.value)),
        low=translate_number(percent(figure.low)),
        high=translate_number(percent(figure.high)),
    )


def possible_text(figure: IntervalEstimate, written: Written) -> str:
    """An estimate in words. Of one that no share or mean can have, it is an end of the interval."""
    beyond = beyond_interval(figure.value, figure.low, figure.high, written)
    low, value, high = (
        translate_number(written(each)) for each in (figure.low, figure.value, figure.high)
    )
    return value_or_bound(beyond, low, value, high)


def is_possible_share(figure: IntervalEstimate) -> bool:
    """Whether a share, as printed in percent, is in its interval."""
    return possible_text(figure, percent) == translate_number(percent(figure.value))


def rounding_like(figure: IntervalEstimate) -> Written:
    """How a mean, a difference of means or a coefficient and its ends are rounded.

    They have the precision of a quarter of their interval if it does not come from the standard
    error, which is then zero or consists of rounding errors.
    """
    error, width = figure.standard_error, figure.high - figure.low
    if not error > MIN_ERROR_OF_INTERVAL * width:
        error = width / 4 if math.isfinite(width) else 0.0
    return lambda value: rounded_to(value, error)


def p_bound(p: float) -> float | None:
    """The limit that a p-value is below, if three decimals do not show that it is."""
    if p < SMALLEST_P:
        return SMALLEST_P
    return SIGNIFICANCE_LEVEL if p < SIGNIFICANCE_LEVEL <= half_up(p, 3) else None


def p_words(p: float) -> str:
    """A p-value in a sentence: p = 0.012, p < 0.001, or p < 0.05 instead of 0.050."""
    limit = p_bound(p)
    return translate_number(f"p = {fixed_decimals(p, 3)}" if limit is None else f"p < {limit}")


def points_in_words(figure: IntervalEstimate) -> str:
    """A difference of shares with its interval, in percentage points."""
    return translate(
        "%(value)s (%(low)s to %(high)s)",
        value=translate("%(n)s points", n=possible_text(figure, points_text)),
        low=translate_number(percent(figure.low)),
        high=translate_number(points_text(figure.high)),
    )


def share_in_words(figure: IntervalEstimate, level: str = "") -> str:
    """A share with its interval, for a sentence that states a finding.

    An impossible share is that of `possible_text` alone. `level` is the level of the interval in
    percent; without it, the sentence does not name it.
    """
    if not is_possible_share(figure):
        return possible_text(figure, percent)
    if not level:
        return with_interval(figure)
    return translate(
        "%(share)s (%(level)s %% interval %(low)s to %(high)s)",
        share=translate_number(percent(figure.value)),
        level=level,
        low=translate_number(percent(figure.low)),
        high=translate_number(percent(figure.high)),
    )


def estimated_share(figure: IntervalEstimate) -> str:
    """A share with its interval, and the word "estimated" if it is a possible share."""
    words = share_in_words(figure)
    return translate("an estimated %(share)s", share=words) if is_possible_share(figure) else words


def t_interval_estimate(
    value: float, error: float, degrees: float, low: float, high: float, level: float
) -> IntervalEstimate:
    """An estimate with the interval value +- t times its standard error, within [low, high].

    If nothing varies, Student's distribution does not apply, and the interval is the whole range.
    """
    if error <= NEGLIGIBLE_RELATIVE_ERROR * (high - low):
        return IntervalEstimate(
            value=value, standard_error=error, low=low, high=high, method=WHOLE_RANGE
        )
    half = student_quantile(degrees, level) * error
    ends = possible_ends(value, value - half, value + half, low, high)
    return IntervalEstimate(
        value=value, standard_error=error, low=ends[0], high=ends[1], method=STUDENT
    )


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
    """The ratio of two mean scores, such as a share among respondents with some answers.

    Parameters
    ----------
    scores, among : ndarray, shape (m,)
        The scores of each combination of reports, for the numerator and the denominator.
    low, high : float
        The range that certainly contains the ratio.
    fine : bool
        Whether to use Gaffke's bounds where they hold. They need a sample without weights, strata
        and clusters, and a list of all possible reports, which are at most 20,000.
    covariance : ndarray, shape (2, 2), optional
        The covariance of both means, if it is already known.

    Returns
    -------
    IntervalEstimate, or None if the estimated denominator is zero or less, up to rounding.

    Notes
    -----
    The standard error is that of scores - ratio x among, divided by the mean of among (delta
    method). The interval is that of `ends_of_ratio`.
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
    bottom, top, method = ends_of_ratio(
        sample, scores, among, low, high, level, fine, None if alike else covariance
    )
    return IntervalEstimate(value=value, standard_error=error, low=bottom, high=top, method=method)


def ends_of_ratio(
    sample: Sample,
    scores: Array,
    among: Array,
    low: float,
    high: float,
    level: float,
    fine: bool,
    covariance: Array | None,
) -> tuple[float, float, str]:
    """The ends of the interval of a ratio of mean scores, and its method.

    The parameters are those of `ratio_estimate`, but `covariance` is None if nothing varies.

    Notes
    -----
    It contains the values v for which the mean of scores - v among may be zero. It uses Gaffke's
    bounds (survey/estimation/mean_intervals.py), counts of an effective sample size
    (`binomial_ends`) for a share with weights, strata or clusters, or Student's distribution
    (Fieller, JRSS B 16 (1954) 175). The latter does not apply if all reports have the same score,
    nor to reports of bits in fewer than 30 responses. The interval is then the whole range, or
    Gaffke's if all reports are listed and do not come from one cluster.
    """
    above, below = (float(mean) for mean in sample.mean(np.column_stack([scores, among])))
    ends = None if sample.simple else binomial_ends(sample, scores, among, level)
    if ends is not None:
        return *possible_ends(above / below, *ends, low, high), EFFECTIVE_SIZE
    by_gaffke = sample.simple and fine
    if covariance is None:
        by_gaffke = sample.clusters_with(among != 0) > 1
    if sample.all_listed and by_gaffke:
        found = mean_interval(sample.counts, scores, low, high, level, among)
        return found.low, found.high, found.method
    if covariance is None or (sample.in_bits and sample.n < MIN_STUDENT_RESPONSES):
        return low, high, WHOLE_RANGE
    ends = fieller_ends(above, below, covariance, student_quantile(sample.student_degrees, level))
    if ends is None:
        return low, high, FIELLER
    return *possible_ends(above / below, *ends, low, high), FIELLER


def few_degrees_remarks(sample: Sample, figures: Iterable[IntervalEstimate | None]) -> list[Remark]:
    """A remark if Fieller's intervals of a sample with a design can be too short."""
    used = any(each is not None and each.method == FIELLER for each in figures)
    if sample.simple or not used or sample.student_degrees >= MIN_FIELLER_DEGREES:
        return []
    sentence = translate(
        "These weights, strata or clusters leave few degrees of freedom for standard errors: "
        "%(n)s. Intervals can therefore be too short.",
        n=sample.student_degrees,
    )
    return [Remark(SCARCE_CLUSTERS, sentence)]


def fieller_ends(
    above: float, below: float, covariance: Array, quantile: float
) -> tuple[float, float] | None:
    """The ends of Fieller's interval of above / below.

    It is None if the denominator may be zero, because the ratio may then have any value.
    """
    times = quantile**2
    a = below**2 - times * covariance[1, 1]
    b = above * below - times * covariance[0, 1]
    c = above**2 - times * covariance[0, 0]
    if a <= 0:
        return None
    root = math.sqrt(max(0.0, b * b - a * c))
    return (b - root) / a, (b + root) / a
