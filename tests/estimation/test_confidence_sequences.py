"""Confidence sequences hold at every look, by exact expectation and by simulated fields."""

import math
import random

import numpy as np
import pytest

from survey.core.factored_randomizers import SubsetPart, SubsetSelection
from survey.definition import report_formats
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.confidence_sequences import (
    confidence_sequence,
    counts_of_part,
    log_capital,
    planned_half,
    question_sequences,
    reports_by_answer,
)
from survey.estimation.share_estimates import one_hot_interval
from survey.estimation.share_intervals import share_interval
from survey.estimation.types.joint_items import item_questions
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, drawn, stored, tallied
from tests.support.joint_reports import joint_reports
from tests.support.joint_survey import joint_questions

pytestmark = pytest.mark.fast

TABLES = [
    pytest.param(3 / 4, 1 / 4, id="two-coins"),
    pytest.param(0.2797, 0.1029, id="8-answers-epsilon-1"),
    pytest.param(0.95, 0.01, id="weak-randomizer"),
]


def two_scores(p, q):
    """The scores of a report for, and not for, the answer."""
    return np.array([(1 - q) / (p - q), -q / (p - q)])


@pytest.mark.parametrize(("p", "q"), TABLES)
@pytest.mark.parametrize("share", [0.0, 0.03, 0.5, 1.0])
@pytest.mark.parametrize("n", [1, 7, 40])
def test_the_capital_of_the_true_share_is_expected_to_stay_1(p, q, share, n):
    """So Ville's inequality holds: over all outcomes, the expectation is 1 for every n."""
    chance = q + (p - q) * share
    outcomes = [
        math.comb(n, y) * chance**y * (1 - chance) ** (n - y)
        * math.exp(
            log_capital(np.array([share]), (y, n - y), two_scores(p, q), np.ones(2), 500)[0]
        )
        for y in range(n + 1)
    ]  # fmt: skip
    assert sum(outcomes) == pytest.approx(1, abs=1e-9)


PART = SubsetPart(2, SubsetSelection(8, 3, 5, 2), (2, 6))


@pytest.mark.parametrize("share", [0.0, 0.03, 0.5, 1.0])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_the_capital_of_the_true_share_stays_1_if_only_a_sum_is_known(share, n):
    """A report has 0, 1 or 2 of the chosen combinations with the answer."""
    own, others = map(np.array, PART.chances_of(0))
    sums = np.array([1.0])
    for _ in range(n):
        sums = np.convolve(sums, share * own + (1 - share) * others)
    expected = 0.0
    for ones, chance in enumerate(sums):
        counts, scores, chances = counts_of_part(PART, 0, ones, n)
        assert (sum(counts), counts[1] + 2 * counts[2]) == (n, ones)
        capital = log_capital(
            np.array([share]), counts, np.array(scores), np.ones(3), 500, np.array(chances)
        )
        expected += chance * math.exp(capital[0])
    assert expected == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5])
def test_at_the_planned_number_it_is_at_most_1_6_times_as_wide_for_a_sum(share):
    p, q, planned = float(PART.p), float(PART.q), 20_000
    ones = round(planned * (2 * q + (p - q) * share))
    counts, scores, chances = counts_of_part(PART, 0, ones, planned)
    watched = confidence_sequence(counts, scores, planned=planned, chances=chances)
    once = one_hot_interval(PART, 0, ones, planned, None, 0.95)
    assert watched.low <= once.low < share < once.high <= watched.high
    assert (watched.high - watched.low) <= 1.6 * (once.high - once.low)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.4])
def test_it_holds_at_every_look_where_the_fixed_interval_fails(share):
    """250 fields with two coins, looked at after each batch of 25 up to 2,000 responses.

    Ville's inequality allows 5 %. About 2.5 % are wrong by 2,000 responses, so the chance of more
    than 15 of 250 is about 0.001. The fixed interval fails in about 40 %, never below 25 %.
    """
    n, size, planned, p, q = 2_000, 25, 1_000, 3 / 4, 1 / 4
    generator = np.random.default_rng(20261123)
    looks = np.arange(size, n + 1, size)
    chance, scores = q + (p - q) * share, two_scores(p, q)
    wrong = wrong_fixed = 0
    for _ in range(250):
        sums = np.cumsum(generator.random(n) < chance)[looks - 1]
        wrong += any(
            log_capital(np.array([share]), (y, m - y), scores, np.ones(2), planned)[0]
            >= math.log(20)
            for y, m in zip(sums, looks, strict=True)
        )
        error = np.abs(sums / looks - chance)
        wrong_fixed += bool((error > 1.96 * np.sqrt(chance * (1 - chance) / looks)).any())
    assert wrong <= 15
    assert wrong_fixed > 62


@pytest.mark.parametrize(("p", "q"), TABLES)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.5])
@pytest.mark.parametrize("planned", [1_000, 20_000])
def test_at_the_planned_number_it_is_at_most_1_6_times_as_wide(p, q, share, planned):
    supporting = round(planned * (q + (p - q) * share))
    counts = (supporting, planned - supporting)
    watched = confidence_sequence(counts, two_scores(p, q), planned=planned)
    once = share_interval(supporting, planned, p, q)
    assert watched.low <= once.low + 1e-3
    assert watched.high >= once.high - 1e-3
    assert (watched.high - watched.low) <= 1.6 * (once.high - once.low)


def test_its_ends_are_where_the_capital_reaches_20():
    counts, scores = (460, 540), two_scores(3 / 4, 1 / 4)
    found = confidence_sequence(counts, scores, planned=500)
    capital = log_capital(np.array([found.low, found.high]), counts, scores, np.ones(2), 500)
    assert capital == pytest.approx([math.log(20)] * 2, abs=1e-2)
    # The ends are on the outside.
    assert (capital >= math.log(20)).all()


def test_every_number_of_responses_has_one_also_the_first():
    first = confidence_sequence((1, 0), two_scores(3 / 4, 1 / 4))
    assert (first.low, first.high) == (0, 1)


def test_impossible_reports_have_none():
    """Far more "no" than two coins allow for a share of 0."""
    assert confidence_sequence((500, 9_500), two_scores(3 / 4, 1 / 4)) is None


def every_type_results(n, seed=5):
    survey = parse_survey(EVERY_TYPE)
    r = random.Random(seed)
    counts = tallied(stored(drawn(r)) for _ in range(n))
    return survey_results(freeze(survey, to_open=False), counts, "browser")


def test_every_question_type_has_sequences_around_its_estimates():
    results = every_type_results(400)
    seen = set()
    for each in results.questions:
        found = question_sequences(each, 400)
        for answer in each.answers if not each.question.kind.numeric else ():
            interval = found.shares[answer.choice.name]
            if interval is not None and not answer.outside:
                assert interval.low - 1e-6 <= answer.value <= interval.high + 1e-6
                assert interval.high - interval.low >= 0.9 * (answer.high - answer.low)
                seen.add(each.question.kind)
        mean = next((q for q in each.quantities if q.name == "mean"), None)
        if found.mean is not None and not mean.outside:
            assert found.mean.low <= mean.value <= found.mean.high
            assert found.mean_text
            seen.add(each.question.kind)
    assert len(seen) >= 5


def test_the_planned_half_width_waits_for_every_private_question():
    survey = parse_survey(definition(yes_no("a"), yes_no("b"), planned=400))
    frozen = freeze(survey)
    codes = {"a": {0: 300, 1: 700}, "b": {0: 500, 1: 500}}
    both = planned_half(survey_results(frozen, codes, "browser"))
    halves = []
    for counts in codes.values():
        found = confidence_sequence((counts[0], counts[1]), two_scores(3 / 4, 1 / 4), planned=400)
        halves.append((found.high - found.low) / 2)
    assert both == pytest.approx(max(halves), abs=1e-6)
    assert planned_half(survey_results(frozen, {"a": codes["a"]}, "browser")) is None


def test_a_joint_question_of_sets_has_a_sequence_and_a_planned_half_width():
    """The least precise share is that of one half, of an answer with half of the combinations."""
    survey = parse_survey(
        definition(*joint_questions(privacy={"epsilon": 1}), planned=800, slug="joint")
    )
    reports = joint_reports(survey, 800, 1).tolist()
    counts = {"habits": report_formats.tally_codes(survey.fields[0].form, reports)}
    results = survey_results(freeze(survey, to_open=False), counts, "browser")
    shares = [
        share
        for each in results.every
        for share in question_sequences(each, 800).shares.values()
        if share.low > 0 and share.high < 1
    ]
    assert len(shares) > 4
    widest = max((share.high - share.low) / 2 for share in shares)
    assert widest <= planned_half(results) * 1.001
    assert planned_half(results) <= widest * 1.1
    found = {
        answer.answer.choice.name: answer
        for answer in reports_by_answer(results.questions[0].items[0])
    }
    part = item_questions(survey, survey.fields[0])[0].randomizer
    # "Yes" has six of the twelve combinations, and the others three.
    assert [len(found[name].counts) for name in ("yes", "no")] == [7, 4]
    assert found["yes"].chances == part.chances_of(0)
