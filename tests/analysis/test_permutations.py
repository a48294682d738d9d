"""Permutations: every order of a few codes as the peer, and the fixed seed."""

from itertools import permutations

import numpy as np
import pytest

from survey.analysis.permutations import (
    binomial_outcomes,
    permutation_p_values,
    report_tables,
)

pytestmark = pytest.mark.fast

CODES, VALUES = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([5.0, 3, 4, 1, 2, 0, 2.5])


def totals(orders, places):
    return (orders @ VALUES)[:, np.newaxis]


def test_the_p_value_is_that_of_all_orders():
    observed = 9.0
    every = np.array(list(permutations(CODES))) @ VALUES
    (p,) = permutation_p_values(CODES, [observed], totals, len(CODES))
    exact = (every >= observed - 1e-9).mean()
    # With 999 permutations, the standard error is at most 0.016.
    assert p == pytest.approx(exact, abs=0.06)


def test_the_seed_is_fixed_and_p_is_never_zero():
    found = permutation_p_values(CODES, [100.0], totals, len(CODES))
    assert found == [1 / 10_000]
    assert permutation_p_values(CODES, [9.0], totals, 7) == permutation_p_values(
        CODES, [9.0], totals, 7
    )


def test_orders_without_a_statistic_do_not_count():
    def of_half(orders, places):
        return np.where(orders[:, :1] == 0, totals(orders, places), np.nan)

    every = np.array(list(permutations(CODES)))
    every = every[every[:, 0] == 0] @ VALUES
    (p,) = permutation_p_values(CODES, [5.5], of_half, len(CODES))
    assert p == pytest.approx((every >= 5.5 - 1e-9).mean(), abs=0.06)


def test_tables_count_pairs_in_each_order():
    tables = report_tables(np.array([0, 1, 1]), np.array([[0, 1, 2], [2, 2, 2]]), (2, 3))
    assert tables.tolist() == [[[1, 0, 0], [0, 1, 1]], [[0, 0, 1], [0, 0, 2]]]


def test_binomial_outcomes_have_their_means():
    sizes, chances = np.array([5.0, 50]), np.array([0.3, 0.6])
    drawn = binomial_outcomes(sizes, chances, 4_000)
    # The standard error of a mean is at most 1.1 % of it.
    assert drawn.mean(axis=1) == pytest.approx(chances[:, np.newaxis] * sizes, rel=0.05)
    assert (drawn == binomial_outcomes(sizes, chances, 4_000)).all()
