"""Shapes: how lines form intervals, and how each is printed."""

from xml.etree import ElementTree

import pytest
from markupsafe import escape

from survey.charts.scale import Scale
from survey.charts.svg import (
    LOOK,
    Chart,
    Shape,
    bars_legend,
    circle,
    columns,
    interval_across,
    interval_upright,
    label_lines,
    level_ticks,
    line,
    polygon,
    polyline,
    rect,
    svg_file,
    text,
)

pytestmark = pytest.mark.fast


def test_an_interval_has_a_stroke_at_each_end():
    assert interval_across(20.5, 80.0, 50, 6) == [
        line("interval", 20.5, 80.0, 50, 50),
        line("interval", 20.5, 20.5, 44, 56),
        line("interval", 80.0, 80.0, 44, 56),
    ]
    assert interval_upright(30, (90.0, 12.5), 4) == [
        line("interval", 30, 30, 90.0, 12.5),
        line("interval", 26, 34, 90.0, 90.0),
        line("interval", 26, 34, 12.5, 12.5),
    ]


def test_columns_stand_on_their_base_with_a_gap_on_either_side():
    tops = [(20, (10, 30)), (50, (50, 50))]
    assert columns(tops, 0, 100, 80, 1, 4) == [
        rect("bar-share", 1, 20, 48, 60),
        *interval_upright(25, (10, 30), 4),
        rect("bar-share", 51, 50, 48, 30),
        *interval_upright(75, (50, 50), 4),
    ]


def test_a_tick_is_a_line_with_its_number_and_that_of_0_is_the_limit():
    assert level_ticks(
        Scale(low=0, high=1, start=100, end=0), [(0, "0 %"), (0.5, "50 %")], 20, 80
    ) == [
        line("limit", 20, 80, 100, 100),
        text(15, 104, "0 %", "soft", "end"),
        line("axis", 20, 80, 50, 50),
        text(15, 54, "50 %", "soft", "end"),
    ]


def test_lines_of_a_label_stand_below_each_other():
    assert label_lines(["one", "two"], 23.0, 17) == [text(23.0, 17, "one"), text(23.0, 33, "two")]


def test_a_legend_has_a_line_for_each_meaning():
    bar, its_text, interval, meaning = bars_legend(100, 0.9)
    assert bar == rect("bar-share", 8, 124, 22, 10)
    assert [each.attributes["y"] for each in (its_text, meaning)] == [133, 151]
    assert interval.attributes["y1"] == 147
    assert meaning.text == "90 % interval"


@pytest.mark.parametrize(
    ("shape", "printed"),
    [
        (
            line("axis", 1, 2.5, 3, 4.0),
            '<line class="axis" x1="1" x2="2.5" y1="3" y2="4.0"/>',
        ),
        (
            line("curve", 0, 40, 6, 6, "1 4"),
            '<line class="curve" stroke-dasharray="1 4" x1="0" x2="40" y1="6" y2="6"/>',
        ),
        (
            rect("observed", 1.5, 2, 30.0, 10),
            '<rect class="observed" x="1.5" y="2" width="30.0" height="10"/>',
        ),
        (circle("estimate", 7.1, 0.0), '<circle class="estimate" cx="7.1" cy="0.0" r="5"/>'),
        (text(1, 2, "a < b"), '<text x="1" y="2">a &lt; b</text>'),
        (
            text(1, 2, "5 %", "soft", "end"),
            '<text class="soft" x="1" y="2" text-anchor="end">5 %</text>',
        ),
        (
            polyline("curve", ((1.0, 2), (3, 4)), "2 3"),
            '<polyline class="curve" stroke-dasharray="2 3" points="1.0,2 3,4"/>',
        ),
        (polygon("bar-share", ((1, 2), (3, 4))), '<polygon class="bar-share" points="1,2 3,4"/>'),
        (
            Shape(
                tag="text",
                kind="",
                attributes={"x": 1},
                text="cut",
                inside=(Shape(tag="title", kind="", attributes={}, text="R&D"),),
            ),
            '<text x="1"><title>R&amp;D</title>cut</text>',
        ),
    ],
    ids=lambda value: getattr(value, "tag", ""),
)
def test_every_shape_is_printed_as_it_is(app, shape: Shape, printed: str):
    assert escape(shape) == printed
    assert app.jinja_env.from_string("{{ shape }}").render(shape=shape) == printed


def test_texts_are_no_markup():
    hostile = '"><script>alert(1)</script>&'
    printed = escape(Chart(shapes=(text(1, 2, hostile),), height=10).svg(hostile, title=hostile))
    assert "<script" not in printed
    drawn = ElementTree.fromstring(printed)
    assert drawn.get("aria-label") == hostile
    assert [each.text for each in drawn] == [hostile, hostile]


def test_a_chart_without_a_label_is_passed_over_by_readers_that_read_aloud():
    assert Chart(shapes=(), height=10).svg().attributes == {
        "viewBox": "0 0 360 10",
        "aria-hidden": "true",
    }
    assert Chart(shapes=(), height=10, top=-4).svg("What it is").attributes == {
        "viewBox": "0 -4 360 10",
        "role": "img",
        "aria-label": "What it is",
    }


def test_a_file_has_its_look_and_its_size():
    drawn = Chart(shapes=(circle("estimate", 1, 2),), height=10).svg(
        "Label", title="Title", style=LOOK
    )
    whole = ElementTree.fromstring(svg_file(drawn, width=360, height=10))
    assert (whole.get("width"), whole.get("viewBox")) == ("360", "0 0 360 10")
    assert [each.tag for each in whole] == [
        f"{{http://www.w3.org/2000/svg}}{tag}" for tag in ("title", "style", "circle")
    ]
    assert 'font: 13px system-ui, "Noto Sans"' in (whole[1].text or "")


def test_a_fluid_chart_has_the_width_of_its_page():
    """Horizontal places are percentages of 360 units. Heights, radii and polygons keep theirs."""
    shapes = (
        line("axis", 0, 90, 5, 6),
        rect("observed", 36, 2, 18, 3),
        circle("estimate", 180, 7),
        text(270, 9, "50 %", "soft", "end"),
        polygon("estimate", [(10, 31), (20, 25), (20, 37)]),
    )
    across, bar, dot, words, arrow = Chart(shapes=shapes, height=40).fluid_svg().inside
    assert (across.attributes["x1"], across.attributes["x2"]) == ("0%", "25%")
    assert (across.attributes["y1"], across.attributes["y2"]) == (5, 6)
    assert (bar.attributes["x"], bar.attributes["width"]) == ("10%", "5%")
    assert bar.attributes["height"] == 3
    assert (dot.attributes["cx"], dot.attributes["r"]) == ("50%", 5)
    assert (words.attributes["x"], words.attributes["text-anchor"]) == ("75%", "end")
    assert (arrow.tag, arrow.attributes["x"]) == ("svg", "2.778%")
    assert arrow.inside == (polygon("estimate", [(0.0, 31.0), (10.0, 25.0), (10.0, 37.0)]),)
    drawn = Chart(shapes=shapes, height=40).fluid_svg("label")
    assert (drawn.attributes["width"], drawn.attributes["height"]) == ("100%", 40)
    assert "viewBox" not in drawn.attributes
