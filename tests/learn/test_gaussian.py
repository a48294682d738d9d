"""Gaussian noise: the exact δ, against an integral and the literature's limits."""

import math

import numpy as np
import pytest

from survey.central_dp.noise_scales import gaussian_scale, rho_of
from survey.learn.gaussian import (
    exact_sigma,
    gaussian_delta,
    normal_below,
    textbook_factor,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def delta_by_integral(epsilon: float, sigma: float) -> float:
    """The integral of max(0, p − e^ε q) for the normal densities around 0 and 1."""
    r = np.linspace(-14 * sigma, 14 * sigma, 400_001)
    p, q = (np.exp(-((r - m) ** 2) / (2 * sigma**2)) for m in (0.0, 1.0))
    gaps = np.maximum(0, p - math.exp(epsilon) * q) / (sigma * math.sqrt(2 * math.pi))
    return float(gaps.sum() * (r[1] - r[0]))


@check_each(
    ("epsilon", "sigma"), [(0.1, 9.5), (0.5, 1.0), (0.5, 7.0), (1.0, 3.7), (3.0, 0.5), (3.0, 1.5)]
)
def test_delta_is_the_integral_of_the_excess(epsilon, sigma):
    assert gaussian_delta(epsilon, sigma) == pytest.approx(
        delta_by_integral(epsilon, sigma), rel=1e-6, abs=1e-12
    )


@check_each(
    ("epsilon", "delta"),
    [(e / 10, d) for e in (1, 5, 9, 10, 20, 30) for d in (1e-2, 1e-3, 1e-5, 1e-6)],
)
def test_the_exact_noise_is_the_smallest_and_below_the_texts_and_candors(epsilon, delta):
    sigma = exact_sigma(epsilon, delta)
    assert gaussian_delta(epsilon, sigma) == pytest.approx(delta, rel=1e-6)
    assert gaussian_delta(epsilon, 0.999 * sigma) > delta
    assert sigma < textbook_factor(delta) / epsilon
    assert sigma < gaussian_scale(1, rho_of(epsilon, delta))


def test_the_factor_of_the_text():
    """c² = 2 ln(1.25/δ): for δ = 10⁻⁵, ln 125,000 = 11.7361."""
    assert textbook_factor(1e-5) == pytest.approx(4.8448, abs=5e-5)
    assert normal_below(1.959964) == pytest.approx(0.975, abs=1e-7)
    assert normal_below(-6) == pytest.approx(9.8659e-10, rel=1e-4)
