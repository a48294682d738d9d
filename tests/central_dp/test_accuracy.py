"""The accuracy of releases: the tails of the noise, and ranks."""

import math

import numpy as np
import pytest

from survey.central_dp import noise_scales
from survey.central_dp.selection import selection_of
from tests.central_dp.bounded_answers import SMALL, request
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def test_a_rank_is_as_far_in_as_chance_may_reach():
    selection = selection_of(SMALL, request("sleep", "minimum", epsilon="1"))
    assert selection.rank == math.ceil(2 * math.log(4 / 0.05))


@check_each("scale", [0.05, 0.7, 1, 3, 50.5])
@check_each("beta", [0.5, 0.05, 0.001])
def test_the_accuracy_of_laplace_noise_is_exact(scale, beta):
    within = noise_scales.laplace_accuracy(scale, beta)
    p = math.exp(-1 / scale)

    def beyond(t: int) -> float:
        return 1 - (1 - p) / (1 + p) * (1 + 2 * sum(p**x for x in range(1, t + 1)))

    assert beyond(within) <= beta + 1e-12
    assert within == 0 or beyond(within - 1) > beta
    assert within <= math.ceil(scale * math.log(1 / beta))


@check_each("scale", [0.3, 1, 4.5, 20])
@check_each("beta", [0.5, 0.05, 0.001])
def test_the_accuracy_of_gaussian_noise_holds(scale, beta):
    within = noise_scales.gaussian_accuracy(scale, beta)
    weights = {x: math.exp(-(x**2) / (2 * scale**2)) for x in range(-400, 401)}
    outside = sum(weight for x, weight in weights.items() if abs(x) > within)
    assert outside / sum(weights.values()) <= beta


@check_each("scale", [0.4, 2, 9])
@check_each("terms", [1, 3, 10])
def test_the_accuracy_of_added_up_noise_holds_and_is_not_far_off(scale, terms):
    """The exact distribution of a sum, by convolution."""
    places = np.arange(-400, 401)
    for weights, accuracy in (
        (np.exp(-abs(places) / scale), noise_scales.laplace_total_accuracy),
        (np.exp(-(places**2) / (2 * scale**2)), noise_scales.gaussian_total_accuracy),
    ):
        one = total = weights / weights.sum()
        for _ in range(terms - 1):
            total = np.convolve(total, one)
        distance = abs(np.arange(len(total)) - len(total) // 2)
        within = accuracy(scale, terms, 0.005)
        assert total[distance > within].sum() <= 0.005
        assert total[distance > 0.6 * within - 2].sum() > 0.005
