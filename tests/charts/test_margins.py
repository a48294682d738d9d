"""The charts of a plan, calculated by hand: 294 units from 44 to 338, and 180 from 210 up to 30.

180 units are 50 percentage points. Three factors of ten lead from 100 to 100,000 respondents, with
98 units each.
"""

import math

import pytest

from survey.charts import svg
from survey.charts.margins import denial_chart, epsilon_chart, respondents_chart
from survey.definition.survey import parse_survey
from survey.planning.denial import BreakEven
from survey.planning.plan_curves import DenialCurve, MarginAtEpsilon, MarginCurve
from survey.planning.precision import SHARE, ExpectedPrecision, Z
from tests.support.charted import drawn, places, values
from tests.support.definitions import definition

pytestmark = pytest.mark.fast

SIZES = (100, 1_000, 10_000, 100_000)


def curve(margin_at_100: float, epsilon: float = 1.0, as_set: bool = False) -> MarginCurve:
    variance = 100 * (margin_at_100 / Z) ** 2
    return MarginCurve(
        epsilon,
        as_set,
        ExpectedPrecision(kind=SHARE, variance=variance, direct=0.25, width=1.0, reported=1.0),
    )


def numbers(chart: svg.Chart) -> list[svg.Shape]:
    """The numbers of the vertical axis."""
    return [text for text in drawn(chart, "text", "soft") if text.attributes["y"] == 226]


def test_a_curve_goes_through_its_margins():
    chart = respondents_chart([curve(0.4)], SIZES, 1_000, 0.1, "margin, in percentage points")
    assert chart.height == 252
    # At each step, the margin is divided by the root of ten.
    [line] = drawn(chart, "polyline")
    points = places((44, 66), (142, 164.5), (240, 195.6), (338, 205.4))
    assert line == svg.polyline("curve", points, "2 3")
    assert values(numbers(chart), "x", "text", "text-anchor") == [
        (44, "100", "start"), (142, "1,000", "middle"), (240, "10,000", "middle"),
        (338, "100,000", "end"),
    ]  # fmt: skip
    margins = [text for text in drawn(chart, "text", "soft") if text.attributes["x"] == 39]
    assert [text.text for text in margins] == ["±0", "±10", "±20", "±30", "±40", "±50"]
    assert (margins[0].attributes["y"], margins[-1].attributes["y"]) == (214, 34)
    assert svg.text(4, 15, "margin, in percentage points", "soft") in chart.shapes


@pytest.mark.parametrize(
    ("n", "place"), [(99, None), (100, 44), (10_000, 240), (100_000, 338), (100_001, None)]
)
def test_what_is_planned_has_a_dot_if_the_axis_reaches_so_far(n, place):
    chart = respondents_chart([curve(0.4)], SIZES, n, 0.5, "")
    assert drawn(chart, "circle") == ([] if place is None else [svg.circle("estimate", place, 30)])
    assert len(chart.legend) == (1 if place is None else 2)


def test_lines_are_told_apart_by_dashes_that_the_legend_has_too():
    curves = [curve(0.4, 0.5), curve(0.3, 1.1, True), curve(0.2, 2.0), curve(0.1, math.inf)]
    chart = respondents_chart(curves, SIZES, 500, 0.1, "")
    styles = [(line.kind, line.attributes["stroke-dasharray"]) for line in drawn(chart, "polyline")]
    assert styles == [("curve", "2 3"), ("curve own", ""), ("curve", "10 4 2 4"), ("curve", "1 4")]
    *lines, dot = chart.legend
    assert [(key.kind, key.attributes["stroke-dasharray"]) for key, _ in lines] == styles
    assert [meaning for _, meaning in chart.legend] == [
        "ε = 0.5", "current setting, ε = 1.10", "ε = 2", "asked directly", "with 500 respondents",
    ]  # fmt: skip
    assert dot[0] == svg.circle("estimate", 6, 6)


def test_epsilon_goes_to_6_at_least():
    trades = [
        MarginAtEpsilon(1, False, 0.5), MarginAtEpsilon(3, True, 0.25),
        MarginAtEpsilon(6, False, 0.05),
    ]  # fmt: skip
    chart = epsilon_chart(trades, 0.1, "margin, in percentage points")
    assert drawn(chart, "polyline") == [svg.polyline("curve own", places((93, 30), (338, 192)))]
    assert drawn(chart, "circle") == [svg.circle("estimate", 191, 120)]
    assert drawn(chart, "line", "curve") == [svg.line("curve", 44, 338, 174, 174, "1 4")]
    ticks = [(44 + 49 * epsilon, str(epsilon)) for epsilon in range(7)]
    assert values(numbers(chart), "x", "text") == ticks
    assert [meaning for _, meaning in chart.legend] == [
        "most accurate mechanism", "asked directly", "current setting, ε = 3.00",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("most", "labels"),
    [
        (6.1, ["0", "2", "4", "6"]),
        (12, ["0", "2", "4", "6", "8", "10", "12"]),
        (30, ["0", "5", "10", "15", "20", "25", "30"]),
        (9_000, ["0", "1500", "3000", "4500", "6000", "7500", "9000"]),
    ],
)
def test_a_large_epsilon_has_at_most_seven_numbers(most, labels):
    trades = [MarginAtEpsilon(1, False, 0.5), MarginAtEpsilon(most, True, 0.1)]
    chart = epsilon_chart(trades, 0.1, "")
    assert [text.text for text in numbers(chart)] == labels
    assert drawn(chart, "circle") == [svg.circle("estimate", 338, 174)]


@pytest.mark.parametrize(
    ("n", "denied", "place"),
    [(1_000, 0.5, (199, 120)), (9, 0.5, None), (100_001, 0.5, None), (1_000, None, None)],
)
def test_denial_has_a_dot_where_the_plan_is_on_the_axes(n, denied, place):
    """Four factors of ten lead from 10 to 100,000 respondents, with 69.5 units each."""
    question = parse_survey(definition()).questions[0]
    curves = (
        DenialCurve(0.5, False, ((100_000, 0.9),)),
        DenialCurve(1.1, True, ((10, 1.0), (1_000, 0.5), (100_000, 0.0))),
        DenialCurve(2.0, False, ((10, 0.5), (100, 0.25))),
    )
    chart = denial_chart(curves, BreakEven(question, n, 0.2, denied))
    # A single point is no curve.
    own, other = drawn(chart, "polyline")
    assert own == svg.polyline("curve own", places((60, 30), (199, 120), (338, 210)))
    assert other == svg.polyline("curve", places((60, 120), (129.5, 165)), "10 4 2 4")
    assert drawn(chart, "circle") == ([] if place is None else [svg.circle("estimate", *place)])
    names = [text for _, text in chart.legend]
    assert names == ["current setting, ε = 1.10", "ε = 2"] + (
        [f"with {n:,} respondents"] if place else []
    )
    assert [text.text for text in numbers(chart)] == ["10", "100", "1,000", "100,000"]
