"""A design of two groups as blocks: the reports, and the shares that follow from them.

Only a command shows them, so these texts are in English.
"""

from collections.abc import Iterator

from survey.analysis.blocks import Block, Row, Table, remark_block
from survey.analysis.cells import count_cell, level_text, share_cell, value_cell
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.validity.two_designs import TwoDesignEstimates
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import translate
from survey.estimation.design_fit import misfit_text
from survey.estimation.findings.remarks import MISFIT, OUTSIDE_RANGE, Remark
from survey.estimation.number_text import points_text

Pair = tuple[int, int]
IMPOSSIBLE = "A true share cannot be below 0 or above 100 %."


def counts_of_yes(reported: AnalysisColumn, by: AnalysisColumn, place: int) -> tuple[Pair, Pair]:
    """The number of reports "yes", and of all reports, in each of two groups.

    Raises UnanswerableQuestion unless both are non-private questions with two answers.
    """
    for column in (reported, by):
        if column.private or column.listed != 2:
            raise UnanswerableQuestion(
                translate(
                    "“%(question)s” must be a non-private question with two answers.",
                    question=column.label,
                )
            )
    given = reported.reported & by.reported & (reported.reports < 2) & (by.reports < 2)
    first, second = (given & (by.reports == each) for each in (0, 1))
    yes = reported.reports == place
    return (
        (int((first & yes).sum()), int((second & yes).sum())),
        (int(first.sum()), int(second.sum())),
    )


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
