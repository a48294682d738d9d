"""A figure and its range on a short axis, next to a number in a table.

The numbers say the same, so screen readers skip it.
"""

from survey.central_dp.figures import DPFigure
from survey.charts import svg
from survey.charts.scale import Scale
from survey.estimation.results import AnswerResults

START = 2
END = 102
MIDDLE = 4
HEIGHT = 8
AXIS = svg.line("limit", START, END, MIDDLE, MIDDLE)


def range_chart(*shapes: svg.Shape) -> svg.Chart:
    return svg.Chart(shapes=shapes, height=HEIGHT, width=START + END, kind="range")


def dot_at(x: float) -> svg.Shape:
    return svg.circle("estimate", x, MIDDLE, 2)


def range_of_share(answer: AnswerResults) -> svg.Chart:
    """An estimate with its interval, from 0 to 100 %. An estimate outside has no dot."""
    x = Scale(low=0, high=1, start=START, end=END, decimals=2)
    interval = svg.line("interval", x.at(answer.low), x.at(answer.high), MIDDLE, MIDDLE)
    dots = [] if answer.outside else [dot_at(x.at(answer.value))]
    return range_chart(AXIS, interval, *dots)


def range_of_figure(
    figure: DPFigure, low: float = 0, high: float = 100, filled: bool = False
) -> svg.Chart:
    """A figure of a release on an axis from `low` to `high`. It is a bar if it counts respondents,
    else a dot if it is possible. Values beyond an end are placed at that end."""
    x = Scale(low=low, high=high, start=START, end=END, decimals=2)
    at = x.within(figure.value)
    ends: list[svg.Shape] = []
    if figure.low is not None and figure.high is not None:
        ends = svg.interval_across(x.within(figure.low), x.within(figure.high), MIDDLE, 1.5)
    if filled:
        bar = svg.rect("bar-share", START, 1.5, round(at - START, 2), 5)
        return range_chart(bar, svg.line("limit", START, START, 0, HEIGHT), *ends)
    return range_chart(AXIS, *ends, *([dot_at(at)] if low <= figure.value <= high else []))
