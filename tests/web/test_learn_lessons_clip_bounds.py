"""The numbers of "Sensitivity and clipping", against closed forms."""

import math

import numpy as np
import pytest

from survey.web.learn.lessons.clip_bounds import (
    COARSE,
    FINE,
    ages_array,
    ages_of,
    best_bound,
    clipped_bias,
    draw_curve,
    draw_separately,
    mean_noise,
    separate_deviation,
    sums_at,
    total_error,
    vector_deviation,
)

pytestmark = pytest.mark.fast


def test_the_ages_become_an_array_once_and_not_for_each_bound() -> None:
    ages = ages_array(10_000)
    assert ages_array(10_000) is ages
    assert not ages.flags.writeable
    assert ages.tolist() == list(ages_of(10_000))
    before = ages_array.cache_info().misses
    clipped_bias(10_000, 50)
    clipped_bias(10_000, 51)
    assert ages_array.cache_info().misses == before


def test_the_bias_is_zero_above_the_oldest_and_grows_below():
    assert clipped_bias(1_000, 90) == 0
    biases = [clipped_bias(1_000, bound) for bound in range(10, 91, 10)]
    assert biases == sorted(biases)
    ages = ages_of(100)
    by_hand = sum(min(age, 50) - age for age in ages) / 100
    assert clipped_bias(100, 50) == pytest.approx(by_hand)


def test_the_noise_is_that_of_a_sum_divided_by_n():
    assert mean_noise(1_000, 90, 0.5) == pytest.approx(math.sqrt(2) * 90 / 0.5 / 1_000)
    assert total_error(100, 60, 1.0) == pytest.approx(
        math.sqrt(clipped_bias(100, 60) ** 2 + 2 * 0.6**2)
    )


@pytest.mark.parametrize(("n", "epsilon"), [(100, 0.1), (100, 0.5), (1_000, 0.5), (10_000, 3.0)])
def test_no_bound_is_better_than_the_best(n, epsilon):
    best = best_bound(n, epsilon)
    least = total_error(n, best, epsilon)
    assert all(least <= total_error(n, bound, epsilon) for bound in range(1, 151))
    # More people or a larger ε allow a higher bound.
    assert best_bound(10 * n, epsilon) >= best


def test_the_differences_add_up_to_the_clipped_sums_and_one_person_changes_them_by_the_bound():
    for bounds in (COARSE, FINE):
        part = sums_at(bounds)
        assert part.l1 == 150
        sums = np.cumsum(part.sum_of({17: 2, 90: 1, 64: 3}))
        for bound, total in zip(bounds, sums.tolist(), strict=True):
            assert total == 2 * min(17, bound) + min(90, bound) + 3 * min(64, bound)


def test_the_noise_of_the_text_and_of_one_vector():
    """At ε = 1.5 and the bound 90."""
    assert separate_deviation(90, 150, 1.5) == pytest.approx(math.sqrt(2) * 9_000)
    assert vector_deviation(FINE.index(90), FINE, 1.5) == pytest.approx(math.sqrt(2 * 90) * 100)
    assert vector_deviation(COARSE.index(90), COARSE, 1.5) == pytest.approx(math.sqrt(12) * 100)


def test_drawn_sums_have_this_noise():
    # A standard deviation of 2,000 draws of sums of Laplace noise has a relative error below 2.5 %,
    # sqrt((kurtosis + 2) / (4 x 2,000)) with an excess kurtosis of at most 3. 4.5 standard errors
    # fail by chance less than once in 10,000 times.
    generator = np.random.default_rng(11)
    true = 100 * np.mean(np.minimum(ages_of(100), 90))
    curves = np.array([draw_curve(COARSE, 100, 1.5, generator)[5] for _ in range(2_000)])
    assert np.sqrt(np.mean((curves - true) ** 2)) == pytest.approx(
        vector_deviation(5, COARSE, 1.5), rel=4.5 * 0.025
    )
    alone = np.array([draw_separately((90,), 100, 1.5, generator)[0] for _ in range(2_000)])
    assert np.sqrt(np.mean((alone - true) ** 2)) == pytest.approx(
        separate_deviation(90, 1, 1.5), rel=4.5 * 0.025
    )
