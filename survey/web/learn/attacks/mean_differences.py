"""Differencing of a mean: three of four people know their own weights, and subtract."""

import math

import numpy as np

from survey.web.learn.attacks.attempt import (
    AttackSetting,
    Attempt,
    Integers,
    Step,
    count_right,
    share_right,
)
from survey.web.learn.dp_draws import draw_discrete_laplace

LIGHTEST, HEAVIEST = 30, 150  # kg
THREE = (60, 70, 80)  # the three who talk
LOSSES = (0.1, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4)


def two_sided_bound(epsilon: float) -> float:
    """A release that loses ε for a person more or less loses 2ε for another answer."""
    return 1 / (1 + math.exp(-2 * epsilon))


def deduce_weights(means: np.ndarray) -> np.ndarray:
    return (len(THREE) + 1) * means - sum(THREE)


def release_means(weights: Integers, epsilon: float, generator: np.random.Generator) -> np.ndarray:
    """The means of the four, with noise on the sum.

    Weights are counted in half steps from the middle of the range, so one person changes the sum
    by at most 120 half steps, which is 60 kg.
    """
    middle = LIGHTEST + HEAVIEST
    halves = 2 * (weights + sum(THREE)) - 4 * middle
    noise = draw_discrete_laplace((HEAVIEST - LIGHTEST) / epsilon, len(weights), generator)
    return (halves + noise + 4 * middle) / 8


def subtract_means(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """The attacker guesses whether the fourth person weighs more than 90 kg."""
    people, middle = setting.people, (LIGHTEST + HEAVIEST) // 2
    heavy = generator.integers(0, 2, people)
    weights = np.where(
        heavy == 1,
        generator.integers(middle + 1, HEAVIEST + 1, people),
        generator.integers(LIGHTEST, middle, people),
    )
    published = (weights + sum(THREE)) / 4
    exact = np.rint(deduce_weights(published)).astype(np.int64)
    raw = (exact > middle).astype(np.int64)
    steps = []
    for epsilon in (*LOSSES, setting.epsilon):
        deduced = deduce_weights(release_means(weights, epsilon, generator))
        guesses = (deduced > middle).astype(np.int64)
        steps.append(
            Step(epsilon, share_right(raw, heavy), share_right(guesses, heavy),
                 two_sided_bound(epsilon))
        )  # fmt: skip
    return Attempt(
        people, count_right(raw, heavy), count_right(guesses, heavy), steps[-1].bound,
        tuple(steps[:-1]), {"exact": float(np.sum(exact == weights))},
    )  # fmt: skip
