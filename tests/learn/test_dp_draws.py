"""Draws of releases: their distributions against closed forms and enumeration."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from survey.learn.dp_draws import draw_discrete_laplace, draw_selected, selection_chances

pytestmark = pytest.mark.fast


def test_the_noise_is_discrete_laplace():
    # Pr(x) = (1 - a) / (1 + a) a^|x| with a = exp(-1/2). 40,000 draws, seven values, 4.5 standard
    # errors each: a false alarm once in 20,000 times.
    drawn = Counter(draw_discrete_laplace(2.0, 40_000, np.random.default_rng(5)).tolist())
    a = math.exp(-0.5)
    for x in range(-3, 4):
        chance = (1 - a) / (1 + a) * a ** abs(x)
        error = math.sqrt(chance * (1 - chance) / 40_000)
        assert abs(drawn[x] / 40_000 - chance) < 4.5 * error


def test_the_selection_is_permute_and_flip():
    """By hand for two candidates whose scores differ by d: the worse one wins with exp(−d/s)/2."""
    chosen = draw_selected([0, -3], 2.0, 40_000, np.random.default_rng(6))
    chance = math.exp(-1.5) / 2
    # 4.5 standard errors: a false alarm once in 150,000 times.
    error = math.sqrt(chance * (1 - chance) / 40_000)
    assert abs(float(np.mean(chosen == 1)) - chance) < 4.5 * error


def test_the_exact_chances_are_those_of_all_orders():
    """By hand: each order of four candidates, each accepted with exp((score − best) / scale)."""
    scores, scale = [0, -1, -3, -1], 1.7
    accepted = [math.exp(score / scale) for score in scores]
    expected = np.zeros(4)
    for order in itertools.permutations(range(4)):
        left = 1 / 24
        for candidate in order:
            expected[candidate] += left * accepted[candidate]
            left *= 1 - accepted[candidate]
    assert selection_chances(scores, scale) == pytest.approx(expected)
    assert selection_chances([0] * 121, 3.0) == pytest.approx(np.full(121, 1 / 121))
    assert selection_chances([*range(-120, 1)], 500.0).sum() == pytest.approx(1, abs=1e-12)
