"""The charts of a plan: the margin by respondents and by ε, and the denial by respondents.

Dash patterns in the chart and in the legend, not colours, distinguish the lines.
"""

import math
from collections.abc import Iterable, Sequence

from survey.charts import svg
from survey.charts.scale import Scale
from survey.core.text_widths import shorten_middle
from survey.core.translate import translate, translate_number
from survey.planning.denial import BreakEven
from survey.planning.plan_curves import DENIAL_SIZES, DenialCurve, MarginAtEpsilon, MarginCurve

LEFT = 44
RIGHT = 338
TOP = 30
BASE = 210
# "100 %" needs more room than points.
DENIAL_LEFT = 60
HEIGHT = BASE + 42
Y = Scale(low=0, high=0.5, start=BASE, end=TOP)
# The vertical axis of margins, from 0 to 50 points.
MARGIN_LEVELS = svg.level_ticks(
    Y, [(points / 100, f"±{points}") for points in range(0, 60, 10)], LEFT, RIGHT
)
DASHES = ("2 3", "6 3", "10 4 2 4", "14 4", "4 2 1 2", "18 3")
DASHES_ASKED_DIRECTLY = "1 4"
SIZE_TICKS = (100, 1_000, 10_000, 100_000)
SIZE_ANCHORS = ("start", "middle", "middle", "end")
DENIAL_TICKS = (10, *SIZE_TICKS)
DENIAL_ANCHORS = ("start", "middle", *SIZE_ANCHORS[1:])
# The ε axis has at most seven numbers, so that they do not overlap.
EPSILON_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
MAX_EPSILON_STEPS = 6
DOT = svg.circle("estimate", 6, 6)


def respondents_chart(
    curves: Sequence[MarginCurve], sizes: Sequence[int], n: int, margin: float, unit: str
) -> svg.Chart:
    """The margin on a logarithmic axis. A dot marks the plan, if it is on the axis.

    Parameters
    ----------
    sizes : the numbers of respondents that the curves are drawn through
    n, margin : what is planned
    """
    x = Scale(low=math.log10(sizes[0]), high=math.log10(sizes[-1]), start=LEFT, end=RIGHT)
    places = [x.at(math.log10(tick)) for tick in SIZE_TICKS]
    ticks = zip(places, map(size_text, SIZE_TICKS), SIZE_ANCHORS, strict=True)
    shapes = both_axes(MARGIN_LEVELS, ticks, translate("respondents"), unit)
    legend = []
    for place, curve in enumerate(curves):
        kind, dashes = "curve", DASHES[place % len(DASHES)]
        if curve.as_set:
            kind, dashes = "curve own", ""
        elif math.isinf(curve.epsilon):
            dashes = DASHES_ASKED_DIRECTLY
        points = [(x.at(math.log10(size)), Y.at(curve.margin(size))) for size in sizes]
        shapes.append(svg.polyline(kind, points, dashes))
        legend.append((legend_line(kind, dashes), curve.name))
    if sizes[0] <= n <= sizes[-1]:
        at = x.at(math.log10(n))
        shapes += [svg.line("wish", at, at, TOP, BASE), svg.circle("estimate", at, Y.at(margin))]
        legend.append((DOT, with_respondents(n)))
    return svg.Chart(shapes=tuple(shapes), height=HEIGHT, legend=tuple(legend))


def denial_chart(curves: Sequence[DenialCurve], found: BreakEven) -> svg.Chart:
    """The denial on a logarithmic axis of respondents. A dot marks the plan, if it is on the axes.

    Above a curve, randomising has the smaller error.
    """
    x = Scale(
        low=math.log10(DENIAL_SIZES[0]),
        high=math.log10(DENIAL_SIZES[-1]),
        start=DENIAL_LEFT,
        end=RIGHT,
    )
    y = Scale(low=0, high=1, start=BASE, end=TOP)
    shares = [(part / 4, translate_number(f"{25 * part} %")) for part in range(5)]
    # The numbers at the last two lines would overlap.
    numbers = ["" if tick == DENIAL_TICKS[-2] else size_text(tick) for tick in DENIAL_TICKS]
    places = [x.at(math.log10(tick)) for tick in DENIAL_TICKS]
    shapes = both_axes(
        svg.level_ticks(y, shares, DENIAL_LEFT, RIGHT),
        zip(places, numbers, DENIAL_ANCHORS, strict=True),
        translate("respondents"),
        translate("share who deny it when asked directly"),
    )
    legend = []
    for place, curve in enumerate(curves):
        kind, dashes = ("curve own", "") if curve.as_set else ("curve", DASHES[place % len(DASHES)])
        if len(curve.points) > 1:
            points = [(x.at(math.log10(n)), y.at(denied)) for n, denied in curve.points]
            shapes.append(svg.polyline(kind, points, dashes))
            legend.append((legend_line(kind, dashes), curve.name))
    if found.denied is not None and DENIAL_SIZES[0] <= found.n <= DENIAL_SIZES[-1]:
        at = x.at(math.log10(found.n))
        shapes += [
            svg.line("wish", at, at, TOP, BASE),
            svg.circle("estimate", at, y.at(found.denied)),
        ]
        legend.append((DOT, with_respondents(found.n)))
    return svg.Chart(shapes=tuple(shapes), height=HEIGHT, legend=tuple(legend))


def epsilon_chart(trades: Sequence[MarginAtEpsilon], margin_openly: float, unit: str) -> svg.Chart:
    """A curve through the most accurate mechanisms, a dot for the current setting, and a horizontal
    line for the direct question."""
    x = Scale(low=0, high=max(6, *(trade.epsilon for trade in trades)), start=LEFT, end=RIGHT)
    wanted = x.high / MAX_EPSILON_STEPS
    step = next((step for step in EPSILON_STEPS if step >= wanted), int(wanted))
    ticks = ((x.at(tick), str(tick), "middle") for tick in range(0, int(x.high) + 1, step))
    shapes = both_axes(
        MARGIN_LEVELS, ticks, translate("ε, the privacy loss of this question"), unit
    )
    openly = Y.at(margin_openly)
    shapes.append(svg.line("curve", LEFT, RIGHT, openly, openly, DASHES_ASKED_DIRECTLY))
    points = [(x.at(each.epsilon), Y.at(each.margin)) for each in trades if not each.as_set]
    shapes.append(svg.polyline("curve own", points))
    legend = [
        (legend_line("curve own"), translate("most accurate mechanism")),
        (legend_line("curve", DASHES_ASKED_DIRECTLY), translate("asked directly")),
    ]
    for each in trades:
        if each.as_set:
            shapes.append(svg.circle("estimate", x.at(each.epsilon), Y.at(each.margin)))
            legend.append((DOT, each.name))
    return svg.Chart(shapes=tuple(shapes), height=HEIGHT, legend=tuple(legend))


def size_text(n: int) -> str:
    return translate_number(f"{n:,}")


def with_respondents(n: int) -> str:
    """The meaning of the dot for a plan."""
    return translate("with %(n)s respondents", n=size_text(n))


def both_axes(
    levels: Sequence[svg.Shape], ticks: Iterable[tuple[float, str, str]], across: str, upright: str
) -> list[svg.Shape]:
    """The levels of the vertical axis, a line for each tick, and the axis titles.

    A tick has a place, a number, which may be empty, and the anchor of that number.
    """
    shapes = list(levels)
    for at, number, anchor in ticks:
        shapes.append(svg.line("axis", at, at, TOP, BASE))
        if number:
            shapes.append(svg.text(at, BASE + 16, number, "soft", anchor))
    shapes.append(svg.text(RIGHT, BASE + 34, across, "soft", "end"))
    shapes.append(svg.text(4, 15, shorten_middle(upright, 12, 350), "soft"))
    return shapes


def legend_line(kind: str, dashes: str = "") -> svg.Shape:
    return svg.line(kind, 0, 40, 6, 6, dashes)
