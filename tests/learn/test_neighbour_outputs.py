"""Both distributions and the limits of the definition, against closed forms and enumeration."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from survey.central_dp.figure_noise import gaussian_weights
from survey.core.mechanisms.randomized_response import two_levels
from survey.learn.gaussian import candor_sigma
from survey.learn.neighbour_outputs import (
    NeighbourOutputs,
    cut_point,
    laplace_weights,
    noisy_counts,
    permitted_chances,
    reports,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

LOSSES = [0.1, 0.5, 1.0, 2.2, 3.0]
DELTAS = [0.01, 0.05, 0.2]


def excess_by_events(both: NeighbourOutputs, epsilon: float) -> float:
    """The largest Pr[M(x) ∈ S] − e^ε Pr[M(y) ∈ S] of all S up to a number, and from one on."""
    gaps = np.array(both.x) - math.exp(epsilon) * np.array(both.y)
    return max(0.0, float(np.cumsum(gaps).max()), float(np.cumsum(gaps[::-1]).max()))


@check_each("epsilon", LOSSES)
def test_laplace_tails_are_those_of_the_geometric_series(epsilon):
    both, a = noisy_counts(100, laplace_weights(epsilon)), math.exp(-epsilon)
    assert math.fsum(both.x) == pytest.approx(1, rel=1e-12)
    for k in (1, 2, 5, 21):
        x, y = both.chances(100 + k, math.inf)
        assert x == pytest.approx(a**k / (1 + a), rel=1e-12)
        assert y == pytest.approx(a ** (k - 1) / (1 + a), rel=1e-12)
    assert both.largest_excess(epsilon) == (0.0, None)


@check_each("epsilon", LOSSES)
def test_no_set_of_laplace_counts_is_outside_the_band_and_some_touch_it(epsilon):
    both = noisy_counts(100, laplace_weights(epsilon))
    for first, last in itertools.combinations(range(90, 112), 2):
        x, y = both.chances(first, last)
        low, high = permitted_chances(y, epsilon, 0.0)
        assert low * (1 - 1e-12) <= x <= high * (1 + 1e-12)
    x, y = both.chances(101, 103)
    assert y / x == pytest.approx(math.exp(epsilon))


def test_randomised_response_needs_no_delta_at_any_epsilon_of_the_page():
    for tenths in range(1, 31):
        assert reports(tenths / 10).largest_excess(tenths / 10) == (0.0, None), tenths


def test_randomised_response_is_that_of_candor():
    coins = two_levels(2, Fraction(3))
    both = reports(math.log(3))
    assert list(both.x) == pytest.approx([float(Fraction(w, coins.total)) for w in coins.rows[0]])
    assert list(both.y) == pytest.approx([float(Fraction(w, coins.total)) for w in coins.rows[1]])
    assert both.largest_excess(math.log(3)) == (0.0, None)


@check_each(("epsilon", "delta"), list(itertools.product(LOSSES, DELTAS)))
def test_noise_that_is_cut_off_has_delta_and_a_narrower_cut_has_not(epsilon, delta):
    t, a = cut_point(epsilon, delta), math.exp(-epsilon)

    def end(t: int) -> float:
        return a**t / (1 + 2 * sum(a**k for k in range(1, t + 1)))

    both = noisy_counts(100, laplace_weights(epsilon, t))
    least, worst = both.largest_excess(epsilon)
    assert least == pytest.approx(end(t), rel=1e-9)
    assert worst == 100 - t
    assert end(t) <= delta < end(t - 1)
    assert least == pytest.approx(excess_by_events(both, epsilon), rel=1e-9)
    assert both.chances(-math.inf, 100 - t)[1] == 0


@check_each(("epsilon", "delta"), list(itertools.product(LOSSES, DELTAS)))
def test_candors_gaussian_noise_keeps_delta(epsilon, delta):
    sigma = candor_sigma(epsilon, delta)
    both = noisy_counts(100, gaussian_weights(sigma, 500))
    least, worst = both.largest_excess(epsilon)
    assert 0 < least <= delta
    assert worst is not None
    # Pr(noise = k) by its own sum, and the event by its closed form: r ≤ 100 + 1/2 − ε σ².
    weights = {k: math.exp(-(k**2) / (2 * sigma**2)) for k in range(-400, 401)}
    assert both.chances(103, 103)[0] == pytest.approx(weights[3] / sum(weights.values()))
    assert worst == math.floor(100.5 - epsilon * sigma**2)
    assert least == pytest.approx(excess_by_events(both, epsilon), rel=1e-9)


@check_each(("epsilon", "delta"), list(itertools.product(LOSSES, [0.0, *DELTAS])))
def test_the_band_is_symmetric_and_is_what_both_directions_permit(epsilon, delta):
    factor = math.exp(epsilon)
    for y in np.linspace(0, 1, 41).tolist():
        low, high = permitted_chances(y, epsilon, delta)
        for x in np.linspace(0, 1, 201).tolist():
            inequalities = (
                x <= factor * y + delta,
                y <= factor * x + delta,
                1 - x <= factor * (1 - y) + delta,
                1 - y <= factor * (1 - x) + delta,
            )
            distance = min(abs(x - low), abs(x - high))
            assert all(inequalities) == (low <= x <= high) or distance < 1e-12
