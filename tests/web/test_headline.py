"""The chart of a headline, calculated by hand: 344 units from 8 to 352 are the whole axis."""

import pytest

from survey.estimation.build_results import question_results
from survey.web.charts import svg
from survey.web.charts.headline import headline_caption, headline_chart, headline_marks
from tests.support.charted import drawn, mean, question, results, share, values
from tests.support.definitions import yes_no
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast

PRIVATE = question(yes_no())
CHOICE = question(asked("a", "select_one", "none", choices=letters("abc")))
MOOD = question(asked("mood", "scale", {"epsilon": 1}, choices=letters("12345")))
CUPS = question(asked("cups", "number", "none", min=0, max=4, unit="cups"))


def test_the_first_answer_to_a_yes_no_question_has_a_line_with_its_number():
    chart = headline_chart(results(PRIVATE, share(0.25, 0.125, 0.5), share(0.75, 0.5, 0.875)))
    assert chart.height == 60
    assert drawn(chart, "line", "interval") == [
        svg.line("interval", 51, 180, 28, 28),
        svg.line("interval", 51, 51, 22, 34),
        svg.line("interval", 180, 180, 22, 34),
    ]
    assert drawn(chart, "circle") == [svg.circle("estimate", 94, 28, 6)]
    assert values(drawn(chart, "text", "value"), "x", "y", "text") == [(94, 15, "A: 25.0\u00a0%")]
    ends = values(drawn(chart, "text", "soft"), "x", "text")
    assert ends == [(8, "0\u00a0%"), (352, "100\u00a0%")]


def test_equal_largest_estimates_have_a_line_each():
    both = share(0.4, 0.3, 0.5, label="B"), share(0.4, 0.3, 0.5, label="C")
    chart = headline_chart(results(CHOICE, share(0.1, 0.05, 0.2), *both))
    texts = values(drawn(chart, "text", "value"), "y", "text")
    assert texts == [(15, "B: 40.0\u00a0%"), (51, "C: 40.0\u00a0%")]
    assert chart.height == 96


def test_a_mean_lies_on_the_range_of_the_answers():
    found = results(CUPS, share(0.5), share(0.5), quantities=(mean(1, 0.5, 3),))
    chart = headline_chart(found)
    assert drawn(chart, "line", "interval")[0] == svg.line("interval", 51, 266, 28, 28)
    assert drawn(chart, "circle") == [svg.circle("estimate", 94, 28, 6)]
    assert values(drawn(chart, "text", "value"), "text") == [("Mean: 1.00",)]
    assert values(drawn(chart, "text", "soft"), "text") == [("0",), ("4 cups",)]


@pytest.mark.parametrize(
    ("value", "middle"),
    [(-0.1, 8), (1.2, 352)],
)
def test_an_impossible_estimate_has_its_number_but_no_dot(value, middle):
    chart = headline_chart(results(PRIVATE, share(value, 0, 0.5), share(1 - value, 0.5, 1)))
    assert drawn(chart, "circle") == []
    [number] = drawn(chart, "text", "value")
    # The text is moved so far that it lies inside the chart.
    assert abs(number.attributes["x"] - middle) < 70
    assert 2 < number.attributes["x"] < 358


def test_too_few_responses_to_rank_the_answers_of_a_scale_draw_its_answers():
    """Its mean is known better, but the sentence is about the answers."""
    levels = [{0: 14, 1: 10, 2: 12, 3: 9, 4: 15}, {0: 60, 1: 50, 2: 55, 3: 52, 4: 58}]
    drawn_names = []
    for counts in levels:
        found = question_results(MOOD, counts)
        assert found.quantities
        drawn_names += [(found.headline.kind, mark.name) for mark in headline_marks(found)]
    assert ("few", "1") in drawn_names
    assert "Mean" not in {name for _, name in drawn_names}


def test_nothing_is_drawn_if_the_headline_states_no_estimate():
    assert headline_chart(results(PRIVATE, share(0.5, 0, 1), share(0.5, 0, 1))) is None
    assert headline_chart(results(CUPS, quantities=(mean(2, 0, 4),))) is None
    assert headline_marks(results(PRIVATE)) == ()


def test_the_caption_says_how_simultaneous_intervals_differ_from_those_of_the_table():
    many = headline_caption(question_results(MOOD, dict.fromkeys(range(5), 300)))
    assert many.startswith(
        "The chart shows the 3 largest estimates with simultaneous 95 % intervals. With a "
    )
    assert many.endswith("is for a single share, and is usually shorter.")
    one = headline_caption(question_results(CHOICE, {0: 10, 1: 80, 2: 10}))
    assert one.startswith("The chart shows simultaneous 95 % intervals. With a probability of")


def test_two_answers_have_ordinary_intervals():
    two = question(asked("two", "select_one", "none", choices=letters("ab")))
    caption = headline_caption(question_results(two, {0: 90, 1: 10}))
    assert caption == "The chart shows estimates with 95 % intervals."


def test_a_chart_whose_sentence_states_the_interval_has_no_caption():
    assert headline_caption(question_results(PRIVATE, {0: 60, 1: 40})) == ""
    assert headline_caption(question_results(CUPS, {0: 60, 1: 40})) == ""
