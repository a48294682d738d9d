"""The chart of a scale, calculated by hand.

344 units from 8 to 352 go from 0 % to the end of the last interval.
"""

import pytest

from survey.web.charts import svg
from survey.web.charts.scale_shares import scale_shares_chart
from tests.support.charted import drawn, question, results, share
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast

MOOD = question(asked("mood", "scale", {"epsilon": 1}, choices=letters("12")))


def test_bars_reach_to_the_end_of_the_longest_interval():
    chart = scale_shares_chart(results(MOOD, share(0.2, 0.1, 0.4), share(0.8, 0.5, 0.8)))
    assert chart.height == 4 + 2 * 46 + 58
    first, second, _ = drawn(chart, "rect")
    assert first == svg.rect("bar-share", 8, 22, 86, 18)  # a quarter of the axis
    assert second == svg.rect("bar-share", 8, 68, 344, 18)
    assert drawn(chart, "line", "interval")[:3] == [
        svg.line("interval", 51, 180, 31, 31),
        svg.line("interval", 51, 51, 26, 36),
        svg.line("interval", 180, 180, 26, 36),
    ]
    ends = [text for text in drawn(chart, "text", "soft") if text.attributes["y"] == 110]
    assert ends == [
        svg.text(8, 110, "0 %", "soft"), svg.text(352, 110, "80.0\u00a0%", "soft", "end"),
    ]  # fmt: skip


def test_what_lies_below_0_is_placed_at_the_end():
    chart = scale_shares_chart(results(MOOD, share(-0.3, -0.5, -0.1), share(0.5, 0.5, 1)))
    assert drawn(chart, "rect")[0].attributes["width"] == 0
    assert drawn(chart, "line", "interval")[0] == svg.line("interval", 8, 8, 31, 31)


def test_the_axis_holds_ten_percent_at_least():
    chart = scale_shares_chart(results(MOOD, share(0.05, 0, 0.05)))
    assert drawn(chart, "rect")[0].attributes["width"] == 172
