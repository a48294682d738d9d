"""Selected quantiles: the sensitivity of the scores by brute force, and how near they are."""

import math
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from survey.central_dp.accuracy import accuracy_of, rank_bounds
from survey.central_dp.dp_request import SELECTED, read_request
from survey.central_dp.opendp_sampler import draw_selection
from survey.central_dp.selection import selection_of
from survey.definition.survey import parse_survey
from tests.central_dp.bounded_answers import ALL, SMALL, STORED, request, times_within
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.every_type import asked

pytestmark = pytest.mark.fast


SELECTIONS = [(name, statistic) for name, statistic in ALL if statistic in SELECTED]


@check_each("percent", ["1", "30", "50", "99"])
@check_each(("name", "statistic"), SELECTIONS)
def test_a_respondent_changes_no_score_by_more_than_the_sensitivity(name, statistic, percent):
    """All data sets of up to four respondents, and each with one more respondent."""
    wanted = request(name, statistic, percent=percent, epsilon="5")
    selection = selection_of(SMALL, wanted)
    if selection.rank:
        # With other ranks, four respondents are too few to matter.
        selection = replace(selection, rank=2)
    largest = 0
    answers = list(STORED[name])
    for size in range(4):
        for data in product(answers, repeat=size):
            before = selection.scores(Counter(data))
            for stored in answers:
                after = selection.scores(Counter([*data, stored]))
                changes = [b - a for a, b in zip(before, after, strict=True)]
                largest = max(largest, *map(abs, changes))
                assert not selection.monotonic or min(changes) >= 0
    assert largest == selection.sensitivity


@pytest.mark.parametrize("percent", [1, 25, 50, 90])
def test_the_best_score_is_that_of_the_true_quantile(percent):
    wanted = request("sleep", "quantile", percent=str(percent))
    selection = selection_of(SMALL, wanted)
    for size in range(1, 6):
        for data in product(range(4), repeat=size):
            scores = selection.scores(Counter(data))
            best = [place for place, score in enumerate(scores) if score == 0]
            quantile = sorted(data)[math.ceil(percent * size / 100) - 1]
            assert quantile in best
            for place in best:
                assert 100 * sum(value < place for value in data) <= percent * size
                assert 100 * sum(value > place for value in data) <= (100 - percent) * size


@pytest.mark.parametrize("percent", [1, 25, 50, 90])
def test_a_selected_quantile_has_as_few_answers_on_each_side_as_is_said(percent):
    """All data sets of up to five respondents, and each value whose score is within the bound.

    Some values reach each bound, so the bounds are not too wide.
    """
    wanted = request("sleep", "quantile", percent=str(percent), epsilon="100")
    selection = selection_of(SMALL, wanted)
    reached = [0, 0]
    for size in range(1, 6):
        bounds = rank_bounds(SMALL, wanted, size)
        assert bounds is not None
        for data in product(range(4), repeat=size):
            for place, score in enumerate(selection.scores(Counter(data))):
                if -score < selection.accuracy:
                    sides = [sum(each < place for each in data), sum(each > place for each in data)]
                    assert sides[0] <= bounds[0]
                    assert sides[1] <= bounds[1]
                    reached = [
                        most + (side == bound)
                        for most, side, bound in zip(reached, sides, bounds, strict=True)
                    ]
    assert all(reached)


def test_the_best_score_of_a_minimum_is_that_of_the_value_of_its_rank():
    selection = replace(selection_of(SMALL, request("sleep", "minimum")), rank=2)
    largest = replace(selection_of(SMALL, request("sleep", "maximum")), rank=2)
    for data in product(range(4), repeat=4):
        assert selection.scores(Counter(data))[sorted(data)[1]] == 0
        assert largest.scores(Counter(data))[sorted(data)[-2]] == 0


def test_numbers_are_rounded_to_the_nearest_of_at_most_1001_candidates():
    wide = parse_survey(definition(asked("pay", "number", "none", min=0, max=100_000)))
    wanted = read_request(wide, {"question": "pay", "statistic": "median", "epsilon": "1"})
    selection = selection_of(wide, wanted)
    assert len(selection.places) == 1_001
    assert selection.count_values({149: 1, 150: 1, 100_000: 1})[:3] == [0, 1, 1]
    assert selection.count_values({100_000: 1})[-1] == 1
    assert "100 apart" in accuracy_of(wide, wanted, 10)[-1]


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["median", "minimum", "maximum", "mode"])
def test_what_is_selected_is_as_near_as_was_said(statistic):
    """2,000 selections, at least 95 % of them within the bound. See BETA_OF_TESTS."""
    n = 2_000
    wanted = request("age", statistic, epsilon="0.5")
    selection = selection_of(SMALL, wanted)
    data = Counter({0: 3, 1: 30, 2: 45, 4: 60, 5: 44, 6: 2})
    scores = selection.scores(data)
    beyond = selection.answers_beyond * (100 if selection.percent else 1)
    hits = 0
    for _ in range(n):
        ((chosen,),) = draw_selection(wanted, selection, scores)
        hits += scores[chosen] >= max(scores) - beyond
    assert times_within(hits, n, 0.95)


@pytest.mark.slow
def test_selection_is_exponential_or_better_and_not_blind():
    """Two candidates, 4 scales apart: permute and flip selects the worse with exp(-4) / 2."""
    wanted = request("sleep", "mode", epsilon="1")
    selection = selection_of(SMALL, wanted)
    n = 4_000
    worse = sum(
        draw_selection(wanted, selection, [4, 0, -(10**6), -(10**6)])[0][0] == 1 for _ in range(n)
    )
    chance = math.exp(-4) / 2
    assert times_within(worse, n, chance)
    assert times_within(n - worse, n, 1 - chance)
