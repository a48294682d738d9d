"""The chart of a class."""

from dataclasses import replace

import pytest

from survey.charts.looks import LEFT, RIGHT, ShownHands, looks_chart
from tests.support.classes import look

pytestmark = pytest.mark.fast


def shapes(chart, tag, kind):
    return [each for each in chart.shapes if (each.tag, each.kind) == (tag, kind)]


def test_each_look_has_a_dot_at_its_number_of_responses():
    chart = looks_chart([look(3, 2), look(6, 4)], None)
    at = [dot.attributes["cx"] for dot in shapes(chart, "circle", "estimate")]
    assert at == [LEFT + (RIGHT - LEFT) * n / 20 for n in (5, 10)]
    assert len(chart.legend) == 3


def test_an_estimate_beyond_100_percent_stays_in_the_chart():
    chart = looks_chart([look(5, 0)], None)  # The estimate is 150 %.
    [dot] = shapes(chart, "circle", "estimate")
    assert 0 < dot.attributes["cy"] < chart.height
    assert any("150 %" in each.text for each in chart.shapes)


def test_the_axis_grows_with_the_class():
    chart = looks_chart([look(20, 25)], None)
    assert max(int(each.text) for each in chart.shapes if each.text.isdigit()) == 50


def test_the_raised_hands_are_a_line_of_their_own():
    chart = looks_chart([], ShownHands(5, 20))
    [line] = shapes(chart, "line", "hands")
    assert line.attributes["y1"] == line.attributes["y2"]
    assert [meaning for _, meaning in chart.legend] == ["raised hands"]


def test_without_responses_the_chart_is_empty():
    chart = looks_chart([], None)
    assert not shapes(chart, "circle", "estimate")
    assert chart.legend == ()


def test_reports_that_allow_no_share_have_no_interval_at_every_look():
    # 60 reports of Yes are impossible even if everybody's answer is Yes: a quarter should be No.
    assert look(60, 0) is None
    impossible = replace(look(30, 30), sequence=None)
    assert not shapes(looks_chart([impossible], None), "line", "curve")
