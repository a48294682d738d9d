"""Standardised predictors and sums of squares, against NumPy and small cases by hand."""

import numpy as np
import pytest

from survey.analysis.regression.standardise import (
    BLOCK,
    StandardisedPredictors,
    add_curvature,
    natural,
)

pytestmark = pytest.mark.fast


def test_columns_have_mean_0_and_deviation_1_also_in_several_blocks():
    r = np.random.default_rng(1)
    plain = r.normal([1e6, -3.0], [1e-2, 50.0], (BLOCK + 7, 2))
    standardised = StandardisedPredictors(plain)
    assert standardised.means == pytest.approx(plain.mean(axis=0), rel=1e-12)
    assert standardised.scales == pytest.approx(plain.std(axis=0), rel=1e-9)
    blocks = np.vstack(
        [standardised.block(slice(0, BLOCK)), standardised.block(slice(BLOCK, None))]
    )
    assert (blocks[:, 0] == 1).all()
    # Numbers near 10^6 are 10^-10 apart, which is 10^-8 deviations, and a sum adds up such steps.
    assert blocks[:, 1:].mean(axis=0) == pytest.approx([0, 0], abs=1e-6)
    assert blocks[:, 1:].std(axis=0) == pytest.approx([1, 1], rel=1e-9)


def test_constant_columns_are_only_shifted_and_excluded_columns_stay():
    plain = np.array([[5.0, 1.0, 2.0], [5.0, 3.0, 4.0]])
    standardised = StandardisedPredictors(plain, np.array([False, False, True]))
    assert standardised.means.tolist() == [5, 2, 0]
    assert standardised.scales.tolist() == [1, 1, 1]
    assert standardised.block(slice(None)).tolist() == [[1, 0, -1, 2], [1, 0, 1, 4]]


def test_coefficients_of_the_columns_themselves_give_the_same_predictions():
    r = np.random.default_rng(2)
    plain = r.normal(3.0, 4.0, (20, 3))
    standardised = StandardisedPredictors(plain)
    theta = np.array([0.5, -1.0, 2.0, 0.25])
    converted = theta @ natural(standardised.means, standardised.scales)
    expected = standardised.block(slice(None)) @ theta
    assert converted[0] + plain @ converted[1:] == pytest.approx(expected, rel=1e-12)


def test_the_curvature_is_the_sum_over_all_respondents_and_is_added():
    r = np.random.default_rng(3)
    equations, n, columns = 3, 11, 2
    block = r.normal(size=(n, columns))
    second = r.normal(size=(equations, equations, n))
    second += second.transpose(1, 0, 2)
    curvature = np.ones((equations * columns, equations * columns))
    add_curvature(curvature, block, second)
    expected = np.einsum("abi,ix,iy->axby", second, block, block).reshape(curvature.shape)
    assert curvature - 1 == pytest.approx(expected, abs=1e-12)
