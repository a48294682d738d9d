"""Results: sentences, formulas, and the rate at which intervals hold the truth."""

import numpy as np
import pytest

from survey.definition import freeze, parse_survey
from survey.mechanisms import build_randomizer
from survey.questions import parse_question
from survey.results import as_json, number, percent, question_results, survey_results
from survey.simulation import simulate_reports
from tests.conftest import definition, yes_no


def results(counts, privacy=None, **question):
    entry = {**yes_no(privacy=privacy), **question}
    return question_results(parse_question(entry, "", "en"), counts)


def test_the_coin_flip_shows_its_formula_with_the_numbers_filled_in():
    yes = results([412, 588]).answers[0]
    assert yes.formula.letters == "2P − 1/2"
    assert yes.formula.numbers == "2 × 412/1000 − 1/2"
    assert yes.observed == 0.412
    assert yes.value == pytest.approx(0.324)


@pytest.mark.parametrize(
    ("privacy", "letters", "numbers"),
    [
        (
            {"mechanism": "randomized_response", "gamma": 0.3},
            "(P − 1/2 + γ) / (2γ)",
            "(40/100 − 1/2 + 3/10) / (2 × 3/10)",
        ),
        (
            {"mechanism": "forced_response", "p_truth": 0.5, "p_yes": 0.3, "p_no": 0.2},
            "(P − q) / (p − q)",
            "(40/100 − 3/10) / (4/5 − 3/10)",
        ),
        ("none", "P", "40/100"),
    ],
)
def test_other_mechanisms_show_theirs(privacy, letters, numbers):
    formula = results([40, 60], privacy).answers[0].formula
    assert (formula.letters, formula.numbers) == (letters, numbers)


def test_a_table_with_more_reports_than_answers_shows_its_scores():
    shown = results([50, 30, 20], {"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]})
    assert shown.answers[0].observed is None
    assert shown.answers[0].formula.letters == "Σ score × share of each report"
    assert "2.16667 × 50/100" in shown.answers[0].formula.numbers
    assert list(shown.count_by_report) == ["r1", "r2", "r3"]


def test_the_sentence_names_the_answer_and_both_ends():
    assert results([412, 588]).sentence == (
        "For an estimated 32.4 % of people like these respondents, the true answer is “Yes”; "
        "with 95 % confidence between 26.4 % and 38.6 %."
    )


def test_a_single_choice_names_the_most_common_answer():
    choices = [{"name": name, "label": name.upper()} for name in "abc"]
    shown = results([10, 70, 20], {"epsilon": 2}, type="select_one", choices=choices)
    assert shown.sentence.startswith("The largest estimate: for an estimated 87.2 % of people")
    assert "the true answer is “B”" in shown.sentence


@pytest.mark.parametrize(
    ("counts", "privacy"),
    [
        ([37, 83], None),
        ([1, 6], {"mechanism": "randomized_response", "gamma": 0.00001}),
        ([20, 1], {"epsilon": 0.0995}),
        ([198, 112], {"mechanism": "warner", "p": "1/4"}),
        ([40, 60], {"mechanism": "forced_response", "p_truth": 0.6, "p_yes": 0.3, "p_no": 0.1}),
        ([5, 3, 2], {"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]}),
    ],
)
def test_the_formula_with_its_numbers_gives_the_estimate(counts, privacy):
    for answer in results(counts, privacy).answers:
        text = answer.formula.numbers.replace("−", "-").replace("×", "*")
        # scores of many values are shown to six digits, all else is exact
        error = 1e-5 if "Σ" in answer.formula.letters else 1e-9 * max(1, abs(answer.value))
        assert eval(text) == pytest.approx(answer.value, abs=error)


def test_an_impossible_estimate_has_a_sentence_of_its_own():
    assert results([20, 80]).sentence.startswith(
        "The estimate for “Yes” is −10.0 %, which no share can be; the true share lies with 95 %"
    )


def test_a_negative_estimate_is_shown_and_explained():
    shown = results([20, 80])
    assert percent(shown.answers[0].value) == "−10.0 %"
    (below,) = shown.explanations
    assert "“Yes” is below 0 %" in below
    assert "chance, not a mistake" in below
    assert results([40, 60]).explanations == ()


def test_no_responses_is_a_sentence_too():
    assert results([0, 0]).sentence == "No responses yet."
    assert results([0, 0]).answers == ()


def test_the_bound_stands_beside_the_exact_variance():
    yes = results([412, 588]).answers[0]
    assert yes.variance_bound == pytest.approx(1 / (16 * 0.25**2 * 1000))
    assert yes.variance_at_observed == pytest.approx(0.412 * 0.588 / (4 * 0.25**2 * 1000))
    assert results([412, 588], "none").answers[0].variance_bound is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (-0.0154, "−0.0154"), (2 / 3, "0.666667"), (0.0, "0"), (10.0, "10")],
)
def test_numbers_in_formulas(value, text):
    assert number(value) == text


def test_percent_never_shows_minus_zero():
    assert percent(-1e-17) == "0.0 %"
    assert percent(-0.001) == "−0.1 %"


def test_json_has_no_infinity():
    frozen = freeze(parse_survey(definition(yes_no(privacy="none"))))
    content = as_json(survey_results(frozen, {"smokes": [3, 5]}, "browser"))
    assert content["questions"][0]["epsilon"] is None
    assert content["questions"][0]["reports"] == {"yes": 3, "no": 5}


def test_true_shares_lie_inside_the_intervals_at_the_rate_claimed():
    """5,000 simulated respondents, three questions, 400 times.

    At a true coverage of 0.95, the count of misses among 400 independent draws of one share is
    binomial with mean 20 and standard deviation 4.36; below 0.9 (more than 40 misses) or never
    missing (fewer than 3) has a probability of about 1e-5 for each of the three shares. The seed
    is fixed, so the test is exact from run to run.
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
    truth = [[0.3, 0.7], [0.05, 0.95], [0.4, 0.3, 0.2, 0.1]]
    generator = np.random.default_rng(2026)
    repeats = 400
    inside = np.zeros(3)
    for _ in range(repeats):
        reports = simulate_reports(survey, truth, 5_000, generator)
        for column, question in enumerate(survey.questions):
            counts = np.bincount(reports[:, column], minlength=question.table.reports)
            first = question_results(question, counts.tolist()).answers[0]
            inside[column] += first.low <= truth[column][0] <= first.high
    assert (inside / repeats >= 0.90).all(), inside
    assert (inside / repeats <= 0.9925).all(), inside


def test_simulated_reports_follow_the_table():
    """Chi-square with 1 degree of freedom above 37 has probability 1e-9 for each row; seeded."""
    survey = parse_survey(definition(yes_no(privacy={"epsilon": 2})))
    table = build_randomizer({"epsilon": 2}, 2)
    for answer, truth in enumerate(([1.0, 0.0], [0.0, 1.0])):
        reports = simulate_reports(survey, [truth], 100_000, np.random.default_rng(answer))
        expected = np.array(table.rows[answer]) / table.total * 100_000
        seen = np.bincount(reports[:, 0], minlength=2)
        assert ((seen - expected) ** 2 / expected).sum() < 37
