"""The chart of denials, calculated by hand: 288 units from 60 to 348, and 178 from 190 up to 12."""

import pytest

from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.validity.noncompliance import Denial, TrueShareBounds
from survey.charts import svg
from survey.charts.denials import denials_chart
from tests.support.charted import drawn, places, values

pytestmark = pytest.mark.fast


def bounds(said: float, denied: float, low: float, high: float) -> TrueShareBounds:
    return TrueShareBounds(
        said=IntervalEstimate(value=said, standard_error=0.01, low=low, high=high, method=""),
        denied=denied,
        false=0,
        random=0,
        low=low,
        high=high,
    )


def test_the_area_lies_between_the_bounds_and_the_curve_goes_through_the_estimates():
    denials = (
        Denial(0, 0.25, 0.25, 0.25), Denial(0.25, 1 / 3, 0.25, 0.5), Denial(0.5, None, 0.25, 1),
    )  # fmt: skip
    chart = denials_chart(denials, bounds(0.3, 0.25, 0.25, 0.5))
    assert chart.height == 272
    [area] = drawn(chart, "polygon")
    highs, lows = ((60, 145.5), (204, 101), (348, 12)), ((348, 145.5), (204, 145.5), (60, 145.5))
    assert area == svg.polygon("bar-share", places(*highs, *lows))
    curve = svg.polyline("curve own", places((60, 145.5), (204, 130.7)))
    assert drawn(chart, "polyline") == [curve]
    assert drawn(chart, "line", "interval") == [
        svg.line("interval", 204, 204, 145.5, 101),
        svg.line("interval", 199, 209, 145.5, 145.5),
        svg.line("interval", 199, 209, 101, 101),
    ]
    # 0.3 / 0.75 = 0.4
    assert drawn(chart, "circle") == [svg.circle("estimate", 204, 118.8)]


@pytest.mark.parametrize(
    ("most", "labels"),
    [
        (0.2, ["0 %", "5 %", "10 %", "15 %", "20 %"]),
        (0.21, ["0 %", "10 %", "20 %", "30 %"]),
        (0.41, ["0 %", "25 %", "50 %"]),
        (1, ["0 %", "25 %", "50 %", "75 %", "100 %"]),
        (0, ["0 %", "5 %"]),
    ],
)
def test_the_upright_axis_ends_at_a_round_number(most, labels):
    chart = denials_chart((Denial(0, 0, 0, most), Denial(0.5, 0, 0, most)), bounds(0, 0, 0, most))
    found = [text for text in drawn(chart, "text", "soft") if text.attributes["x"] == 55]
    assert [text.text for text in found] == labels
    assert (found[0].attributes["y"], found[-1].attributes["y"]) == (194, 16)


def test_numbers_across_leave_out_what_would_touch():
    chart = denials_chart((Denial(0, 0, 0, 1), Denial(0.5, 0, 0, 1)), bounds(0, 0, 0, 1))
    found = [text for text in drawn(chart, "text", "soft") if text.attributes["y"] == 210]
    assert values(found, "x", "text", "text-anchor") == [
        (60, "0 %", "middle"), (117.6, "10 %", "middle"), (232.8, "30 %", "middle"),
        (348, "50 %", "end"),
    ]  # fmt: skip


def test_an_estimate_that_is_no_share_has_no_dot():
    assert drawn(denials_chart((Denial(0, 0, 0, 1),), bounds(-0.1, 0, 0, 1)), "circle") == []
    assert drawn(denials_chart((Denial(0, 0, 0, 1),), bounds(0.6, 0.5, 0, 1)), "circle") == []
