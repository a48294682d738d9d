"""The effect of fake responses on an estimate: a bound that they reach and never exceed."""

import pytest

from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results
from survey.estimation.manipulation import most_moved, moved_at_most
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast


def test_fakes_reach_the_bound_and_never_pass_it():
    """All ways in which 2 of 100 responses can be fake, compared with the bound for 2 %."""
    question = freeze(parse_survey(definition())).survey.questions[0]
    for yes in range(0, 101, 7):
        answer = question_results(question, {0: yes, 1: 100 - yes}).answers[0]
        bound = moved_at_most(answer, 0.02, 100)
        moves = []
        for fake_yes in range(3):
            if fake_yes > yes or 2 - fake_yes > 100 - yes:
                continue
            honest = question_results(
                question, {0: yes - fake_yes, 1: 98 - yes + fake_yes}
            ).answers[0]
            moves.append(abs(honest.value - answer.value))
        assert max(moves) <= bound + 1e-12
        if 2 <= yes <= 98:
            assert max(moves) == pytest.approx(bound, abs=1e-12)


def test_protection_gives_fakes_more_reach():
    """At a share of one half, 2 % of fake responses.

    The effect is about 1 percentage point for a direct question, and twice as much with two coins,
    whose scores are 3/2 and -1/2.
    """
    questions = freeze(parse_survey(definition(yes_no(), yes_no("plain", privacy="none")))).survey
    coin, plain = (
        moved_at_most(question_results(q, {0: 50, 1: 50}).answers[0], 0.02, 100)
        for q in questions.questions
    )
    assert plain == pytest.approx(0.02 / 0.98 * 0.5)
    assert coin == pytest.approx(0.02 / 0.98 * 1.0)


def test_where_chance_picks_who_is_asked_all_fakes_may_answer_this_one():
    question = freeze(parse_survey(definition())).survey.questions[0]
    answer = question_results(question, {0: 5, 1: 5}).answers[0]
    assert moved_at_most(answer, 0.02, 100) == pytest.approx(0.2 / 0.8 * 1.0)
    assert moved_at_most(answer, 0.1, 100) is None
    assert most_moved(question_results(question, {0: 5, 1: 5}), 0.1, 100) is None
