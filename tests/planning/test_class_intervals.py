"""The intervals that a class will get, and the privacy loss that it chooses."""

import math

import pytest

from survey.core.errors import DefinitionError
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.planning.class_intervals import (
    CLASS_SIZES,
    COINS,
    OFFERED_LOSSES,
    adjustable_questions,
    chosen_loss,
    class_intervals,
    with_class_loss,
)
from tests.support.check_each import check_each
from tests.support.classes import class_definition
from tests.support.definitions import WIDE, yes_no

pytestmark = pytest.mark.fast

COLOURS = [{"name": n, "label": n.upper()} for n in "abc"]
COLOUR = {"name": "colour", "type": "select_one", "label": "Colour?", "choices": COLOURS,
          "privacy": {"epsilon": 1}}  # fmt: skip


def ends(choice, *questions, **rest):
    """The intervals of the first question in whole percent, for each size of the class."""
    survey = with_class_loss(parse_survey(class_definition(*questions, **rest)), choice)
    return [
        (round(100 * interval.low), round(100 * interval.high))
        for interval in class_intervals(survey)[0].intervals
    ]


def test_the_intervals_of_20_people_are_those_of_the_guide():
    """docs/how-to/run-a-class.md has this table, for ten of twenty reports."""
    assert [ends(each)[0] for each in OFFERED_LOSSES] == [(10, 90), (22, 78), (26, 74)]
    about = [ends(each, results_about="respondents")[0] for each in OFFERED_LOSSES]
    assert about == [(15, 85), (30, 70), (40, 60)]


@check_each("choice", [COINS, "0.5", "2", "3", "12"])
def test_the_results_page_has_the_same_interval(choice):
    content = class_definition(yes_no(), COLOUR, yes_no("plain", "none"))
    survey = with_class_loss(parse_survey(content), choice)
    frozen = freeze(survey, WIDE, confirmed=True)
    for place, each in enumerate(class_intervals(survey)):
        table = each.question.table
        p, q = float(table.probability(0, 0)), float(table.probability(0, 1))
        for n, interval in zip(CLASS_SIZES, each.intervals, strict=True):
            yes = round(n * (p + q) / 2)
            counts = {each.question.name: {0: yes, 1: n - yes}}
            results = survey_results(frozen, counts, "browser").questions[place]
            assert (results.answers[0].low, results.answers[0].high) == pytest.approx(
                (interval.low, interval.high), abs=1e-9
            )


def test_only_private_single_choices_change():
    number = {"name": "age", "type": "number", "label": "Age?", "min": 0, "max": 10,
              "privacy": {"epsilon": 1, "goal": "mean"}}  # fmt: skip
    survey = parse_survey(class_definition(yes_no(), COLOUR, number, yes_no("plain", "none")))
    assert [each.name for each in adjustable_questions(survey)] == ["smokes", "colour"]
    changed = with_class_loss(survey, "3")
    losses = {each.name: each.epsilon for each in changed.private}
    assert 2.9 < losses["smokes"] <= 3
    assert losses["age"] == survey.private[2].epsilon
    assert changed.questions[3].non_private


def test_two_coins_have_the_loss_of_their_number_of_answers():
    survey = with_class_loss(parse_survey(class_definition(yes_no(), COLOUR)), COINS)
    assert [each.epsilon for each in survey.private] == pytest.approx([math.log(3), math.log(4)])


def test_the_page_begins_with_the_loss_of_the_draft():
    survey = parse_survey(class_definition(yes_no(), COLOUR))
    assert chosen_loss(survey, OFFERED_LOSSES) is None
    for choice in OFFERED_LOSSES:
        assert chosen_loss(with_class_loss(survey, choice), OFFERED_LOSSES) == choice


def test_more_people_and_a_larger_loss_give_shorter_intervals():
    widths = [[high - low for low, high in ends(each)] for each in ("0.5", COINS, "2", "3")]
    assert all(twenty >= forty for twenty, forty in widths)
    assert [row[0] for row in widths] == sorted((row[0] for row in widths), reverse=True)


@pytest.mark.parametrize("choice", ["0", "-1", "13", "x"])
def test_impossible_losses_are_refused(choice):
    with pytest.raises(DefinitionError):
        with_class_loss(parse_survey(class_definition()), choice)
