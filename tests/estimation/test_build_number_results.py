"""Results of numbers and scales: histogram, mean, standard deviation and quantiles."""

import numpy as np
import pytest

from survey.definition.parse_question import parse_question
from survey.estimation.build_results import question_results
from tests.support.question_results import LEVELS, asked

pytestmark = pytest.mark.fast


def test_each_quantity_has_its_own_formula():
    shown = asked("number", {0: 5, 10: 5}, {"epsilon": 1}, min=0, max=10)
    formulas = {quantity.name: quantity.formula for quantity in shown.quantities}
    assert formulas["mean"].startswith(
        "Σ over the reports of (score of the value × share of the report)"
    )
    assert "(x − mean)²" in formulas["deviation"]
    assert "maximum likelihood shares reaches 50 %" in formulas["quantile_50"]


def test_a_non_private_question_has_the_ordinary_formulas():
    shown = asked("number", {0: 5, 10: 5, 11: 2}, "none", min=0, max=10, prefer_not_to_say=True)
    formulas = {quantity.name: quantity.formula for quantity in shown.quantities}
    assert formulas["mean"] == "sum of the values / number of values"
    assert formulas["quantile_50"] == "the value at which the sum of the shares reaches 50 %"
    mean, spread = shown.quantities[:2]
    # Ten values are 5 away from the mean.
    assert spread.value == pytest.approx(np.sqrt(10 * 5**2 / 10 + mean.standard_error**2))
    assert formulas["deviation"] == (
        "√(Σ (value − mean)² / number of values + squared standard error of the mean)"
    )
    scale = asked("scale", {0: 10, 1: 20}, "none", choices=LEVELS)
    assert scale.quantities[0].formula == formulas["mean"]


def test_a_scale_has_shares_and_a_mean():
    shown = asked("scale", {0: 10, 1: 20, 2: 40, 3: 20, 4: 10}, "none", choices=LEVELS)
    assert [answer.value for answer in shown.answers] == [0.1, 0.2, 0.4, 0.2, 0.1]
    (mean,) = shown.quantities
    assert mean.value == pytest.approx(3)
    assert mean.standard_error == pytest.approx(np.sqrt(1.2 / 99))
    assert mean.low < 3 < mean.high
    assert mean.label == "Mean, 1 = Level 1, 5 = Level 5"


def test_a_scale_by_subset_selection_has_a_mean_from_its_shares():
    choices = [{"name": f"l{n}", "label": f"L{n}"} for n in range(9)]
    bits = dict.fromkeys(range(18), 100)
    shown = asked("scale", bits, {"epsilon": 1}, choices=choices)
    assert shown.question.mechanism == "subset_selection"
    assert shown.quantities[0].value == pytest.approx(5)
    assert shown.answers[0].possible_by == "nearest shares that add up to one"


def test_a_plain_number_has_the_ordinary_figures():
    # In steps above 0.
    counts = {0: 1, 10: 2, 20: 4, 40: 1}
    shown = asked("number", counts, "none", min=0, max=100, step=1, unit="kg")
    figures = {quantity.name: quantity for quantity in shown.quantities}
    data = np.array([0, 10, 10, 20, 20, 20, 20, 40])
    assert figures["mean"].value == pytest.approx(data.mean())
    assert figures["mean"].standard_error == pytest.approx(data.std(ddof=1) / np.sqrt(8))
    assert figures["quantile_50"].value == 20
    assert sum(answer.value for answer in shown.answers) == pytest.approx(1)
    assert shown.count_by_report["40"] == 1
    assert "is 17.5 kg (95 % interval" in shown.sentence


@pytest.mark.slow
def test_a_million_plain_values_are_no_trouble():
    counts = dict.fromkeys(range(0, 1000001, 50), 1)
    shown = asked("number", counts, "none", min=0, max=1_000_000, step=1)
    assert shown.quantities[0].value == pytest.approx(500_000)
    assert len(shown.answers) <= 11


def test_who_declines_counts_in_no_mean():
    # 30 respondents answer 0, 30 answer 10, and 40 decline.
    counts = {0: 30, 10: 30, 11: 40}
    shown = asked("number", counts, "none", min=0, max=10, prefer_not_to_say=True)
    assert shown.quantities[0].value == pytest.approx(5)
    assert shown.answers[-1].choice.name == "prefer_not_to_say"
    assert shown.answers[-1].value == pytest.approx(0.4)


@pytest.mark.parametrize("mechanism", ["window", "discrete_laplace", "discrete_gaussian"])
def test_a_number_gives_back_mean_spread_and_parts(mechanism):
    """The expected counts of a thousand million respondents give back the true values."""
    privacy = {"mechanism": mechanism, "epsilon": 2}
    if mechanism == "discrete_gaussian":
        privacy["delta"] = 1e-5
    entry = {
        "name": "q", "type": "number", "label": "?", "min": 0, "max": 10, "privacy": privacy,
    }  # fmt: skip
    question = parse_question(entry, "", "en")
    truth = np.array([0, 0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05, 0, 0, 0])
    table = np.array(question.table.rows) / question.table.total
    counts = dict(enumerate((1e9 * truth @ table).round().astype(int).tolist()))
    shown = question_results(question, counts)
    figures = {quantity.name: quantity for quantity in shown.quantities}
    values = np.arange(11)
    mean = truth @ values
    assert figures["mean"].value == pytest.approx(mean, abs=0.01)
    deviation = np.sqrt(truth @ (values - mean) ** 2)
    assert figures["deviation"].value == pytest.approx(deviation, abs=0.05)
    assert figures["quantile_50"].value == 4
    assert figures["quantile_50"].low <= 4 <= figures["quantile_50"].high
    parts = [answer.value for answer in shown.answers]
    np.testing.assert_allclose(parts, truth, atol=1e-3)


def test_one_bit_says_that_it_tells_the_mean_alone():
    shown = asked("number", {0: 60, 1: 40}, {"mechanism": "one_bit", "epsilon": 1}, min=0, max=10)
    assert [quantity.name for quantity in shown.quantities] == ["mean"]
    assert shown.answers == ()
    assert "an estimate of the mean only" in shown.notes[0].sentence


SPREAD = {0: 91, 1: 89, 2: 240, 3: 89, 4: 91}


@pytest.mark.parametrize(
    "privacy", [{"mechanism": "one_bit", "epsilon": 1}, {"epsilon": 4, "goal": "mean"}]
)
def test_a_scale_that_tells_the_mean_alone_says_so(privacy):
    choices = [{"name": f"l{n}", "label": f"L{n}"} for n in range(7)]
    # With five reports, these are the expected counts of equally common answers.
    counts = {0: 250, 1: 350} if privacy.get("mechanism") == "one_bit" else SPREAD
    shown = asked("scale", counts, privacy, choices=choices)
    assert shown.n == 600
    assert [quantity.name for quantity in shown.quantities] == ["mean"]
    if not shown.answers:
        assert "allow an estimate of the mean only" in shown.notes[0].sentence
        assert shown.sentence.startswith("The estimated mean for people like these respondents")


def test_discrete_laplace_states_its_tail_bound():
    """b ln(1/beta): for beta = 0.05, ln 20 is 3.0, not 20."""
    privacy = {"mechanism": "discrete_laplace", "epsilon": 1}
    shown = asked("number", {0: 5, 20: 5}, privacy, min=0, max=20)
    # Range over epsilon, in steps of one.
    scale = 20 / 1
    assert f"b = {scale:.3g}" in shown.remarks[-1].sentence
    assert f"within {scale * np.log(20):.3g}" in shown.remarks[-1].sentence


def test_chebyshev_stands_beside_the_interval_of_a_mean():
    shown = asked("number", {0: 50, 10: 50}, "none", min=0, max=10)
    mean = shown.quantities[0]
    assert mean.chebyshev == pytest.approx(
        (5 - 2 * mean.standard_error, 5 + 2 * mean.standard_error)
    )
