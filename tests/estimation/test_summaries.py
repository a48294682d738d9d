"""A line for each question: its leading estimate, or the sentence in its place."""

import pytest

from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results, survey_results
from survey.estimation.findings.summaries import (
    about_intervals,
    answer_lines,
    leading_lines,
    more_answers,
    summaries,
)
from tests.support.charted import mean, question, results, share
from tests.support.definitions import yes_no
from tests.support.every_type import asked, letters
from tests.support.indirect import ANCHOR, crosswise
from tests.support.joint_survey import joint_survey

pytestmark = pytest.mark.fast

PRIVATE = question(yes_no())
CHOICE = question(asked("a", "select_one", "none", choices=letters("abc")))
MANY = question(asked("a", "select_one", "none", choices=letters("abcdefghijklmnop")))
MOOD = question(asked("mood", "scale", {"epsilon": 1}, choices=letters("12345")))
CUPS = question(asked("cups", "number", "none", min=0, max=4, unit="cups"))
TEXT = question(asked("why", "text", "none"))


def line(found):
    [summary] = summaries([found])
    return summary.number, summary.words, summary.estimate, len(summary.lines)


@pytest.mark.parametrize(
    ("counts", "words", "estimate", "drawn"),
    [
        ({0: 180, 1: 320}, "Yes", "22.0 % ± 8.5 points", 1),
        ({0: 2, 1: 1}, "Too few responses to show an estimate", "", 0),
        ({}, "No responses yet", "", 0),
        ({0: 20, 1: 980}, "Do not use: the reports do not fit the design", "", 0),
        ({0: 5, 1: 9}, "Too few responses for a precise estimate", "", 1),
    ],
)
def test_a_yes_no_question_has_its_share_or_the_sentence_in_its_place(
    counts, words, estimate, drawn
):
    found = line(question_results(PRIVATE, counts).as_shown)
    assert found == ("1", words, estimate.replace(" %", "\u00a0%").replace("± ", "±\u00a0"), drawn)


def test_a_crosswise_question_has_the_share_of_its_first_statement():
    """The documented example of cWise: 1,427 of 2,000 say "same", and 1,541 to the anchor."""
    pair, anchor = question(crosswise()), question(ANCHOR)
    found = line(question_results(pair, {0: 1427, 1: 573}).as_shown)
    assert found[1:] == ("First statement is true", "19.5\u00a0% ±\u00a02.8 points", 1)
    found = line(question_results(anchor, {0: 1541, 1: 459}).as_shown)
    assert found[1] == "Answered attentively"
    assert found[2].startswith("77.3")
    assert line(question_results(pair, {0: 0, 1: 500}).as_shown)[1].startswith("Do not use")


def test_answers_without_an_order_are_named_and_drawn_but_have_no_number():
    both = question_results(CHOICE, {0: 40, 1: 38, 2: 2})
    assert line(both) == ("1", "Cannot be ranked: “A” and “B”", "", 2)
    words, estimate, drawn = line(question_results(MANY, dict.fromkeys(range(10), 60)))[1:]
    assert words == "Cannot be ranked: “A”, “B”, “C” and 7 more"
    assert (estimate, drawn) == ("", 3)
    every = line(question_results(MOOD, dict.fromkeys(range(5), 300)))
    assert every[1:3] == ("Cannot be ranked: any answer may come first", "")


def test_a_mean_lies_on_the_range_of_its_question():
    [summary] = summaries([results(CUPS, share(0.5), share(0.5), quantities=(mean(1, 0.5, 3),))])
    assert (summary.words, summary.estimate) == ("Too few responses for a precise estimate", "")
    [summary] = summaries([results(CUPS, share(0.5), share(0.5), quantities=(mean(1, 0.5, 1.5),))])
    assert (summary.words, summary.estimate) == ("Mean", "1.00 ±\u00a00.50 cups")
    assert summary.ends == (0, 4)


def test_texts_say_how_many_there_are():
    found = line(question_results(TEXT, {0: 30, 1: 70}))
    assert found == ("1", "30 of 100 respondents wrote a text.", "", 0)


def test_an_estimate_has_a_margin_only_in_the_middle_of_its_interval():
    """An age of 31.4 years (28.3 to 37.7) and a share of 73.3 % (55.2 % to 86.9 %) have none."""
    skewed = results(CUPS, quantities=(mean(1, 0.5, 2),))
    assert leading_lines(skewed)[0].text == "1.00 (0.50 to 2.00 cups)"
    town = results(PRIVATE, share(0.733, 0.552, 0.869), share(0.267, 0.131, 0.448))
    assert leading_lines(town)[0].text == "73.3\u00a0% (55.2\u00a0% to 86.9\u00a0%)"
    # The interval of a median can have the length 0, which is no margin of error.
    exact = results(CUPS, quantities=(mean(3, 3, 3),))
    assert leading_lines(exact)[0].text == "3.00 (3.00 to 3.00 cups)"
    # The margin has the decimals of the estimate: "± 2.0", not "± 2".
    whole = results(PRIVATE, share(0.323, 0.303, 0.343), share(0.677, 0.657, 0.697))
    assert leading_lines(whole)[0].text == "32.3\u00a0% ±\u00a02.0 points"


def test_an_estimate_whose_interval_is_cut_has_the_interval_instead_of_half_of_it():
    cut = results(PRIVATE, share(0.02, 0, 0.09), share(0.98, 0.91, 1))
    assert leading_lines(cut)[0].text == "2.0\u00a0% (0.0\u00a0% to 9.0\u00a0%)"
    outside = leading_lines(results(PRIVATE, share(-0.1, 0, 0.04), share(1.1, 0.96, 1)))[0]
    assert (outside.text, outside.possible) == ("0.0\u00a0% to 4.0\u00a0%", False)


def test_nothing_is_drawn_if_an_interval_is_the_whole_range():
    assert leading_lines(results(PRIVATE, share(0.5, 0, 1), share(0.5, 0, 1))) == ()
    assert leading_lines(results(CUPS, quantities=(mean(2, 0, 4),))) == ()
    assert leading_lines(results(PRIVATE)) == ()


def test_all_answers_have_a_line_and_of_many_the_twelve_largest():
    few = question_results(CHOICE, {0: 10, 1: 80, 2: 10})
    assert [each.label for each in answer_lines(few)] == ["A", "B", "C"]
    assert more_answers(few) == 0
    many = question_results(MANY, {place: 10 + place for place in range(16)})
    assert [each.label for each in answer_lines(many)] == list("PONMLKJIHGFE")
    assert more_answers(many) == 4


def test_no_answer_has_a_line_if_no_estimate_may_be_used():
    assert answer_lines(question_results(PRIVATE, {0: 20, 1: 980})) == ()


def test_intervals_that_differ_from_the_one_in_the_sentence_are_explained():
    ranked = about_intervals(question_results(CHOICE, {0: 10, 1: 80, 2: 10}))
    assert ranked.startswith("Each 95 % interval in this list is for a single share.")
    assert about_intervals(question_results(PRIVATE, {0: 60, 1: 40})) == ""
    assert about_intervals(question_results(CUPS, {0: 60, 1: 40})) == ""


def test_questions_behind_a_joint_question_come_before_it():
    frozen = freeze(parse_survey(joint_survey()))
    found = survey_results(frozen, {}, "browser").questions
    lines = [(each.number, each.place, each.anchor) for each in summaries(found)]
    parts = [(f"1{letter}", 0, f"1{letter}") for letter in "abc"]
    assert lines == [*parts, ("1", 0, "1-all")]
