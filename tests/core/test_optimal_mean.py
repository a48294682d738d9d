"""The table for a mean: the published optimum, and the constraints of its linear programme."""

import math

import numpy as np
import pytest

from survey.core.mechanisms.optimal_mean import optimal_mean_weights
from tests.support.check_each import check_each
from tests.support.mechanisms import built, mean_variances

pytestmark = pytest.mark.fast


# Worst-case variance on [-1, 1]. The first column is the published optimum of the linear programme,
# from the research behind this project. The others are the closed forms of Duchi and of the hybrid
# (Wang et al., ICDE 2019).
@pytest.mark.parametrize(
    ("epsilon", "optimum", "duchi", "hybrid"),
    [
        (0.5, 16.0, 16.67, 16.67),
        (1, 3.99, 4.683, 4.289),
        (1.0986122886681098, 3.29, 4.0, 3.553),
        (2, 0.865, 1.724, 1.042),
        (3, 0.304, 1.221, 0.432),
        (4, 0.127, 1.076, 0.219),
    ],
)
def test_the_optimal_mean_is_the_optimum_and_beats_duchi_and_the_hybrid(
    epsilon, optimum, duchi, hybrid
):
    table = built({"epsilon": epsilon, "goal": "mean"}, 21, "numbers")
    worst = mean_variances(table, 21).max()
    assert worst == pytest.approx(optimum, rel=0.03)
    assert worst < hybrid
    one_bit = built({"mechanism": "one_bit", "epsilon": epsilon}, 21, "numbers")
    assert mean_variances(one_bit, 21).max() == pytest.approx(duchi, rel=2e-3)


@check_each("epsilon", [0.02, 0.1, 0.2, 1.5, 6, 8, 12])
@check_each("answers", [2, 5, 7, 21])
def test_the_optimal_mean_stays_near_its_optimum_for_all_epsilons(answers, epsilon):
    """If the optimum has fewer reports than points, the mean must survive the rounding."""
    table = built({"epsilon": epsilon, "goal": "mean"}, answers, "numbers")
    duchi = ((math.exp(epsilon) + 1) / math.expm1(epsilon)) ** 2
    # Random rounding to five points adds at most a quarter of their squared distance.
    assert mean_variances(table, answers).max() <= duchi * 1.02
    assert table.epsilon <= epsilon


def test_the_linear_programme_keeps_its_own_constraints():
    weights, worst = optimal_mean_weights(11, 3.0)
    assert worst == pytest.approx(3.29, abs=5e-3)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert (weights.max(axis=0) / weights.min(axis=0)).max() <= 3 * (1 + 1e-6)
