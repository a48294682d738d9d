"""The chart of denials: the true share by the share of people with the trait who denied it."""

import math
from collections.abc import Sequence

from survey.analysis.validity.noncompliance import Denial, TrueShareBounds
from survey.charts import svg
from survey.charts.scale import Scale
from survey.core.translate import translate, translate_number

LEFT = 60
RIGHT = 348
TOP = 12
BASE = 190


def denials_chart(denials: Sequence[Denial], bounds: TrueShareBounds) -> svg.Chart:
    """The bounds are an area. The estimate is a line where it lies between 0 and 1. The assumed
    denials are a vertical interval."""
    most = max(each.high for each in denials)
    step = 0.05 if most <= 0.2 else 0.1 if most <= 0.4 else 0.25
    steps = max(math.ceil(most / step), 1)
    x = Scale(low=0, high=denials[-1].denied or 1, start=LEFT, end=RIGHT)
    y = Scale(low=0, high=steps * step, start=BASE, end=TOP)
    highs = [(x.at(each.denied), y.at(each.high)) for each in denials]
    lows = [(x.at(each.denied), y.at(each.low)) for each in reversed(denials)]
    drawn = [(x.at(d.denied), y.at(d.estimate)) for d in denials if d.estimate is not None]
    ticks = [
        (step * place, translate_number(f"{round(100 * place * step)} %"))
        for place in range(steps + 1)
    ]
    shapes = [
        svg.polygon("bar-share", (*highs, *lows)),
        *svg.level_ticks(y, ticks, LEFT, RIGHT),
        *denied_ticks(x),
    ]
    if len(drawn) > 1:
        shapes.append(svg.polyline("curve own", drawn))
    supposed = x.at(bounds.denied)
    shapes += svg.interval_upright(supposed, (y.at(bounds.low), y.at(bounds.high)), 5)
    exactly = bounds.said.value / (1 - bounds.denied)
    if 0 <= exactly <= 1:
        shapes.append(svg.circle("estimate", supposed, y.at(exactly)))
    shapes += svg.area_and_line_legend(
        BASE + 24,
        translate("between the bounds"),
        "curve own",
        translate("estimate if exactly this many denied it"),
    )
    return svg.Chart(shapes=tuple(shapes), height=BASE + 82)


def denied_ticks(x: Scale) -> list[svg.Shape]:
    """The ticks. Numbers at all fifths would overlap."""
    shapes = []
    for tick in (0, 1, 3, 5):
        part = x.high * tick / 5
        words, anchor = (
            translate_number(f"{round(100 * part, 1):g} %"),
            "end" if tick == 5 else "middle",
        )
        shapes.append(svg.text(x.at(part), BASE + 20, words, "soft", anchor))
    title = translate("people with this answer who denied it")
    shapes.append(svg.text(RIGHT, BASE + 37, title, "soft", "end"))
    return shapes
