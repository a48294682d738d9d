"""The chart of a number: parts of its range as columns, and the mean with its interval below."""

import math

from survey.core.languages import ENGLISH, Words
from survey.core.number_grid import Grid
from survey.core.text_widths import room_for, shorten_middle
from survey.estimation.results import QuantityResults, QuestionResults
from survey.web.charts import svg
from survey.web.charts.scale import Scale

LEFT, RIGHT, TOP, BASE = 60, 352, 10, 170


def histogram_chart(result: QuestionResults, words: Words = ENGLISH) -> svg.Chart:
    """The columns are within 0 to 100 %; each has the unbiased estimate's interval."""
    grid = result.question.points or result.question.grid
    if grid is None:
        raise TypeError("Only numbers have a histogram.")
    parts = result.answers[: len(result.answers) - len(result.question.extras)]
    y = Scale(0, max(0.05, *(part.high for part in parts)), BASE, TOP)
    width = (RIGHT - LEFT) / len(parts)
    shapes: list[svg.Shape] = [
        svg.Line("axis", LEFT, RIGHT, TOP, TOP),
        svg.Text(LEFT - 4, TOP + 4, f"{100 * y.high:.0f} %", "soft", "end"),
        svg.Line("limit", LEFT, RIGHT, BASE, BASE),
        svg.Text(LEFT - 4, BASE + 4, "0 %", "soft", "end"),
    ]
    for place, part in enumerate(parts):
        start = LEFT + width * place
        middle, top = round(start + width / 2, 1), y.within(part.possible)
        column = (round(width - 2, 1), round(BASE - top, 1))
        shapes.append(svg.Rect("bar-share", round(start + 1, 1), top, *column))
        ends = (y.within(part.low), y.within(part.high))
        shapes += svg.interval_upright(middle, ends, (middle - 4, middle + 4))
    more = range_labels(shapes, grid, words)
    # a column stands for as many values as the others, also where it is the last and holds fewer
    values = len(parts) * math.ceil(len(grid) / len(parts))
    x = Scale(-0.5, values - 0.5, LEFT, RIGHT)
    for quantity in result.quantities:
        if quantity.name == "mean":
            shapes += mean_shapes(quantity, grid, x, BASE + more)
    shapes += svg.bars_legend(BASE + more + 40, result.level)
    return svg.Chart(tuple(shapes), 270 + more)


def range_labels(shapes: list[svg.Shape], grid: Grid, words: Words) -> int:
    """Add the ends of the range below the axis. Where one line has no room for both, the upper end
    stands lower; returns by how much."""
    lowest, highest = words.number(grid.low), words.number(grid.high)
    unit = shorten_middle(grid.unit, 12, RIGHT - LEFT - room_for(highest)) if grid.unit else ""
    more = 16 if room_for(f"{lowest}{highest} {unit}  ") > RIGHT - LEFT else 0
    last = f"{highest} {unit}" if unit else highest
    shapes.append(svg.Text(LEFT, BASE + 16, lowest, "soft"))
    shapes.append(svg.Text(RIGHT, BASE + 16 + more, last, "soft", "end"))
    return more


def mean_shapes(mean: QuantityResults, grid: Grid, x: Scale, y: float) -> list[svg.Shape]:
    """The mean where its value lies among the columns, with a text that stays in the chart."""
    low, at, high = (
        x.within((value - float(grid.low)) / float(grid.step))
        for value in (mean.low, mean.value, mean.high)
    )
    text = f"mean {mean.shown}"
    half = room_for(text) / 2
    middle = round(min(max(at, 2 + half), 358 - half), 1)
    return [
        *svg.interval_across(low, high, y + 26, 5),
        svg.Circle("estimate", at, y + 26),
        svg.Text(middle, y + 46, text, "soft", "middle"),
    ]
