"""The chart of a number: a column for each part of its range, and the mean with its interval."""

import math
from collections.abc import Sequence

from survey.charts import svg
from survey.charts.scale import Scale, round_numbers
from survey.core.languages import ENGLISH, Words
from survey.core.number_grid import Grid
from survey.core.text_widths import room_for, shorten_middle
from survey.core.translate import translate, translate_number
from survey.estimation.results import QuantityResults, QuestionResults

LEFT = 60
RIGHT = 352
TOP = 10
BASE = 170
# The line of percentages is this high.
PERCENT_LINE = 20
LABEL_GAP = 4
# The axis has at most this many steps, and always goes up to this share.
MAX_STEPS = 5
MIN_SHARE = 0.05


def histogram_chart(result: QuestionResults, words: Words = ENGLISH) -> svg.Chart:
    """The columns are shares within 0 to 100 %, with the intervals of the unbiased estimates.

    Their percentages stand below the columns.
    """
    grid = result.question.levels or result.question.number_grid
    shares = result.asked or result.answers
    parts = shares[: len(result.answers) - len(result.question.special_answers)]
    highest = max(MIN_SHARE, *(part.high for part in parts))
    # The axis ends at a round share that no interval exceeds.
    step = round_numbers(0, highest, MAX_STEPS)[1]
    y = Scale(low=0, high=min(1.0, step * math.ceil(highest / step - 1e-9)), start=BASE, end=TOP)
    tops = [(y.within(part.possible), (y.within(part.low), y.within(part.high))) for part in parts]
    shapes = [
        *svg.level_ticks(
            y,
            [(each, translate_number(f"{100 * each:.0f} %")) for each in y.ticks(MAX_STEPS)],
            LEFT,
            RIGHT,
            4,
        ),
        *svg.columns(tops, LEFT, RIGHT, BASE, 1, 4),
    ]
    shapes += percent_labels([part.possible for part in parts])
    more = PERCENT_LINE + range_labels(shapes, grid, words)
    # All columns are equally wide, even if the last one has fewer values.
    values = len(parts) * math.ceil(len(grid) / len(parts))
    x = Scale(low=-0.5, high=values - 0.5, start=LEFT, end=RIGHT)
    for quantity in result.quantities:
        if quantity.name == "mean":
            shapes += mean_shapes(quantity, grid, x, BASE + more)
    shapes += svg.bars_legend(BASE + more + 40, result.level)
    return svg.Chart(shapes=tuple(shapes), height=270 + more)


def percent_labels(shares: Sequence[float]) -> list[svg.Shape]:
    """The percentage of each column below it, or of every second or third if they are narrow."""
    width = (RIGHT - LEFT) / len(shares)
    labels = [translate_number(f"{100 * share:.0f}") for share in shares]
    every = math.ceil((max(map(room_for, labels)) + LABEL_GAP) / width)
    middles = [round(LEFT + width * (place + 0.5), 1) for place in range(len(labels))]
    shown = list(zip(middles, labels, strict=True))[::every]
    return [
        svg.text(LEFT - 4, BASE + 17, "%", "soft", "end"),
        *(svg.text(middle, BASE + 17, label, "", "middle") for middle, label in shown),
    ]


def range_labels(shapes: list[svg.Shape], grid: Grid, words: Words) -> int:
    """Add the ends of the range below the axis. If both do not fit on one line, the upper end is
    lower. Return by how much."""
    lowest, highest = (words.number(end, grouped=True) for end in (grid.low, grid.high))
    unit = shorten_middle(grid.unit, 12, RIGHT - LEFT - room_for(highest)) if grid.unit else ""
    more = 16 if room_for(f"{lowest}{highest} {unit}  ") > RIGHT - LEFT else 0
    y = BASE + PERCENT_LINE + 16
    shapes.append(svg.text(LEFT, y, lowest, "soft"))
    shapes.append(svg.text(RIGHT, y + more, f"{highest} {unit}".strip(), "soft", "end"))
    return more


def mean_shapes(mean: QuantityResults, grid: Grid, x: Scale, y: float) -> list[svg.Shape]:
    """The mean at its place among the columns, with a text that stays inside the chart."""
    low, at, high = (
        x.within((value - float(grid.low)) / float(grid.step))
        for value in (mean.low, mean.value, mean.high)
    )
    text = translate("mean %(mean)s", mean=translate_number(mean.shown))
    half = room_for(text) / 2
    middle = round(min(max(at, 2 + half), 358 - half), 1)
    return [
        *svg.interval_across(low, high, y + 26, 5),
        svg.circle("estimate", at, y + 26),
        svg.text(middle, y + 46, text, "soft", "middle"),
    ]
