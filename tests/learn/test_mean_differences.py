"""Differences of means: the exact weight, and the bound as a sum over all noise."""

import math

import pytest

from survey.central_dp.noise_scales import OUTWARD
from survey.central_dp.noisy_sums import noises_of
from survey.learn.attacks.attempt import guess_bound
from survey.learn.attacks.mean_differences import weight_bound
from survey.learn.attacks.registry import run_attack
from survey.learn.lessons.statistics import release_request, weights_survey

pytestmark = pytest.mark.fast


def test_a_mean_gives_the_weight_exactly_and_its_release_has_the_noise_of_candor():
    assert run_attack("means", 240, 1.1, 2, 1).more["exact"] == 240
    [noise] = noises_of(weights_survey(), release_request("mean", 0.7), 4)
    assert noise.scale == pytest.approx(120 / 0.7, rel=2 * (OUTWARD - 1))
    # Two weights differ by at most 240 half steps, so a value is at most e^(2ε) times as likely.
    assert math.isclose(240 / (120 / 0.7), 2 * 0.7)
    assert weight_bound(0.7) < guess_bound(math.exp(1.4))


@pytest.mark.parametrize("epsilon", [0.1, 1.1, 4.0])
def test_the_bound_of_a_mean_is_the_sum_over_all_noise(epsilon):
    """30 or 150 kg: the guess is right with max(Pr | 30, Pr | 150) / 2, summed over all sums."""
    a = math.exp(-epsilon / 120)
    right = 0.0
    for half_steps in range(-40_000, 40_000):
        right += (1 - a) / (1 + a) * a ** min(abs(half_steps), abs(half_steps - 240)) / 2
    assert weight_bound(epsilon) == pytest.approx(right, rel=1e-6)
    # No two other weights are easier to tell apart.
    assert weight_bound(epsilon) <= guess_bound(math.exp(2 * epsilon))
