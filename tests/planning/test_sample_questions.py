"""The advice to ask each respondent only some private questions, applied to a draft."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from survey.planning.privacy_text import (
    best_number_of_questions,
    sampling_gain,
    sampling_gain_text,
)
from survey.planning.sample_questions import (
    raised_loss_sentence,
    sample_questions,
    sampled_epsilon,
    sampled_epsilon_text,
)
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
    assert after.questions[-1].non_private and after.fieldwork.asked_by == "We"
    # The page names the ε that the advice sets.
    assert {question.privacy["epsilon"] for question in after.private} == {
        float(sampled_epsilon_text(survey))
    }
    # The advice does not come again.
    assert sampling_gain(after) is None
    assert sampling_gain_text(after) == ""
    assert sampling_gain_text(survey) == f"{sampling_gain(survey):.1f}"


def test_the_advice_names_the_question_that_it_protects_least_compared_with_before():
    """The total is 0.5 + 3 × 1 = 3.5, of which each of the two questions asked gets a half."""
    strong = yes_no("worst", {"epsilon": 0.5}, "Stolen?")
    survey = parse_survey(definition(strong, *(yes_no(n, {"epsilon": 1}) for n in "abc")))
    assert best_number_of_questions(survey) == 2
    sentence = raised_loss_sentence(survey)
    assert sentence == (
        "Another drawback: ε of 4 private questions rises, so they are protected less. The largest "
        "increase is that of “Stolen?”, from 0.50 to at most 1.74."
    )
    # The figures are those of the applied advice, whose integers never exceed ε.
    after = {question.name: question.epsilon for question in sample_questions(survey).private}
    assert 1.7 < after["worst"] <= 1.74


def test_only_questions_whose_loss_rises_count():
    light = yes_no("light", {"epsilon": 3})
    survey = parse_survey(definition(light, *(yes_no(n, {"epsilon": 0.5}) for n in "abcde")))
    assert 0.5 < sampled_epsilon(survey) < 2.99
    assert "ε of 5 private questions rises" in raised_loss_sentence(survey)
    # A survey whose questions all keep their ε has no such drawback.
    assert raised_loss_sentence(parse_survey(definition(light))) == ""


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
