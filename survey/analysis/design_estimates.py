"""Estimates of each question under a sampling design: weights, strata and clusters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from survey.analysis.columns.finite_covariance import correctable
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.figures import IntervalEstimate, few_degrees_remarks, ratio_estimate
from survey.analysis.groups.measures import Measure, measure_of
from survey.core.errors import UnanswerableQuestion
from survey.estimation.findings.remarks import Remark

# A number with more values has a mean only.
MAX_ESTIMATED_ANSWERS = 20


@dataclass(frozen=True, kw_only=True)
class DesignEstimate:
    """A share or mean of a question.

    `figure` is None if it cannot be estimated. `corrected` is whether its variance has the finite
    population correction. `remarks` are about its interval.
    """

    measure: Measure
    n: int
    figure: IntervalEstimate | None
    corrected: bool = False
    remarks: tuple[Remark, ...] = ()


def design_estimates(
    columns: Sequence[AnalysisColumn], design: SurveyDesign, level: float = 0.95
) -> Iterator[DesignEstimate]:
    """The mean of each number or scale, and the share of each answer.

    Shares are of those who gave a listed answer, not a special answer. With sizes of populations, a
    column whose randomisation part is unknown stays without the correction, so its intervals are
    too long. Raises UnanswerableQuestion as `complete_case_sample`.
    """
    for column in columns:
        of_column = design if correctable(column) else replace(design, populations=None)
        sample = complete_case_sample((column,), of_column, finite=True)
        codes = sample.reports[:, 0]
        for measure in estimable_measures(column):
            figure = ratio_estimate(
                sample,
                measure.scores[codes],
                measure.among[codes],
                measure.low,
                measure.high,
                level,
            )
            remarks = tuple(few_degrees_remarks(sample, [figure]))
            yield DesignEstimate(
                measure=measure,
                n=sample.n,
                figure=figure,
                corrected=sample.finite is not None,
                remarks=remarks,
            )


def estimable_measures(column: AnalysisColumn) -> Iterator[Measure]:
    """The mean, and the shares that the reports determine."""
    if column.values is not None:
        yield measure_of(column)
    if column.listed <= MAX_ESTIMATED_ANSWERS:
        try:
            shares = [measure_of(column, place) for place in range(column.listed)]
        except UnanswerableQuestion:
            return
        yield from shares
