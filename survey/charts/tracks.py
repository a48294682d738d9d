"""Estimates and their intervals, each on a track of its own, below each other on one axis.

A track has a thousand units from one end of the axis to the other, and stretches to the width of
the page. Lines keep their width, and a dot is a short line with round ends. A track is drawn on the
whole range. Where the intervals are short, the group of its marks is stretched to an axis that fits
them. The style sheet ends this when the reader asks for the whole range, without a script.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from survey.charts import svg
from survey.charts.scale import Scale, round_numbers
from survey.core.languages import Words
from survey.core.text_widths import room_for
from survey.core.translate import translate_number
from survey.estimation.findings.summaries import (
    SHARE_ENDS,
    Line,
    Summary,
    answer_lines,
    is_about_mean,
    summary_ends,
)
from survey.estimation.results import QuestionResults

# The units of a track, and the space at each end, so that no dot is cut.
UNITS = 1000
END_SPACE = 24
HEIGHT = 22
MIDDLE = 11
SPACE = 10
CAP = 4
# The width of a track on a phone, and the space between two numbers.
NARROW = 343
GAP = 2
# An axis that is nearly as long as the whole range would not help.
MAX_FITTED = 0.8


@dataclass(frozen=True)
class TrackAxis:
    """An axis, with the text of each of its ticks."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    @property
    def scale(self) -> Scale:
        return Scale(low=self.low, high=self.high, start=0, end=UNITS)


def percents(share: float) -> str:
    return translate_number(f"{round(100 * share, 6):g} %")


SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def whole_axis(ends: tuple[float, float], tick_text: Callable[[float], str]) -> TrackAxis:
    """The axis with all possible values."""
    places = SHARES if ends == SHARE_ENDS else ends
    return TrackAxis(*ends, tuple((place, tick_text(place)) for place in places))


def fitted_axis(
    lines: Sequence[Line], ends: tuple[float, float], tick_text: Callable[[float], str]
) -> TrackAxis | None:
    """The axis from the round number below all intervals to the one above them.

    None if it would not be much shorter than the whole range.
    """
    low, high = min(line.low for line in lines), max(line.high for line in lines)
    if not low < high:
        return None
    step = round_numbers(low, high, 4)
    width = step[1] - step[0] if len(step) > 1 else high - low
    low = max(ends[0], math.floor(low / width + 1e-9) * width)
    high = min(ends[1], math.ceil(high / width - 1e-9) * width)
    if high - low > MAX_FITTED * (ends[1] - ends[0]):
        return None
    ticks = round_numbers(low, high, 4)
    return TrackAxis(low, high, tuple((tick, tick_text(tick)) for tick in ticks))


def track(lines: Sequence[Line], whole: TrackAxis, fitted: TrackAxis | None = None) -> svg.Shape:
    """The track of some estimates on the same axis, each interval below the one before it."""
    height = HEIGHT + SPACE * (len(lines) - 1)
    shapes = [grid("axis whole", whole, height)]
    marks: list[svg.Shape] = []
    x = whole.scale
    if fitted is not None:
        marks.append(grid("axis fitted", TrackAxis(whole.low, whole.high, fitted.ticks), height))
    for place, line in enumerate(lines):
        marks += mark(line, x, MIDDLE + SPACE * place)
    if fitted is not None:
        stretch = (whole.high - whole.low) / (fitted.high - fitted.low)
        shift = -x.at(fitted.low) * stretch
        matrix = f"matrix({stretch:.6g} 0 0 1 {shift:.6g} 0)"
        shapes.append(
            svg.Shape(tag="g", kind="fit", attributes={"transform": matrix}, inside=tuple(marks))
        )
    else:
        shapes += marks
    box = f"{-END_SPACE} 0 {UNITS + 2 * END_SPACE} {height}"
    attributes = {
        "viewBox": box,
        "preserveAspectRatio": "none",
        "width": "100%",
        "height": f"{height}",
        "aria-hidden": "true",
    }
    return svg.Shape(tag="svg", kind="track", attributes=attributes, inside=tuple(shapes))


def grid(kind: str, axis: TrackAxis, height: int) -> svg.Shape:
    """A vertical line at each tick."""
    lines = (f"M{axis.scale.at(tick):g} 0V{height}" for tick, _ in axis.ticks)
    return svg.Shape(tag="path", kind=kind, attributes={"d": "".join(lines)})


def mark(line: Line, x: Scale, y: float) -> list[svg.Shape]:
    """An interval with its caps, and the dot of a possible estimate."""
    low, high, top, bottom = x.within(line.low), x.within(line.high), y - CAP, y + CAP
    across = f"M{low:g} {y:g}H{high:g}"
    caps = "".join(f"M{end:g} {top:g}V{bottom:g}" for end in (low, high))
    shapes = [svg.Shape(tag="path", kind="interval", attributes={"d": across + caps})]
    if line.possible:
        shapes.append(
            svg.Shape(
                tag="path",
                kind="estimate",
                attributes={"d": f"M{x.within(line.value):g} {y:g}h.01"},
            )
        )
    return shapes


def axis_labels(axis: TrackAxis, kind: str) -> svg.Shape:
    """The numbers of an axis, each at its place on the tracks above or below it.

    A number that would touch the one before it on a phone is left out.
    """
    texts, free = [], 0.0
    for tick, words in axis.ticks:
        at = (axis.scale.at(tick) + END_SPACE) / (UNITS + 2 * END_SPACE)
        anchor, share = (
            ("start", 0.0) if at < 0.1 else ("end", 1.0) if at > 0.9 else ("middle", 0.5)
        )
        room = room_for(words, 12)
        start = NARROW * at - share * room
        if start < free:
            continue
        free = start + room + GAP
        places = {"x": f"{100 * at:.4g}%", "y": 14, "text-anchor": anchor}
        texts.append(svg.Shape(tag="text", kind="soft", attributes=places, text=words))
    attributes = {"width": "100%", "height": "19", "aria-hidden": "true"}
    return svg.Shape(tag="svg", kind=f"chart {kind}", attributes=attributes, inside=tuple(texts))


def in_unit(result: QuestionResults, words: Words) -> Callable[[float], str]:
    """How the values on the axis of a question are written."""
    if not is_about_mean(result):
        return percents
    return lambda value: words.number(value, grouped=True)


@dataclass(frozen=True)
class Tracks:
    """Estimates with their tracks.

    Attributes
    ----------
    rows : each estimate with its track
    labels : the numbers of the axis
    whole_labels : the numbers of the whole range, if the axis is shorter; else None
    ends : the ends of the whole range in words
    """

    rows: tuple[tuple[Line, svg.Shape], ...]
    labels: svg.Shape
    whole_labels: svg.Shape | None
    ends: tuple[str, str]


def answer_tracks(result: QuestionResults, words: Words) -> Tracks | None:
    """The answers of a question, on an axis that fits them. None without an estimate to show."""
    lines = answer_lines(result)
    if not lines:
        return None
    ends, text = summary_ends(result), in_unit(result, words)
    whole, fitted = whole_axis(ends, text), fitted_axis(lines, ends, text)
    return Tracks(
        tuple((line, track([line], whole, fitted)) for line in lines),
        axis_labels(whole if fitted is None else fitted, "fitted"),
        None if fitted is None else axis_labels(whole, "whole"),
        (whole.ticks[0][1], whole.ticks[-1][1]),
    )


def summary_track(summary: Summary, words: Words) -> tuple[svg.Shape, svg.Shape | None] | None:
    """The track of a question on the axis that all questions share.

    A mean is on the range of its question, whose ends are the second shape. None if there is
    nothing to draw.
    """
    if not summary.lines:
        return None
    text = in_unit(summary.result, words)
    axis = whole_axis(summary.ends, text)
    return track(summary.lines, axis), axis_labels(axis, "own") if summary.is_of_mean else None


def share_labels() -> svg.Shape:
    """The numbers of the axis that all shares have in common."""
    return axis_labels(whole_axis(SHARE_ENDS, percents), "shared")
