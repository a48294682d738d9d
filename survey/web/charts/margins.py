"""The charts of a plan: the margin against the number of respondents, and against epsilon.

Dashes and a legend of the same dashes, not colours, tell the lines apart.
"""

import math
from collections.abc import Sequence

from survey.core.text_widths import shorten_middle
from survey.planning.plan_curves import MarginAtEpsilon, MarginCurve
from survey.web.charts import svg
from survey.web.charts.scale import Scale

LEFT, RIGHT, TOP, BASE = 44, 338, 30, 210
HEIGHT = BASE + 42
Y = Scale(0, 0.5, BASE, TOP)
DASHES = ("2 3", "6 3", "10 4 2 4", "14 4", "4 2 1 2", "18 3")
DASHES_ASKED_DIRECTLY = "1 4"
SIZE_TICKS = (100, 1_000, 10_000, 100_000)
# An axis of epsilon has at most seven numbers, so that they do not touch each other.
EPSILON_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
MAX_EPSILON_STEPS = 6
DOT = svg.Circle("estimate", 6, 6)


def respondents_chart(
    curves: Sequence[MarginCurve], sizes: Sequence[int], n: int, margin: float, unit: str
) -> svg.Chart:
    """On a logarithmic axis; a dot is at what is planned, if the axis reaches so far.

    Parameters
    ----------
    sizes : the numbers of respondents that the curves are drawn through
    n, margin : what is planned
    """
    x = Scale(math.log10(sizes[0]), math.log10(sizes[-1]), LEFT, RIGHT)
    shapes = margin_ticks()
    for tick in SIZE_TICKS:
        at = x.at(math.log10(tick))
        anchor = {SIZE_TICKS[0]: "start", SIZE_TICKS[-1]: "end"}.get(tick, "middle")
        shapes.append(svg.Line("axis", at, at, TOP, BASE))
        shapes.append(svg.Text(at, BASE + 16, f"{tick:,}", "soft", anchor))
    shapes += axis_names("respondents", unit)
    legend: list[tuple[svg.Shape, str]] = []
    for place, curve in enumerate(curves):
        kind, dashes = "curve", DASHES[place % len(DASHES)]
        if curve.as_set:
            kind, dashes = "curve own", ""
        elif math.isinf(curve.epsilon):
            dashes = DASHES_ASKED_DIRECTLY
        points = [(x.at(math.log10(size)), Y.at(curve.margin(size))) for size in sizes]
        shapes.append(svg.Polyline(kind, tuple(points), dashes))
        legend.append((legend_line(kind, dashes), curve.name))
    if sizes[0] <= n <= sizes[-1]:
        at = x.at(math.log10(n))
        shapes += [svg.Line("wish", at, at, TOP, BASE), svg.Circle("estimate", at, Y.at(margin))]
        legend.append((DOT, f"with {n:,} respondents"))
    return svg.Chart(tuple(shapes), HEIGHT, legend=tuple(legend))


def epsilon_chart(trades: Sequence[MarginAtEpsilon], margin_openly: float, unit: str) -> svg.Chart:
    """A curve through the most accurate mechanisms, a dot at what is set, and a level line where
    the question is asked directly."""
    x = Scale(0, max(6, *(trade.epsilon for trade in trades)), LEFT, RIGHT)
    shapes = margin_ticks()
    wanted = x.high / MAX_EPSILON_STEPS
    step = next((step for step in EPSILON_STEPS if step >= wanted), int(wanted))
    for tick in range(0, int(x.high) + 1, step):
        shapes.append(svg.Line("axis", x.at(tick), x.at(tick), TOP, BASE))
        shapes.append(svg.Text(x.at(tick), BASE + 16, str(tick), "soft", "middle"))
    shapes += axis_names("ε, the privacy loss of this question", unit)
    openly = Y.at(margin_openly)
    shapes.append(svg.Line("curve", LEFT, RIGHT, openly, openly, DASHES_ASKED_DIRECTLY))
    points = [(x.at(each.epsilon), Y.at(each.margin)) for each in trades if not each.as_set]
    shapes.append(svg.Polyline("curve own", tuple(points)))
    legend: list[tuple[svg.Shape, str]] = [
        (legend_line("curve own"), "most accurate mechanism"),
        (legend_line("curve", DASHES_ASKED_DIRECTLY), "asked directly"),
    ]
    for each in trades:
        if each.as_set:
            shapes.append(svg.Circle("estimate", x.at(each.epsilon), Y.at(each.margin)))
            legend.append((DOT, each.name))
    return svg.Chart(tuple(shapes), HEIGHT, legend=tuple(legend))


def margin_ticks() -> list[svg.Shape]:
    """The upright axis, from 0 to 50 points."""
    shapes: list[svg.Shape] = []
    for tick in range(0, 60, 10):
        at = Y.at(tick / 100)
        shapes.append(svg.Line("axis" if tick else "limit", LEFT, RIGHT, at, at))
        shapes.append(svg.Text(LEFT - 5, at + 4, f"±{tick}", "soft", "end"))
    return shapes


def axis_names(across: str, upright: str) -> list[svg.Shape]:
    return [
        svg.Text(RIGHT, BASE + 34, across, "soft", "end"),
        svg.Text(4, 15, shorten_middle(upright, 12, 350), "soft"),
    ]


def legend_line(kind: str, dashes: str = "") -> svg.Line:
    return svg.Line(kind, 0, 40, 6, 6, dashes)
