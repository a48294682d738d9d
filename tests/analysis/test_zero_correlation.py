"""The test of no correlation: closed forms, scipy, and all orders of a few responses."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import pearsonr

from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.groups.measures import measure_of
from survey.analysis.tables.zero_correlation import correlation_statistics, covariance_p_value
from tests.support.analysed import plain

pytestmark = pytest.mark.fast

X, Y = np.array([0, 1, 2, 3, 4, 2]), np.array([1, 0, 2, 4, 4, 3])


def p_of(x, y):
    columns = (plain(x, 5, "x", range(5)), plain(y, 5, "y", range(5)))
    measures = measure_of(columns[0]), measure_of(columns[1])
    return covariance_p_value(measures, complete_case_sample(columns, None))


def with_ones(values):
    return np.column_stack([values.astype(float), np.ones(len(values)), values.astype(float) ** 2])


def test_the_statistic_is_the_square_of_the_sum_over_the_sum_of_squares():
    products = (X - X.mean()) * (Y - Y.mean())
    found = correlation_statistics(with_ones(X), with_ones(Y), np.arange(6)[np.newaxis])
    assert found == pytest.approx([products.sum() ** 2 / (products**2).sum()])


def test_the_p_value_is_that_of_all_orders():
    orders = np.array(list(permutations(range(6))))
    every = correlation_statistics(with_ones(X), with_ones(Y), orders)
    # The standard error of 9,999 permutations is at most 0.005, of 999 at most 0.016.
    assert p_of(X, Y) == pytest.approx((every >= every[0] - 1e-9).mean(), abs=0.06)


def test_many_responses_have_the_p_value_of_pearsons_test():
    r = np.random.default_rng(5)
    x = r.integers(0, 5, 1_500)
    y = np.where(r.random(1_500) < 0.05, x, r.integers(0, 5, 1_500))
    assert p_of(x, y) == pytest.approx(pearsonr(x, y).pvalue, abs=0.02)


def test_with_special_answers_only_orders_with_a_correlation_count():
    """In other orders, all who answered both questions gave the same answer to one of them."""
    x, y = np.array([0, 0, 1, 2, 2, 0]), np.array([0, 0, 1, 2, 1, 2])
    orders = np.array(list(permutations(range(6))))
    kept = []
    for order in orders:
        both = (x < 2) & (y[order] < 2)
        kept.append(np.ptp(x[both]) > 0 and np.ptp(y[order][both]) > 0 if both.any() else False)
    assert 0.2 < np.mean(kept) < 0.8
    scores = [np.column_stack([each == 0, each < 2, each == 0]).astype(float) for each in (x, y)]
    every = correlation_statistics(*scores, orders)[kept]
    observed = correlation_statistics(*scores, np.arange(6)[np.newaxis])[0]
    columns = plain(x, 3, "x", special_answers=1), plain(y, 3, "y", special_answers=1)
    measures = measure_of(columns[0]), measure_of(columns[1])
    found = covariance_p_value(measures, complete_case_sample(columns, None))
    assert found == pytest.approx((every >= observed - 1e-9).mean(), abs=0.04)


def test_without_variation_there_is_no_p_value():
    assert p_of(np.full(6, 2), Y) is None


def test_the_order_of_the_responses_does_not_matter():
    order = np.random.default_rng(3).permutation(6)
    assert p_of(X[order], Y[order]) == p_of(X, Y)
