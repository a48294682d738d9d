"""Results of each kind of question, and the coverage of their intervals."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from survey.definition.frozen import freeze
from survey.definition.parse_question import parse_question
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results, responses_behind, survey_results
from survey.estimation.findings.remarks import NO_REPORTS_ON_BOXES, Remark
from survey.planning.simulation import simulate_reports
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.question_results import LEVELS, MANY, asked, results

pytestmark = pytest.mark.fast


def test_the_bound_stands_beside_the_exact_variance():
    yes = results([412, 588]).answers[0]
    assert yes.variance_bound == pytest.approx(1 / (16 * 0.25**2 * 1000))
    assert yes.variance_at_observed == pytest.approx(0.412 * 0.588 / (4 * 0.25**2 * 1000))
    assert yes.largest_variance == pytest.approx(yes.variance_bound)
    assert results([412, 588], "none").answers[0].variance_bound is None


@check_each(
    "privacy",
    [{"mechanism": name, "epsilon": 1} for name in ("k_randomized_response", "subset_selection")]
    + [{"mechanism": "optimized_unary_encoding", "epsilon": 1}],
)
def test_the_largest_variance_is_a_bound_that_some_report_probability_reaches(privacy):
    """The estimate is a mean of n scores with two values, 1/(p − q) apart.

    If P is the probability of the larger score, its variance is P(1 − P) / ((p − q)² n).
    """
    shown = results([30, 20, 25], privacy, type="select_one", choices=MANY[:3])
    for answer in shown.answers:
        low, high = answer.scores
        variances = [p * (1 - p) * (high - low) ** 2 / answer.n for p in (0.1, 0.3, 0.5, 0.8)]
        assert answer.largest_variance == pytest.approx(max(variances))
        assert answer.largest_variance >= answer.standard_error**2 * (1 - 1 / answer.n)


def test_a_result_without_responses_or_scores_has_no_other_variance_bound():
    answer = results([412, 588]).answers[0]
    assert replace(answer, scores=None).largest_variance == answer.variance_bound


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


def test_boxes_say_how_many_report_on_each():
    shown = asked("select_multiple", {0: 40, 1: 60, 2: 30, 3: 30}, {"epsilon": 1}, choices=MANY)
    assert [answer.n for answer in shown.answers] == [100, 60]
    assert shown.n == 160
    silent = ", ".join(f"“Choice {place}”" for place in range(2, 9))
    assert shown.notes == (Remark(NO_REPORTS_ON_BOXES, f"No reports on {silent} yet."),)


def test_plain_boxes_are_counted():
    shown = asked("select_multiple", {0: 40, 1: 60, 2: 10, 3: 90}, "none", choices=MANY[:2])
    assert [answer.value for answer in shown.answers] == [0.4, 0.1]
    assert shown.n == 100
    assert shown.answers[0].formula.letters == "P"


def test_a_text_is_only_counted():
    shown = asked("text", {0: 3, 1: 7}, "none")
    assert shown.n == 10
    assert shown.sentence == "3 of 10 respondents wrote a text."


@pytest.mark.parametrize("kind", ["scale", "select_multiple", "number", "text", "select_one"])
def test_without_responses_every_kind_says_so(kind):
    more = {"min": 0, "max": 9} if kind == "number" else {"choices": MANY}
    privacy = "none" if kind == "text" else {"epsilon": 1}
    shown = asked(kind, {}, privacy, **({} if kind == "text" else more))
    assert shown.sentence == "There are no responses yet."
    assert shown.n == 0


def test_one_response_gives_no_standard_error_and_no_trace():
    for kind, more in [
        ("number", {"min": 0, "max": 9}),
        ("scale", {"choices": MANY}),
        ("scale", {"choices": LEVELS}),
        ("select_one", {"choices": MANY}),
    ]:
        question = parse_question(
            {"name": "q", "type": kind, "label": "?", "privacy": {"epsilon": 1}, **more}, "", "en"
        )
        form = question.form
        text = "0" * form.width if question.one_hot is None else "1100" + "0" * 5
        codes = Counter(form.codes(form.read(text[: form.width])))
        shown = question_results(question, codes)
        assert shown.n == 1
        assert all(answer.standard_error is None for answer in shown.answers)


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
