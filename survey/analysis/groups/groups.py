"""Groups compared: a share or a mean in each, and their differences."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from survey.analysis.columns.sample_means import Sample, sample_of
from survey.analysis.columns.variables import Column, Design
from survey.analysis.groups.differences import Difference, differences_of
from survey.analysis.groups.figures import EMPTY, WHOLE, Figure, ratio
from survey.analysis.groups.measures import Measure, measured
from survey.analysis.tables.association import Test, quadratic_test
from survey.analysis.tables.joint_shares import coherent, require_shares
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array

MOST_GROUPS = 30
FEW = 30  # responses in a group below which the normal law of its mean is doubtful


@dataclass(frozen=True)
class Group:
    """One group: its share of all who are in a listed group, and the measure in it. None where
    nobody is estimated to be in it."""

    label: str
    size: Figure | None
    figure: Figure | None


@dataclass(frozen=True)
class Comparison:
    """A measure by group, and of `everyone` together; `overall` tests whether it is the same in all
    groups."""

    measure: Measure
    group: Column
    n: int
    left_out: int
    level: float
    groups: tuple[Group, ...]
    everyone: Figure | None
    differences: tuple[Difference, ...]
    overall: Test | None
    remarks: tuple[str, ...]


def compare(
    outcome: Column,
    group: Column,
    design: Design | None = None,
    answer: int | None = None,
    reference: int | None = None,
    level: float = 0.95,
) -> Comparison:
    """Compare a share or a mean between the groups that another question makes.

    Parameters
    ----------
    outcome, group : columns of the same responses, private or plain
    answer : int, optional
        The place of the answer whose share is compared; without it as `measures.measured`.
    reference : int, optional
        The place of a group; differences are then of each other group from it, else of all pairs.
    level : float in (0, 1)

    Raises
    ------
    UnanswerableQuestion
        As `measured` and `sample_of`, with more than 30 groups, and where no group has anybody.

    Notes
    -----
    In group g the measure is E[s G_g] / E[a G_g], with scores s of the measure, a of having given
    a listed answer, G_g of being in the group; of everyone in a group the same with the sum of the
    G_g. All variances and covariances are those of the linearised ratios under the design; where
    the group is private too, groups share their respondents' noise and are not independent.
    Differences are compared with
    Student's law on the degrees of freedom of the design. Adjusted p-values by Holm (Scand. J.
    Stat. 6 (1979) 65), simultaneous intervals by Bonferroni: each at 1 - (1 - level) / number of
    differences. All of it is too optimistic where a group has few responses; a remark names these.
    """
    measure = measured(outcome, answer)
    require_shares(group)
    if group.listed > MOST_GROUPS:
        raise UnanswerableQuestion(
            f"{group.name} makes {group.listed:,} groups; at most {MOST_GROUPS} can be compared."
        )
    if reference is not None and not 0 <= reference < group.listed:
        raise UnanswerableQuestion(f"{group.name} has no such group.")
    sample = sample_of((outcome, group), design)
    inside = coherent(group)[sample.reports[:, 1], : group.listed]
    above = measure.scores[sample.reports[:, 0], np.newaxis] * inside
    below = measure.among[sample.reports[:, 0], np.newaxis] * inside
    anyone = inside.sum(axis=1, keepdims=True)
    everything = np.hstack([above, below, inside, anyone])
    means = sample.mean(everything)
    shared = sample.covariance(everything - means)
    k = group.listed
    values, weights = means[:k], means[k : 2 * k]
    there = [place for place in range(k) if weights[place] > EMPTY]
    if not there:
        raise UnanswerableQuestion("Nobody is estimated to be in any of the groups.")

    def part(one: int, other: int, low: float, high: float) -> Figure | None:
        covariance = shared[np.ix_([one, other], [one, other])]
        scores, among = everything[:, one], everything[:, other]
        return ratio(sample, scores, among, low, high, level, covariance=covariance)

    groups = tuple(
        Group(
            label,
            part(2 * k + place, 3 * k, 0, 1),
            part(place, k + place, measure.low, measure.high),
        )
        for place, label in enumerate(group.answers[:k])
    )
    in_any = (above.sum(axis=1), below.sum(axis=1))
    everyone = ratio(sample, *in_any, measure.low, measure.high, level)
    found = values[there] / weights[there]
    linear = np.zeros((len(there), len(means)))
    for row, place in enumerate(there):
        linear[row, [place, k + place]] = np.array([1, -found[row]]) / weights[place]
    covariance = linear @ shared @ linear.T
    pairs = [
        (one, other)
        for one, other in combinations(there, 2)
        if reference is None or reference in (one, other)
    ]
    if reference is not None:  # the reference is what is taken off
        pairs = [(other, one) if one == reference else (one, other) for one, other in pairs]
    else:
        pairs = [(other, one) for one, other in pairs]
    differences = differences_of(found, covariance, there, pairs, measure, sample, level)
    words = f"the {measure.words} of {outcome.name} is the same in all groups of {group.name}"
    overall, why_not = overall_test(found, covariance, sample, words)
    remarks = [*why_not, *remarks_on(groups, sample, measure)]
    if any(difference.figure.method == WHOLE for difference in differences):
        remarks.append(
            "Where all reports are the same in both groups, their difference is not tested: how "
            "much it varies cannot be told."
        )
    return Comparison(
        measure,
        group,
        sample.n,
        len(outcome.reports) - sample.n,
        level,
        groups,
        everyone,
        differences,
        overall,
        tuple(remarks),
    )


def overall_test(
    found: Array, covariance: Array, sample: Sample, words: str
) -> tuple[Test | None, tuple[str, ...]]:
    """Wald's test of no difference at all, or why there is none."""
    if len(found) < 2:
        return None, ("With a single group there is nothing to compare.",)
    contrasts = np.eye(len(found))[1:] - np.eye(len(found))[0]
    spread = contrasts @ covariance @ contrasts.T
    try:
        return quadratic_test(contrasts @ found, spread, sample.degrees, words), ()
    except UnanswerableQuestion as refusal:
        return None, (str(refusal),)


def remarks_on(groups: Sequence[Group], sample: Sample, measure: Measure) -> tuple[str, ...]:
    """What to keep in mind with these groups."""
    remarks = []
    empty = [group.label for group in groups if group.size is None or group.figure is None]
    if empty:
        remarks.append(f"Nobody is estimated to be in: {', '.join(empty)}.")
    few = [
        f"{group.label} ({max(0, round(group.size.value * sample.n))})"
        for group in groups
        if group.size is not None and group.figure is not None
        and group.size.value * sample.n < FEW
    ]  # fmt: skip
    if few:
        remarks.append(
            f"Groups with fewer than about {FEW} responses: {', '.join(few)}. Their intervals may "
            "be too short, and their p-values too small; merge groups if you can."
        )
    beyond = [
        group.label
        for group in groups
        if group.figure and not measure.low <= group.figure.value <= measure.high
    ]
    if beyond:
        remarks.append(f"Estimated beyond what is possible, as chance may do: {', '.join(beyond)}.")
    return tuple(remarks)
