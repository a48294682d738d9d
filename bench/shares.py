"""Shares of k choices: the sum of their variances times n, in closed form."""

from dataclasses import dataclass

import numpy as np

from survey.core.factored_randomizers import OneHot
from survey.core.mechanisms import LocalRandomizer, build_randomizer
from survey.core.scores import probabilities, unbiased_scores
from survey.estimation.share_estimates import nearest_shares

from . import closed_forms as peers
from .tables import EPSILONS, Table

CHOICES = (2, 3, 4, 5, 7, 8, 10, 16, 24, 32, 48, 64)
SHOWN = (4, 64)  # the numbers of choices in the table
AT_HOME = 4  # Unary encoding is for many choices: at least this many times e^epsilon + 1.

PEERS = {
    "GRR": peers.direct,
    "subsets": peers.subsets,
    "Hadamard": peers.hadamard,
    "OLH": peers.local_hashing,
    "OUE": peers.optimised_unary,
    "SUE": peers.symmetric_unary,
}


@dataclass(frozen=True)
class Cell:
    """Variances for one k and epsilon, each the sum over the shares, times n.

    `ours` is the mechanism of `{"epsilon": ...}` for equal shares, and `worst` is its worst case.
    `named_oue` and `named_sue` are our unary encodings, which a definition can name.
    """

    k: int
    name: str
    mechanism: str
    bound: float
    ours: float
    worst: float
    named_oue: float
    named_sue: float
    theirs: dict[str, float]

    @property
    def at_home(self) -> bool:
        """Whether this cell has as many choices as unary encoding is meant for."""
        return self.k >= AT_HOME * (np.exp(EPSILONS[self.name]) + 1)


def variances(randomizer: LocalRandomizer) -> tuple[float, float]:
    """The variance of the unbiased estimate, for equal shares and in the worst case.

    Let a_x be the expected squared length of the scores of answer x. For shares f, the sum is
    f a - |f|^2. Its maximum over all shares is at the shares nearest to a / 2.
    """
    k = randomizer.answers
    if isinstance(randomizer, OneHot):  # All a_x are equal.
        p, q = float(randomizer.p), float(randomizer.q)
        even = peers.coins(p, q, peers.even(k))
        return even, even
    scores = unbiased_scores(randomizer, np.eye(k))
    squares = probabilities(randomizer) @ (scores**2).sum(axis=1)
    worst = nearest_shares(squares / 2)
    return float(squares.mean() - 1 / k), float(worst @ squares - worst @ worst)


def exact(randomizer: LocalRandomizer) -> float:
    """The same for equal shares, from the exact p and q of the integers."""
    if isinstance(randomizer, OneHot):
        p, q = randomizer.p, randomizer.q
    else:
        p, q = randomizer.probability(0, 0), randomizer.probability(0, 1)
    seen = (p + (randomizer.answers - 1) * q) / randomizer.answers
    return float(randomizer.answers * seen * (1 - seen) / (p - q) ** 2)


def cell(k: int, name: str) -> Cell:
    epsilon = EPSILONS[name]
    odds = float(np.exp(epsilon))
    ours = build_randomizer({"epsilon": epsilon}, "choices", k)
    oue, sue = (
        build_randomizer({"mechanism": mechanism, "epsilon": epsilon}, "choices", k)
        for mechanism in ("optimized_unary_encoding", "symmetric_unary_encoding")
    )
    size = getattr(ours, "size", None)
    return Cell(
        k,
        name,
        "GRR" if size is None else f"sets of {size}",
        peers.lower_bound(k, odds),
        exact(ours),
        variances(ours)[1],
        exact(oue),
        exact(sue),
        {peer: variance(k, odds) for peer, variance in PEERS.items()},
    )


def cells() -> list[Cell]:
    return [cell(k, name) for name in EPSILONS for k in CHOICES]


def table(found: list[Cell]) -> Table:
    """The bound as a number, and all others as multiples of the bound.

    Subset selection with the best sets always meets the bound, so the table omits it.
    """
    peers_shown = [peer for peer in PEERS if peer != "subsets"]
    return Table(
        "Sum of the variances of all shares",
        ["ε", "k", "Candor uses", "bound", "Candor", *peers_shown],
        [
            [
                each.name, str(each.k), each.mechanism, each.bound,
                f"{each.ours / each.bound:.4f}",
                *(f"{each.theirs[peer] / each.bound:.3f}" for peer in peers_shown),
            ]
            for each in found
            if each.k in SHOWN
        ],
    )  # fmt: skip
