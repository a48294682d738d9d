"""What an attack receives, and what it finds. Each attack is a module of its own, with NumPy alone.

The notebook of the lesson contains the text of these modules, so they import nothing else of
Candor. The people are made up. The random numbers repeat, and protect nobody.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


class AttackSetting(NamedTuple):
    """The data that an attack runs on.

    Attributes
    ----------
    people : the number of people, a multiple of 60
    ratio_bound : the largest likelihood ratio of a report, above 1
    epsilon : the privacy loss of one person in a central DP release
    error : the largest error of a published count, used by the two attacks on subset counts
    """

    people: int
    ratio_bound: float
    epsilon: float
    error: int


class Step(NamedTuple):
    """The shares of right guesses at a place of the attack's axis.

    `candor` is None where nobody can try. `promise` is the share that a theorem promises for the
    raw table.
    """

    x: float
    raw: float
    candor: float | None
    bound: float
    promise: float | None = None


class Attempt(NamedTuple):
    """The number of right guesses in both tables.

    `raw` and `candor` are those of the same attack on both, and `best` those of the best known
    attack on Candor, whose attacker may know more. `bound` is the share that no attack exceeds on
    average against Candor. `more` has further
    numbers by name. `sizes` has the raw table's shares of right guesses for other numbers of
    people, at the places of the steps.
    """

    targets: int
    raw: int
    candor: int
    best: int
    bound: float
    steps: tuple[Step, ...]
    more: dict[str, float]
    sizes: tuple[tuple[int, tuple[float, ...]], ...] = ()


def guess_bound(ratio_bound: float, answers: int = 2) -> float:
    """The largest chance to guess one of equally likely answers: t / (t + answers − 1)."""
    return ratio_bound / (ratio_bound + answers - 1)


def report_answers(
    secrets: Integers, ratio_bound: float, answers: int, generator: np.random.Generator
) -> Integers:
    """A report for each answer. It is the answer with the largest chance that the bound allows.

    All other reports are equally likely.
    """
    kept = generator.random(len(secrets)) < guess_bound(ratio_bound, answers)
    others = (secrets + generator.integers(1, answers, len(secrets))) % answers
    return np.where(kept, secrets, others)


def share_right(guesses: Integers, secrets: Integers) -> float:
    return float(np.mean(guesses == secrets))


def count_right(guesses: Integers, secrets: Integers) -> int:
    return int(np.sum(guesses == secrets))
