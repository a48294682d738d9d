"""A figure and its range on a short axis of its own, next to a number in a table.

It says nothing that the numbers do not, so it is hidden from readers that read aloud.
"""

from dataclasses import dataclass

from survey.central_dp.chart import Mark
from survey.estimation.results import AnswerResults
from survey.web.charts import svg
from survey.web.charts.scale import Scale

START, END = 2, 102  # of the axis, in a picture 104 wide


@dataclass(frozen=True)
class RangeLine:
    """What is drawn on the axis; None of a part that is not.

    Attributes
    ----------
    ends : of the range; with a stroke at each if it is `capped`
    dot : where the figure lies
    bar : how long a bar from the start is, which stands for a count in place of axis and dot
    """

    ends: svg.Place | None
    capped: bool
    dot: float | None
    bar: float | None = None


def range_of_share(answer: AnswerResults) -> RangeLine:
    """From 0 to 100 %; an estimate outside has no dot."""
    x = Scale(0, 1, START, END, decimals=2)
    dot = None if answer.outside else x.at(answer.value)
    return RangeLine((x.at(answer.low), x.at(answer.high)), False, dot)


def range_of_mark(mark: Mark, filled: bool = False) -> RangeLine:
    """A figure of a release: a bar where it counts respondents, else a dot."""
    x = Scale(0, 100, START, END, decimals=2)
    ends = None
    if mark.low is not None and mark.high is not None:
        ends = (x.at(mark.low), x.at(mark.high))
    if filled:
        return RangeLine(ends, True, None, x.length(mark.at))
    return RangeLine(ends, True, x.at(mark.at) if mark.inside else None)
