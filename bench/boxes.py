"""Questions with boxes, and several questions: the cost of splitting epsilon."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from survey.core.factored_randomizers import Boxes
from survey.core.mechanisms import LocalRandomizer, build_randomizer
from survey.core.scores import probabilities, unbiased_scores

from . import closed_forms as peers
from .tables import EPSILONS, Table

COUNTS = (2, 3, 5, 10, 20)
NAMES = ("1", "ln 3", "2", "4")
QUESTIONS = (2, 3, 5, 10, 20)
SHOWN = (3, 10)  # the numbers of boxes or questions in the tables

PEERS = {
    "each at ε / k": peers.each_box,
    "one sampled": peers.sampled_box,
    "joint GRR": peers.joint_direct,
    "joint subsets": peers.joint_subsets,
    "hypercube": peers.hypercube,
}


@dataclass(frozen=True)
class Cell:
    """n times the variance of one box's share, if half of the people tick each box."""

    k: int
    name: str
    mechanism: str
    ours: float
    theirs: dict[str, float]


def variance(randomizer: LocalRandomizer, boxes: int) -> float:
    """The variance of a built randomizer, from its integers, for large n.

    A box is reported by a share `sample` / k of the people. So its variance is that of the coin
    times k / `sample`.
    """
    if isinstance(randomizer, Boxes):
        gap = randomizer.table.probability(0, 0) - randomizer.table.probability(0, 1)
        return float(Fraction(boxes, randomizer.sample) / (4 * gap**2))
    ticked = (np.arange(2**boxes) & 1).astype(np.float64)[:, np.newaxis]
    scores = unbiased_scores(randomizer, ticked)[:, 0]
    return float((probabilities(randomizer) @ scores**2).mean() - 1 / 4)


def cell(k: int, name: str) -> Cell:
    epsilon = EPSILONS[name]
    ours = build_randomizer({"epsilon": epsilon}, "boxes", k)
    built = f"{ours.sample} sampled" if isinstance(ours, Boxes) else "joint"
    return Cell(
        k, name, built, variance(ours, k), {peer: of(k, epsilon) for peer, of in PEERS.items()}
    )


def cells() -> list[Cell]:
    return [cell(k, name) for name in NAMES for k in COUNTS]


def table(found: list[Cell]) -> Table:
    """Joint GRR is never better than joint subsets, so the table omits it."""
    peers_shown = [peer for peer in PEERS if peer != "joint GRR"]
    return Table(
        "Variance of the share of one box",
        ["ε", "k", "Candor uses", "Candor", *peers_shown],
        [[each.name, str(each.k), each.mechanism, each.ours,
          *(each.theirs[peer] for peer in peers_shown)] for each in found if each.k in SHOWN],
    )  # fmt: skip


@dataclass(frozen=True)
class Gain:
    """The variance of splitting epsilon over m questions, relative to that of sampling questions.

    `formula` is for ideal coins, and `built` for our integers.
    """

    m: int
    name: str
    sampled: int
    formula: float
    built: float


def gain(m: int, name: str) -> Gain:
    """Yes/no questions, of which each respondent reports all, or the best number."""
    epsilon = EPSILONS[name]
    costs = {s: m / s / math.tanh(epsilon / s / 2) ** 2 for s in range(1, m + 1)}
    best = min(costs, key=lambda s: costs[s])

    def coin(share: float) -> float:
        table = build_randomizer({"epsilon": share}, "choices", 2)
        return 1 / (4 * float(table.probability(0, 0) - table.probability(0, 1)) ** 2)

    built = coin(epsilon / m) / (m / best * coin(epsilon / best))
    return Gain(m, name, best, costs[m] / costs[best], built)


def gains() -> list[Gain]:
    return [gain(m, name) for name in NAMES for m in QUESTIONS]


def table_of_gains(found: list[Gain]) -> Table:
    return Table(
        "All of m yes/no questions, or a random sample of them",
        ["ε", "m", "best sample", "variance of all / variance of the sample"],
        [
            [each.name, str(each.m), str(each.sampled), each.built]
            for each in found
            if each.m in SHOWN
        ],
    )  # fmt: skip
