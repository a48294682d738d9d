"""The SVG shapes of charts, with their coordinates. Templates print them.

A chart is 360 units wide, and y grows downwards. `kind` is the class of a shape in the style sheet.
A fluid chart has the width of the page: horizontal places are percentages of it, and texts, dots
and heights keep their size.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup, escape

from survey.charts.scale import Scale
from survey.core.translate import translate, translate_number

Place = tuple[float, float]
HORIZONTAL = {"x", "x1", "x2", "cx", "width"}
# The style of a chart in a file, on a white background for printing.
LOOK = Markup("""
.chart, .tree { background: #fff; }
text { fill: #1d2421; font: 13px system-ui, "Noto Sans", "Noto Sans Thai", "Noto Sans SC", \
sans-serif; paint-order: stroke; stroke: #fff; stroke-width: 3px; }
.value { font-weight: 600; }
.soft { fill: #56605b; font-size: 12px; }
.question { font-size: 15px; font-weight: 600; }
.survey { fill: #56605b; font-size: 12px; }
.mark { fill: #8a2f12; font-size: 12px; font-weight: 600; }
.axis { stroke: #c9cfca; }
.limit { stroke: #56605b; stroke-dasharray: 3 3; }
.way { stroke: #56605b; fill: none; }
.observed { fill: #b4bab6; }
.bar-share { fill: #e6f0ee; stroke: #0b5d56; }
.interval { stroke: #1d2421; stroke-width: 2; }
.estimate { fill: #0b5d56; stroke: #1d2421; }
.part { fill: #0b5d56; stroke: #1d2421; }
.cell { fill: none; stroke: #c9cfca; }
.positive { fill: #0b5d56; stroke: #0b5d56; }
.negative { fill: #b4531a; stroke: #b4531a; }
.curve { fill: none; stroke: #1d2421; stroke-width: 1.5; }
.curve.own { stroke: #0b5d56; stroke-width: 3; }
""")


@dataclass(frozen=True, kw_only=True)
class Shape:
    """An element with inner elements and a text after them. Empty attributes are left out."""

    tag: str
    kind: str
    attributes: Mapping[str, Any]
    text: str = ""
    inside: tuple["Shape", ...] = ()

    def __html__(self) -> str:
        """The markup. Jinja calls this method and does not escape the result."""
        attributes = {"class": self.kind, **self.attributes}
        head = "".join(f' {name}="{escape(v)}"' for name, v in attributes.items() if v != "")
        body = "\n".join(escape(each) for each in self.inside) + str(escape(self.text))
        return f"<{self.tag}{head}>{body}</{self.tag}>" if body else f"<{self.tag}{head}/>"


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart. Each shape is drawn over those before it.

    Attributes
    ----------
    top : where the chart begins; below 0 where a caption stands above it
    legend : what stands below the chart, each shape with its meaning
    """

    shapes: tuple[Shape, ...]
    height: float
    top: float = 0
    legend: tuple[tuple[Shape, str], ...] = ()
    width: float = 360
    kind: str = "chart"

    def svg(self, label: str = "", **texts: str) -> Shape:
        """The chart as an element. Without a label, screen readers skip it. `texts` are its first
        elements: `title`, `desc` or `style`."""
        box = f"0 {self.top} {self.width} {self.height}"
        begin = (Shape(tag=tag, kind="", attributes={}, text=words) for tag, words in texts.items())
        attributes = {"viewBox": box, **read_as(label)}
        return Shape(
            tag="svg", kind=self.kind, attributes=attributes, inside=(*begin, *self.shapes)
        )

    def fluid_svg(self, label: str = "") -> Shape:
        """The same with the width of the page, without a caption."""
        attributes = {"width": "100%", "height": self.height, **read_as(label)}
        shapes = tuple(stretch_shape(shape, self.width) for shape in self.shapes)
        return Shape(tag="svg", kind=self.kind, attributes=attributes, inside=shapes)


def svg_file(drawn: Shape, **size: float) -> str:
    """The text of an SVG file with the chart and its style."""
    whole = escape(replace(drawn, attributes={**size, **drawn.attributes}))
    return f'<svg xmlns="http://www.w3.org/2000/svg"{whole.removeprefix("<svg")}\n'


def read_as(label: str) -> dict[str, str]:
    """What screen readers read of a chart: its label, or nothing."""
    return {"role": "img", "aria-label": label} if label else {"aria-hidden": "true"}


def stretch_shape(shape: Shape, width: float) -> Shape:
    """The shape with its horizontal places as percentages of the width. SVG knows no percentages in
    a polygon, so the polygon keeps its size at the place of its first point."""

    def part(x: float) -> str:
        return f"{round(100 * x / width, 3):g}%"

    if shape.tag == "polygon":
        points = [each.split(",") for each in shape.attributes["points"].split()]
        start = float(points[0][0])
        moved = [(round(float(x) - start, 1), float(y)) for x, y in points]
        place = {"x": part(start), "overflow": "visible"}
        return Shape(tag="svg", kind="", attributes=place, inside=(polygon(shape.kind, moved),))
    across = {
        name: part(value) if name in HORIZONTAL else value
        for name, value in shape.attributes.items()
    }
    return replace(shape, attributes=across)


def line(kind: str, x1: float, x2: float, y1: float, y2: float, dashes: str = "") -> Shape:
    places = {"x1": x1, "x2": x2, "y1": y1, "y2": y2}
    return Shape(tag="line", kind=kind, attributes={"stroke-dasharray": dashes, **places})


def rect(kind: str, x: float, y: float, width: float, height: float) -> Shape:
    return Shape(
        tag="rect", kind=kind, attributes={"x": x, "y": y, "width": width, "height": height}
    )


def circle(kind: str, cx: float, cy: float, r: float = 5) -> Shape:
    return Shape(tag="circle", kind=kind, attributes={"cx": cx, "cy": cy, "r": r})


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "") -> Shape:
    """A text of one line. `y` is its baseline, and `anchor` says which of its ends is at `x`."""
    return Shape(
        tag="text", kind=kind, attributes={"x": x, "y": y, "text-anchor": anchor}, text=words
    )


def polyline(kind: str, points: Sequence[Place], dashes: str = "") -> Shape:
    return Shape(
        tag="polyline",
        kind=kind,
        attributes={"stroke-dasharray": dashes, "points": written_places(points)},
    )


def polygon(kind: str, points: Sequence[Place]) -> Shape:
    return Shape(tag="polygon", kind=kind, attributes={"points": written_places(points)})


def written_places(points: Sequence[Place]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)


def interval_across(left: float, right: float, y: float, half: float) -> list[Shape]:
    """An interval on a horizontal axis, with caps of `half` up and down at both ends."""
    caps = [line("interval", end, end, y - half, y + half) for end in (left, right)]
    return [line("interval", left, right, y, y), *caps]


def interval_upright(x: float, ends: Place, half: float) -> list[Shape]:
    """An interval on a vertical axis, with caps of `half` to either side at both ends."""
    caps = [line("interval", round(x - half, 1), round(x + half, 1), end, end) for end in ends]
    return [line("interval", x, x, *ends), *caps]


def columns(
    tops: Sequence[tuple[float, Place]],
    left: float,
    right: float,
    base: float,
    gap: float,
    half: float,
) -> list[Shape]:
    """Columns next to each other, each from `base` to its top, with the interval of the top."""
    width = (right - left) / len(tops)
    shapes = []
    for place, (top, ends) in enumerate(tops):
        start = left + width * place
        size = (round(width - 2 * gap, 1), round(base - top, 1))
        shapes.append(rect("bar-share", round(start + gap, 1), top, *size))
        shapes += interval_upright(round(start + width / 2, 1), ends, half)
    return shapes


def level_ticks(
    y: Scale, ticks: Sequence[tuple[float, str]], left: float, right: float, gap: float = 5
) -> list[Shape]:
    """The lines of a vertical axis, each with its number to the left."""
    shapes = []
    for value, words in ticks:
        at = y.at(value)
        shapes.append(line("axis" if value else "limit", left, right, at, at))
        shapes.append(text(left - gap, at + 4, words, "soft", "end"))
    return shapes


def label_lines(lines: Sequence[str], x: float, y: float) -> list[Shape]:
    """The lines of a label, the first at `y`."""
    return [text(x, y + 16 * number, words) for number, words in enumerate(lines)]


def area_and_line_legend(bottom: float, area: str, kind: str, meaning: str) -> list[Shape]:
    """The legend, with a line for each entry, because fonts may be wide."""
    return [
        rect("bar-share", 8, bottom + 24, 22, 10),
        text(36, bottom + 33, area, "soft"),
        line(kind, 6, 32, bottom + 47, bottom + 47),
        text(36, bottom + 51, meaning, "soft"),
    ]


def bars_legend(bottom: float, level: float) -> list[Shape]:
    return area_and_line_legend(
        bottom,
        translate("share within 0–100 %%"),
        "interval",
        translate("%(level)s %% interval", level=translate_number(f"{100 * level:g}")),
    )
