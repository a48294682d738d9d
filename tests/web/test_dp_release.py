"""The chart of a release, by hand: 344 units from 8 to 352, and 160 from 186 up to 26."""

import pytest

from survey.central_dp.chart import COLUMNS, CURVED, LINES, Mark, Picture
from survey.core.text_widths import room_for
from survey.web.charts.dp_release import release_chart
from survey.web.charts.svg import Circle, Line, Outline, Rect, Text
from tests.support.charted import drawn

pytestmark = pytest.mark.fast


def written(value: float) -> str:
    return f"{value:g}"


def picture(kind: str, *marks: Mark, low: float = 0.0, high: float = 40.0) -> Picture:
    return Picture(kind, low, high, list(marks), False, first="0", last="3")


def test_columns_reach_from_the_axis_to_their_figures():
    marks = [Mark(25, 0, 50), Mark(100, 75, 100), Mark(0, 0, 12.5), Mark(50)]
    chart = release_chart(picture(COLUMNS, *marks), written, "cups")
    assert chart is not None
    assert chart.height == 226
    # columns of 86, with 1.5 free on either side
    assert drawn(chart, "rect") == [
        Rect("bar-share", 9.5, 146, 83, 40), Rect("bar-share", 95.5, 26, 83, 160),
        Rect("bar-share", 181.5, 186, 83, 0), Rect("bar-share", 267.5, 106, 83, 80),
    ]  # fmt: skip
    assert drawn(chart, "line", "interval")[:3] == [
        Line("interval", 51, 51, 186, 106),
        Line("interval", 47, 55, 186, 186),
        Line("interval", 47, 55, 106, 106),
    ]
    assert drawn(chart, "text") == [
        Text(8, 19, "40", "soft"), Text(8, 201, "0", "soft"), Text(8, 218, "0", "soft"),
        Text(352, 218, "3 cups", "soft", "end"),
    ]  # fmt: skip


def test_many_columns_are_narrow_and_so_are_their_intervals():
    chart = release_chart(picture(COLUMNS, *[Mark(50, 0, 100)] * 43), written, "")
    assert chart is not None
    first = drawn(chart, "rect")[0]  # of 8 units, an eighth of it free on either side
    assert first == Rect("bar-share", 9, 106, 6, 80)
    assert drawn(chart, "line", "interval")[1] == Line("interval", 10, 14, 186, 186)


def test_a_curve_begins_where_the_sum_is_0():
    marks = [Mark(50, 25, 75, across=50), Mark(75, 50, 100, across=100)]
    chart = release_chart(picture(CURVED, *marks, low=-10, high=30), written, "")
    assert chart is not None
    band, way = drawn(chart, "path")
    assert way == Outline("way", "M8 146.0 L180.0 106.0 L352.0 66.0")
    assert band == Outline("band", "M8 146.0 L180.0 66.0 L352.0 26.0 L352.0 106.0 L180.0 146.0 Z")
    dots = [Circle("estimate", 180, 106, 3), Circle("estimate", 352, 66, 3)]
    assert drawn(chart, "circle") == dots


def test_the_ends_of_the_axis_have_a_line_each_where_one_is_too_short():
    chart = release_chart(picture(COLUMNS, Mark(50)), written, "W" * 40)
    assert chart is not None
    last = drawn(chart, "text")[-1]
    assert (chart.height, last.y) == (242, 234)
    assert room_for(last.text) <= 344


def test_other_releases_have_no_chart_above_their_table():
    assert release_chart(picture(LINES, Mark(50)), written, "") is None
