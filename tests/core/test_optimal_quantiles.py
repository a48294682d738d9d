"""The table for quantiles: its optimum, its exact privacy loss, and its gain over the window."""

from fractions import Fraction

import numpy as np
import pytest
import scipy

from bench.median_bounds import best_sets, bound, every_row, largest_variance
from survey.core.errors import MechanismError
from survey.core.mechanisms.optimal_quantiles import (
    OF_RUNS,
    best_cycles,
    cumulative_targets,
    optimal_quantile_weights,
    sets_of_runs,
    solve_design,
)
from survey.core.randomizer import exp_below
from survey.core.scores import score_variances
from tests.support.check_each import check_each
from tests.support.mechanisms import built

pytestmark = pytest.mark.fast

LEVELS = 11
# The result of the search for 20 answers at epsilon = 1.
CYCLES = [
    "000011001100000000000000101111",
    "000001111111010000000010000000",
    "100011110000111010000000000000",
]
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


@check_each("answers", [2, 3, 5, 11, 16, 17, 40])
@check_each("epsilon", ["0.01", "0.1", "1", "1.0986122886681098", "3", "8", "12"])
def test_epsilon_is_never_above_the_request(answers, epsilon):
    table = built({"epsilon": epsilon, "goal": "quantiles"}, answers, "numbers")
    # Exact: every ratio of two integers in a column is at most a decimal below e^epsilon.
    limit = exp_below(Fraction(epsilon))
    for column in zip(*table.rows, strict=True):
        assert Fraction(max(column), min(column)) <= limit
    assert len({sum(row) for row in table.rows}) == 1
    assert table.ratio_bound > 1 + (limit - 1) * Fraction(99, 100)  # It uses the requested epsilon.


@pytest.mark.parametrize("odds", [1.5, np.e, 3.0, np.exp(2)])
def test_no_other_weights_of_the_sets_are_better(odds):
    """A bound for the optimum, by a linear programme (Frank & Wolfe 1956).

    The variance is convex in the masses. So the smallest value of its linear approximation at any
    masses is a lower bound for every table of such sets. A weighted mean of the variances is a
    lower bound for the largest one.
    """
    columns = 1 + (odds - 1) * sets_of_runs(LEVELS)
    targets = cumulative_targets(LEVELS)
    masses, weights, best = solve_design(columns, targets, OF_RUNS.steps)
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


@pytest.mark.parametrize(
    ("answers", "epsilon", "most"),
    [(11, "1", 1.05), (17, "0.5", 1.1), (21, "1", 1.12), (40, "2", 1.26), (60, "1", 1.2)],
)
def test_the_variance_is_close_to_the_bound_for_every_table(answers, epsilon, most):
    table = built({"epsilon": epsilon, "goal": "quantiles"}, answers, "numbers")
    least = bound(table, float(np.exp(float(epsilon))))
    assert least <= largest_variance(table) <= most * least


def test_the_best_set_of_each_size_is_the_best_of_all_sets():
    r, k, odds = np.random.default_rng(6), 5, 4.0
    form = r.normal(size=(k, k))
    form = form @ form.T
    form -= form.mean(axis=0)
    form -= form.mean(axis=1, keepdims=True)
    raised = 1 + (odds - 1) * every_row(k)[1:-1]
    u = raised / raised.mean(axis=1, keepdims=True)
    every = (u @ form * u).sum(axis=1)
    values, sets = best_sets(form, odds)
    assert sets.sum(axis=1).tolist() == [1, 2, 3, 4]
    for value, size in zip(values, sets.sum(axis=1), strict=True):
        assert value == pytest.approx(every[every_row(k)[1:-1].sum(axis=1) == size].max())


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2"])
def test_the_variance_for_101_answers_is_close_to_the_bound(epsilon):
    """With sets of at most three runs, it would be 2.6 times the bound at epsilon = 1."""
    table = built({"epsilon": epsilon, "goal": "quantiles"}, 101, "numbers")
    assert largest_variance(table) <= 1.26 * bound(table, float(np.exp(float(epsilon))))


@pytest.mark.parametrize("answers", [2, 7])
@pytest.mark.parametrize("odds", [1.5, np.exp(2), np.exp(4)])
def test_the_bound_holds_for_other_tables(answers, odds):
    """Random tables with this likelihood ratio, and k-ary randomised response."""
    r = np.random.default_rng(5)
    table = built({"epsilon": float(np.log(odds)), "goal": "quantiles"}, answers, "numbers")
    targets, least = cumulative_targets(answers), bound(table, odds)
    sets = [np.eye(answers)]
    sets += [np.vstack([np.eye(answers), r.integers(0, 2, (40, answers))]) for _ in range(20)]
    for columns in 1 + (odds - 1) * np.array(sets, dtype=object):
        columns = columns.astype(float)
        assert solve_design(columns, targets, 20)[2] >= least * (1 - 1e-9)


def test_cycles_are_the_same_on_every_computer():
    """The sums of the search have other last digits if numbers are added in another sequence."""
    cycles = best_cycles(20, np.e)
    written = ["".join(str(int(each)) for each in cycle) for cycle in cycles]
    assert written == CYCLES


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


def test_too_many_answers_and_too_small_epsilons_are_refused():
    with pytest.raises(MechanismError, match="allows at most 101 answers, not 102"):
        built({"epsilon": 1, "goal": "quantiles"}, 102, "numbers")
    with pytest.raises(MechanismError, match=r"epsilon must be at least 0\.01"):
        built({"epsilon": "0.001", "goal": "quantiles"}, 5, "numbers")
