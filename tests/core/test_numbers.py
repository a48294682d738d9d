"""Mechanisms for numbers and ordered choices, against the closed forms of their tables."""

import math

import numpy as np
import pytest

from survey.core.scores import probabilities, unbiased_scores
from tests.support.check_each import check_each
from tests.support.mechanisms import built

pytestmark = pytest.mark.fast


def test_the_exponential_mechanism_falls_by_one_factor_a_step():
    table = np.array(built({"mechanism": "exponential", "epsilon": 2}, 6, "ordered").rows)
    factors = table[0, :-1] / table[0, 1:]
    np.testing.assert_allclose(factors, factors[0], rtol=1e-3)
    # The usual calibration, exp(epsilon u / 2 range), is less accurate for the same epsilon.
    assert factors[0] > math.exp(2 / (2 * 5))


def test_discrete_laplace_is_a_shifted_geometric_with_its_tails_clamped():
    table = np.array(built({"mechanism": "discrete_laplace", "epsilon": 1}, 11, "numbers").rows)
    assert table.shape == (11, 31)
    inner = table[0, 10:30] / table[0, 10]
    np.testing.assert_allclose(inner, math.exp(-1 / 10) ** np.arange(20), rtol=1e-3)
    assert table[0, 30] / table[0, 29] == pytest.approx(
        math.exp(-0.1) / (1 - math.exp(-0.1)), rel=2e-3
    )


def test_discrete_gaussian_keeps_its_delta_and_would_not_with_less_noise():
    delta = 1e-5
    table = built({"mechanism": "discrete_gaussian", "epsilon": 1, "delta": "1e-5"}, 11, "numbers")
    assert table.delta(1) <= delta
    assert table.delta(0.99) > delta


def test_the_window_is_two_levels_round_the_answer():
    table = built({"mechanism": "window", "odds": 3, "reach": 1}, 4, "numbers")
    assert table.rows[0] == (3, 3, 3, 1, 1, 1)
    assert table.rows[3] == (1, 1, 1, 3, 3, 3)


@check_each("epsilon", [0.5, 1, 2, 4])
@check_each("answers", [2, 3, 5, 7, 11, 21])
def test_the_chosen_window_always_tells_the_distribution(answers, epsilon):
    table = built({"epsilon": epsilon}, answers, "numbers")
    scores = unbiased_scores(table, np.eye(answers))
    np.testing.assert_allclose(probabilities(table) @ scores, np.eye(answers), atol=1e-8)
