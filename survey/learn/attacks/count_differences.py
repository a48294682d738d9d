"""Differencing of counts: the count of Yes before and after one more person."""

import math

import numpy as np

from survey.learn.attacks.attempt import (
    AttackSetting,
    Attempt,
    Integers,
    Reals,
    Step,
    count_right,
    guess_bound,
    share_right,
)

BATCHES = (1, 5, 10, 25)  # The last one is the usual size in Candor.


def yes_chances(n: int, p: float) -> Reals:
    return np.array([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


def chances_of_count(yes: int, size: int, p: float) -> Reals:
    """How likely each count of Yes reports is, if this many of the batch's answers are Yes."""
    chances: Reals = np.convolve(yes_chances(yes, p), yes_chances(size - yes, 1 - p))
    return chances


def subtract_counts(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """The attacker sees how a count changes with a batch, and knows all other answers in it.

    The better explanation of the change is the guess. No other guess is right more often: the
    bound is the exact mean of max(Pr(change | Yes), Pr(change | No)), summed over all changes / 2.
    """
    people, p = setting.people, guess_bound(setting.ratio_bound)
    steps = []
    for size in BATCHES:
        secrets = generator.integers(0, 2, people)
        others: Integers = generator.binomial(size - 1, 0.5, people)
        yes = others + secrets
        change = generator.binomial(yes, p) + generator.binomial(size - yes, 1 - p)
        if_no = np.array([chances_of_count(k, size, p) for k in range(size)])
        if_yes = np.array([chances_of_count(k + 1, size, p) for k in range(size)])
        guesses = (if_yes[others, change] > if_no[others, change]).astype(np.int64)
        bound = float(np.mean(np.maximum(if_yes, if_no).sum(axis=1)[others])) / 2
        raw = yes - others
        steps.append(Step(size, share_right(raw, secrets), share_right(guesses, secrets), bound))
    right = count_right(guesses, secrets)
    more = {"at_once": steps[0].candor or 0.0}
    return Attempt(people, count_right(raw, secrets), right, right, bound, tuple(steps), more)
