"""Quantiles with the randomizer for them: estimates, intervals and what pages say."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bench.quantile_goal import measure, necessary_coverage, quantile_of, true_distributions
from survey.core.errors import DefinitionError, UnanswerableQuestion
from survey.core.scores import probabilities
from survey.definition.survey import parse_survey
from survey.definition.target_population import EVERYONE_SIMILAR, target_population
from survey.estimation.build_results import question_results
from survey.estimation.findings.remarks import QUANTILE_INTERVALS
from survey.estimation.mean_estimates import seen_through
from survey.estimation.quantile_estimates import (
    QUANTILES,
    estimate_quantile,
    first_place,
    rising_heights,
    score_signals,
)
from survey.planning.plan_text import target_sentence
from survey.planning.sample_size import PlanParameters
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.every_type import asked
from tests.support.mechanisms import built

pytestmark = pytest.mark.fast

VALUES = np.arange(0.0, 21.0)
TRUTHS = {
    "even": np.full(21, 1 / 21),
    "skewed": 0.8**VALUES / (0.8**VALUES).sum(),
    "multiples of 5": np.where(VALUES % 5 == 0, 0.2, 0.0),
    "two answers": np.where(VALUES == 3, 0.6, np.where(VALUES == 17, 0.4, 0.0)),
    "one answer": np.where(VALUES == 9, 1.0, 0.0),
}


def seen_of(truth, n, special_answers=0, epsilon="1"):
    """Expected reports of n respondents with these answers, special answers last."""
    k = len(truth) - special_answers
    table = built({"epsilon": epsilon, "goal": "quantiles"}, k, "numbers", special_answers)
    counts = n * np.asarray(truth) @ probabilities(table)
    return seen_through(
        table, counts, np.arange(float(k)), special_answers, 0.0, 1.0, for_quantiles=True
    )


@check_each("share", QUANTILES)
@check_each("name", TRUTHS)
def test_expected_reports_give_back_the_quantiles(name, share):
    """Also where many people gave the same number."""
    truth = TRUTHS[name] / TRUTHS[name].sum()
    correct = quantile_of(truth, share)
    found = estimate_quantile(seen_of(truth, 10_000), share)
    assert found.value == correct
    assert found.interval.low <= correct <= found.interval.high
    assert found.standard_error is None


@pytest.mark.parametrize("name", ["skewed", "multiples of 5", "two answers"])
def test_the_interval_shrinks_to_the_quantile(name):
    truth = TRUTHS[name] / TRUTHS[name].sum()
    found = estimate_quantile(seen_of(truth, 10_000_000), 0.5)
    correct = quantile_of(truth, 0.5)
    assert (found.interval.low, found.interval.high) == (correct, correct)


def test_heights_rise_by_least_squares():
    assert list(rising_heights(np.array([-3.0, 1.0, -1.0, 0.0, 4.0]))) == [-3, 0, 0, 0, 4]
    assert list(rising_heights(np.arange(5.0))) == [0, 1, 2, 3, 4]


def test_signals_are_means_in_standard_errors():
    """Three reports with the scores 1, 0 and -1 at the first place, and twice that at the next."""
    counts = np.array([6.0, 3.0, 1.0])
    scores = np.array([1.0, 0.0, -1.0])
    excess = np.column_stack([scores, 2 * scores, 4 * scores])
    alone = 5 / math.sqrt(7)
    assert score_signals(counts, excess, 0) == pytest.approx([alone] * 3)
    turned = np.column_stack([scores, scores[::-1], scores])
    # The mean over two places is zero, and the last place has no next one.
    assert score_signals(counts, turned, 1) == pytest.approx([0, 0, alone])
    assert list(first_place(np.array([[False, True, True], [False, False, False]]))) == [1, 2]


def test_the_necessary_coverage_is_that_of_two_tests():
    """In a narrow distribution, the share up to the median is far from one half."""
    truth = true_distributions()["half at 0"]
    # The median 0 has no number below it, and 52 % are 0: only the upper statement can fail.
    few, many = (necessary_coverage(truth, "2", n, 0.5) for n in (200, 1_000_000))
    assert 0.95 < few < 0.99
    assert many == pytest.approx(1, abs=1e-9)
    # Each share up to an uncommon number differs little from one half.
    assert 0.92 < necessary_coverage(true_distributions()["uniform"], "2", 200, 0.5) < 0.93


@pytest.mark.slow
@pytest.mark.parametrize("name", true_distributions())
@pytest.mark.parametrize(("epsilon", "n"), [("1", 1_000), ("2", 5_000), ("4", 200)])
def test_intervals_contain_the_quantiles(name, epsilon, n):
    """1,000 draws with a fixed seed. A true coverage of 0.95 is below 0.93 with p = 0.003."""
    truth = true_distributions()[name]
    for share in QUANTILES:
        found = measure(truth, epsilon, n, share, 1_000)
        assert found.coverage >= 0.93
        # Where F stays at the share, the estimate is an end of this part.
        if name in ("uniform", "bell-shaped", "skewed"):
            assert abs(found.error) <= max(1.0, found.length / 6)


def test_special_answers_do_not_move_the_quantiles():
    truth = TRUTHS["skewed"]
    alone = estimate_quantile(seen_of(truth, 20_000), 0.5)
    among = estimate_quantile(seen_of(np.append(0.7 * truth, 0.3), 20_000, special_answers=1), 0.5)
    assert among.value == alone.value
    assert among.interval.high - among.interval.low >= alone.interval.high - alone.interval.low


@pytest.mark.parametrize("size", [1000, 5000])
def test_a_finite_population_keeps_the_interval(size):
    """It is the one for people like the respondents."""
    seen = seen_of(TRUTHS["skewed"], 1000)
    for share in QUANTILES:
        assert estimate_quantile(replace(seen, size=size), share) == estimate_quantile(seen, share)


def test_results_and_the_plan_say_that_the_interval_is_longer_than_necessary():
    private = asked("years", "number", {"goal": "quantiles", "epsilon": 2}, min=0, max=10)
    survey = parse_survey(definition(private, results_about=90))
    target = target_population(90, 60)
    counts = {0: 30, 1: 30}
    codes = question_results(survey.private[0], counts, target=target).remark_codes
    assert QUANTILE_INTERVALS in codes
    assert "Margins of medians are an exception" in target_sentence(survey, PlanParameters())
    alone = parse_survey(definition(asked("years", "number", {"epsilon": 2}, min=0, max=10)))
    for other, reports, people in (
        (survey.private[0], counts, EVERYONE_SIMILAR),
        (alone.private[0], counts, target),
        # With fewer than 20 responses, the intervals are those for the finite population.
        (survey.private[0], {0: 10, 1: 9}, target_population(90, 19)),
    ):
        codes = question_results(other, reports, target=people).remark_codes
        assert QUANTILE_INTERVALS not in codes


def test_impossible_reports_still_have_an_interval_with_the_estimate():
    """All reports are the same, which no true distribution would give."""
    seen = seen_of(TRUTHS["even"], 300)
    for report in range(len(seen.counts)):
        counts = np.zeros(len(seen.counts))
        counts[report] = 300
        for share in QUANTILES:
            found = estimate_quantile(replace(seen, counts=counts), share)
            assert 0 <= found.interval.low <= found.value <= found.interval.high <= 20


def test_nobody_gave_a_number():
    seen = seen_of(np.append(np.zeros(21), 1.0), 1000, special_answers=1)
    counts = np.zeros(len(seen.counts))
    counts[-1] = 1000
    with pytest.raises(UnanswerableQuestion, match="Too few people gave a number"):
        estimate_quantile(replace(seen, counts=counts), 0.5)


def test_figures_have_the_decimals_of_the_answers():
    private = asked("hours", "number", {"goal": "quantiles", "epsilon": 2}, min=0, max=10, step=0.5)
    question = parse_survey(definition(private)).private[0]
    assert question.levels == question.grid
    expected = 2_000 * np.full(21, 1 / 21) @ probabilities(question.table)
    median = question_results(question, dict(enumerate(map(round, expected)))).lead
    assert (median.shown, *median.between) == tuple(
        f"{value:.1f}" for value in (median.value, median.low, median.high)
    )


def test_with_few_responses_the_interval_is_that_of_other_mechanisms():
    few, more = (estimate_quantile(seen_of(TRUTHS["even"], n, epsilon="4"), 0.5) for n in (19, 20))
    assert str(few.interval.method) == "inverted bounds of the distribution"
    assert few.interval.low <= more.interval.low < more.interval.high <= few.interval.high


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["1", "2", "4"])
@pytest.mark.parametrize("name", ["uniform", "half at 0", "half gave 20, half 80"])
def test_coverage_of_quantiles_with_20_responses(name, epsilon):
    """1,000 draws with a fixed seed. A true coverage of 0.94 is below 0.92 with p = 0.005."""
    truth = true_distributions()[name]
    for share in QUANTILES:
        assert measure(truth, epsilon, 20, share, 1_000).coverage >= 0.92


@pytest.mark.parametrize("privacy", [
    {"goal": "quantiles", "epsilon": 1}, {"mechanism": "optimal_quantiles", "epsilon": 1},
])  # fmt: skip
def test_too_many_values_are_refused_with_the_smallest_step(privacy):
    def parsed(**entry):
        return parse_survey(definition(asked("hours", "number", **entry)))

    with pytest.raises(
        DefinitionError, match=r"at most 101 values, not 1,001\. Use a step of at least 10"
    ):
        parsed(privacy=privacy, min=0, max=1000)
    with pytest.raises(DefinitionError, match=r"not 201\. Use a step of at least 1\."):
        parsed(privacy=privacy, min=0, max=100, step=0.5)
    with pytest.raises(DefinitionError, match="points does not fit quantiles"):
        parsed(privacy=privacy | {"points": 5}, min=0, max=10)
