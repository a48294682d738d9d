"""A design of two groups as blocks: the reports, and the shares that follow from them.

Only a command shows them, so these texts are in English.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from survey.analysis.blocks import Block, Paragraph, Row, Table, remark_block
from survey.analysis.cells import (
    count_cell,
    error_cell,
    fine_cell,
    level_text,
    p_cell,
    share_cell,
    value_cell,
)
from survey.analysis.columns.variables import AnalysisColumn, Codes
from survey.analysis.regression.formula import ModelTerms
from survey.analysis.regression.predictors import predictors_of
from survey.analysis.validity.lie_detector import (
    LieDetectorRegression,
    LieDetectorRow,
    lie_detector_regression,
)
from survey.analysis.validity.two_designs import TwoDesignEstimates
from survey.core.errors import UnanswerableQuestion
from survey.estimation.design_fit import misfit_text
from survey.estimation.findings.remarks import MISFIT, OUTSIDE_RANGE, Remark
from survey.estimation.number_text import points_text

Pair = tuple[int, int]
IMPOSSIBLE = "A true share cannot be below 0 or above 100 %."


@dataclass(frozen=True)
class TwoGroupReports:
    """The reports of two groups.

    Attributes
    ----------
    given : bool array (n,), the respondents in a group with a report
    yes : bool array (n,)
    group : int array (n,), 0 or 1 where a report is given
    """

    given: npt.NDArray[np.bool_]
    yes: npt.NDArray[np.bool_]
    group: Codes

    @property
    def counts(self) -> tuple[Pair, Pair]:
        """The number of reports "yes", and of all reports, in each group."""
        first, second = (self.given & (self.group == each) for each in (0, 1))
        return (
            (int((first & self.yes).sum()), int((second & self.yes).sum())),
            (int(first.sum()), int(second.sum())),
        )


def reports_of_groups(reported: AnalysisColumn, by: AnalysisColumn, place: int) -> TwoGroupReports:
    """The reports of two groups; `place` is that of "yes".

    Raises UnanswerableQuestion unless both are non-private questions with two answers.
    """
    for column in (reported, by):
        if column.private or column.listed != 2:
            raise UnanswerableQuestion(
                "“%(question)s” must be a non-private question with two answers.",
                question=column.label,
            )
    given = reported.reported & by.reported & (reported.reports < 2) & (by.reports < 2)
    return TwoGroupReports(given, reported.reports == place, by.reports)


def regression_of_trait(
    reports: TwoGroupReports,
    truthful: tuple[float, float],
    predictors: Sequence[AnalysisColumn],
    terms: ModelTerms,
    level: float,
) -> LieDetectorRegression:
    """Logistic regression of the trait, as `lie_detector_regression`.

    `truthful` has the probability of each group that people without the trait answer truthfully.
    Respondents without an answer to a predictor are omitted.
    """
    private = [column for column in predictors if column.private]
    if private:
        raise UnanswerableQuestion(
            "“%(question)s” is private. With this design, predictors must be non-private.",
            question=private[0].label,
        )
    rows = reports.given & np.logical_and.reduce([column.reported for column in predictors])
    design = predictors_of(predictors, rows, formula=terms)
    return lie_detector_regression(
        reports.yes[design.rows],
        np.array(truthful)[reports.group[design.rows]],
        design.non_private,
        design.names,
        level,
    )


def regression_of_trait_blocks(found: LieDetectorRegression, level: float) -> Iterator[Block]:
    """The coefficients, and the probability of honesty, with their tests."""
    yield Table(
        key="regression",
        region="Regression",
        caption="Logistic regression of the trait by maximum likelihood. A coefficient is a change "
        "in the log odds of the trait. Each p is of a likelihood-ratio test, for honesty of the "
        "hypothesis that it is 100 %.",
        names=("Parameter",),
        figures=(f"Estimate, with {level_text(level)} % interval", "Standard error", "p"),
        rows=tuple(regression_row(row) for row in found.rows),
    )
    yield Paragraph(f"Based on {found.n:,} responses. Log-likelihood: {found.log_likelihood:.3f}.")


def regression_row(row: LieDetectorRow) -> Row:
    figure = row.figure
    estimate = fine_cell(figure.value, figure.low, figure.high, figure.standard_error)
    return Row((row.name,), (estimate, error_cell(figure.standard_error), p_cell(row.p)))


def two_design_blocks(
    found: TwoDesignEstimates,
    by: AnalysisColumn,
    answer: str,
    yes: Pair,
    n: Pair,
    level: float,
) -> Iterator[Block]:
    """The reports of each group, then the shares with their intervals."""
    yield Table(
        key="reports",
        region="Reports",
        caption="",
        names=(by.label,),
        figures=(f"Reports “{answer}”", "Reports"),
        rows=tuple(
            Row((name,), (count_cell(count), count_cell(of)))
            for name, count, of in zip(by.answers[:2], yes, n, strict=True)
        ),
    )
    yield Table(
        key="shares",
        region="Shares",
        caption="",
        names=("Share",),
        figures=(
            f"with {level_text(level)} % interval",
            "Standard error, in points",
        ),
        rows=tuple(
            Row(
                (each.name,),
                (
                    share_cell(each.figure),
                    value_cell(each.figure.standard_error, points_text(each.figure.standard_error)),
                ),
            )
            for each in found.shares
        ),
    )
    if not found.fit.fits:
        yield remark_block(Remark(MISFIT, misfit_text(IMPOSSIBLE, found.fit)))
    elif not all(0 <= each.figure.value <= 1 for each in found.shares):
        outside = f"{IMPOSSIBLE} This is random error, or people did not follow the design."
        yield remark_block(Remark(OUTSIDE_RANGE, outside))
