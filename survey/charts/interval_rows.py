"""The chart of estimates in rows: a dot for each, and its interval on an axis that all share.

It is a dot plot of groups, or a forest plot of coefficients. The number is printed on each row. An
interval that is much longer than the others is cut at the end of the axis, and an arrow says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median

from survey.charts import svg
from survey.charts.fitted_text import SIZE, fitted_text
from survey.charts.scale import Scale, round_numbers
from survey.core.text_widths import room_for, wrapped_lines

TOP = 10
LINE = 16
BAND = 26
GAP = 10
# The axis reaches at most this many median interval lengths beyond the median estimate, or this
# many median distances of the estimates from it.
MAX_LENGTHS = 3.0
MAX_DISTANCES = 6.0


@dataclass(frozen=True, kw_only=True)
class IntervalRow:
    """A row: an estimate with its interval and its number in words.

    A row without a `value` has only its words, such as "not known". A heading has only its label.
    """

    label: str
    words: str = ""
    value: float | None = None
    low: float = 0.0
    high: float = 0.0
    heading: bool = False


@dataclass(frozen=True)
class RowsLayout:
    """The width of a chart, the ends of its axis, and where the numbers stand.

    If `below`, the axis is below the label and the number, else between them.
    """

    width: int
    left: int
    right: int
    below: bool

    @property
    def room(self) -> int:
        """The width of a label."""
        return 200 if self.below else self.left - 20


WIDE = RowsLayout(860, 270, 590, below=False)
# For a phone.
NARROW = RowsLayout(344, 12, 332, below=True)


def interval_rows_chart(
    rows: Sequence[IntervalRow],
    tick_text: Callable[[float], str],
    legend: str,
    layout: RowsLayout = WIDE,
    include: Sequence[float] = (),
    limits: tuple[float, float] | None = None,
) -> svg.Chart:
    """The chart.

    Parameters
    ----------
    tick_text : the number of a tick as text
    legend : what the dots and lines are, such as "estimate and 95 % interval"
    include : values that the axis always shows, such as 0; each gets a dashed line
    limits : the ends of the axis; by default they follow from the rows
    """
    low, high = limits or axis_ends(rows, include)
    x = Scale(low=low, high=high, start=layout.left, end=layout.right)
    shapes: list[svg.Shape] = []
    tops, y = [], float(TOP)
    for row in rows:
        tops.append(y)
        y += row_height(row, layout)
    for tick in fitting_ticks(x, tick_text):
        kind = "limit" if any(abs(tick - each) < 1e-12 for each in include) else "axis"
        # In a narrow chart, a line would run through the labels.
        spans = [(TOP - 4.0, y)]
        if layout.below:
            spans = [
                (top + row_height(row, layout) - BAND + 1, top + row_height(row, layout) - 4)
                for row, top in zip(rows, tops, strict=True)
                if not row.heading
            ]
        shapes += [svg.line(kind, x.at(tick), x.at(tick), *span) for span in spans]
        shapes.append(tick_label(x.at(tick), y + 15, tick_text(tick), layout))
    for row, top in zip(rows, tops, strict=True):
        shapes += row_shapes(row, top, x, layout)
    start = 12 if layout.below else layout.left
    words = wrapped_lines(legend, 12, layout.width - start - 8, 3)
    shapes += [
        svg.text(start, y + 36 + LINE * place, line, "soft") for place, line in enumerate(words)
    ]
    kind = "tree narrow" if layout.below else "tree"
    height = y + 30 + LINE * len(words)
    return svg.Chart(shapes=tuple(shapes), height=height, width=layout.width, kind=kind)


def fitting_ticks(x: Scale, tick_text: Callable[[float], str]) -> list[float]:
    """The ticks, so few that their numbers do not overlap."""
    for most in (5, 4, 3, 2):
        ticks = x.ticks(most)
        widest = max((room_for(tick_text(tick)) for tick in ticks), default=0.0)
        if len(ticks) < 2 or widest < abs(x.at(ticks[1]) - x.at(ticks[0])):
            return ticks
    return x.ticks(1)[:1]


def tick_label(at: float, y: float, words: str, layout: RowsLayout) -> svg.Shape:
    """The number of a tick, centred unless it would leave the chart."""
    half = room_for(words) / 2
    if at - half < 0:
        return svg.text(2, y, words, "soft")
    if at + half > layout.width:
        return svg.text(layout.width - 2, y, words, "soft", "end")
    return svg.text(at, y, words, "soft", "middle")


def axis_ends(rows: Sequence[IntervalRow], include: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis: round numbers around the intervals, unless some are much longer."""
    drawn = [row for row in rows if row.value is not None]
    if not drawn:
        return (min(0.0, *include), max(1.0, *include)) if include else (0.0, 1.0)
    values = [row.value for row in drawn if row.value is not None]
    middle = median(values)
    # An interval without an end has no length.
    lengths = [row.high - row.low for row in drawn if isfinite(row.high - row.low)]
    reach = max(
        MAX_LENGTHS * (median(lengths) if lengths else max(map(abs, values))),
        MAX_DISTANCES * median(abs(value - middle) for value in values),
    )
    low = min(*include, max(min(row.low for row in drawn), middle - reach), middle)
    high = max(*include, min(max(row.high for row in drawn), middle + reach), middle)
    if high - low <= 1e-9 * max(1.0, abs(middle)):
        low, high = middle - 0.5, middle + 0.5
    steps = round_numbers(low, high)
    step = steps[1] - steps[0] if len(steps) > 1 else high - low
    # The axis ends at the next round number, unless that leaves much of it empty.
    below, above = steps[0] - step, steps[-1] + step
    return (
        low if low >= steps[0] - 1e-9 * step else max(below, low - step / 4),
        high if high <= steps[-1] + 1e-9 * step else min(above, high + step / 4),
    )


def row_height(row: IntervalRow, layout: RowsLayout) -> float:
    lines = len(label_lines(row, layout))
    if row.heading:
        return lines * LINE + GAP
    if layout.below:
        return lines * LINE + LINE + BAND
    return max(lines * LINE, BAND) + GAP / 2


def label_lines(row: IntervalRow, layout: RowsLayout) -> list[str]:
    room = layout.width - 24 if row.heading or layout.below else layout.room
    return wrapped_lines(row.label, 13, room)


def row_shapes(row: IntervalRow, top: float, x: Scale, layout: RowsLayout) -> list[svg.Shape]:
    lines = label_lines(row, layout)
    shapes = svg.label_lines(lines, 12 if not layout.below else layout.left, top + 13)
    if row.heading:
        return [
            svg.text(12, top + 13 + LINE * place, words, "mark")
            for place, words in enumerate(lines)
        ]
    if layout.below:
        under = top + LINE * len(lines)
        shapes.append(fitted_text(layout.left, under + 13, row.words, layout.right, "soft"))
        middle = under + LINE + 10
    else:
        middle = top + max(9.0, LINE * len(lines) / 2)
        shapes += numbers_beside(row.words, middle, layout)
    return [*shapes, *interval_shapes(row, x, middle)]


def numbers_beside(words: str, middle: float, layout: RowsLayout) -> list[svg.Shape]:
    """The estimate and its interval next to the axis.

    If they are too long for one line, the interval is below the estimate: a number is never cut.
    """
    left, room = layout.right + 16, layout.width - layout.right - 24
    estimate, opening, interval = words.partition(" (")
    if room_for(words, SIZE) <= room or not opening:
        return [fitted_text(left, middle + 4, words, room, "soft")]
    return [
        fitted_text(left, middle - 3, estimate, room, "soft"),
        fitted_text(left, middle + 11, f"({interval}", room, "soft"),
    ]


def interval_shapes(row: IntervalRow, x: Scale, middle: float) -> list[svg.Shape]:
    """The interval, with an arrow at each end that lies beyond the axis, and the dot."""
    if row.value is None:
        return []
    left, right = x.within(row.low), x.within(row.high)
    shapes = [svg.line("interval", left, right, middle, middle)]
    for value, end, way in ((row.low, left, -1), (row.high, right, 1)):
        if not x.low <= value <= x.high:
            tip = [(end + 7 * way, middle), (end, middle - 5), (end, middle + 5)]
            shapes.append(svg.polygon("estimate", tip))
        else:
            shapes.append(svg.line("interval", end, end, middle - 5, middle + 5))
    if x.low <= row.value <= x.high:
        shapes.append(svg.circle("estimate", x.at(row.value), middle))
    return shapes
