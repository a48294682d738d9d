"""The chart of answers, calculated by hand: 312 units from 18 to 330 are at least 0 to 100 %."""

import pytest

from survey.charts import svg
from survey.charts.answer_shares import answer_shares_chart
from tests.support.charted import drawn, question, results, share, values
from tests.support.definitions import yes_no

pytestmark = pytest.mark.fast

PRIVATE, PLAIN = question(yes_no()), question(yes_no(privacy="none"))


def test_shares_lie_between_0_and_100_percent():
    chart = answer_shares_chart(
        results(PRIVATE, share(0.25, 0, 0.5, observed=0.375), share(0.75, 0.5, 1, observed=0.625))
    )
    # Two rows of 50 begin at 6; labels need 16 of each.
    assert (chart.height, chart.top) == (8 + 2 * 50 + 61, 0)
    assert values(drawn(chart, "line")[:5], "kind", "x1", "y2") == [
        ("limit", 18, 108), ("axis", 96, 108), ("axis", 174, 108), ("axis", 252, 108),
        ("limit", 330, 108),
    ]  # fmt: skip
    assert values(drawn(chart, "text", ""), "x", "y", "text") == [
        (23, 17, "A"), (23, 67, "A"),
    ]  # fmt: skip
    # The numbers are to the right of the interval, or to its left where there is no room.
    assert values(drawn(chart, "text", "value"), "x", "y", "text", "text-anchor") == [
        (182, 35, "25.0\u00a0%", ""), (166, 85, "75.0\u00a0%", "end"),
    ]  # fmt: skip
    first, second, legend = drawn(chart, "rect")
    assert first == svg.rect("observed", 18, 41, 117, 3)
    assert second == svg.rect("observed", 18, 91, 195, 3)
    assert legend == svg.rect("observed", 18, 156, 22, 3)
    dots = [svg.circle("estimate", 96, 31), svg.circle("estimate", 252, 81)]
    assert drawn(chart, "circle")[:2] == dots
    assert drawn(chart, "line", "interval")[:3] == [
        svg.line("interval", 18, 174, 31, 31),
        svg.line("interval", 18, 18, 25, 37),
        svg.line("interval", 174, 174, 25, 37),
    ]


def test_an_answer_that_was_given_has_no_reports_beside_it():
    chart = answer_shares_chart(results(PLAIN, share(0.5, observed=0.5)))
    assert drawn(chart, "rect") == []
    assert not [text for text in drawn(chart, "text") if "reported" in text.text]


def test_the_axis_grows_with_an_estimate_beyond_it():
    """From -25 to 100 %: 312 units are 125 points, and 0 is 62.4 to the right."""
    chart = answer_shares_chart(results(PRIVATE, share(-0.25, 0, 0.25), share(1, 0.75, 1)))
    ticks = [(80.4,), (142.8,), (205.2,), (267.6,), (330,)]
    assert values(drawn(chart, "line")[:5], "x1") == ticks
    assert values(drawn(chart, "circle")[:2], "cx") == [(18,), (330,)]
    # From the estimate to the end of its interval.
    assert drawn(chart, "line", "limit")[2] == svg.line("limit", 18, 80.4, 31, 31)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (-0.5, svg.circle("estimate", 18, 31)),
        (-0.75, svg.polygon("estimate", ((10, 31), (20, 25), (20, 37)))),
        (1.5, svg.circle("estimate", 330, 31)),
        (1.75, svg.polygon("estimate", ((338, 31), (328, 25), (328, 37)))),
    ],
)
def test_at_most_half_of_the_axis_lies_beyond_an_end(value, expected):
    chart = answer_shares_chart(results(PRIVATE, share(value, 0, 1)))
    estimates = [*drawn(chart, "circle", "estimate"), *drawn(chart, "polygon", "estimate")]
    assert expected in estimates
    # The interval goes from 0 to 100 %, so there is room for the number only above it.
    [number] = drawn(chart, "text", "value")
    text = f"{100 * value:.1f}\u00a0%".replace("-", "−")
    above = svg.text(352, 17, text, "value", "end")
    beside = svg.text(218, 35, text, "value") if value < 0 else None
    assert number in (above, beside)


def numbers(chart: svg.Chart) -> list[str]:
    """The numbers of the axis."""
    texts = drawn(chart, "text", "soft")
    return [text.text for text in texts if text.attributes["text-anchor"] == "middle"]


def test_numbers_of_a_wide_axis_do_not_touch():
    chart = answer_shares_chart(results(PRIVATE, share(-0.5), share(1)))
    assert numbers(chart) == ["0 %", "50 %", "100 %"]
    chart = answer_shares_chart(results(PRIVATE, share(-0.25), share(1)))
    assert len(numbers(chart)) == 5


def test_a_long_label_makes_every_row_higher():
    long = share(0.5, label="A word " * 8)
    chart = answer_shares_chart(results(PRIVATE, long, share(0.5, observed=0.5)))
    assert chart.height == 8 + 2 * 66 + 61
    assert values(drawn(chart, "circle")[:2], "cy") == [(47,), (113,)]


def test_the_legend_has_reports_only_if_the_chart_has_them():
    """No single report supports an answer of some mechanisms."""
    assert answer_shares_chart(results(PRIVATE, share(0.25), share(0.75))).height == 8 + 2 * 50 + 44
