"""The shapes of SVG that charts are made of, with all their coordinates.

A chart is 360 units wide, and y grows downwards. Of each shape, `kind` is its class in the style
sheet. A new kind of shape is a class here and its line in `templates/_shapes.html`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

Place = tuple[float, float]


@dataclass(frozen=True)
class Line:
    kind: str
    x1: float
    x2: float
    y1: float
    y2: float
    dashes: str = ""
    tag: ClassVar[str] = "line"


@dataclass(frozen=True)
class Rect:
    kind: str
    x: float
    y: float
    width: float
    height: float
    tag: ClassVar[str] = "rect"


@dataclass(frozen=True)
class Circle:
    kind: str
    cx: float
    cy: float
    r: float = 5
    tag: ClassVar[str] = "circle"


@dataclass(frozen=True)
class Text:
    """A text of one line: `y` is its base line, `anchor` which of its ends lies at `x`."""

    x: float
    y: float
    text: str
    kind: str = ""
    anchor: str = ""
    tag: ClassVar[str] = "text"


@dataclass(frozen=True)
class Polyline:
    kind: str
    points: tuple[Place, ...]
    dashes: str = ""
    tag: ClassVar[str] = "polyline"


@dataclass(frozen=True)
class Polygon:
    kind: str
    points: tuple[Place, ...]
    tag: ClassVar[str] = "polygon"


@dataclass(frozen=True)
class Outline:
    """A path, in the letters of SVG."""

    kind: str
    path: str
    tag: ClassVar[str] = "path"


Shape = Line | Rect | Circle | Text | Polyline | Polygon | Outline


@dataclass(frozen=True)
class Chart:
    """What is drawn, each shape over those before it.

    Attributes
    ----------
    top : where the chart begins; below 0 where a caption stands above it
    legend : what stands below the chart, each shape with its meaning
    """

    shapes: tuple[Shape, ...]
    height: float
    top: float = 0
    legend: tuple[tuple[Shape, str], ...] = ()


def interval_across(left: float, right: float, y: float, half: float) -> list[Shape]:
    """An interval on a level axis, with a stroke at each end that reaches `half` up and down."""
    caps = [Line("interval", end, end, y - half, y + half) for end in (left, right)]
    return [Line("interval", left, right, y, y), *caps]


def interval_upright(x: float, ends: Place, cap: Place) -> list[Shape]:
    """An interval on an upright axis, with a stroke at each end from `cap[0]` to `cap[1]`."""
    caps = [Line("interval", *cap, end, end) for end in ends]
    return [Line("interval", x, x, *ends), *caps]


def label_lines(lines: Sequence[str], x: float, y: float) -> list[Shape]:
    """The lines of a label, the first at `y`."""
    return [Text(x, y + 16 * number, line) for number, line in enumerate(lines)]


def bars_legend(bottom: float, level: float) -> list[Shape]:
    """What bars and intervals are, a line for each, since fonts may be wide."""
    return [
        Rect("bar-share", 8, bottom + 24, 22, 10),
        Text(36, bottom + 33, "share within 0–100 %", "soft"),
        Line("interval", 6, 32, bottom + 47, bottom + 47),
        Text(36, bottom + 51, f"{100 * level:g} % interval", "soft"),
    ]
