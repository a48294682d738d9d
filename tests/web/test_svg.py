"""Shapes: how intervals are made of lines, and how the template prints each of them."""

import re

import pytest

from survey.web.charts.range_line import RangeLine
from survey.web.charts.svg import (
    Circle,
    Line,
    Outline,
    Polygon,
    Polyline,
    Rect,
    Shape,
    Text,
    bars_legend,
    interval_across,
    interval_upright,
    label_lines,
)

pytestmark = pytest.mark.fast


def test_an_interval_has_a_stroke_at_each_end():
    assert interval_across(20.5, 80.0, 50, 6) == [
        Line("interval", 20.5, 80.0, 50, 50),
        Line("interval", 20.5, 20.5, 44, 56),
        Line("interval", 80.0, 80.0, 44, 56),
    ]
    assert interval_upright(30, (90.0, 12.5), (26, 34)) == [
        Line("interval", 30, 30, 90.0, 12.5),
        Line("interval", 26, 34, 90.0, 90.0),
        Line("interval", 26, 34, 12.5, 12.5),
    ]


def test_lines_of_a_label_stand_below_each_other():
    assert label_lines(["one", "two"], 23.0, 17) == [Text(23.0, 17, "one"), Text(23.0, 33, "two")]


def test_a_legend_has_a_line_for_each_meaning():
    bar, its_text, line, text = bars_legend(100, 0.9)
    assert bar == Rect("bar-share", 8, 124, 22, 10)
    assert (its_text.y, text.y, line.y1) == (133, 151, 147)
    assert text.text == "90 % interval"


@pytest.mark.parametrize(
    ("shape", "printed"),
    [
        (
            Line("axis", 1, 2.5, 3, 4.0),
            '<line class="axis" x1="1" x2="2.5" y1="3" y2="4.0"/>',
        ),
        (
            Line("curve", 0, 40, 6, 6, "1 4"),
            '<line class="curve" stroke-dasharray="1 4" x1="0" x2="40" y1="6" y2="6"/>',
        ),
        (
            Rect("observed", 1.5, 2, 30.0, 10),
            '<rect class="observed" x="1.5" y="2" width="30.0" height="10"/>',
        ),
        (Circle("estimate", 7.1, 8), '<circle class="estimate" cx="7.1" cy="8" r="5"/>'),
        (Text(1, 2, "a < b"), '<text x="1" y="2">a &lt; b</text>'),
        (
            Text(1, 2, "5 %", "soft", "end"),
            '<text class="soft" x="1" y="2" text-anchor="end">5 %</text>',
        ),
        (
            Polyline("curve", ((1.0, 2), (3, 4)), "2 3"),
            '<polyline class="curve" stroke-dasharray="2 3" points="1.0,2 3,4 "/>',
        ),
        (Polygon("bar-share", ((1, 2), (3, 4))), '<polygon class="bar-share" points="1,2 3,4 "/>'),
        (Outline("estimate", "M1 2 z"), '<path class="estimate" d="M1 2 z"/>'),
    ],
    ids=lambda value: getattr(value, "tag", ""),
)
def test_every_shape_is_printed_as_it_is(app, shape: Shape, printed: str):
    template = app.jinja_env.get_template("_shapes.html").module
    assert template.shapes([shape]).strip() == printed


@pytest.mark.parametrize(
    ("range_line", "places"),
    [
        # axis; range with strokes; dot
        (RangeLine((10, 30.5), True, 20), ["2", "102", "10.00", "30.50", "20.00"]),
        (RangeLine((10, 30.5), False, None), ["2", "102", "10.00", "30.50"]),
        (RangeLine(None, True, 20), ["2", "102", "20.00"]),
        (RangeLine(None, True, None, 7.5), ["2", "7.50"]),
    ],
)
def test_a_line_for_a_range_has_what_it_is_made_of(app, range_line: RangeLine, places: list[str]):
    printed = app.jinja_env.get_template("_shapes.html").module.range_line(range_line)
    found = re.findall(r' (?:x1|x2|cx|x|width)="([^"]+)"', printed)
    assert sorted(set(found)) == sorted(places)
    assert printed.count('y1="2.5"') == (2 if range_line.capped and range_line.ends else 0)
