"""Plans of joint questions are about combinations of answers."""

import pytest

from survey.core.languages import Words
from survey.definition.survey import parse_survey
from survey.planning.types import PLANNING
from tests.support.joint_survey import joint_survey

pytestmark = pytest.mark.fast
HABITS = parse_survey(joint_survey()).fields[-1]


def test_nobody_denies_a_combination():
    assert PLANNING[HABITS].denied_precision(0.1, 1.0) is None


def test_sentences_are_about_combinations():
    needs = {"margin": "5 points", "respondents": "100 respondents", "openly": "50"}
    assert "each combination of answers" in PLANNING[HABITS].needed_sentence(needs)
    numbers = {"size": 3, "all": 12, "own": "40", "other": "20", "others": 11}
    words = Words("en")
    assert "other 11 combinations" in PLANNING[HABITS].same_answer_sentence(numbers, words)
    chosen = PLANNING[HABITS].chosen_answers_sentence(numbers, words)
    # Answers to the first question can be declined, and the second is not asked of everyone.
    assert "3 of the 12 possible combinations" in chosen
    assert chosen.endswith("also count as answers.")
