"""The log-linear model of the joint distribution of private predictors."""

from itertools import product

import numpy as np

from survey.analysis.regression.private.associations import MAX_DEPENDENT, associations_of


def cells(*sizes):
    return np.array(list(product(*map(range, sizes))))


def test_two_predictors_can_have_every_distribution():
    columns, with_non_private = associations_of(cells(3, 4), [3, 4], 0)
    assert columns.shape == (12, 11)
    assert np.linalg.matrix_rank(np.column_stack([np.ones(12), columns])) == 12
    assert with_non_private.all()


def test_five_predictors_have_their_pairs():
    columns, with_non_private = associations_of(cells(4, 4, 4, 4, 4), [4] * 5, 0)
    singles, pairs = 5 * 3, 10 * 9
    assert columns.shape == (1_024, singles + pairs)
    assert np.linalg.matrix_rank(columns) == singles + pairs
    # Shares of pairs do not depend on other questions, because there would be too many parameters.
    assert singles + pairs > MAX_DEPENDENT
    assert with_non_private.sum() == singles
    assert with_non_private[:singles].all()


def test_excluded_combinations_leave_independent_columns():
    """The second question is asked after Yes to the first, so 4 of 6 combinations are possible."""
    every = cells(2, 3, 2)
    possible = (every[:, 0] == 0) == (every[:, 1] < 2)
    columns, with_non_private = associations_of(every[possible], [2, 3, 2], 1)
    whole = np.column_stack([np.ones(possible.sum()), columns])
    assert np.linalg.matrix_rank(whole) == whole.shape[1] == possible.sum()
    assert len(with_non_private) == columns.shape[1]
