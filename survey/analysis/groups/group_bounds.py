"""The bounds of a measure in one group, and the interval of a difference from those of two groups.

Bounds may be outside the range of the measure, because noise moves the estimate too. Only the
interval of the difference is limited to its range.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.sample_means import Sample
from survey.analysis.groups.effective_counts import GroupCount
from survey.analysis.groups.figures import (
    EFFECTIVE_SIZE,
    MIN_STUDENT_RESPONSES,
    NEGLIGIBLE_RELATIVE_ERROR,
    WHOLE_RANGE,
    IntervalEstimate,
    fieller_ends,
)
from survey.core.scores import SAME_SCORE, Array
from survey.estimation.mean_intervals import mean_interval, possible_ends, student_quantile
from survey.estimation.share_differences import OwnInterval, combined_interval, p_of_zero
from survey.estimation.share_intervals import share_interval

# The method of a difference begins with this. The methods of the two intervals follow.
COMBINED = "MOVER, "
CLOPPER_PEARSON_EFFECTIVE = f"{COMBINED}{EFFECTIVE_SIZE}"
CLOPPER_PEARSON = f"{COMBINED}Clopper-Pearson"
GAFFKE = f"{COMBINED}Gaffke"
MOVER_STUDENT = f"{COMBINED}Student"
MOVER_EXACT = f"{COMBINED}exact"
# Relative to the range. Gaffke's bounds are searched this far outside it.
SEARCHED_RANGES = 20.0
# Fewer members, in equal clusters, do not show how a mean varies.
MIN_EFFECTIVE_MEMBERS = 1.5
# The end of an interval that must not contain zero is this far from it, relative to the range.
NEXT_TO_ZERO = 1e-12


@dataclass(frozen=True)
class GroupBounds:
    """Bounds of a measure, infinite if nothing is known, and their method."""

    low: float
    high: float
    method: str


@dataclass(frozen=True, kw_only=True)
class MeasuredGroup:
    """The scores of a measure in one group.

    Attributes
    ----------
    sample : all responses
    scores, among : ndarray, shape (m,)
        The scores of each combination of reports, for the numerator and the denominator.
    value : float
    covariance : ndarray, shape (2, 2)
        That of both means.
    span : float
        The length of the range of the measure.
    is_known : bool
        Whether nobody else is in this group, because the question is not private.
    count : GroupCount or None
        The binomial count of this group, if the scores of the measure have two values.
    two_scores : tuple of float
        These two values, the smaller first.
    members : ndarray of bool, shape (m,), or None
        The combinations that are possible in this group, if groups were asked in different ways.
    """

    sample: Sample
    scores: Array
    among: Array
    value: float
    covariance: Array
    span: float
    is_known: bool
    count: GroupCount | None
    two_scores: tuple[float, float]
    members: npt.NDArray[np.bool_] | None = None

    def bounds(self, level: float) -> GroupBounds:
        if self.members is not None:
            return self.bounds_of_members(self.members, level)
        if self.count is not None:
            low, high = self.count.mean_score_ends(self.two_scores, level)
            return GroupBounds(
                low, high, CLOPPER_PEARSON if self.sample.simple else CLOPPER_PEARSON_EFFECTIVE
            )
        if self.sample.simple and self.sample.all_listed:
            return gaffke_bounds(
                self.sample.counts, self.scores, self.among, self.value, self.span, level
            )
        return self.student_bounds(level)

    def bounds_of_members(self, members: npt.NDArray[np.bool_], level: float) -> GroupBounds:
        """Bounds from the reports of this group alone: exact for two scores, or Gaffke's."""
        if not self.sample.all_listed:
            return self.student_bounds(level)
        counts, scores, among = (
            each[members] for each in (self.sample.counts, self.scores, self.among)
        )
        low, high = float(scores.min()), float(scores.max())
        supports = scores > (low + high) / 2
        spread = np.abs(scores - np.where(supports, high, low)).max()
        if np.abs(among - 1).max() > SAME_SCORE or spread > SAME_SCORE * (high - low):
            return gaffke_bounds(counts, scores, among, self.value, self.span, level)
        found = share_interval(int(counts[supports].sum()), int(counts.sum()), 1.0, 0.0, level)
        first, last = (low + end * (high - low) for end in (found.low, found.high))
        return GroupBounds(first, last, MOVER_EXACT)

    def student_bounds(self, level: float) -> GroupBounds:
        """Bounds by Student's distribution, with the responses of the group if it is known."""
        unknown = GroupBounds(-math.inf, math.inf, MOVER_STUDENT)
        n = self.sample.n
        gradient = np.array([1, -self.value])
        variance = float(gradient @ self.covariance @ gradient)
        if math.sqrt(max(0.0, variance)) <= NEGLIGIBLE_RELATIVE_ERROR * self.span:
            return unknown
        if self.is_known:
            inside = self.among != 0
            members = self.sample.effective_members(inside.astype(np.float64))
            few = self.sample.in_bits and members < MIN_STUDENT_RESPONSES
            if few or self.sample.clusters_with(inside) < 2 or members < MIN_EFFECTIVE_MEMBERS:
                return unknown
            below, degrees = float(self.sample.mean(self.among)), self.sample.degrees
            # The variance has the factor c / (c - 1) for all c clusters, or responses.
            factor = degrees / self.sample.clusters * members / (members - 1)
            error = math.sqrt(variance * factor) / below
            half = student_quantile(min(members - 1, degrees), level) * error
            return GroupBounds(self.value - half, self.value + half, MOVER_STUDENT)
        if self.sample.in_bits and n < MIN_STUDENT_RESPONSES:
            return unknown
        above, below = (float(self.sample.mean(each)) for each in (self.scores, self.among))
        ends = fieller_ends(
            above, below, self.covariance, student_quantile(self.sample.student_degrees, level)
        )
        return unknown if ends is None else GroupBounds(*ends, MOVER_STUDENT)


def gaffke_bounds(
    counts: Array, scores: Array, among: Array, value: float, span: float, level: float
) -> GroupBounds:
    """Gaffke's bounds of a ratio of mean scores, whose range has the length `span`."""
    low, high = value - SEARCHED_RANGES * span, value + SEARCHED_RANGES * span
    found = mean_interval(counts, scores, low, high, level, among)
    return GroupBounds(
        -math.inf if found.low <= low else found.low,
        math.inf if found.high >= high else found.high,
        GAFFKE,
    )


def combined_bounds(
    parts: tuple[MeasuredGroup, MeasuredGroup], correlation: float, level: float
) -> GroupBounds:
    """The bounds of a difference, as MOVER has them (survey/estimation/share_differences.py)."""
    one, other = (part.bounds(level) for part in parts)
    owns = [
        OwnInterval(part.value, each.low, each.high)
        for part, each in zip(parts, (one, other), strict=True)
    ]
    low, high = combined_interval(owns, (1, -1), level, correlation=correlation)
    own = sorted({each.method.removeprefix(COMBINED) for each in (one, other)})
    return GroupBounds(low, high, COMBINED + " and ".join(own))


def p_of_no_difference(parts: tuple[MeasuredGroup, MeasuredGroup], correlation: float) -> float:
    """The p-value that agrees with the bounds of a difference at every level."""

    def interval_at(level: float) -> tuple[float, float]:
        bounds = combined_bounds(parts, correlation, level)
        return bounds.low, bounds.high

    return p_of_zero(interval_at)


def difference_interval(
    parts: tuple[MeasuredGroup, MeasuredGroup],
    error: float,
    correlation: float,
    p: float,
    level: float,
) -> IntervalEstimate:
    """The interval of a difference. It contains zero if and only if p is at least 1 - level.

    Where the combined bounds of both groups and the test disagree about zero, an end moves to zero.
    """
    bounds = combined_bounds(parts, correlation, level)
    low, high, method = bounds.low, bounds.high, bounds.method
    value, width = parts[0].value - parts[1].value, parts[0].span
    if math.isinf(low) and math.isinf(high):
        low, high, method = -width, width, WHOLE_RANGE
    else:
        low, high = possible_ends(value, low, high, -width, width)
    if p >= 1 - level:
        return IntervalEstimate(
            value=value, standard_error=error, low=min(low, 0.0), high=max(high, 0.0), method=method
        )
    nearest = NEXT_TO_ZERO * width
    if value > 0:
        low, high = max(low, nearest), max(high, nearest)
    else:
        low, high = min(low, -nearest), min(high, -nearest)
    return IntervalEstimate(value=value, standard_error=error, low=low, high=high, method=method)
