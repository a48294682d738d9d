"""The mean of numbers in [-1, 1]: n times its variance, in closed form and from tables."""

from dataclasses import dataclass

import numpy as np

from survey.core.mechanisms import LocalRandomizer, build_randomizer
from survey.core.number_grid import LEVELS_FOR_DISTRIBUTION, LEVELS_FOR_MEAN
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, probabilities, unbiased_scores

from . import closed_forms as peers
from .tables import EPSILONS, Table

PEERS = {
    "Laplace": peers.laplace,
    "discrete Laplace": peers.discrete_laplace,
    "Duchi": peers.duchi,
    "piecewise": peers.piecewise,
    "hybrid": peers.hybrid,
    "square wave": peers.square_wave,
}


@dataclass(frozen=True)
class Spread:
    """The maximum of a variance over the values in [-1, 1], and its average."""

    worst: float
    even: float


@dataclass(frozen=True)
class Cell:
    """One epsilon. `optimal` and `window` are ours: with goal mean, and without a goal."""

    name: str
    optimal: Spread
    window: Spread
    theirs: dict[str, Spread]


def of_curve(curve: peers.Curve) -> Spread:
    """The spread of a closed form, at 4,001 values including the ends."""
    values = np.linspace(-1, 1, 4001)
    heights = np.array([curve(float(x)) for x in values])
    return Spread(float(heights.max()), float(np.trapezoid(heights, values) / 2))


def of_built(randomizer: LocalRandomizer) -> Spread:
    """The spread of our randomizer for any value, rounded at random to adjacent points.

    The expected squared score is known at the points. Between them it is linear, like the
    probability of rounding up. After subtracting x^2, its maximum within a piece of slope s is at s
    / 2, or at the nearest end.
    """
    points = np.linspace(-1, 1, randomizer.answers)
    heights = squares(randomizer, points)
    width = points[1] - points[0]
    slopes = np.diff(heights) / width
    tops = np.clip(slopes / 2, points[:-1], points[1:])
    worst = heights[:-1] + slopes * (tops - points[:-1]) - tops**2
    even = float((heights[:-1] + heights[1:]).sum() / 2 * width / 2 - 1 / 3)
    return Spread(float(worst.max()), even)


def squares(randomizer: LocalRandomizer, target: Array) -> Array:
    """The expected square of the unbiased score of `target`, for each answer.

    `target` has a value for each answer.
    """
    if isinstance(randomizer, Randomizer):
        scores = unbiased_scores(randomizer, target[:, np.newaxis])[:, 0]
        return probabilities(randomizer) @ scores**2
    k, p, q = randomizer.answers, float(randomizer.p), float(randomizer.q)
    found = np.empty(k)
    for answer in range(k):
        set_alone = np.full(k, q)
        set_alone[answer] = p
        both = np.full((k, k), float(randomizer.both_other))
        both[answer, :] = both[:, answer] = float(randomizer.both_own)
        np.fill_diagonal(both, set_alone)
        # The score is sum_j target_j (bit_j - q) / (p - q).
        centred = both - q * np.add.outer(set_alone, set_alone) + q**2
        found[answer] = target @ centred @ target / (p - q) ** 2
    return found


def cell(name: str) -> Cell:
    epsilon = EPSILONS[name]
    return Cell(
        name,
        of_built(
            build_randomizer({"epsilon": epsilon, "goal": "mean"}, "numbers", LEVELS_FOR_MEAN)
        ),
        of_built(build_randomizer({"epsilon": epsilon}, "numbers", LEVELS_FOR_DISTRIBUTION)),
        {peer: of_curve(make(epsilon)) for peer, make in PEERS.items()},
    )


def cells() -> list[Cell]:
    return [cell(name) for name in EPSILONS]


def tables(found: list[Cell]) -> list[Table]:
    columns = ["ε", "optimal mean", "window", *PEERS]
    return [
        Table(
            f"Variance of a mean, {words}",
            columns,
            [
                [
                    each.name,
                    *(getattr(one, which) for one in
                      (each.optimal, each.window, *each.theirs.values())),
                ]
                for each in found
            ],
        )
        for which, words in (("worst", "worst case"), ("even", "uniform answers"))
    ]  # fmt: skip


# What a window estimates in addition to the mean: the share of people at or below a value.


def of_cumulative(randomizer: LocalRandomizer) -> Spread:
    """n times the variance of cumulative shares, in the worst case and on average.

    The worst case is over cuts and true distributions. The average is over cuts, with all points
    equally common.
    """
    points = randomizer.answers
    worst, even = [], []
    for cut in range(1, points):
        heights = squares(randomizer, (np.arange(points) < cut).astype(np.float64))
        low, high = heights[:cut].max(), heights[cut:].max()
        # The maximum over shares s below the cut of s low + (1 - s) high - s^2.
        share = float(np.clip((low - high) / 2, 0, 1))
        worst.append(share * low + (1 - share) * high - share**2)
        even.append(heights.mean() - (cut / points) ** 2)
    return Spread(float(max(worst)), float(np.mean(even)))


@dataclass(frozen=True)
class Beside:
    """A window and the mechanism for shares, on the same points."""

    name: str
    window: Spread  # of cumulative shares
    shares: Spread
    window_mean: Spread
    shares_mean: Spread


def beside(name: str) -> Beside:
    privacy = {"epsilon": EPSILONS[name]}
    window = build_randomizer(privacy, "numbers", LEVELS_FOR_DISTRIBUTION)
    shares = build_randomizer(privacy, "choices", LEVELS_FOR_DISTRIBUTION)
    return Beside(
        name, of_cumulative(window), of_cumulative(shares), of_built(window), of_built(shares)
    )


def table_beside(found: list[Beside]) -> Table:
    return Table(
        f"Variances of `number` and `scale` with {LEVELS_FOR_DISTRIBUTION} levels",
        ["ε", "number: cumulative share", "scale: cumulative share", "number: mean",
         "scale: mean"],
        [[each.name, each.window.worst, each.shares.worst, each.window_mean.worst,
          each.shares_mean.worst] for each in found],
    )  # fmt: skip
