"""Figures of releases: without noise those of the textbook, with noise within their range."""

import math
from collections import Counter
from itertools import combinations_with_replacement, product

import pytest

from survey.central_dp import dp_request
from survey.central_dp.bounded_sums import categories, count_answers, requested_sums
from survey.central_dp.figures import Moments, dp_figures
from survey.central_dp.noisy_sums import noises_of
from tests.central_dp.bounded_answers import SMALL, request

pytestmark = pytest.mark.fast


def test_a_mean_from_the_answers_to_its_range():
    wanted = request("cups", "mean", epsilon="100")
    # The code 4 means that the respondent would rather not say.
    rows = [(0, 0, place, 0, "000", 0, "") for place in (0, 1, 2, 3, 3, 4)]
    answers = count_answers(SMALL, wanted, rows)
    noises = noises_of(SMALL, wanted, 6)
    drawn = tuple(tuple(each.part.sum_of(answers)) for each in noises)  # as if the noise were 0
    [figure] = dp_figures(SMALL, wanted, 6, drawn)
    assert figure.label == "Mean"
    assert figure.value == pytest.approx(9 / 5)
    assert figure.low <= 9 / 5 <= figure.high


def test_ranges_hold_whatever_the_noise_within_its_bounds():
    """Mean and variance: every corner of the noise, over all small data sets."""
    for statistic in ("mean", "variance"):
        wanted = request("cups", statistic, epsilon="30")
        noises = noises_of(SMALL, wanted, 4)
        for data in combinations_with_replacement(range(5), 4):
            values = [place for place in data if place < 4]
            if not values:
                continue
            mean = sum(values) / len(values)
            truth = {
                "mean": mean,
                "variance": sum((value - mean) ** 2 for value in values) / len(values),
            }[statistic]
            sums = [each.part.sum_of(Counter(data)) for each in noises]
            for signs in product((-1, 0, 1), repeat=len(noises)):
                drawn = [
                    [total[0] + sign * each.within]
                    for total, sign, each in zip(sums, signs, noises, strict=True)
                ]
                [figure] = dp_figures(SMALL, wanted, 4, drawn)
                assert figure.low - 1e-9 <= truth <= figure.high + 1e-9


def test_without_noise_each_figure_is_the_textbook_one():
    data = Counter({0: 3, 1: 1, 3: 2, 6: 4})
    values = [place / 2 - 1 for place in data.elements()]
    mean = sum(values) / len(values)
    textbook = {
        "sum": sum(values),
        "mean": mean,
        "variance": sum((value - mean) ** 2 for value in values) / len(values),
    }
    for statistic, truth in textbook.items():
        wanted = request("age", statistic)
        drawn = [part.sum_of(data) for part in requested_sums(SMALL, wanted)]
        [figure] = dp_figures(SMALL, wanted, 10, drawn)
        assert figure.value == pytest.approx(truth)


def test_a_mean_of_nobody_is_somewhere_in_its_bounds():
    wanted = request("cups", "mean")
    [figure] = dp_figures(SMALL, wanted, 0, [[7], [-3]])
    assert (figure.low, figure.high) == (0, 3)
    assert Moments(3, (0, 0, 0), (0, 0, 0)).mean == (0, -3, 3)


def test_a_histogram_has_a_bar_for_everything_that_is_stored():
    wanted = request("age", "histogram", bins="3", low="-0.5", high="1.5")
    question = dp_request.question_of(SMALL, "age")
    assert [each.label for each in categories(question, wanted)] == [
        "≤ -0.5 years",
        "0 … 0.5 years",
        "≥ 1 years",
    ]
    [part] = requested_sums(SMALL, wanted)
    assert part.sum_of(Counter(range(7))) == [2, 2, 3]


def test_a_curve_of_clipped_sums_rises_to_the_sum_above_the_lowest_value():
    wanted = request("age", "clipped_sums")
    [part] = requested_sums(SMALL, wanted)
    drawn = part.sum_of(Counter({0: 5, 2: 1, 6: 1}))
    figures = dp_figures(SMALL, wanted, 7, [drawn])
    assert [each.value for each in figures] == [1, 2, 2.5, 3, 3.5, 4]
    assert figures[-1].label == "≤ 2 years"
    assert (part.l1, part.l2) == (6, math.sqrt(6))
