"""Quantiles with the goal "quantiles": exact data, skewed data, and coverage by simulation."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bench.quantile_goal import (
    heaped_distributions,
    measure,
    necessary_coverage,
    rounding,
    true_distributions,
)
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import probabilities
from survey.definition.survey import parse_survey
from survey.definition.target_population import EVERYONE_SIMILAR, target_population
from survey.estimation.build_results import question_results
from survey.estimation.findings.remarks import HEAPED_ANSWERS, QUANTILE_INTERVALS
from survey.estimation.mean_estimates import seen_through
from survey.estimation.pilot_truth import compared_figures
from survey.estimation.quantile_estimates import (
    QUANTILES,
    cumulative_bounds,
    cumulative_curve,
    estimate_quantile,
    remove_falls,
)
from survey.formats.csv_export import figures_of_question
from survey.planning.plan_text import target_sentence
from survey.planning.sample_size import PlanParameters
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.every_type import asked
from tests.support.mechanisms import built

pytestmark = pytest.mark.fast

VALUES = np.linspace(0, 100, 11)


def seen_of(truth, n, extras=0, epsilon="1"):
    """Expected reports of n respondents with true answers 0 to 100, and special answers."""
    table = built({"epsilon": epsilon, "goal": "quantiles"}, 11, "numbers", extras)
    levels = np.append(truth[:101] @ rounding(11), truth[101:])
    return seen_through(
        table, n * levels @ probabilities(table), VALUES, extras, 10.0, 1.0, for_quantiles=True
    )


@check_each("share", QUANTILES)
@check_each("name", true_distributions())
def test_expected_reports_give_back_the_quantiles_of_skewed_numbers(name, share):
    """Without random error, only the shape between two levels matters: a tenth of 10 at most."""
    truth = true_distributions()[name]
    correct = int(np.argmax(np.cumsum(truth) >= share - 1e-12))
    found = estimate_quantile(seen_of(truth, 10_000_000), share)
    assert abs(found.value - correct) <= 1
    assert found.interval.low <= correct <= found.interval.high
    assert found.standard_error is None


def test_the_curve_keeps_the_mean_between_two_levels():
    """Simpson's rule is exact for a parabola."""
    places, weights = cumulative_curve(VALUES, 10.0)
    assert list(places[::10]) == list(VALUES)
    for cell in range(10):
        start, middle, end = weights[10 * cell], weights[10 * cell + 5], weights[10 * cell + 10]
        np.testing.assert_allclose((start + 4 * middle + end) / 6, np.eye(11)[cell], atol=1e-12)
    # An evenly rising distribution function is met exactly.
    np.testing.assert_allclose(weights @ (np.arange(11) + 0.5), np.arange(101) / 10, atol=1e-9)


def test_falls_are_removed_alike_from_both_ends():
    heights = np.array([-3.0, 1.0, -1.0, 0.0, 4.0])
    assert list(remove_falls(heights)) == [-3, 0, 0, 0.5, 4]
    assert list(-remove_falls(-heights[::-1])[::-1]) == [-3, 0, 0, 0.5, 4]
    assert list(remove_falls(np.arange(5.0))) == [0, 1, 2, 3, 4]


def test_the_necessary_coverage_is_that_of_two_tests():
    """In a narrow distribution, the share up to the median is far from one half."""
    truth = true_distributions()["half at 0"]
    # The median 0 has no number below it, and 52 % are 0: only the upper statement can fail.
    few, many = (necessary_coverage(truth, "2", n, 0.5) for n in (200, 1_000_000))
    assert 0.975 < few < 0.99
    assert many == pytest.approx(1, abs=1e-9)
    # Each share up to an uncommon number differs little from one half.
    uniform = true_distributions()["uniform"]
    assert 0.95 < necessary_coverage(uniform, "1", 200, 0.5) < 0.955


@pytest.mark.slow
def test_intervals_without_slack_have_the_necessary_coverage():
    """600 draws: the coverage has a standard error of 0.007, and the length one of about 2.

    If the interval had all values between accepted ones, its median length would be 77 with 200
    responses. In 0.2 % of seeds, a correct coverage is more than 0.022 away.
    """
    uniform = true_distributions()["uniform"]
    found = measure(uniform, "1", 5_000, 0.5, 600)
    assert found.coverage == pytest.approx(necessary_coverage(uniform, "1", 5_000, 0.5), abs=0.022)
    found = measure(uniform, "1", 200, 0.5, 600)
    assert found.coverage > 0.95
    assert found.length < 70


@pytest.mark.parametrize("points", [2, 3, 4])
def test_the_curve_of_few_levels_rises_with_an_even_distribution(points):
    table = built({"epsilon": 1, "goal": "quantiles"}, points, "numbers")
    values = np.linspace(0, 12, points)
    truth = np.full(points, 2.0)
    truth[[0, -1]] = 1.0
    counts = 1e6 * truth / truth.sum() @ probabilities(table)
    seen = seen_through(table, counts, values, 0, 12 / (points - 1), 1.0, for_quantiles=True)
    # The distribution is even between the first and the last level.
    assert [estimate_quantile(seen, share).value for share in QUANTILES] == [3, 6, 9]


def test_special_answers_do_not_move_the_quantiles():
    truth = true_distributions()["skewed"]
    alone = estimate_quantile(seen_of(truth, 1e6), 0.5)
    among = estimate_quantile(seen_of(np.append(0.7 * truth, 0.3), 1e6, extras=1), 0.5)
    assert among.value == alone.value
    assert among.interval.high - among.interval.low >= alone.interval.high - alone.interval.low


@pytest.mark.parametrize("size", [1000, 5000])
def test_a_finite_population_keeps_the_interval(size):
    """It is the one for people like the respondents."""
    seen = seen_of(true_distributions()["skewed"], 1000)
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
    for other, people in ((survey.private[0], EVERYONE_SIMILAR), (alone.private[0], target)):
        codes = question_results(other, counts, target=people).remark_codes
        assert QUANTILE_INTERVALS not in codes


def test_without_rounding_the_estimate_is_one_of_the_values():
    table = built({"epsilon": 2, "goal": "quantiles"}, 5, "numbers")
    truth = np.array([0.4, 0.3, 0.2, 0.05, 0.05])
    seen = seen_through(
        table, 1e5 * truth @ probabilities(table), np.arange(5.0), 0, 0.0, 1.0, for_quantiles=True
    )
    found = [estimate_quantile(seen, share) for share in QUANTILES]
    assert [each.value for each in found] == [0, 1, 2]
    assert [(each.interval.low, each.interval.high) for each in found] == [(0, 0), (1, 1), (2, 2)]


def test_impossible_reports_still_have_an_interval_with_the_estimate():
    """All reports are the same, which no true distribution would give."""
    table = built({"epsilon": 1, "goal": "quantiles"}, 11, "numbers")
    for report in range(table.reports):
        counts = np.zeros(table.reports)
        counts[report] = 300
        seen = seen_through(table, counts, VALUES, 0, 10.0, 1.0, for_quantiles=True)
        for share in QUANTILES:
            found = estimate_quantile(seen, share)
            assert 0 <= found.interval.low <= found.value <= found.interval.high <= 100
            assert all(math.isfinite(each) for each in (found.value, found.interval.low))


def test_nobody_gave_a_number():
    with pytest.raises(UnanswerableQuestion, match="Too few people gave a number"):
        estimate_quantile(seen_of(np.append(np.zeros(101), 1.0), 1000, extras=1), 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["1", "1.0986122886681098", "2"])
@pytest.mark.parametrize("name", ["uniform", "bell-shaped", "skewed"])
@pytest.mark.parametrize("n", [200, 1_000, 5_000])
def test_coverage_of_the_median(name, epsilon, n):
    """400 draws with a fixed seed. A true coverage of 0.95 is below 0.915 with p = 0.002.

    A coverage of 0.90 is found with p = 0.84.
    """
    found = measure(true_distributions()[name], epsilon, n, 0.5, 400)
    assert found.coverage >= 0.915
    # The bias is small compared with the interval.
    assert abs(found.error) <= max(1.0, found.length / 8)


@pytest.mark.parametrize("name", [
    "multiples of 10", "60 % gave 45", "very narrow", "half gave 20, half 80",
])  # fmt: skip
def test_intervals_of_heaped_answers_contain_the_quantiles(name):
    """200 draws with a fixed seed. A true coverage of 0.95 is below 0.905 with p = 0.004."""
    found = [measure(heaped_distributions()[name], "2", 1_000, share, 200) for share in QUANTILES]
    assert min(each.heaped_coverage for each in found) >= 0.905
    # The interval for smoothly spread answers misses some quantile in many surveys.
    assert min(each.coverage for each in found) < 0.6


@pytest.mark.parametrize("points", [2, 3, 6, 11])
def test_the_bounds_of_the_distribution_function_hold_for_any_answers(points):
    """Random shares of the answers, among them zeros, and all answers the same."""
    r = np.random.default_rng(8)
    values, width, step = np.linspace(0, 10 * (points - 1), points), 10.0, 1
    places, upper, lower = cumulative_bounds(values, width)
    answers = np.arange(0, values[-1] + step, step)
    assert list(places) == list(answers)
    for _ in range(200):
        shares = r.dirichlet(np.full(len(answers), r.choice([0.01, 0.1, 1, 10])))
        upto = np.cumsum(shares)
        before = np.append(0, upto[:-1])
        # The cumulative share of a level is the mean of F from there to the next level.
        inner = upto[:-1].reshape(points - 1, -1).mean(axis=1)
        levels = np.append(inner, 1.0)
        assert (upper @ levels >= upto - 1e-9).all()
        assert (lower @ levels <= before + 1e-9).all()


def test_the_bounds_of_the_distribution_function_are_reached():
    """By answers that are all at one place: F then rises from 0 to 1 there."""
    places, upper, lower = cumulative_bounds(VALUES, 10.0)
    for answer in range(101):
        upto = (np.arange(101) >= answer).astype(float)
        levels = np.append(upto[:-1].reshape(10, 10).mean(axis=1), 1.0)
        assert (upper @ levels).min(axis=0)[answer] == pytest.approx(1)
        assert (lower @ levels).max(axis=0)[answer] == pytest.approx(0)
        if answer:
            assert (upper @ levels).min(axis=0)[answer - 1] < 1
        if answer < 100:
            assert (lower @ levels).max(axis=0)[answer + 1] > 0
    assert list(places) == list(range(101))


def test_the_interval_of_heaped_answers_is_longer_by_about_the_distance_of_levels():
    """Without random error, in an even distribution: by 3 to 10 at each end."""
    for share in QUANTILES:
        found = estimate_quantile(seen_of(true_distributions()["uniform"], 20_000), share)
        assert 3 <= found.interval.low - found.heaped[0] <= 10
        assert 3 <= found.heaped[1] - found.interval.high <= 10


def test_simulations_compare_with_the_interval_of_heaped_answers():
    """Everyone has the number 40, so the other interval would miss the first quartile."""
    private = asked("hours", "number", {"goal": "quantiles", "epsilon": 2}, min=0, max=100)
    question = parse_survey(definition(private)).private[0]
    forty = (np.arange(101) == 40).astype(float)
    expected = 2_000 * forty @ rounding(11) @ probabilities(question.table)
    results = question_results(question, dict(enumerate(map(round, expected))))
    found = {each.name: each for each in compared_figures(results, list(forty))}
    assert not found["mean"].heaped
    for quantity in results.quantities:
        if quantity.name.startswith("quantile_"):
            compared = found[quantity.name]
            assert compared.heaped
            assert compared.held
            assert (compared.low, compared.high) == quantity.heaped_between


def test_estimates_stay_within_the_possible_answers():
    """With answers from 0 to 103, the last level is 110."""
    private = asked("hours", "number", {"goal": "quantiles", "epsilon": 2}, min=0, max=103)
    question = parse_survey(definition(private)).private[0]
    assert float(question.points.high) == 110
    highest = np.zeros(question.points.size)
    highest[-2:] = 0.7, 0.3
    for n in (15, 2_000):
        counts = dict(enumerate(map(round, n * highest @ probabilities(question.table))))
        for each in question_results(question, counts).quantities:
            if each.name.startswith("quantile_"):
                low, high = each.heaped or (each.low, each.high)
                assert low <= each.low <= each.value <= each.high <= high <= 103


def test_figures_have_the_decimals_of_the_answers():
    private = asked("hours", "number", {"goal": "quantiles", "epsilon": 2}, min=0, max=40, step=0.5)
    question = parse_survey(definition(private)).private[0]
    expected = 2_000 * np.full(question.points.size, 1) @ probabilities(question.table)
    counts = dict(enumerate(map(round, expected / question.points.size)))
    median = question_results(question, counts).lead
    for shown, value in zip(
        (median.shown, *median.between, *median.heaped_between),
        (median.value, median.low, median.high, *median.heaped), strict=True,
    ):  # fmt: skip
        assert shown == f"{value:.1f}"


def test_with_few_responses_the_interval_is_that_of_other_mechanisms():
    truth = true_distributions()["uniform"]
    few, more = (estimate_quantile(seen_of(truth, n, epsilon="4"), 0.5) for n in (19, 20))
    assert few.heaped is None
    assert str(few.interval.method) == "inverted bounds of the distribution"
    assert few.interval.low <= more.interval.low < more.interval.high <= few.interval.high


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["1", "2", "4"])
@pytest.mark.parametrize("name", ["uniform", "half at 0"])
def test_coverage_of_quantiles_with_20_responses(name, epsilon):
    """600 draws with a fixed seed. A true coverage of 0.945 is below 0.917 with p = 0.002."""
    truth = true_distributions()[name]
    for share in QUANTILES:
        assert measure(truth, epsilon, 20, share, 600).coverage >= 0.917


def test_there_is_one_interval_if_answers_are_not_rounded():
    table = built({"epsilon": 2, "goal": "quantiles"}, 5, "numbers")
    counts = 100 * np.full(5, 0.2) @ probabilities(table)
    seen = seen_through(table, counts, np.arange(5.0), 0, 0.0, 1.0, for_quantiles=True)
    assert estimate_quantile(seen, 0.5).heaped is None


def test_pages_and_files_have_the_interval_of_heaped_answers():
    private = asked("hours", "number", {"goal": "quantiles", "epsilon": 2}, min=0, max=100)
    question = parse_survey(definition(private)).private[0]
    truth = true_distributions()["bell-shaped"] @ rounding(11)
    expected = 2_000 * truth @ probabilities(question.table)
    results = question_results(question, dict(enumerate(map(round, expected))))
    median = results.lead
    low, high = median.heaped_between
    heaped = f"If many people gave the same number, the interval is {low} to {high}."
    assert results.sentence.endswith(heaped)
    remark = next(each.sentence for each in results.remarks if each.code == HEAPED_ANSWERS)
    assert f"Median: {low} to {high}; Third quartile: " in remark
    lines = {line["measure"]: line for line in figures_of_question(results)}
    assert lines["quantile_50"]["heaped_low"] == median.heaped[0]
    assert "heaped_low" not in lines["mean"]
