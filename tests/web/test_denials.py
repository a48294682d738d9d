"""The chart of denials, by hand: 288 units from 60 to 348, and 178 from 190 up to 12."""

import pytest

from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.validity.noncompliance import Denial, TrueShareBounds
from survey.web.charts.denials import denials_chart
from survey.web.charts.svg import Circle, Line, Polygon, Polyline
from tests.support.charted import drawn

pytestmark = pytest.mark.fast


def bounds(said: float, denied: float, low: float, high: float) -> TrueShareBounds:
    return TrueShareBounds(IntervalEstimate(said, 0.01, low, high, ""), denied, 0, 0, low, high)


def test_the_area_lies_between_the_bounds_and_the_curve_goes_through_the_estimates():
    denials = (
        Denial(0, 0.25, 0.25, 0.25), Denial(0.25, 1 / 3, 0.25, 0.5), Denial(0.5, None, 0.25, 1),
    )  # fmt: skip
    chart = denials_chart(denials, bounds(0.3, 0.25, 0.25, 0.5))
    assert chart.height == 272
    [area] = drawn(chart, "polygon")
    assert area == Polygon(
        "bar-share",
        (
            (60, 145.5), (204, 101), (348, 12),  # the upper ends
            (348, 145.5), (204, 145.5), (60, 145.5),
        ),
    )  # fmt: skip
    assert drawn(chart, "polyline") == [Polyline("curve own", ((60, 145.5), (204, 130.7)))]
    assert drawn(chart, "line", "interval") == [
        Line("interval", 204, 204, 145.5, 101),
        Line("interval", 199, 209, 145.5, 145.5),
        Line("interval", 199, 209, 101, 101),
    ]
    # 0.3 / 0.75 = 0.4
    assert drawn(chart, "circle") == [Circle("estimate", 204, 118.8)]


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
    found = [text for text in drawn(chart, "text", "soft") if text.x == 55]
    assert [text.text for text in found] == labels
    assert (found[0].y, found[-1].y) == (194, 16)


def test_numbers_across_leave_out_what_would_touch():
    chart = denials_chart((Denial(0, 0, 0, 1), Denial(0.5, 0, 0, 1)), bounds(0, 0, 0, 1))
    found = [text for text in drawn(chart, "text", "soft") if text.y == 210]
    assert [(text.x, text.text, text.anchor) for text in found] == [
        (60, "0 %", "middle"), (117.6, "10 %", "middle"), (232.8, "30 %", "middle"),
        (348, "50 %", "end"),
    ]  # fmt: skip


def test_an_estimate_that_is_no_share_has_no_dot():
    assert drawn(denials_chart((Denial(0, 0, 0, 1),), bounds(-0.1, 0, 0, 1)), "circle") == []
    assert drawn(denials_chart((Denial(0, 0, 0, 1),), bounds(0.6, 0.5, 0, 1)), "circle") == []
