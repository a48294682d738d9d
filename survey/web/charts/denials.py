"""The chart of denials: how a share moves with the part of those with the trait who denied it."""

import math
from collections.abc import Sequence

from survey.analysis.validity.noncompliance import Denial, TrueShareBounds
from survey.web.charts import svg
from survey.web.charts.scale import Scale

LEFT, RIGHT, TOP, BASE = 60, 348, 12, 190


def denials_chart(denials: Sequence[Denial], bounds: TrueShareBounds) -> svg.Chart:
    """The bounds are an area, the estimate a line as far as it is from 0 to 1; what was supposed
    is an upright interval."""
    most = max(each.high for each in denials)
    step = 0.05 if most <= 0.2 else 0.1 if most <= 0.4 else 0.25
    x = Scale(0, denials[-1].denied or 1, LEFT, RIGHT)
    y = Scale(0, max(math.ceil(most / step) * step, step), BASE, TOP)
    highs = [(x.at(each.denied), y.at(each.high)) for each in denials]
    lows = [(x.at(each.denied), y.at(each.low)) for each in reversed(denials)]
    drawn = [(x.at(d.denied), y.at(d.estimate)) for d in denials if d.estimate is not None]
    shapes: list[svg.Shape] = [svg.Polygon("bar-share", (*highs, *lows)), *denial_axes(x, y, step)]
    if len(drawn) > 1:
        shapes.append(svg.Polyline("curve own", tuple(drawn)))
    supposed = x.at(bounds.denied)
    ends = (y.at(bounds.low), y.at(bounds.high))
    shapes += svg.interval_upright(supposed, ends, (supposed - 5, supposed + 5))
    exactly = bounds.said.value / (1 - bounds.denied)
    if 0 <= exactly <= 1:
        shapes.append(svg.Circle("estimate", supposed, y.at(exactly)))
    shapes += [
        svg.Rect("bar-share", 8, BASE + 48, 22, 10),
        svg.Text(36, BASE + 57, "between the bounds", "soft"),
        svg.Line("curve own", 6, 32, BASE + 71, BASE + 71),
        svg.Text(36, BASE + 75, "if exactly so many", "soft"),
    ]
    return svg.Chart(tuple(shapes), BASE + 82)


def denial_axes(x: Scale, y: Scale, step: float) -> list[svg.Shape]:
    shapes: list[svg.Shape] = []
    for tick in range(round(y.high / step) + 1):
        at = y.at(tick * step)
        shapes.append(svg.Line("axis" if tick else "limit", LEFT, RIGHT, at, at))
        label = f"{round(100 * tick * step)} %"
        shapes.append(svg.Text(LEFT - 5, at + 4, label, "soft", "end"))
    # Numbers at all fifths would touch each other.
    for tick in (0, 1, 3, 5):
        part = x.high * tick / 5
        anchor = "end" if tick == 5 else "middle"
        label = f"{round(100 * part, 1):g} %"
        shapes.append(svg.Text(x.at(part), BASE + 20, label, "soft", anchor))
    shapes.append(svg.Text(RIGHT, BASE + 37, "denied it, of those it is true of", "soft", "end"))
    return shapes
