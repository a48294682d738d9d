"""Comparisons of groups: a share or a mean in each group, and the differences."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.answer_scores import coherent, require_shares
from survey.analysis.columns.sample_means import Sample, complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.design_tests import design_score_tests, effective_tests
from survey.analysis.groups.differences import (
    EstimatedGroups,
    GroupDifference,
    differences_of,
)
from survey.analysis.groups.effective_counts import EffectiveCounts, GroupCount, effective_counts
from survey.analysis.groups.figures import (
    EMPTY_SHARE,
    NEGLIGIBLE_RELATIVE_ERROR,
    WHOLE_RANGE,
    IntervalEstimate,
    few_degrees_remarks,
    ratio_estimate,
)
from survey.analysis.groups.group_bounds import COMBINED, GroupBounds, MeasuredGroup
from survey.analysis.groups.group_tests import TwoScores, group_tests, two_scores
from survey.analysis.groups.measures import Measure, measure_of, measure_text
from survey.analysis.tables.association import DESIGN_SCORE, MOVER, RAO_SCOTT, SCORE, WELCH, Test
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import translate, translate_list
from survey.estimation.findings.remarks import NO_FIGURE, OUTSIDE_RANGE, Remark
from survey.estimation.mean_intervals import possible_ends
from survey.estimation.types.joint_texts import quoted_label

MAX_GROUPS = 30


@dataclass(frozen=True)
class GroupEstimate:
    """One group: its share of all respondents in listed groups, and its measure.

    Both are None if the group is estimated to be empty.
    """

    label: str
    size: IntervalEstimate | None
    figure: IntervalEstimate | None


@dataclass(frozen=True, kw_only=True)
class GroupComparison:
    """A measure in each group, and of `everyone` together.

    `overall` tests whether it is the same in all groups. `has_design` is whether there are weights,
    strata or clusters.
    """

    measure: Measure
    group: AnalysisColumn
    n: int
    left_out: int
    level: float
    groups: tuple[GroupEstimate, ...]
    everyone: IntervalEstimate | None
    differences: tuple[GroupDifference, ...]
    overall: Test | None
    remarks: tuple[Remark, ...]
    has_design: bool = False


@dataclass(frozen=True, kw_only=True)
class GroupScores:
    """Scores of a measure in each of k groups, with their means and covariance.

    Attributes
    ----------
    columns : array, shape (n, 3 k + 1)
        For each group, scores of the measure, then of having given a listed answer, then of being
        in the group. The last column is for being in any group.
    means, covariance : of the columns, under the design
    """

    sample: Sample
    k: int
    columns: Array
    means: Array
    covariance: Array

    @property
    def there(self) -> list[int]:
        """The groups that are not estimated to be empty."""
        return [place for place in range(self.k) if self.means[self.k + place] > EMPTY_SHARE]

    def quotient(
        self, one: int, other: int, low: float, high: float, level: float
    ) -> IntervalEstimate | None:
        """The ratio of two columns' means."""
        covariance = self.covariance[np.ix_([one, other], [one, other])]
        scores, among = self.columns[:, one], self.columns[:, other]
        return ratio_estimate(self.sample, scores, among, low, high, level, covariance=covariance)

    def share(self, place: int, level: float) -> IntervalEstimate | None:
        """The share of a group among respondents in any group."""
        return self.quotient(2 * self.k + place, 3 * self.k, 0, 1, level)

    def measure_in(self, place: int, measure: Measure, level: float) -> IntervalEstimate | None:
        """The measure in one group."""
        return self.quotient(place, self.k + place, measure.low, measure.high, level)

    def groups(
        self, labels: Sequence[str], measure: Measure, level: float
    ) -> tuple[GroupEstimate, ...]:
        """Each group with its share and its measure."""
        return tuple(
            GroupEstimate(
                labels[place], self.share(place, level), self.measure_in(place, measure, level)
            )
            for place in range(self.k)
        )

    def measure_in_any(self, measure: Measure, level: float) -> IntervalEstimate | None:
        """The measure of all respondents in any group."""
        above = self.columns[:, : self.k].sum(axis=1)
        below = self.columns[:, self.k : 2 * self.k].sum(axis=1)
        return ratio_estimate(self.sample, above, below, measure.low, measure.high, level)

    def estimates(self, measure: Measure, group: AnalysisColumn) -> EstimatedGroups:
        """The measure in each group that is not empty, with the linearised covariance."""
        there, weights = self.there, self.means[self.k : 2 * self.k]
        values = self.means[there] / weights[there]
        linear = np.zeros((len(there), len(self.means)))
        for row, place in enumerate(there):
            linear[row, [place, self.k + place]] = np.array([1, -values[row]]) / weights[place]
        covariance = linear @ self.covariance @ linear.T
        counted = two_scores(measure, group, self.sample)
        effective = self.effective_counts(counted, linear, covariance)
        single = self.single_clusters(group)
        parts = self.parts(measure, group, values, counted, effective, single)
        return EstimatedGroups(
            places=tuple(there),
            values=values,
            covariance=covariance,
            parts=parts,
            effective=effective,
            single_clusters=single,
        )

    def single_clusters(self, group: AnalysisColumn) -> tuple[int, ...]:
        """The non-private groups whose members are all in one cluster."""
        if self.sample.units is None or group.private:
            return ()
        inside = self.columns[:, 2 * self.k : 3 * self.k] != 0
        return tuple(
            place for place in self.there if self.sample.clusters_with(inside[:, place]) < 2
        )

    def effective_counts(
        self, counted: TwoScores | None, linear: Array, covariance: Array
    ) -> EffectiveCounts | None:
        """The counts of a sample with a design; None if there are none, or nothing varies."""
        if self.sample.simple or counted is None or counted.counts is None:
            return None
        correction = 1.0
        if self.sample.finite is not None:
            infinite = replace(self.sample, finite=None).covariance(self.columns - self.means)
            whole = float(np.trace(linear @ infinite @ linear.T))
            correction = float(np.trace(covariance)) / whole if whole > 0 else 0.0
            if correction <= NEGLIGIBLE_RELATIVE_ERROR:
                return None
        observed = np.zeros((self.k, self.k))
        observed[np.ix_(self.there, self.there)] = covariance / (counted.high - counted.low) ** 2
        supports = counted.supports[self.sample.reports[:, 0]]
        return effective_counts(
            self.sample, supports, self.sample.reports[:, 1], observed, correction, counted.range
        )

    def parts(
        self,
        measure: Measure,
        group: AnalysisColumn,
        values: Array,
        counted: TwoScores | None,
        effective: EffectiveCounts | None,
        single: Sequence[int],
    ) -> tuple[MeasuredGroup, ...]:
        """The scores in each group that is not empty, with its binomial counts if it has them."""
        parts = []
        apart = members_asked_apart(measure, group, self.sample, self.there)
        for value, place in zip(values, self.there, strict=True):
            columns = [place, self.k + place]
            count = None
            if effective is not None:
                count = None if place in single else effective.of_group(place)
            elif self.sample.simple and counted is not None and counted.counts is not None:
                n = float(counted.counts.n[place])
                count = GroupCount(float(counted.counts.supporting[place]), n, n)
            parts.append(
                MeasuredGroup(
                    sample=self.sample,
                    scores=self.columns[:, place],
                    among=self.columns[:, self.k + place],
                    value=float(value),
                    covariance=self.covariance[np.ix_(columns, columns)],
                    span=measure.high - measure.low,
                    is_known=not group.private,
                    count=count,
                    two_scores=(0.0, 1.0) if counted is None else (counted.low, counted.high),
                    members=apart.get(place),
                )
            )
        return tuple(parts)


def members_asked_apart(
    measure: Measure, group: AnalysisColumn, sample: Sample, places: Sequence[int]
) -> dict[int, npt.NDArray[np.bool_]]:
    """The possible combinations of reports of each group, shape (m,), by its place.

    It is empty unless non-private groups were asked in different ways, such as the arms of an
    experiment.
    """
    designs = measure.column.designs
    if not designs.size or group.private or not sample.simple:
        return {}
    codes, of_group = designs[sample.reports[:, 0]], sample.reports[:, 1]
    ways = np.zeros(
        (max(group.listed, int(of_group.max()) + 1), int(designs.max()) + 1), dtype=bool
    )
    seen = sample.counts > 0
    ways[of_group[seen], codes[seen]] = True
    if len(np.unique(ways[list(places)], axis=0)) < 2:
        return {}
    return {place: (of_group == place) & ways[place][codes] for place in places}


def group_scores(measure: Measure, group: AnalysisColumn, sample: Sample) -> GroupScores:
    inside = coherent(group)[sample.reports[:, 1], : group.listed]
    above = measure.scores[sample.reports[:, 0], np.newaxis] * inside
    below = measure.among[sample.reports[:, 0], np.newaxis] * inside
    columns = np.hstack([above, below, inside, inside.sum(axis=1, keepdims=True)])
    means = sample.mean(columns)
    return GroupScores(
        sample=sample,
        k=group.listed,
        columns=columns,
        means=means,
        covariance=sample.covariance(columns - means),
    )


def require_groups(group: AnalysisColumn, reference: int | None) -> None:
    """Raise UnanswerableQuestion if a question has no groups, too many, or not this one."""
    require_shares(group)
    if group.listed > MAX_GROUPS:
        raise UnanswerableQuestion(
            "“%(question)s” makes %(n)s groups. The maximum is %(maximum)s.",
            question=group.label,
            n=group.listed,
            maximum=MAX_GROUPS,
        )
    if reference is not None and not 0 <= reference < group.listed:
        raise UnanswerableQuestion("“%(question)s” has no such group.", question=group.label)


def pairs_of(there: Sequence[int], reference: int | None) -> list[tuple[int, int]]:
    """The pairs of groups for differences, each as (minuend, subtrahend)."""
    if reference is None:
        return [(other, one) for one, other in combinations(there, 2)]
    return [
        (other, one) if one == reference else (one, other)
        for one, other in combinations(there, 2)
        if reference in (one, other)
    ]


def compare(
    outcome: AnalysisColumn,
    group: AnalysisColumn,
    design: SurveyDesign | None = None,
    answer: int | None = None,
    reference: int | None = None,
    level: float = 0.95,
) -> GroupComparison:
    """Compare a share or a mean between the groups of another question.

    Parameters
    ----------
    outcome, group : columns of the same responses, private or not
    answer : int, optional
        The place of the answer whose share is compared; by default as in `measures.measure_of`.
    reference : int, optional
        The place of a group. Differences are then those of the other groups from it, else of all
        pairs.
    level : float in (0, 1)

    Raises
    ------
    UnanswerableQuestion
        As `measure_of` and `complete_case_sample`, with more than 30 groups, and if all groups are
        empty.

    Notes
    -----
    In group g the measure is E[s G_g] / E[a G_g]. Here s are the scores of the measure, a those of
    having given a listed answer, and G_g those of being in the group. For all groups together, the
    sum of the G_g takes the place of G_g.

    All variances and covariances are those of the linearised ratios under the design. If the group
    is private too, groups share their respondents' noise and are not independent.

    Without weights, strata and clusters, tests use the reports (`group_tests`), and intervals of
    differences the bounds of both groups (`difference_interval`). Both hold with few responses. An
    interval excludes zero exactly if the p-value is below 1 - level.

    With a design, measures with two scores in non-private groups have the same tests and bounds,
    for counts of an effective sample size (`effective_counts`). Other measures in these groups have
    Student's bounds, and p-values that agree with them. If the group is private or there are more
    than two, tests use the variance of scores under the hypothesis (`design_score_tests`).

    Adjusted p-values are Holm's (Scand. J. Stat. 6 (1979) 65). Simultaneous intervals are
    Bonferroni's: each at 1 - (1 - level) / number of differences.
    """
    measure = measure_of(outcome, answer)
    require_groups(group, reference)
    sample = complete_case_sample((outcome, group), design, finite=True)
    left_out = len(outcome.reports) - sample.n
    return comparison_of(measure, group, sample, reference, level, left_out)


def comparison_of(
    measure: Measure,
    group: AnalysisColumn,
    sample: Sample,
    reference: int | None,
    level: float,
    left_out: int,
) -> GroupComparison:
    """Compare a measure between groups in a sample, from which some responses are left out."""
    scores = group_scores(measure, group, sample)
    there = scores.there
    if not there:
        raise UnanswerableQuestion("The estimated size of all groups is zero.")
    everyone = scores.measure_in_any(measure, level)
    estimates = scores.estimates(measure, group)
    groups = scores.groups(group.answers, measure, level)
    if not sample.simple and not group.private:
        groups = with_bounds(groups, estimates, measure, level)
    pairs = pairs_of(there, reference)
    overall, p_values, why_not = tests_of_groups(estimates, pairs, measure, group, sample)
    differences = differences_of(estimates, pairs, p_values, level)
    remarks = (
        *why_not,
        *group_remarks(groups, measure),
        *remarks_without_tests(differences, estimates, groups),
        *few_degrees_remarks(sample, [everyone, *(each.figure for each in groups)]),
    )
    return GroupComparison(
        measure=measure,
        group=group,
        n=sample.n,
        left_out=left_out,
        level=level,
        groups=groups,
        everyone=everyone,
        differences=differences,
        overall=overall,
        remarks=remarks,
        has_design=not sample.simple,
    )


def with_bounds(
    groups: Sequence[GroupEstimate], estimates: EstimatedGroups, measure: Measure, level: float
) -> tuple[GroupEstimate, ...]:
    """Groups of a sample with a design, with the intervals from which those of differences are."""
    bounds = {
        place: part.bounds(level)
        for place, part in zip(estimates.places, estimates.parts, strict=True)
    }
    return tuple(
        each
        if each.figure is None or place not in bounds
        else replace(each, figure=limited_estimate(each.figure, bounds[place], measure))
        for place, each in enumerate(groups)
    )


def limited_estimate(
    figure: IntervalEstimate, bounds: GroupBounds, measure: Measure
) -> IntervalEstimate:
    """An estimate with these bounds, within the range of the measure."""
    if math.isinf(bounds.low) and math.isinf(bounds.high):
        return replace(figure, low=measure.low, high=measure.high, method=WHOLE_RANGE)
    low, high = possible_ends(figure.value, bounds.low, bounds.high, measure.low, measure.high)
    return replace(figure, low=low, high=high, method=bounds.method.removeprefix(COMBINED))


def equality_text(measure: Measure, group: AnalysisColumn) -> str:
    """The hypothesis of the test of all groups."""
    return translate(
        "%(measure)s is the same in all groups of “%(question)s”",
        measure=measure_text(measure),
        question=group.label,
    )


def remarks_without_tests(
    differences: Sequence[GroupDifference],
    estimates: EstimatedGroups,
    groups: Sequence[GroupEstimate],
) -> list[Remark]:
    """Remarks if differences have no test."""
    single = estimates.single_clusters
    remarks = []
    if single:
        labels = translate_list([quoted_label(groups[place].label) for place in single])
        sentence = translate(
            "All respondents of these groups are in one cluster: %(groups)s. Nothing shows how "
            "much clusters differ from each other in such a group, so its differences from other "
            "groups have no test.",
            groups=labels,
        )
        remarks.append(Remark(NO_FIGURE, sentence))
    if any(
        each.figure.method == WHOLE_RANGE and not {each.group, each.other} & set(single)
        for each in differences
    ):
        sentence = translate(
            "If all reports are the same in both groups, their difference has no test, because its "
            "variance cannot be estimated."
        )
        remarks.append(Remark(NO_FIGURE, sentence))
    return remarks


def tests_of_groups(
    estimates: EstimatedGroups,
    pairs: Sequence[tuple[int, int]],
    measure: Measure,
    group: AnalysisColumn,
    sample: Sample,
) -> tuple[Test | None, tuple[float, ...], tuple[Remark, ...]]:
    """The test of no difference at all, the p-value of each pair, and why there is no test."""
    hypothesis, places = equality_text(measure, group), estimates.places
    if len(places) < 2:
        return None, (), (Remark(NO_FIGURE, translate("A single group cannot be compared.")),)
    if sample.simple and not estimates.asked_apart:
        found = group_tests(measure, group, sample, places, pairs)
        return (
            Test(
                name=SCORE,
                hypothesis=hypothesis,
                statistic=found.statistic,
                degrees=len(places) - 1,
                p=found.p,
            ),
            found.pairs,
            (),
        )
    testable = [place for place in places if place not in estimates.single_clusters]
    tested = [pair for pair in pairs if not set(pair) & set(estimates.single_clusters)]
    if not tested:
        return None, (1.0,) * len(pairs), ()
    if estimates.effective is not None:
        name, found = RAO_SCOTT, effective_tests(estimates.effective, testable, tested)
    else:
        name = DESIGN_SCORE
        found = design_score_tests(measure, group, sample, testable, tested)
        if not group.private:
            if len(testable) == 2:
                name = MOVER if sample.simple else WELCH
            found = estimates.by_bounds(found, testable, tested)
    by_pair = dict(zip(tested, found.pairs, strict=True))
    overall = Test(
        name=name,
        hypothesis=hypothesis,
        statistic=found.statistic,
        degrees=len(testable) - 1,
        p=found.p,
    )
    return (
        overall if len(testable) == len(places) else None,
        tuple(by_pair.get(pair, 1.0) for pair in pairs),
        (),
    )


def group_remarks(groups: Sequence[GroupEstimate], measure: Measure) -> tuple[Remark, ...]:
    """Remarks on empty groups, and estimates outside the range."""
    remarks = []
    empty = [group.label for group in groups if group.size is None or group.figure is None]
    if empty:
        zero = translate(
            "Groups with an estimated size of zero: %(groups)s.",
            groups=translate_list([quoted_label(each) for each in empty]),
        )
        remarks.append(Remark(NO_FIGURE, zero))
    beyond = [
        group.label
        for group in groups
        if group.figure and not measure.low <= group.figure.value <= measure.high
    ]
    if beyond:
        remarks.append(
            Remark(
                OUTSIDE_RANGE,
                translate(
                    "Estimates outside the possible range: %(groups)s. Random error can cause "
                    "this, or people who did not follow the design.",
                    groups=translate_list([quoted_label(each) for each in beyond]),
                ),
            )
        )
    return tuple(remarks)
