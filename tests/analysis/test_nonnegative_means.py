"""The test of inequalities: orthants with known probabilities, and simulated normal values."""

import numpy as np
import pytest
import scipy

from survey.analysis.indirect.nonnegative_means import nonnegative_p, orthant, zero_weights


@pytest.mark.parametrize("size", [2, 3, 4, 6])
def test_orthants_with_a_known_probability(size) -> None:
    """With equal correlations of 1/2, a normal vector of d elements is positive with probability
    1 / (d + 1). Without correlation, it is 1 / 2^d, and the weights are binomial."""
    equal = np.full((size, size), 0.5) + np.eye(size) / 2
    assert orthant(equal) == pytest.approx(1 / (size + 1), abs=1e-4)
    assert orthant(np.eye(size)) == pytest.approx(0.5**size, abs=1e-4)
    expected = scipy.stats.binom.pmf(range(size + 1), size, 0.5)
    assert zero_weights(np.eye(size)) == pytest.approx(expected, abs=1e-3)


def test_the_weights_and_the_statistic_of_simulated_normal_values() -> None:
    """Projections of 500 vectors by a general optimiser, at three correlated elements.

    The standard error of a weight is at most 0.022, and that of the rate 0.0097. A difference of
    four standard errors happens by chance in fewer than one of 10,000 runs.
    """
    covariance = np.array([[1.0, 0.6, 0.3], [0.6, 1.0, 0.5], [0.3, 0.5, 1.0]])
    generator = np.random.default_rng(7)
    drawn = generator.multivariate_normal(np.zeros(3), covariance, 500)
    root = np.linalg.cholesky(np.linalg.inv(covariance)).T
    zeros = [int((scipy.optimize.nnls(root, root @ each)[0] <= 1e-9).sum()) for each in drawn]
    seen = np.bincount(zeros, minlength=4) / len(zeros)
    assert zero_weights(covariance) == pytest.approx(seen, abs=0.09)
    p = np.array([nonnegative_p(each, covariance, 10**9) for each in drawn])
    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=0.04)
