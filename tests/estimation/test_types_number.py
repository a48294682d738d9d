"""Results of numbers and scales: histogram, mean, standard deviation and quantiles."""

import numpy as np
import pytest

from survey.definition.parse_question import parse_question
from survey.estimation.build_results import question_results
from tests.support.question_results import asked

pytestmark = pytest.mark.fast


def test_a_non_private_number_has_the_ordinary_figures():
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
def test_a_million_non_private_values_are_no_trouble():
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


def test_discrete_laplace_states_its_tail_bound():
    """b ln(1/beta): for beta = 0.05, ln 20 is 3.0, not 20."""
    privacy = {"mechanism": "discrete_laplace", "epsilon": 1}
    shown = asked("number", {0: 5, 20: 5}, privacy, min=0, max=20)
    # Range over epsilon, in steps of one.
    scale = 20 / 1
    assert f"b = {scale:.3g}" in shown.remarks[-1].sentence
    assert f"within {scale * np.log(20):.3g}" in shown.remarks[-1].sentence
