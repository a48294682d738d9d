"""The line that says how an estimate follows from its reports."""

import math
import re
from dataclasses import replace
from fractions import Fraction

import pytest

from survey.core.languages import LANGUAGES
from survey.core.translate import in_language
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results
from survey.estimation.findings.calculations import VarianceBound
from survey.estimation.number_text import percent
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.question_results import LEVELS, MANY, asked, results

pytestmark = pytest.mark.fast


def line(result) -> str:
    calculation = result.as_shown.calculation
    return "" if calculation is None else calculation.sentence


def test_two_coins_have_the_formula_and_the_bound_of_the_texts():
    assert line(results([723, 1277])) == (
        "Reports “Yes”: P = 723/2000 = 36.2 %. Estimate: 2P − 1/2 = 2 × 723/2000 − 1/2 = 22.3 %. "
        "The variance is at most 1/(16γ²n) = 0.0005 for any true share, so the true standard "
        "error is at most 2.24 points."
    )


def test_another_gamma_has_the_general_formula():
    said = line(results([70, 30], {"mechanism": "randomized_response", "gamma": 0.3}))
    # (0.7 − 0.5 + 0.3) / 0.6, and 1 / (16 × 0.09 × 100) = 0.00694444…
    assert "(P − 1/2 + γ) / (2γ) = (70/100 − 1/2 + 3/10) / (2 × 3/10) = 83.3 %." in said
    assert "= 0.006945 for any true share" in said
    assert said.endswith("at most 8.34 points.")


@check_each("epsilon", [0.01, 0.1, 0.5, 1, math.log(3), 2, 3, 5, 10])
def test_the_stated_bound_holds_and_is_close_for_every_loss_and_size(epsilon):
    for n in (5, 7, 20, 99, 1_000, 123_457, 10**9):
        yes = n // 2
        result = results([yes, n - yes], {"epsilon": epsilon})
        calculation = result.calculation
        bound = calculation.bound
        # The closed form in ε: 4γ = 2 tanh(ε/2), of the table that was really made.
        keep = result.question.table.probability(0, 0)
        assert bound.gamma == keep - Fraction(1, 2)
        exact = 1 / (16 * float(bound.gamma) ** 2 * n)
        assert float(bound.gamma) == pytest.approx(math.tanh(epsilon / 2) / 2, rel=0.02)
        assert exact * (1 - 1e-12) <= float(bound.variance_text) <= exact * 1.001
        stated = float(bound.error_text.removesuffix(" points").replace(",", ""))
        assert 100 * math.sqrt(exact) * (1 - 1e-12) <= stated <= 100 * math.sqrt(exact) * 1.01
        assert f"= {result.answers[0].shown}." in calculation.estimate
        # The variance of the estimate is at most the bound for every true share.
        variances = [p * (1 - p) / (4 * float(bound.gamma) ** 2 * n) for p in (0.1, 0.5, 0.8)]
        assert max(variances) <= float(bound.variance_text)


def test_a_bound_is_rounded_up_and_an_exact_one_stays():
    assert VarianceBound(Fraction(1, 4), 1_600).error_text == "2.5 points"
    assert VarianceBound(Fraction(1, 4), 9).error_text == "33.4 points"
    assert VarianceBound(Fraction(1, 4), 10**9).variance_text == "0.000000001"
    assert VarianceBound(Fraction(1, 2), 3).variance_text == "0.08334"


def test_without_reports_or_with_very_few_there_is_no_line():
    assert line(results([0, 0])) == ""
    assert line(results([2, 2])) == ""
    assert line(results([3, 2])) != ""


def test_answers_as_given_and_texts_have_no_line():
    assert line(results([412, 588], "none")) == ""
    assert line(asked("text", {0: 40, 1: 60}, "none")) == ""


def test_reports_that_contradict_the_design_have_no_line():
    result = results([5, 995])
    assert result.design_warning
    assert line(result) == ""


def test_weighted_results_have_no_line():
    """Their estimates are no mean of scores of all reports."""
    result = results([412, 588])
    answers = [
        replace(answer, observed=None, scores=None, variance_bound=None)
        for answer in result.answers
    ]
    assert line(replace(result, answers=tuple(answers), weighted_by="Where?")) == ""


def test_a_special_answer_makes_it_a_mean_score():
    """With "prefer not to say", there are three answers, and γ says nothing."""
    result = results([50, 30, 20], {"mechanism": "coin_flip"}, prefer_not_to_say=True)
    said = line(result)
    assert said.startswith(
        "Reports “Yes”: 50/100 = 50.0 %. Such a report has the score 2, and every other one −0.5. "
        "The mean score is the estimate, 75 %. Standard error: "
    )
    assert "γ" not in said


def test_the_line_on_a_condition_says_that_it_is_about_all_respondents():
    """The headline is about those asked, so the estimate of the line is another one."""
    first = yes_no("first", {"epsilon": 1})
    entry = yes_no("q", {"epsilon": 2}) | {"relevant": {"first": "yes"}}
    question = parse_survey(definition(first, entry)).questions[-1]
    result = question_results(question, {0: 300, 1: 300, 2: 400})
    said = line(result)
    value = percent(result.answers[0].value)
    assert said.startswith("Reports “Yes”: 300/1000 = 30.0 %.")
    assert f"the estimated share of all respondents, {value}." in said
    assert result.asked[0].value != pytest.approx(result.answers[0].value)


@check_each(
    "privacy",
    [{"mechanism": name, "epsilon": 3} for name in ("k_randomized_response", "subset_selection")]
    + [{"mechanism": "optimized_unary_encoding", "epsilon": 3}],
)
def test_the_stated_scores_give_the_stated_estimate(privacy):
    one_hot = privacy["mechanism"] != "k_randomized_response"
    counts = [60, 40, 30, 70, 30, 70] if one_hot else [50, 26, 24]
    result = results(counts, privacy, type="select_one", choices=MANY[:3])
    said = line(result)
    share, high, low, estimate = (
        float(text.replace("−", "-"))
        for text in re.search(
            r"= ([\d.]+) %.*score (\S+), and every other one (\S+)\. .*, (\S+) %\.", said
        ).groups()
    )
    assert share / 100 * high + (1 - share / 100) * low == pytest.approx(estimate / 100, abs=0.002)
    assert "Standard error: " in said


def test_a_mean_has_the_range_of_its_scores():
    result = asked("number", {0: 60, 1: 40}, {"mechanism": "one_bit", "epsilon": 1}, min=0, max=10)
    mean = next(each for each in result.quantities if each.name == "mean")
    low, high = sorted(above for above, _ in mean.ratio.scores)
    said = line(result)
    assert said.startswith(f"The scores of the reports are from {low:.4g} to ".replace("-", "−"))
    assert f" to {high:.4g}. Mean: the mean score, {mean.shown}." in said
    assert min(0.6 * low + 0.4 * high, 0.4 * low + 0.6 * high) <= mean.value


def test_a_mean_with_special_answers_is_a_ratio():
    question = {"min": 0, "max": 4, "prefer_not_to_say": True, "unit": "kg"}
    result = asked(
        "number", {0: 10, 1: 10, 2: 10}, {"mechanism": "one_bit", "epsilon": 1}, **question
    )
    mean = next(each for each in result.quantities if each.name == "mean")
    said = line(result)
    above, below, value = re.search(r"(\S+) / (\S+) = (\S+) kg\.", said).groups()
    assert float(above) == pytest.approx(mean.ratio.above, rel=1e-3)
    assert float(below) == pytest.approx(mean.ratio.below, rel=1e-3)
    assert value == mean.shown
    assert said.endswith(" kg.")


def test_a_scale_is_about_its_headline():
    result = results([10, 20, 150, 30, 20], {"epsilon": 2}, type="scale", choices=LEVELS)
    assert line(result).startswith("Reports “Level 3”: 150/230")


@check_each("language", [*LANGUAGES])
def test_each_language_has_the_formula_and_the_numbers(language):
    english = line(results([723, 1277]))
    with in_language(language):
        said = line(results([723, 1277]))
    assert "2P" in said.replace(" ", "")
    assert "1/(16γ²n)" in said
    assert (said == english) == (language == "en")
