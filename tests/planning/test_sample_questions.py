"""The advice to ask each respondent only some private questions, applied to a draft."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from survey.planning.privacy_text import best_number_of_questions, sampling_gain
from survey.planning.sample_questions import sample_questions
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("number", [3, 5, 8])
@pytest.mark.parametrize("epsilon", [0.2, 0.7])
def test_the_advice_is_applied_and_the_total_does_not_grow(number, epsilon):
    questions = [yes_no(f"q{place}", {"epsilon": epsilon}) for place in range(number)]
    text = asked("why", "text", "none")
    survey = parse_survey(definition(*questions, text, yes_no("plain", "none"), asked_by="We"))
    after = sample_questions(survey)
    sample = best_number_of_questions(survey)
    assert after.budget.sample == sample < number
    assert 0.9 * survey.epsilon - 0.01 * sample < after.epsilon <= survey.epsilon
    assert len(after.private) == number
    assert after.questions[-1].plain and after.fieldwork.asked_by == "We"
    # The advice does not come again.
    assert sampling_gain(after) is None


def test_a_question_about_a_mean_stays_one():
    mean = {"epsilon": 0.5, "goal": "mean"}
    numbers = [asked(f"q{n}", "number", mean, min=0, max=9) for n in range(4)]
    after = sample_questions(parse_survey(definition(*numbers)))
    assert all(question.privacy["goal"] == "mean" for question in after.private)


def test_paper_and_coin_mode_keeps_all_questions():
    survey = parse_survey(definition(*(yes_no(name) for name in "abcd"), by_hand=True))
    assert best_number_of_questions(survey) < 4
    with pytest.raises(DefinitionError):
        sample_questions(survey)
