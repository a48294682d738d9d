"""The scale of Gaussian noise: it keeps ε and δ, and is hardly larger than needed."""

import math

import pytest

from survey.central_dp import noise_scales
from survey.central_dp.opendp_sampler import epsilon_at
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each("epsilon", [0.001, 0.01, 0.1, 0.5, 1, 3, 10, 100])
@check_each("delta", [1e-12, 1e-6, 1e-3])
def test_rho_keeps_within_epsilon_and_delta_by_opendp_and_hardly_less(epsilon, delta):
    rho = noise_scales.rho_of(epsilon, delta)
    assert epsilon_at(rho, delta) <= epsilon
    # The closed form is never better (Bun and Steinke 2016, proposition 1.3).
    logarithm = math.log(1 / delta)
    assert rho >= (math.sqrt(logarithm + epsilon) - math.sqrt(logarithm)) ** 2
    assert epsilon_at(1.05 * rho, delta) > epsilon
