"""The limits of a simulation for a correct estimator."""

import numpy as np
import pytest

REACH = 1.959963984540054


def judge(found, truth, low=0.94, high=0.96):
    """Check `found`, which has a row for each survey: values, then errors."""
    values, errors = np.array([row[0] for row in found]), np.array([row[1] for row in found])
    bias = (values.mean(axis=0) - truth) / (values.std(axis=0) / np.sqrt(len(values)))
    coverage = (np.abs(values - truth) < REACH * errors).mean(axis=0)
    assert np.abs(bias).max() < 3, (bias, values.mean(axis=0))
    assert coverage.min() >= low, coverage
    assert coverage.max() <= high, coverage
    # Errors are as large as the spread. A wrong sign in a score would break that at once.
    assert errors.mean(axis=0) / values.std(axis=0) == pytest.approx(1, abs=0.06)
