"""Variances and missing figures of shares."""

from collections import Counter
from dataclasses import replace

import pytest

from survey.definition.parse_question import parse_question
from survey.estimation.build_results import question_results
from tests.support.check_each import check_each
from tests.support.question_results import LEVELS, MANY, results

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
