"""Tests that groups have the same share or mean, without weights, strata and clusters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.answer_scores import coherent
from survey.analysis.columns.sample_means import Sample
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.equal_probabilities import (
    SupportingCounts,
    equal_pair_p,
    equal_probabilities,
)
from survey.analysis.groups.measures import Measure
from survey.analysis.groups.permuted_groups import GroupReports, permutation_tests
from survey.core.scores import SAME_SCORE, distinct_scores


@dataclass(frozen=True, kw_only=True)
class TwoScores:
    """A measure whose scores have two values, and the counts of each group.

    The probability of the larger score, times the difference of the two, plus the smaller one, is
    the measure. `supports` is whether each report of the outcome has the larger score, and `range`
    that of its probability. `counts` are those of all groups, or None if the groups are private.
    """

    low: float
    high: float
    supports: npt.NDArray[np.bool_]
    range: tuple[float, float]
    counts: SupportingCounts | None
    by_report: SupportingCounts | None


def two_scores(measure: Measure, group: AnalysisColumn, sample: Sample) -> TwoScores | None:
    """The two values of the scores of a measure; None if there are more, or special answers."""
    if np.abs(measure.among - 1).max() > SAME_SCORE:
        return None
    column, scores = measure.column, measure.scores
    is_complete = column.all_listed or measure.answer is not None
    values = distinct_scores(scores)
    if len(values) == 1 and column.scores is not None and measure.answer is not None:
        # All reports agree. The scores of the other answers show what they could have been.
        values = distinct_scores(coherent(column))
    elif not column.all_listed and column.private and column.scores is not None:
        # Some reports are not listed, so two values by chance are possible.
        values = distinct_scores(np.append(coherent(column).reshape(-1), scores))
    if len(values) != 2 or not is_complete:
        return None
    low, high = values
    ends = [(end - low) / (high - low) for end in (measure.low, measure.high)]
    span = min(1.0, max(0.0, ends[0])), min(1.0, max(0.0, ends[1]))
    supports = scores > (low + high) / 2
    codes = group.chances.shape[1] if group.tabled else len(coherent(group))
    tables = np.zeros((2, codes))
    np.add.at(
        tables, (supports[sample.reports[:, 0]].astype(int), sample.reports[:, 1]), sample.counts
    )
    by_code = SupportingCounts(tables[1], tables.sum(axis=0), *span)
    if not group.private:
        return TwoScores(
            low=low,
            high=high,
            supports=supports,
            range=span,
            counts=by_code.of(list(range(group.listed))),
            by_report=None,
        )
    square = codes == 2 and group.listed == 2 and not group.special_answers and by_code.n.min() > 0
    return TwoScores(
        low=low,
        high=high,
        supports=supports,
        range=span,
        counts=None,
        by_report=by_code if square else None,
    )


def group_reports(measure: Measure, group: AnalysisColumn, sample: Sample) -> GroupReports:
    """The reports of a sample without weights, with only the outcome's codes that occur."""
    used, outcome = np.unique(sample.reports[sample.codes, 0], return_inverse=True)
    scores = np.column_stack([measure.scores, measure.among])[used]
    inside = coherent(group)[:, : group.listed]
    return GroupReports(
        outcome=outcome,
        group=sample.reports[sample.codes, 1],
        scores=scores,
        inside=inside,
        low=measure.low,
        high=measure.high,
    )


@dataclass(frozen=True)
class GroupTests:
    """The statistic and p of the test of all groups, and the p-value of each pair."""

    statistic: float
    p: float
    pairs: tuple[float, ...]


def group_tests(
    measure: Measure,
    group: AnalysisColumn,
    sample: Sample,
    places: Sequence[int],
    pairs: Sequence[tuple[int, int]],
) -> GroupTests:
    """Test equality in all groups at these places, and in each pair.

    Notes
    -----
    If the groups are not private and the scores have two values, the reports of each group are
    binomial, and p-values are exact (`equal_pair_p`, `equal_probabilities`). The same is true of
    the reports on a private group with two reports. Elsewhere, they are those of permutations.
    """
    counted = two_scores(measure, group, sample)
    if counted is not None and counted.by_report is not None:
        statistic, p = equal_probabilities(counted.by_report)
        return GroupTests(statistic, p, (p,) * len(pairs))
    if counted is not None and counted.counts is not None:
        found = tuple(equal_pair_p(counted.counts.of(list(pair))) for pair in pairs)
        statistic, p = equal_probabilities(counted.counts.of(list(places)))
        return GroupTests(statistic, p, found)
    reports = group_reports(measure, group, sample)
    overall = reports.all_contrasts(places)
    if group.private:
        tests = [reports.pair_contrast(*pair) for pair in pairs]
        (statistic, p), *rest = permutation_tests(reports, [overall, *tests])
        return GroupTests(statistic, p, tuple(each for _, each in rest))
    by_pair = []
    for pair in pairs:
        two = reports.of_pair(*pair)
        by_pair.append(permutation_tests(two, [two.pair_contrast(0, 1)])[0])
    if len(places) == 2:
        (statistic, p) = by_pair[0]
    else:
        ((statistic, p),) = permutation_tests(reports, [overall])
    return GroupTests(statistic, p, tuple(each for _, each in by_pair))
