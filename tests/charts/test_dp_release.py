"""The chart of a DP release, calculated by hand.

344 units go from 8 to 352, and 160 from 186 up to 26.
"""

import pytest

from survey.central_dp.chart import COLUMNS, CURVED, LINES, Picture
from survey.central_dp.figures import DPFigure
from survey.charts import svg
from survey.charts.dp_release import release_chart
from survey.core.text_widths import room_for
from tests.support.charted import drawn, places

pytestmark = pytest.mark.fast


def written(value: float) -> str:
    return f"{value:g}"


def figure(value: float, low: float | None = None, high: float | None = None) -> DPFigure:
    return DPFigure(label="", value=value, low=low, high=high)


def picture(
    kind: str, *figures: DPFigure, low: float = 0, high: float = 40, bounds: tuple[float, ...] = ()
) -> Picture:
    return Picture(
        kind=kind,
        low=low,
        high=high,
        figures=figures,
        beyond=False,
        first="0",
        last="3",
        bounds=bounds,
    )


def test_columns_reach_from_the_axis_to_their_figures():
    figures = [figure(10, 0, 20), figure(40, 30, 50), figure(-3, -5, 5), figure(20)]
    chart = release_chart(picture(COLUMNS, *figures), written, "cups")
    assert chart is not None
    assert chart.height == 226
    # Columns of 86, with 1.5 free on each side.
    assert drawn(chart, "rect") == [
        svg.rect("bar-share", 9.5, 146, 83, 40), svg.rect("bar-share", 95.5, 26, 83, 160),
        svg.rect("bar-share", 181.5, 186, 83, 0), svg.rect("bar-share", 267.5, 106, 83, 80),
    ]  # fmt: skip
    assert drawn(chart, "line", "interval")[:3] == [
        svg.line("interval", 51, 51, 186, 106),
        svg.line("interval", 47, 55, 186, 186),
        svg.line("interval", 47, 55, 106, 106),
    ]
    assert drawn(chart, "text") == [
        svg.text(8, 19, "40", "soft"), svg.text(8, 201, "0", "soft"), svg.text(8, 218, "0", "soft"),
        svg.text(352, 218, "3 cups", "soft", "end"),
    ]  # fmt: skip


def test_many_columns_are_narrow_and_so_are_their_intervals():
    chart = release_chart(picture(COLUMNS, *[figure(20, 0, 40)] * 43), written, "")
    assert chart is not None
    first = drawn(chart, "rect")[0]  # of 8 units, an eighth of it free on each side
    assert first == svg.rect("bar-share", 9, 106, 6, 80)
    assert drawn(chart, "line", "interval")[1] == svg.line("interval", 10, 14, 186, 186)


def test_a_curve_begins_where_the_sum_is_0():
    figures = [figure(10, 0, 20), figure(20, 10, 30)]
    curve = picture(CURVED, *figures, low=-10, high=30, bounds=(50, 100))
    chart = release_chart(curve, written, "")
    assert chart is not None
    [band], [way] = drawn(chart, "polygon"), drawn(chart, "polyline")
    assert way == svg.polyline("way", places((8, 146), (180, 106), (352, 66)))
    ends = ((8, 146), (180, 66), (352, 26), (352, 106), (180, 146))
    assert band == svg.polygon("band", places(*ends))
    dots = [svg.circle("estimate", 180, 106, 3), svg.circle("estimate", 352, 66, 3)]
    assert drawn(chart, "circle") == dots


def test_the_ends_of_the_axis_have_a_line_each_where_one_is_too_short():
    chart = release_chart(picture(COLUMNS, figure(20)), written, "W" * 40)
    assert chart is not None
    last = drawn(chart, "text")[-1]
    assert (chart.height, last.attributes["y"]) == (242, 234)
    assert room_for(last.text) <= 344


def test_other_releases_have_no_chart_above_their_table():
    assert release_chart(picture(LINES, figure(20)), written, "") is None
