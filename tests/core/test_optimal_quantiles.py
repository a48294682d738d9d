"""The table for quantiles: its optimum, its exact privacy loss, and its gain over the window."""

from fractions import Fraction

import numpy as np
import pytest
import scipy

from survey.core.errors import MechanismError
from survey.core.mechanisms.optimal_quantiles import (
    STEPS,
    cumulative_targets,
    level_sets,
    optimal_quantile_weights,
    solve_design,
)
from survey.core.randomizer import exp_below
from survey.core.scores import score_variances
from tests.support.check_each import check_each
from tests.support.mechanisms import built

pytestmark = pytest.mark.fast

LEVELS = 11
TRUTHS = {
    "uniform": np.full(LEVELS, 1 / LEVELS),
    "skewed": 0.6 ** np.arange(LEVELS) / (0.6 ** np.arange(LEVELS)).sum(),
    "very skewed": 0.4 ** np.arange(LEVELS) / (0.4 ** np.arange(LEVELS)).sum(),
}


def variance_at_median(table, truth):
    """n times the variance of the estimated share below the level of the median, in closed form.

    It is the variance of one report's score: sum over x of truth[x] (variance for x + target²) -
    share². The levels up to this one include at least half of the answers.
    """
    targets = cumulative_targets(len(truth))
    shares = truth @ targets
    median = int(np.argmax(shares >= 0.5))
    second = score_variances(table, targets)[:, median] + targets[:, median]
    return float(truth @ second - shares[median] ** 2)


@check_each("truth", TRUTHS)
@check_each("epsilon", ["0.5", "1", "1.0986122886681098", "2", "4"])
def test_the_variance_at_the_median_is_at_most_half_of_that_of_the_window(epsilon, truth):
    table = built({"epsilon": epsilon, "goal": "quantiles"}, LEVELS, "numbers")
    window = built({"epsilon": epsilon}, LEVELS, "numbers")
    new, old = (variance_at_median(each, TRUTHS[truth]) for each in (table, window))
    assert new <= 0.5 * old


@pytest.mark.parametrize(
    ("epsilon", "expected"), [("0.5", 18.37), ("1", 4.325), ("2", 0.978), ("4", 0.329)]
)
def test_the_largest_variance_for_equally_common_answers(epsilon, expected):
    """The values of docs/explanation/mathematics.md."""
    table = built({"epsilon": epsilon, "goal": "quantiles"}, LEVELS, "numbers")
    targets, truth = cumulative_targets(LEVELS), TRUTHS["uniform"]
    shares = truth @ targets
    variances = truth @ score_variances(table, targets) + shares * (1 - shares)
    assert variances.max() == pytest.approx(expected, rel=2e-3)


@check_each("answers", [2, 3, 5, 11, 16])
@check_each("epsilon", ["0.01", "0.1", "1", "1.0986122886681098", "3", "8", "12"])
def test_epsilon_is_never_above_the_request(answers, epsilon):
    table = built({"epsilon": epsilon, "goal": "quantiles"}, answers, "numbers")
    # Exact: every ratio of two integers in a column is at most a decimal below e^epsilon.
    limit = exp_below(Fraction(epsilon))
    for column in zip(*table.rows, strict=True):
        assert Fraction(max(column), min(column)) <= limit
    assert len({sum(row) for row in table.rows}) == 1
    assert table.odds > 1 + (limit - 1) * Fraction(99, 100)  # It uses the requested epsilon.


@pytest.mark.parametrize("odds", [1.5, np.e, 3.0, np.exp(2)])
def test_no_other_weights_of_the_sets_are_better(odds):
    """A bound for the optimum, by a linear programme (Frank & Wolfe 1956).

    The variance is convex in the masses. So the smallest value of its linear approximation at any
    masses is a lower bound for every table of such sets. A weighted mean of the variances is a
    lower bound for the largest one.
    """
    columns = 1 + (odds - 1) * level_sets(LEVELS)
    targets = cumulative_targets(LEVELS)
    masses, weights, best = solve_design(columns, targets, STEPS)
    np.testing.assert_allclose(columns.T @ masses, 1, atol=1e-9)
    scaled = columns / np.sqrt(columns.mean(axis=1))[:, np.newaxis]
    solved = np.linalg.solve(scaled.T @ (scaled * masses[:, np.newaxis]), targets)
    variances = (targets * solved).sum(axis=0)
    gains = (scaled @ solved) ** 2 @ weights
    programme = scipy.optimize.linprog(-gains, A_eq=columns.T, b_eq=np.ones(LEVELS))
    bound = 2 * variances @ weights + programme.fun - targets.mean(axis=0) ** 2 @ weights
    assert bound <= best * (1 + 1e-9)
    assert best <= bound * 1.015
    # Dropping rare reports costs little.
    assert optimal_quantile_weights(LEVELS, odds)[1] <= bound * 1.02


def test_reports_name_sets_of_levels_and_the_table_is_symmetric():
    weights, _ = optimal_quantile_weights(LEVELS, 3.0)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    inside = weights > 2 * weights.min(axis=0)
    assert all(abs(np.diff(column.astype(int))).sum() <= 3 for column in inside.T)
    mirrored = {tuple(column) for column in np.round(weights[::-1], 9).T}
    assert mirrored == {tuple(column) for column in np.round(weights, 9).T}


def test_the_same_parameters_give_the_same_table():
    optimal_quantile_weights(5, 2.0)
    first, again = (optimal_quantile_weights(5, 2.0)[0] for _ in range(2))
    assert (first == again).all()


def test_too_many_levels_and_too_small_epsilons_are_refused():
    with pytest.raises(MechanismError, match="can have at most 16 levels, not 17"):
        built({"epsilon": 1, "goal": "quantiles"}, 17, "numbers")
    with pytest.raises(MechanismError, match=r"epsilon must be at least 0\.01"):
        built({"epsilon": "0.001", "goal": "quantiles"}, 5, "numbers")
