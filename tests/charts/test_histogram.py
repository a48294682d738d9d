"""The chart of a number, calculated by hand: 292 units from 60 to 352 are the values 0 to 3.

Each of four values has a column of 73 units, so 0 is 36.5 to the right of the start.
"""

import pytest

from survey.charts import svg
from survey.charts.histogram import LABEL_GAP, histogram_chart
from survey.core.languages import Words
from survey.core.text_widths import room_for
from tests.support.charted import drawn, mean, question, results, share, values
from tests.support.every_type import asked

pytestmark = pytest.mark.fast

SHARES = (share(0.1, 0, 0.2), share(0.4, 0.2, 0.4), share(-0.1, -0.2, 0.1), share(0.2, 0.1, 0.3))


def cups(**more):
    return question(asked("cups", "number", "none", **{"min": 0, "max": 3, **more}))


def chart_of(number, *answers, words=None, quantity=None):
    found = results(number, *answers, quantities=(quantity,) if quantity else ())
    return histogram_chart(found, *([words] if words else []))


def test_columns_stand_next_to_each_other_from_0_to_the_highest_end():
    chart = chart_of(cups(), *SHARES)
    assert chart.height == 290
    bars = drawn(chart, "rect")[:4]
    assert bars[0] == svg.rect("bar-share", 61, 130, 71, 40)  # 10 of 40 % of 160 units
    assert bars[1] == svg.rect("bar-share", 134, 10, 71, 160)
    assert bars[2] == svg.rect("bar-share", 207, 170, 71, 0)
    assert bars[3].attributes["x"] + bars[3].attributes["width"] == 351
    assert drawn(chart, "line", "interval")[:3] == [
        svg.line("interval", 96.5, 96.5, 170, 90),
        svg.line("interval", 92.5, 100.5, 170, 170),
        svg.line("interval", 92.5, 100.5, 90, 90),
    ]
    assert drawn(chart, "line", "interval")[6] == svg.line("interval", 242.5, 242.5, 170, 130)
    texts = values(drawn(chart, "text", "soft")[:8], "x", "y", "text")
    ticks = [(56, 174 - 40 * place, f"{10 * place} %") for place in range(5)]
    assert texts == [*ticks, (56, 187, "%"), (60, 206, "0"), (352, 206, "3")]


def percentages(chart):
    texts = drawn(chart, "text", "")
    return [(text.attributes["x"], text.text) for text in texts if text.attributes["y"] == 187]


def test_percentages_stand_below_the_columns():
    chart = chart_of(cups(), *SHARES)
    assert percentages(chart) == [(96.5, "10"), (169.5, "40"), (242.5, "0"), (315.5, "20")]


@pytest.mark.parametrize(("parts", "shown"), [(12, 12), (24, 12), (30, 15)])
def test_narrow_columns_have_fewer_percentages(parts, shown):
    chart = chart_of(cups(max=parts - 1), *parts * [share(0.03)])
    places = [x for x, _ in percentages(chart)]
    assert len(places) == shown
    assert places[1] - places[0] >= room_for("3") + LABEL_GAP


def test_an_axis_of_small_shares_ends_at_5_percent():
    chart = chart_of(cups(), *4 * [share(0.025, 0, 0.025)])
    assert drawn(chart, "rect")[0] == svg.rect("bar-share", 61, 90, 71, 80)


@pytest.mark.parametrize(
    ("highest", "end"), [(0.93, "100 %"), (0.41, "50 %"), (0.4, "40 %"), (1.0, "100 %")]
)
def test_the_axis_ends_at_a_round_share(highest, end):
    chart = chart_of(cups(), *3 * [share(0.1, 0, 0.2)], share(0.3, 0.1, highest))
    [top] = [text for text in drawn(chart, "text", "soft") if text.attributes["y"] == 14]
    assert top.text == end


def test_the_ends_of_a_long_range_have_grouped_digits():
    chart = chart_of(cups(max=12_000, step=3_000), *5 * [share(0.1)])
    assert svg.text(352, 206, "12,000", "soft", "end") in chart.shapes


@pytest.mark.parametrize(
    ("figure", "places"),
    [
        (mean(1.5, 0, 3), (96.5, 206, 315.5)),  # the ends of the range
        (mean(-2, 0, 0), (96.5, 60, 96.5)),  # an estimate beyond the range
        (mean(4, 3, 3), (315.5, 352, 315.5)),
    ],
)
def test_the_mean_lies_where_its_value_lies_among_the_columns(figure, places):
    chart = chart_of(cups(), *SHARES, quantity=figure)
    low, at, high = places
    assert drawn(chart, "line", "interval")[12] == svg.line("interval", low, high, 216, 216)
    assert drawn(chart, "circle") == [svg.circle("estimate", at, 216)]
    [text] = [text for text in drawn(chart, "text") if text.text.startswith("mean")]
    half = room_for(text.text) / 2
    assert text.attributes["y"] == 236
    assert text.attributes["x"] == round(min(max(at, 2 + half), 358 - half), 1)


def test_the_last_column_may_hold_fewer_values():
    """13 values in seven columns of two: the last value is a quarter of a column before 352."""
    number = cups(max=12)
    chart = chart_of(number, *7 * [share(0.1)], quantity=mean(12, 0, 12))
    assert drawn(chart, "circle") == [svg.circle("estimate", 320.7, 216)]


def test_special_answers_have_no_column():
    number = cups(prefer_not_to_say=True)
    chart = chart_of(number, *SHARES, share(0.1))
    assert len(drawn(chart, "rect")) == 4 + 1  # and the legend's


def test_both_ends_share_a_line_where_there_is_room():
    short = chart_of(cups(unit="cups"), *SHARES)
    assert svg.text(352, 206, "3 cups", "soft", "end") in short.shapes
    long = chart_of(cups(unit="W" * 40), *SHARES)
    [last] = [text for text in drawn(long, "text") if text.text.startswith("3 ")]
    assert (last.attributes["y"], long.height) == (222, 306)
    assert room_for(last.text) <= 292 + room_for(" ")


def test_numbers_are_in_the_language_of_the_page():
    number = cups(min=0.5, max=3.5)
    chart = chart_of(number, *SHARES, words=Words("vi"))
    assert "0,5" in [text.text for text in drawn(chart, "text")]


def test_a_question_without_a_range_has_none():
    with pytest.raises(TypeError):
        chart_of(question(asked("mood", "yes_no", "none")), share(0.5))
