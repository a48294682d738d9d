"""The numbers of "Smokers among 10,000 people", against closed forms."""

import math
import re

import numpy as np
import pytest

from survey.learn.controls import read_values
from survey.learn.lessons.smokers import (
    Smokers,
    central_reach,
    draw_local_counts,
    local_deviation,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def test_the_curator_is_within_three_people_not_twenty():
    # Pr(|noise| > 2) = 2 e^-3 / (1 + 1/e) = 0.0728, and Pr(|noise| > 3) = 0.0268.
    assert central_reach(1.0) == 3
    assert math.log(20) == pytest.approx(2.9957, abs=1e-4)


def test_randomised_answers_are_within_about_two_hundred_people():
    # p = e / (1 + e) = 0.73106: sqrt(10,000 p (1 - p)) / (2p - 1) = 44.34 / 0.46212 = 95.95. Odds
    # of small whole numbers are a little below e.
    assert local_deviation(10_000, 1.0) == pytest.approx(95.95, abs=0.02)
    assert 1.959964 * local_deviation(10_000, 1.0) == pytest.approx(188, abs=0.1)


def test_simulated_counts_are_right_on_average_and_spread_as_the_formula_says():
    # The mean of 1,000 has a standard error of 95.95/√1,000 = 3.03, the spread one of 2.2 %. Four
    # comparisons at 4 standard errors fail by chance once in 4,000 times.
    for smokers in (0, 2_265):
        counts = draw_local_counts(smokers, 10_000, 1.0, np.random.default_rng(3))
        assert abs(float(counts.mean()) - smokers) < 4 * 3.03
        assert float(counts.std(ddof=1)) == pytest.approx(95.95, rel=4 * 0.0224)


def test_the_sentence_names_both_errors():
    shown = Smokers().show(read_values(Smokers.controls, {}))
    assert shown.sentence == (
        "2,300 of 10,000 people smoke. With ε = 1, the curator’s count is within ± 3 people with a "
        "probability of at least 95 %. The estimate from randomised answers is within about ± 189 "
        "people."
    )


@check_each("epsilon", ["0.1", "0.9", "1", "1.7", "2.5", "4"])
def test_the_curators_range_is_the_smallest_that_its_formula_allows(epsilon):
    shown = Smokers().show(read_values(Smokers.controls, {"epsilon": epsilon}))
    figure = shown.figures[0]
    assert figure.formula == "2 e^(−ε(t + 1)) / (1 + e^(−ε)) ≤ β"

    def beyond(t: int) -> float:
        return 2 * math.exp(-float(epsilon) * (t + 1)) / (1 + math.exp(-float(epsilon)))

    reach = int(re.sub(r"\D", "", figure.number) or 0)
    assert beyond(reach) <= 0.05 < (beyond(reach - 1) if reach else 1)


def test_one_person_is_no_people():
    shown = Smokers().show(read_values(Smokers.controls, {"epsilon": "2.5"}))
    assert shown.figures[0].number == "± 1 person"
    assert "within ± 1 person with a probability" in shown.sentence


def test_an_exact_count_has_no_range_and_no_line_on_a_logarithmic_axis():
    values = read_values(Smokers.controls, {"n": "100000", "epsilon": "4"})
    shown = Smokers().show(values)
    assert central_reach(4.0) == 0
    assert "the curator’s count is exact with a probability" in shown.sentence
    assert shown.figures[0].number == "the exact count"
    draws, sizes = shown.pictures
    assert "± 0" not in " ".join([shown.sentence, draws.description, sizes.description])
    assert "curator" not in [meaning for _, meaning in sizes.chart.legend]
    assert "A logarithmic axis has no 0" in sizes.description
    ticks = {each.text for each in sizes.chart.shapes if re.fullmatch(r"[\d,.]+", each.text)}
    assert ticks == {"1", "10", "100", "1,000", "10,000", "100,000"}


def test_the_range_of_the_curator_is_always_narrower():
    for tenths in range(1, 41):
        for n in (100, 1_000, 10_000, 100_000):
            assert central_reach(tenths / 10) < 1.9 * local_deviation(n, tenths / 10)
