"""Numbers and formulas in words."""

import pytest

from survey.estimation.number_text import number, percent, rounded_share, rounded_to
from tests.support.question_results import results

pytestmark = pytest.mark.fast


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
        # Scores of many values are shown with six digits. All other numbers are exact.
        error = 1e-5 if "Σ" in answer.formula.letters else 1e-9 * max(1, abs(answer.value))
        assert eval(text) == pytest.approx(answer.value, abs=error)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (-0.0154, "−0.0154"), (2 / 3, "0.666667"), (0.0, "0"), (10.0, "10")],
)
def test_numbers_in_formulas(value, text):
    assert number(value) == text


def test_percent_never_shows_minus_zero():
    assert percent(-1e-17) == "0.0 %"
    assert percent(-0.001) == "−0.1 %"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0625, "6.3 %"),
        # As a float it is less than this.
        (0.1225, "12.3 %"),
        (-0.0625, "−6.3 %"),
        (0.06249, "6.2 %"),
        (1 / 3, "33.3 %"),
        (float("inf"), "inf %"),
    ],
)
def test_percentages_round_halves_away_from_zero(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (62.512, 0.4, "62.51"),
        (62.512, 3, "62.5"),
        (62.512, 30, "63"),
        (5.49255, 2.64, "5.5"),
        (0.01234, 0.001, "0.0123"),
        (-1e-9, 1, "0.0"),
        (5, 0, "5"),
    ],
)
def test_numbers_are_shown_as_finely_as_they_are_known(value, error, text):
    assert rounded_to(value, error) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2_500_000.0, "2,500,000"),
        (126_123.4, "126,123"),
        (1e15, "1,000,000,000,000,000"),
        (0.000000123, "0.000000123"),
        (-1e-20, "0"),
        (float("-inf"), "−∞"),
    ],
)
def test_no_number_has_an_exponent(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("share", "error", "text"),
    [
        (0.3241, 0.2, "32 %"),
        (0.3241, 0.02, "32.4 %"),
        (0.3241, 0.0005, "32.41 %"),
        (0.3241, 0, "32.4 %"),
        (-0.0004, 0.01, "0.0 %"),
        (-16.5, 0.2, "−1,650 %"),
    ],
)
def test_a_share_has_the_decimals_that_its_standard_error_supports(share, error, text):
    assert rounded_share(share, error) == text
