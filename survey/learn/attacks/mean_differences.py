"""Differencing of a mean: three of four people know their own weights, and subtract."""

import math

import numpy as np

from survey.learn.attacks.attempt import (
    AttackSetting,
    Attempt,
    Integers,
    Step,
    count_right,
    share_right,
)
from survey.learn.dp_draws import draw_discrete_laplace

LIGHTEST = 30
HEAVIEST = 150
THREE = (60, 70, 80)  # the three who talk
LOSSES = (0.1, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4)


def weight_bound(epsilon: float) -> float:
    """The largest share of right guesses: 1 − e^(−ε)/2.

    The guess is hardest to hide between the two ends of the range. Their sums differ by 240 half
    steps, and the noise has the scale 120/ε. The guess of the nearer end is wrong with a
    probability of Pr(noise > 120) + Pr(noise = 120)/2 = e^(−ε)/2.
    """
    return 1 - math.exp(-epsilon) / 2


def choose_nearer(deduced: np.ndarray, generator: np.random.Generator) -> Integers:
    """1 for deduced weights above the middle, and 0 below. A coin decides in the middle."""
    middle = (LIGHTEST + HEAVIEST) / 2
    coins = generator.integers(0, 2, len(deduced))
    nearer: Integers = np.where(deduced == middle, coins, deduced > middle).astype(np.int64)
    return nearer


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
    """The attacker guesses whether the fourth person weighs more than 90 kg.

    The best attacker knows beforehand that it is 30 or 150 kg.
    """
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
        guesses = choose_nearer(deduced, generator)
        steps.append(
            Step(
                epsilon, share_right(raw, heavy), share_right(guesses, heavy), weight_bound(epsilon)
            )
        )
    ends = np.where(heavy == 1, HEAVIEST, LIGHTEST)
    deduced = deduce_weights(release_means(ends, setting.epsilon, generator))
    best = count_right(choose_nearer(deduced, generator), heavy)
    return Attempt(
        people,
        count_right(raw, heavy),
        count_right(guesses, heavy),
        best,
        steps[-1].bound,
        tuple(steps[:-1]),
        {"exact": float(np.sum(exact == weights))},
    )
