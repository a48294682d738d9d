"""Comparisons of groups: a share or a mean in each group, and the differences."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from survey.analysis.columns.sample_means import Sample, complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.differences import (
    EstimatedGroups,
    GroupDifference,
    difference_p_value,
    differences_of,
)
from survey.analysis.groups.figures import (
    EMPTY_SHARE,
    NEGLIGIBLE_RELATIVE_ERROR,
    SIGNIFICANCE_LEVEL,
    WHOLE_RANGE,
    IntervalEstimate,
    ratio_estimate,
)
from survey.analysis.groups.group_bounds import MeasuredGroup
from survey.analysis.groups.group_tests import group_tests, two_scores
from survey.analysis.groups.measures import Measure, measure_text, measured
from survey.analysis.tables.association import SCORE, Test, quadratic_test
from survey.analysis.tables.joint_shares import coherent, require_shares
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import translate, translate_list, translate_number
from survey.estimation.findings.remarks import NO_FIGURE, OUTSIDE_RANGE, SMALL_SAMPLE, Remark
from survey.estimation.types.joint_texts import quoted_label

MAX_GROUPS = 30
# In smaller groups of a sampling design, the normal distribution of the mean is doubtful.
MIN_NORMAL_RESPONSES = 30


@dataclass(frozen=True)
class GroupEstimate:
    """One group: its share of all respondents in listed groups, and its measure.

    Both are None if the group is estimated to be empty.
    """

    label: str
    size: IntervalEstimate | None
    figure: IntervalEstimate | None


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
        parts = self.parts(measure, group, values) if self.sample.simple else ()
        return EstimatedGroups(tuple(there), values, covariance, parts)

    def parts(
        self, measure: Measure, group: AnalysisColumn, values: Array
    ) -> tuple[MeasuredGroup, ...]:
        """The scores in each group that is not empty, with its binomial counts if it has them."""
        counted = two_scores(measure, group, self.sample)
        counts = None if counted is None else counted.counts
        parts = []
        for value, place in zip(values, self.there, strict=True):
            columns = [place, self.k + place]
            parts.append(
                MeasuredGroup(
                    self.sample,
                    self.columns[:, place],
                    self.columns[:, self.k + place],
                    float(value),
                    self.covariance[np.ix_(columns, columns)],
                    measure.high - measure.low,
                    not group.private,
                    None if counts is None else counts.of([place]),
                    (0.0, 1.0) if counted is None else (counted.low, counted.high),
                )
            )
        return tuple(parts)


def group_scores(measure: Measure, group: AnalysisColumn, sample: Sample) -> GroupScores:
    inside = coherent(group)[sample.reports[:, 1], : group.listed]
    above = measure.scores[sample.reports[:, 0], np.newaxis] * inside
    below = measure.among[sample.reports[:, 0], np.newaxis] * inside
    columns = np.hstack([above, below, inside, inside.sum(axis=1, keepdims=True)])
    means = sample.mean(columns)
    return GroupScores(sample, group.listed, columns, means, sample.covariance(columns - means))


def require_groups(group: AnalysisColumn, reference: int | None) -> None:
    """Raise UnanswerableQuestion if a question has no groups, too many, or not this one."""
    require_shares(group)
    if group.listed > MAX_GROUPS:
        raise UnanswerableQuestion(
            translate(
                "“%(question)s” makes %(n)s groups. The maximum is %(maximum)s.",
                question=group.label,
                n=translate_number(f"{group.listed:,}"),
                maximum=MAX_GROUPS,
            )
        )
    if reference is not None and not 0 <= reference < group.listed:
        raise UnanswerableQuestion(
            translate("“%(question)s” has no such group.", question=group.label)
        )


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
        The place of the answer whose share is compared; by default as in `measures.measured`.
    reference : int, optional
        The place of a group. Differences are then those of the other groups from it, else of all
        pairs.
    level : float in (0, 1)

    Raises
    ------
    UnanswerableQuestion
        As `measured` and `complete_case_sample`, with more than 30 groups, and if all groups are
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
    interval excludes zero exactly if the p-value is below 1 - level. With a design, differences
    use Student's distribution with its degrees of freedom. Intervals are then too short, and
    p-values too small, if a group has few responses; a remark names these groups.

    Adjusted p-values are Holm's (Scand. J. Stat. 6 (1979) 65). Simultaneous intervals are
    Bonferroni's: each at 1 - (1 - level) / number of differences.
    """
    measure = measured(outcome, answer)
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
        raise UnanswerableQuestion(translate("The estimated size of all groups is zero."))
    groups = scores.groups(group.answers, measure, level)
    everyone = scores.measure_in_any(measure, level)
    estimates = scores.estimates(measure, group)
    pairs = pairs_of(there, reference)
    overall, p_values, why_not = tests_of_groups(estimates, pairs, measure, group, sample)
    differences = differences_of(estimates, pairs, p_values, measure, sample, level)
    remarks = (
        *why_not,
        *group_remarks(groups, sample, measure),
        *untested(differences),
        *(() if sample.simple else overstatement_remarks(differences, groups)),
    )
    return GroupComparison(
        measure, group, sample.n, left_out, level, groups, everyone, differences, overall, remarks,
        not sample.simple,
    )  # fmt: skip


def equality_text(measure: Measure, group: AnalysisColumn) -> str:
    """The hypothesis of the test of all groups."""
    return translate(
        "%(measure)s is the same in all groups of “%(question)s”",
        measure=measure_text(measure),
        question=group.label,
    )


def is_overstated(difference: GroupDifference, groups: Sequence[GroupEstimate]) -> bool:
    """Whether a difference is significant with a design, but not by the intervals of its groups.

    If nobody in a group gave the answer, its standard error is zero, and the p-value is too small.
    The difference must exceed √(d² + e²), for the distances d and e from the estimates to the ends
    that face each other (Newcombe, Statistics in Medicine 17 (1998) 873).
    """
    one, other = groups[difference.group].figure, groups[difference.other].figure
    if one is None or other is None or difference.adjusted >= SIGNIFICANCE_LEVEL:
        return False
    low, high = sorted((one, other), key=lambda figure: figure.value)
    return high.value - low.value <= math.hypot(high.value - high.low, low.high - low.value)


def overstatement_remarks(
    differences: Sequence[GroupDifference], groups: Sequence[GroupEstimate]
) -> list[Remark]:
    """A remark on differences whose p-values are too small."""
    pairs = [
        translate(
            "%(list)s and %(last)s",
            list=quoted_label(groups[each.group].label),
            last=quoted_label(groups[each.other].label),
        )
        for each in differences
        if is_overstated(each, groups)
    ]
    if not pairs:
        return []
    sentence = translate(
        "These differences have p-values that may be too small, because the intervals of the two "
        "groups allow that they are equal: %(pairs)s.",
        pairs=translate("; ").join(pairs),
    )
    return [Remark(SMALL_SAMPLE, sentence)]


def untested(differences: Sequence[GroupDifference]) -> list[Remark]:
    """A remark if a difference has no test."""
    if any(difference.figure.method == WHOLE_RANGE for difference in differences):
        return [
            Remark(
                NO_FIGURE,
                translate(
                    "If all reports are the same in both groups, their difference has no test, "
                    "because its variance cannot be estimated."
                ),
            )
        ]
    return []


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
    if sample.simple:
        found = group_tests(measure, group, sample, places, pairs)
        return Test(SCORE, hypothesis, found.statistic, len(places) - 1, found.p), found.pairs, ()
    width = measure.high - measure.low
    p_values = tuple(
        difference_p_value(*estimates.difference(*pair)[2:], sample.degrees, width)
        for pair in pairs
    )
    overall, why_not = wald_test_of_groups(estimates, sample, width, hypothesis)
    return overall, p_values, why_not


def wald_test_of_groups(
    estimates: EstimatedGroups, sample: Sample, width: float, hypothesis: str
) -> tuple[Test | None, tuple[Remark, ...]]:
    """Wald's test of no difference at all, or the reason why there is none.

    Differences are relative to their range. Without variance, they consist of rounding errors.
    """
    found = estimates.values
    contrasts = (np.eye(len(found))[1:] - np.eye(len(found))[0]) / (2 * width)
    spread = contrasts @ estimates.covariance @ contrasts.T
    negligible = NEGLIGIBLE_RELATIVE_ERROR**2
    try:
        return quadratic_test(contrasts @ found, spread, sample.degrees, hypothesis, negligible), ()
    except UnanswerableQuestion as refusal:
        return None, (Remark(NO_FIGURE, str(refusal)),)


def group_remarks(
    groups: Sequence[GroupEstimate], sample: Sample, measure: Measure
) -> tuple[Remark, ...]:
    """Remarks on empty groups, small groups, and estimates outside the range."""
    remarks = []
    empty = [group.label for group in groups if group.size is None or group.figure is None]
    if empty:
        zero = translate(
            "Groups with an estimated size of zero: %(groups)s.",
            groups=translate_list([quoted_label(each) for each in empty]),
        )
        remarks.append(Remark(NO_FIGURE, zero))
    few = [
        f"{quoted_label(group.label)} ({max(0, round(group.size.value * sample.n))})"
        for group in groups
        if group.size is not None and group.figure is not None
        and group.size.value * sample.n < MIN_NORMAL_RESPONSES
    ]  # fmt: skip
    if few and not sample.simple:
        remarks.append(
            Remark(
                SMALL_SAMPLE,
                translate(
                    "Groups with fewer than about %(n)s responses: %(groups)s. Their intervals "
                    "may be too short, and their p-values too small. Merge groups if you can.",
                    n=MIN_NORMAL_RESPONSES,
                    groups=translate_list(few),
                ),
            )
        )
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
