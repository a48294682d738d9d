"""The pictures of the lessons: curves, columns and areas on two axes, and bars of two parts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from survey.charts import svg
from survey.charts.analysis_rows import number_tick
from survey.charts.scale import Scale
from survey.core.processor_time import require_time
from survey.core.text_widths import shorten_middle, wrapped_lines

LEFT = 52
RIGHT = 348
TOP = 30
BASE = 200
HEIGHT = BASE + 46
LINE = 15
BAR_LEFT = 8
BAR_RIGHT = 352
BAR = 22
BAR_ROW = 62


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis from `low` to `high` with a title. `tick` writes a number on it.

    Ticks are at the multiples of `step`. Without a step, they are at round numbers.
    """

    low: float
    high: float
    title: str
    tick: Callable[[float], str] = number_tick
    step: int = 0

    def ticks(self, scale: Scale) -> list[float]:
        if not self.step:
            return scale.ticks(4)
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [float(place * self.step) for place in range(first, last + 1)]


@dataclass(frozen=True)
class Curve:
    """A line through points. Without `meaning`, the legend leaves it out, as for every layer."""

    points: Sequence[tuple[float, float]]
    meaning: str = ""
    own: bool = False
    dashes: str = ""


@dataclass(frozen=True)
class Area:
    """The area between two curves with the same horizontal places."""

    low: Sequence[tuple[float, float]]
    high: Sequence[tuple[float, float]]
    meaning: str = ""


@dataclass(frozen=True)
class Columns:
    """Columns from 0 up to `heights`, between neighbouring `edges`."""

    edges: Sequence[float]
    heights: Sequence[float]
    meaning: str = ""


@dataclass(frozen=True)
class Upright:
    """A vertical line at a value."""

    value: float
    meaning: str = ""
    dashes: str = ""


@dataclass(frozen=True)
class Dots:
    """Dots at points."""

    points: Sequence[tuple[float, float]]
    meaning: str = ""
    radius: float = 4


Layer = Curve | Area | Columns | Upright | Dots


def plot(x_axis: Axis, y_axis: Axis, layers: Sequence[Layer]) -> svg.Chart:
    """The chart. Each layer is drawn over those before it, and cut at the ends of both axes."""
    require_time()
    x = Scale(low=x_axis.low, high=x_axis.high, start=LEFT, end=RIGHT)
    y = Scale(low=y_axis.low, high=y_axis.high, start=BASE, end=TOP)
    shapes = svg.level_ticks(y, [(at, y_axis.tick(at)) for at in y_axis.ticks(y)], LEFT, RIGHT)
    ticks = x_axis.ticks(x)
    for place, at in enumerate(ticks):
        shapes.append(svg.line("axis", x.at(at), x.at(at), TOP, BASE))
        anchor = "end" if place == len(ticks) - 1 and x.at(at) > RIGHT - 12 else "middle"
        shapes.append(svg.text(x.at(at), BASE + 16, x_axis.tick(at), "soft", anchor))
    lines = wrapped_lines(x_axis.title, 12, 340)
    for place, line in enumerate(lines):
        shapes.append(svg.text(RIGHT, BASE + 34 + LINE * place, line, "soft", "end"))
    shapes.append(svg.text(4, 14, shorten_middle(y_axis.title, 12, 350), "soft"))
    legend = []
    for layer in layers:
        shapes += layer_shapes(layer, x, y)
        if layer.meaning:
            legend.append((legend_mark(layer), layer.meaning))
    return svg.Chart(
        shapes=tuple(shapes), height=HEIGHT + LINE * (len(lines) - 1), legend=tuple(legend)
    )


def layer_shapes(layer: Layer, x: Scale, y: Scale) -> list[svg.Shape]:
    if isinstance(layer, Curve):
        return [
            svg.polyline("curve own" if layer.own else "curve", part, layer.dashes)
            for part in visible_parts(layer.points, x, y)
        ]
    if isinstance(layer, Area):
        places = [*layer.high, *reversed(layer.low)]
        return [svg.polygon("bar-share", [(x.within(a), y.within(b)) for a, b in places])]
    if isinstance(layer, Columns):
        base = y.within(0)
        return [
            svg.rect(
                "bar-share",
                x.within(left),
                y.within(height),
                max(0.0, round(x.within(right) - x.within(left), 1)),
                max(0.0, round(base - y.within(height), 1)),
            )
            for left, right, height in zip(
                layer.edges[:-1], layer.edges[1:], layer.heights, strict=True
            )
        ]
    if isinstance(layer, Upright):
        if not x.low <= layer.value <= x.high:
            return []
        return [svg.line("wish", x.at(layer.value), x.at(layer.value), TOP, BASE, layer.dashes)]
    return [
        svg.circle("estimate", x.at(a), y.at(b), layer.radius)
        for a, b in layer.points
        if x.low <= a <= x.high and y.low <= b <= y.high
    ]


def visible_parts(
    points: Sequence[tuple[float, float]], x: Scale, y: Scale
) -> list[list[tuple[float, float]]]:
    """The places of the points, without those beyond the axes, which split the line."""
    parts: list[list[tuple[float, float]]] = [[]]
    for a, b in points:
        if x.low <= a <= x.high and y.low <= b <= y.high:
            parts[-1].append((x.at(a), y.at(b)))
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if len(part) > 1]


def legend_mark(layer: Layer) -> svg.Shape:
    if isinstance(layer, Curve):
        return svg.line("curve own" if layer.own else "curve", 0, 40, 6, 6, layer.dashes)
    if isinstance(layer, Upright):
        return svg.line("wish", 20, 20, 0, 12, layer.dashes)
    if isinstance(layer, Dots):
        return svg.circle("estimate", 20, 6, layer.radius)
    return svg.rect("bar-share", 0, 1, 40, 10)


@dataclass(frozen=True)
class SplitBar:
    """A bar of two parts, each with its number in words. The label stands above it."""

    label: str
    first: float
    second: float
    words: tuple[str, str]


def split_bars(bars: Sequence[SplitBar], most: float, meanings: tuple[str, str]) -> svg.Chart:
    """Horizontal bars. `most` is the number that a bar of the whole width stands for."""
    x = Scale(low=0, high=most, start=BAR_LEFT, end=BAR_RIGHT)
    shapes = []
    top = 16.0
    for bar in bars:
        lines = wrapped_lines(bar.label, 13, 344)
        shapes += svg.label_lines(lines, BAR_LEFT, top)
        top += 16 * (len(lines) - 1)
        start = float(BAR_LEFT)
        for size, kind in ((bar.first, "estimate"), (bar.second, "bar-share")):
            width = x.length(size)
            if width > 0:
                shapes.append(svg.rect(kind, start, top + 7, width, BAR))
            start = round(start + width, 1)
        # Both numbers stand below the bar, because parts may be too narrow for them.
        shapes.append(svg.text(BAR_LEFT, top + 43, " · ".join(bar.words), "soft"))
        top += BAR_ROW
    legend = (
        (svg.rect("estimate", 0, 1, 40, 10), meanings[0]),
        (svg.rect("bar-share", 0, 1, 40, 10), meanings[1]),
    )
    return svg.Chart(shapes=tuple(shapes), height=top, legend=legend)
