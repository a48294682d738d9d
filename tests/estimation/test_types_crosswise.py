"""The share of a crosswise question, by hand, and the sentences about it."""

import math
from fractions import Fraction

import pytest

from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results
from survey.estimation.share_intervals import share_interval
from survey.estimation.types.crosswise import (
    first_statement_sentence,
    first_statement_table,
    mirrored_share,
)
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast


def question(**more: object):
    entry = {
        "name": "pair",
        "type": "crosswise",
        "label": "I have cheated in an exam.",
        "hint": "My mother was born in January or February.",
        "known_share": "1/6",
        "privacy": "none",
        **more,
    }
    return parse_survey(definition(entry)).questions[0]


def test_the_share_and_its_error_are_those_of_the_crosswise_model():
    # Pr(same) = pi p + (1 - pi)(1 - p) = 5/6 - 2/3 pi with p = 1/6, so 70 of 100 mean pi = 0.2.
    found = mirrored_share(70, 100, 1 / 6, 5 / 6, 0.95)
    assert found.value == pytest.approx(0.2)
    assert found.standard_error == pytest.approx(math.sqrt(0.7 * 0.3 / 99) * 1.5)
    assert found.interval == share_interval(70, 100, 1 / 6, 5 / 6, 0.95)


def test_an_impossible_count_gives_a_share_below_zero():
    assert mirrored_share(95, 100, 1 / 6, 5 / 6, 0.95).value == pytest.approx(-0.175)


def test_the_remark_names_the_share_and_its_assumption():
    pair = question()
    assert pair.known_share == Fraction(1, 6)
    remark = first_statement_sentence(pair, 70, 100, 0.95)
    assert remark.startswith(
        "The first statement is true for an estimated 20.0 % (7.4 % to 34.8 %) of people like these"
    )
    assert remark.endswith("This assumes that nobody answered at random.")


def test_an_anchor_question_tells_how_many_answered_attentively():
    # Pr(same) = 1/2 + attentive (5/6 - 1/2), so 75 of 100 mean 75 %.
    remark = first_statement_sentence(question(anchor_question=True), 75, 100, 0.95)
    assert remark.startswith(
        "Anchor question: an estimated 75 % (47 % to 96 %) of people like these respondents would"
    )


def test_an_impossible_share_is_an_end_of_its_interval():
    """With p = 1/6, from 16.7 to 83.3 of 100 say "same"."""
    below = first_statement_sentence(question(), 88, 100, 0.95)
    assert "is true for at most 5.7 % of people" in below
    assert "is true for at least 94.3 % of people" in first_statement_sentence(
        question(), 12, 100, 0.95
    )


def test_counts_that_no_share_explains_do_not_fit():
    pair, anchor = question(), question(anchor_question=True)
    assert first_statement_table(pair).rows == ((1, 5), (5, 1))
    assert first_statement_table(anchor).rows == ((10, 2), (6, 6))
    counts = {pair: {95: False, 80: True, 20: True, 5: False}, anchor: {30: False, 60: True}}
    for asked, same, fits in ((q, *each) for q, cases in counts.items() for each in cases.items()):
        results = question_results(asked, {0: same, 1: 100 - same})
        assert results.design_fit.fits == fits, same
        assert results.unusable != fits
    assert first_statement_table(parse_survey(definition(yes_no())).questions[0]) is None


def test_other_questions_and_too_few_answers_have_no_remark():
    other = parse_survey(definition(yes_no())).questions[0]
    assert first_statement_sentence(other, 70, 100, 0.95) == ""
    assert first_statement_sentence(question(), 3, 4, 0.95) == ""
