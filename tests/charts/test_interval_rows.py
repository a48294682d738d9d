"""The chart of estimates in rows, calculated by hand."""

import pytest

from survey.charts import svg
from survey.charts.interval_rows import (
    NARROW,
    WIDE,
    IntervalRow,
    axis_ends,
    interval_rows_chart,
)
from tests.support.charted import drawn, words

pytestmark = pytest.mark.fast


def chart(rows, layout=WIDE, **more):
    return interval_rows_chart(rows, lambda tick: f"{tick:g}", "95 % interval", layout, **more)


def test_an_estimate_lies_on_its_axis_with_its_interval_and_its_number():
    # The axis has 320 units from 270 to 590 for 0 to 1.
    found = chart(
        [IntervalRow(label="Men", words="0.5 (0.25 to 0.75)", value=0.5, low=0.25, high=0.75)],
        limits=(0, 1),
    )
    assert drawn(found, "circle") == [svg.circle("estimate", 430, 19)]
    assert drawn(found, "line", "interval") == [
        svg.line("interval", 350, 510, 19, 19),
        svg.line("interval", 350, 350, 14, 24),
        svg.line("interval", 510, 510, 14, 24),
    ]
    assert words(found)[-3:] == ["Men", "0.5 (0.25 to 0.75)", "95 % interval"]
    assert found.width == 860


def test_an_end_beyond_the_axis_is_an_arrow():
    found = chart([IntervalRow(label="Men", words="", value=0.5, low=-3, high=0.75)], limits=(0, 1))
    assert len(drawn(found, "polygon")) == 1
    outside = chart([IntervalRow(label="Men", words="", value=4, low=3, high=5)], limits=(0, 1))
    assert drawn(outside, "circle") == []
    assert len(drawn(outside, "polygon")) == 2


def test_a_row_without_an_estimate_has_only_its_words():
    found = chart([IntervalRow(label="Men", words="not known")])
    assert drawn(found, "circle") == drawn(found, "line", "interval") == []
    assert "not known" in words(found)


def test_no_line_of_a_narrow_chart_runs_through_a_label():
    rows = [
        IntervalRow(label=name, words="0.5", value=0.5, low=0.25, high=0.75)
        for name in ("Men", "Women")
    ]
    found = chart(rows, NARROW, limits=(0, 1))
    assert found.width == 344
    places = [
        shape.attributes["y"]
        for shape in drawn(found, "text")
        if shape.text in ("Men", "0.5", "Women")
    ]
    for line in drawn(found, "line", "axis"):
        top, bottom = line.attributes["y1"], line.attributes["y2"]
        assert not [y for y in places if top < y < bottom + 10]


def test_one_wild_interval_does_not_flatten_the_others():
    rows = [
        IntervalRow(label="", words="", value=value, low=value - 1, high=value + 1)
        for value in (0, 1, 2, 1)
    ]
    low, high = axis_ends(
        [*rows, IntervalRow(label="", words="", value=1, low=-1000, high=1000)], (0.0,)
    )
    assert -10 < low <= -1
    assert 3 <= high < 10
    # All estimates are on the axis if their distances are alike, however short their intervals are.
    short = [
        IntervalRow(label="", words="", value=value, low=value - 0.01, high=value + 0.01)
        for value in (19, 20, 21, 22)
    ]
    low, high = axis_ends(short, ())
    assert low <= 19 < 22 <= high


def test_an_axis_without_estimates_is_from_0_to_1():
    assert (
        axis_ends([], ()) == axis_ends([IntervalRow(label="Men", words="–")], (0.0,)) == (0.0, 1.0)
    )


def test_an_estimate_and_interval_that_are_too_long_stand_on_two_lines():
    long = IntervalRow(
        label="Year", words="0.0056 (−0.0129 to 0.0241)", value=0.0056, low=-0.0129, high=0.0241
    )
    found = chart(
        [long, IntervalRow(label="Men", words="0.5 (0.25 to 0.75)", value=0.5, low=0.25, high=0.75)]
    )
    assert {"0.0056", "(−0.0129 to 0.0241)", "0.5 (0.25 to 0.75)"} <= set(words(found))
    assert not any("…" in each for each in words(found))
