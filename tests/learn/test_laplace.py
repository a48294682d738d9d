"""The Laplace distribution: closed forms, and numerical integration of its density."""

import math

import numpy as np
import pytest

from survey.learn.laplace import laplace_density, laplace_exceeds, laplace_reach

pytestmark = pytest.mark.fast


def test_two_standard_deviations_hold_94_percent_not_75():
    assert 1 - laplace_exceeds(2 * math.sqrt(2), 1.0) == pytest.approx(0.94089, abs=5e-6)
    assert laplace_reach(1.0, 0.05) == pytest.approx(math.log(20))


def test_the_density_has_this_area_and_deviation():
    places = np.linspace(-60, 60, 240_001)
    density = np.array([laplace_density(x, 0.0, 2.0) for x in places])
    step = places[1] - places[0]
    assert float(density.sum() * step) == pytest.approx(1, abs=1e-6)
    assert float((density * places**2).sum() * step) == pytest.approx(2 * 2.0**2, rel=1e-4)
