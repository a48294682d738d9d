"""Results of each kind of question, and the coverage of their intervals."""

from collections import Counter

import numpy as np
import pytest

from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results, responses_behind, survey_results
from survey.planning.simulation import simulate_reports
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast


@pytest.mark.slow
def test_true_shares_lie_inside_the_intervals_at_the_rate_claimed():
    """5,000 simulated respondents, three questions, 400 times.

    With a true coverage of 0.95, the number of misses of one share is binomial, with mean 20 and
    standard deviation 4.36. Fewer than 3 or more than 40 misses have a probability of about 1e-5
    for each of the three shares. The seed is fixed, so the result is always the same.
    """
    survey = parse_survey(
        definition(
            yes_no("a"),
            yes_no("b", privacy={"mechanism": "randomized_response", "gamma": 0.1}),
            {
                "name": "c",
                "type": "select_one",
                "label": "?",
                "choices": [{"name": name, "label": name} for name in "wxyz"],
                "privacy": {"epsilon": 1},
            },
        )
    )
    truth = {"a": [0.3, 0.7], "b": [0.05, 0.95], "c": [0.4, 0.3, 0.2, 0.1]}
    generator = np.random.default_rng(2026)
    repeats = 400
    inside = np.zeros(3)
    for _ in range(repeats):
        columns = simulate_reports(survey, truth, 5_000, generator)
        for place, question in enumerate(survey.questions):
            first = question_results(question, Counter(columns[place])).answers[0]
            inside[place] += first.low <= truth[question.name][0] <= first.high
    assert (inside / repeats >= 0.90).all(), inside
    assert (inside / repeats <= 0.9925).all(), inside


def test_with_sampling_each_question_has_its_own_n():
    survey = parse_survey(
        definition(yes_no("a"), yes_no("b"), yes_no("c"), budget={"per_respondent": {"sample": 1}})
    )
    counts = {"a": {0: 3, 1: 1}, "b": {0: 2}, "c": {1: 4}}
    shown = survey_results(freeze(survey), counts, "browser")
    assert shown.n == 10
    assert [question.n for question in shown.questions] == [4, 2, 4]


def test_responses_are_counted_by_what_each_of_them_reports():
    """Two of three questions are picked for each of 12 respondents.

    A question that everyone answers has all 12.
    """
    counts = {"a": {0: 8}, "b": {0: 5, 1: 4}, "c": {1: 7}}
    questions = [yes_no("a"), yes_no("b"), yes_no("c")]
    budget = {"per_respondent": {"sample": 2}}
    assert responses_behind(parse_survey(definition(*questions, budget=budget)), counts) == 12
    everyone = parse_survey(definition(*questions, yes_no("plain", "none"), budget=budget))
    assert responses_behind(everyone, counts | {"plain": {0: 6, 1: 7}}) == 13
    assert responses_behind(parse_survey(definition(*questions)), {}) == 0
