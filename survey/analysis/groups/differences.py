"""Several differences: their p-values and intervals, individually and simultaneously."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from survey.analysis.groups.effective_counts import EffectiveCounts
from survey.analysis.groups.figures import WHOLE_RANGE, IntervalEstimate
from survey.analysis.groups.group_bounds import (
    MeasuredGroup,
    difference_interval,
    p_of_no_difference,
)
from survey.analysis.groups.group_tests import GroupTests
from survey.analysis.multiple_comparisons import adjust_by_holm
from survey.analysis.tables.association import NEGLIGIBLE_VARIANCE
from survey.core.scores import Array


@dataclass(frozen=True, kw_only=True)
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

    @property
    def stated_p(self) -> tuple[float | None, float | None]:
        """`p` and `adjusted`, or None for both without a test: all of a group in one cluster."""
        untested = self.figure.method == WHOLE_RANGE and self.p == 1
        return (None, None) if untested else (self.p, self.adjusted)


@dataclass(frozen=True, kw_only=True)
class EstimatedGroups:
    """The measure in each group that is not estimated to be empty.

    Attributes
    ----------
    places : their places among all groups
    values : ndarray, shape (groups,)
    covariance : ndarray, shape (groups, groups)
    parts : their scores
    effective : the effective counts, in samples with a design and for measures with two scores
    single_clusters : places among all groups of those whose members are all in one cluster
    """

    places: tuple[int, ...]
    values: Array
    covariance: Array
    parts: tuple[MeasuredGroup, ...]
    effective: EffectiveCounts | None = None
    single_clusters: tuple[int, ...] = ()

    @property
    def asked_apart(self) -> bool:
        """Whether groups were asked in different ways.

        Their reports then differ even if the measure is the same, so permutations of them are no
        test.
        """
        return any(part.members is not None for part in self.parts)

    def correlation(self, one: int, other: int) -> float:
        """That of two values, by their places among the values."""
        spread = self.covariance
        if self.effective is not None:
            places = list(self.places)
            spread = self.effective.spread[np.ix_(places, places)]
        scale = math.sqrt(max(0.0, float(spread[one, one] * spread[other, other])))
        if scale <= NEGLIGIBLE_VARIANCE:
            return 0.0
        return min(1.0, max(-1.0, float(spread[one, other]) / scale))

    def difference(self, group: int, other: int) -> tuple[int, int, float]:
        """The places of two groups in `values`, and the standard error of their difference."""
        one, two = self.places.index(group), self.places.index(other)
        spread = self.covariance
        variance = float(spread[one, one] + spread[two, two] - 2 * spread[one, two])
        return one, two, math.sqrt(max(0.0, variance))

    def by_bounds(
        self, found: GroupTests, places: Sequence[int], pairs: Sequence[tuple[int, int]]
    ) -> GroupTests:
        """Tests with the p-values of pairs that agree with the bounds of both groups."""
        p_values = []
        for pair in pairs:
            one, two = (self.places.index(place) for place in pair)
            parts = self.parts[one], self.parts[two]
            p_values.append(p_of_no_difference(parts, self.correlation(one, two)))
        if len(places) > 2:
            return GroupTests(found.statistic, found.p, tuple(p_values))
        one, two, error = self.difference(*pairs[0])
        value = float(self.values[one] - self.values[two])
        return GroupTests((value / error) ** 2 if error > 0 else 0.0, p_values[0], tuple(p_values))


def differences_of(
    groups: EstimatedGroups,
    pairs: Sequence[tuple[int, int]],
    p_values: Sequence[float],
    level: float,
) -> tuple[GroupDifference, ...]:
    """The differences of all pairs, with individual and simultaneous p-values and intervals.

    `p_values` are those of the pairs.
    """
    together = 1 - (1 - level) / max(1, len(pairs))
    levels = (level,) if len(pairs) == 1 else (level, together)
    adjusted = adjust_by_holm(p_values)
    rows = []
    for (group, other), p, by_holm in zip(pairs, p_values, adjusted, strict=True):
        one, two, error = groups.difference(group, other)
        parts = groups.parts[one], groups.parts[two]
        correlation = groups.correlation(one, two)
        intervals = [difference_interval(parts, error, correlation, p, each) for each in levels]
        low, high = intervals[-1].low, intervals[-1].high
        rows.append(
            GroupDifference(
                group=group,
                other=other,
                figure=intervals[0],
                low=low,
                high=high,
                p=p,
                adjusted=by_holm,
            )
        )
    return tuple(rows)
