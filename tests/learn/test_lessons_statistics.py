"""The numbers of "Eight statistics", against closed forms."""

import math

import numpy as np
import pytest

from survey.central_dp.selection import selection_of
from survey.learn.controls import read_values
from survey.learn.dp_draws import draw_selected
from survey.learn.lessons.statistics import (
    STATISTICS,
    TRUE_VALUES,
    EightStatistics,
    accuracy_verdict,
    column_edges,
    draw_both,
    made_up_weights,
    release_request,
    selected_distances,
    stored_weights,
    text_scale,
    weights_survey,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each("statistic", ["median", "minimum", "maximum", "mode"])
def test_the_distance_is_that_of_many_draws(statistic):
    """The share of 4,000 draws within the stated distances, by 4.5 standard errors."""
    generator = np.random.default_rng(11)
    for n, epsilon in ((100, 0.1), (1_000, 0.5), (10_000, 3.0)):
        selection = selection_of(weights_survey(), release_request(statistic, epsilon))
        chosen = draw_selected(
            selection.scores(stored_weights(n)), selection.scale, 4_000, generator
        )
        truth = TRUE_VALUES[statistic](np.array(made_up_weights(n), dtype=float))
        distances = np.abs(30 + chosen - truth)
        within, close = selected_distances(statistic, n, epsilon)
        error = 4.5 * math.sqrt(0.25 / 4_000)
        assert np.mean(distances <= within) >= 0.95 - error
        assert np.mean(distances < within) <= 0.95 + error
        assert abs(np.mean(distances <= 12) - close) < error


def test_close_is_said_only_where_it_is_true():
    """At every setting of the page: with a probability of 95 %, within 12 kg."""
    said = set()
    for statistic in ("median", "minimum", "maximum", "mode"):
        for n in (100, 1_000, 10_000):
            for tenths in (1, 2, 5, 10, 20, 30):
                within, close = selected_distances(statistic, n, tenths / 10)
                verdict = accuracy_verdict(statistic, n, tenths / 10, within)
                assert (close >= 0.95) == (within <= 12)
                if "This is close" in verdict:
                    assert close >= 0.95
                    said.add("close")
                elif "This is not close" in verdict:
                    assert close < 0.95
                    said.add("far")
                else:
                    assert "says little" in verdict
                    said.add("little")
    assert said == {"close", "far", "little"}


def test_the_warning_is_that_of_real_releases():
    """100 people with ε = 0.1: the target rank 156 is beyond all of them."""
    shown = EightStatistics().show(
        read_values(EightStatistics.controls, {"n": "100", "epsilon": "0.1"})
    )
    assert "The noise may be as large as the effect of 100 responses" in shown.sentence
    assert shown.numbers["rank"] > 100


@check_each("statistic", STATISTICS)
def test_each_picture_shows_its_own_draws(statistic):
    """Candor's draws are not one column, unless they are one value; few are beyond the axes."""
    for n, epsilon in ((100, 0.1), (1_000, 0.5), (10_000, 3.0)):
        both = draw_both(statistic, n, epsilon, np.random.default_rng(4))
        for drawn in (both.candor, both.text):
            edges = column_edges(drawn, both.truth)
            counts, _ = np.histogram(drawn, edges)
            assert 10 <= len(counts) <= 60 or len(np.unique(drawn)) <= 10
            assert np.count_nonzero(counts) >= min(5, len(np.unique(drawn)))
            assert counts.sum() >= 190


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


@check_each(
    ("statistic", "unit"),
    [("count", "people"), ("variance", "kg²"), ("mean", "kg"), ("mode", "kg")],
)
def test_every_number_has_its_unit(statistic, unit):
    shown = EightStatistics().show(
        read_values(EightStatistics.controls, {"statistic": statistic, "n": "100"})
    )
    assert f" {unit}. In 200 simulated releases" in shown.sentence
    assert all(figure.number.endswith(f" {unit}") for figure in shown.figures[:5])
    assert all(f" {unit}." in picture.description for picture in shown.pictures)


def test_the_target_rank_is_that_of_the_accuracy():
    shown = EightStatistics().show(read_values(EightStatistics.controls, {"epsilon": "0.5"}))
    assert shown.numbers["rank"] == math.ceil(4 * math.log(121 / 0.05))
