"""The numbers of "Eight statistics", against closed forms."""

import math
from collections import Counter

import numpy as np
import pytest

from survey.web.learn.controls import read_values
from survey.web.learn.dp_draws import draw_discrete_laplace, draw_selected
from survey.web.learn.lessons.statistics import (
    STATISTICS,
    TRUE_VALUES,
    EightStatistics,
    draw_both,
    made_up_weights,
    text_scale,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def test_the_noise_is_discrete_laplace():
    # Pr(x) = (1 - a) / (1 + a) a^|x| with a = exp(-1/2). 40,000 draws, seven values, 4.5 standard
    # errors each: a false alarm once in 20,000 times.
    drawn = Counter(draw_discrete_laplace(2.0, 40_000, np.random.default_rng(5)).tolist())
    a = math.exp(-0.5)
    for x in range(-3, 4):
        chance = (1 - a) / (1 + a) * a ** abs(x)
        error = math.sqrt(chance * (1 - chance) / 40_000)
        assert abs(drawn[x] / 40_000 - chance) < 4.5 * error


def test_the_selection_is_permute_and_flip():
    """By hand for two candidates whose scores differ by d: the worse one wins with exp(−d/s)/2."""
    chosen = draw_selected([0, -3], 2.0, 40_000, np.random.default_rng(6))
    chance = math.exp(-1.5) / 2
    # 4.5 standard errors: a false alarm once in 150,000 times.
    error = math.sqrt(chance * (1 - chance) / 40_000)
    assert abs(float(np.mean(chosen == 1)) - chance) < 4.5 * error


@check_each("statistic", STATISTICS)
def test_the_errors_of_the_text_are_those_of_its_scale(statistic):
    """√2 b for a single noise. A mean and a variance have several."""
    both = draw_both(statistic, 1_000, 0.5, np.random.default_rng(2))
    assert both.truth == TRUE_VALUES[statistic](np.array(made_up_weights(1_000), dtype=float))
    if statistic not in ("mean", "variance"):
        # The error of 200 draws has a relative standard error of √(5/800) = 7.9 %: 4.5 of them fail
        # by chance once in 150,000 times.
        expected = math.sqrt(2) * text_scale(statistic, 0.5)
        assert both.error(both.text) == pytest.approx(expected, rel=4.5 * 0.079)


def test_selected_values_are_close_where_the_noise_of_a_sum_drowns_them():
    for statistic in ("median", "minimum", "maximum", "mode"):
        both = draw_both(statistic, 1_000, 0.5, np.random.default_rng(3))
        assert both.error(both.candor) < 25
        assert both.error(both.text) > 300


def test_the_target_rank_is_that_of_the_accuracy():
    shown = EightStatistics().show(read_values(EightStatistics.controls, {"epsilon": "0.5"}))
    assert shown.numbers["rank"] == math.ceil(4 * math.log(121 / 0.05))
