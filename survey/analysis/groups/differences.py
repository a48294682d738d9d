"""Several differences: their p-values and intervals, individually and simultaneously."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import scipy

from survey.analysis.columns.sample_means import Sample
from survey.analysis.groups.figures import IntervalEstimate, t_interval_estimate
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


def differences_of(
    found: Array,
    covariance: Array,
    there: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    measure: Measure,
    sample: Sample,
    level: float,
) -> tuple[GroupDifference, ...]:
    """The differences of all pairs, with individual and simultaneous p-values and intervals."""
    width, degrees = measure.high - measure.low, sample.degrees
    together = 1 - (1 - level) / max(1, len(pairs))
    rows: list[tuple[IntervalEstimate, IntervalEstimate, float]] = []
    for group, other in pairs:
        one, two = there.index(group), there.index(other)
        value = float(found[one] - found[two])
        variance = covariance[one, one] + covariance[two, two] - 2 * covariance[one, two]
        error = math.sqrt(max(0.0, float(variance)))
        alone, wide = (
            t_interval_estimate(value, error, degrees, -width, width, each)
            for each in (level, together)
        )
        rows.append((alone, wide, difference_p_value(value, error, degrees)))
    adjusted = holm([p for *_, p in rows])
    return tuple(
        GroupDifference(*pair, alone, wide.low, wide.high, p, by_holm)
        for pair, (alone, wide, p), by_holm in zip(pairs, rows, adjusted, strict=True)
    )


def difference_p_value(value: float, error: float, degrees: int) -> float:
    """The p-value by Student's distribution; 1 if nothing varies, where it does not apply."""
    if error * error <= NEGLIGIBLE_VARIANCE:
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
