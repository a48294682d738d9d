"""Several differences: their p-values and intervals, individually and simultaneously."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import scipy

from survey.analysis.columns.sample_means import Sample
from survey.analysis.groups.figures import (
    NEGLIGIBLE_RELATIVE_ERROR,
    IntervalEstimate,
    t_interval_estimate,
)
from survey.analysis.groups.group_bounds import MeasuredGroup, difference_interval
from survey.analysis.groups.measures import Measure
from survey.analysis.tables.association import NEGLIGIBLE_VARIANCE
from survey.core.scores import Array


@dataclass(frozen=True)
class GroupDifference:
    """The measure in one group minus that in another.

    Attributes
    ----------
    group, other : int
        Places among the groups.
    figure : IntervalEstimate
        Its interval has the level individually.
    low, high : float
        Simultaneous interval: with the level, all differences lie in theirs at once.
    p : float
        Two-sided, for no difference.
    adjusted : float
        Holm's adjusted p-value, which controls the probability of any false rejection.
    """

    group: int
    other: int
    figure: IntervalEstimate
    low: float
    high: float
    p: float
    adjusted: float


@dataclass(frozen=True)
class EstimatedGroups:
    """The measure in each group that is not estimated to be empty.

    Attributes
    ----------
    places : their places among all groups
    values : ndarray, shape (groups,)
    covariance : ndarray, shape (groups, groups)
    parts : their scores, without a design; else empty
    """

    places: tuple[int, ...]
    values: Array
    covariance: Array
    parts: tuple[MeasuredGroup, ...]

    def difference(self, group: int, other: int) -> tuple[int, int, float, float]:
        """The places of two groups in `values`, their difference, and its standard error."""
        one, two = self.places.index(group), self.places.index(other)
        spread = self.covariance
        variance = float(spread[one, one] + spread[two, two] - 2 * spread[one, two])
        value = float(self.values[one] - self.values[two])
        return one, two, value, math.sqrt(max(0.0, variance))


def differences_of(
    groups: EstimatedGroups,
    pairs: Sequence[tuple[int, int]],
    p_values: Sequence[float],
    measure: Measure,
    sample: Sample,
    level: float,
) -> tuple[GroupDifference, ...]:
    """The differences of all pairs, with individual and simultaneous p-values and intervals.

    `p_values` are those of the pairs.
    """
    width, degrees = measure.high - measure.low, sample.degrees
    together = 1 - (1 - level) / max(1, len(pairs))
    levels = (level,) if len(pairs) == 1 else (level, together)
    adjusted = holm(p_values)
    rows = []
    for (group, other), p, by_holm in zip(pairs, p_values, adjusted, strict=True):
        one, two, value, error = groups.difference(group, other)
        if sample.simple:
            parts = groups.parts[one], groups.parts[two]
            spread = groups.covariance
            scale = math.sqrt(max(0.0, float(spread[one, one] * spread[two, two])))
            correlation = float(spread[one, two]) / scale if scale > NEGLIGIBLE_VARIANCE else 0.0
            intervals = [
                difference_interval(parts, error, min(1.0, max(-1.0, correlation)), p, each)
                for each in levels
            ]
        else:
            intervals = [
                t_interval_estimate(value, error, degrees, -width, width, each) for each in levels
            ]
        low, high = intervals[-1].low, intervals[-1].high
        rows.append(GroupDifference(group, other, intervals[0], low, high, p, by_holm))
    return tuple(rows)


def difference_p_value(value: float, error: float, degrees: int, width: float) -> float:
    """The p-value by Student's distribution; 1 if nothing varies, where it does not apply.

    `width` is that of the measure's range. The interval is then the whole range of differences.
    """
    if error <= NEGLIGIBLE_RELATIVE_ERROR * 2 * width:
        return 1.0
    return 2 * float(scipy.special.stdtr(degrees, -abs(value) / error))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p-values, in the given order.

    The i-th smallest of m is multiplied by m - i + 1. It is at least the adjusted one before it,
    and at most 1.
    """
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return tuple(adjusted)
