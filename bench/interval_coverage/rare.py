"""Shares of rare traits: lengths compared with the intervals of Blaker and of Clopper and Pearson.

Blaker, Canadian Journal of Statistics 28 (2000) 783; Clopper & Pearson, Biometrika 26 (1934) 404.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from bench.evidence import Row, markdown_table
from survey.estimation.share_intervals import Array, exact_bounds, tail_bounds

NAME = "rare-traits"
LEVEL = 0.95
SIZES = (501, 10_000, 1_000_000)
COUNTS = (0.5, 1, 2, 5, 10, 20, 50)  # the expected number of people with the trait


@dataclass(frozen=True)
class Lengths:
    """The expected lengths of three intervals, for a number of people and a true share."""

    n: int
    expected: float
    ours: float
    blaker: float
    tails: float
    coverage: float


def tails_of(outcomes: npt.ArrayLike, n: int, chances: npt.ArrayLike) -> Array:
    """Pr(X >= outcome) for each probability and each outcome from 0 to n + 1."""
    at, over = np.asarray(outcomes), np.asarray(chances)[:, np.newaxis]
    inside = np.clip(at, 1, n)
    tails = scipy.special.betainc(inside, n - inside + 1, over)
    return np.asarray(np.where(at <= 0, 1.0, np.where(at > n, 0.0, tails)))


def acceptability(successes: int, n: int, chances: Array) -> Array:
    """Blaker's confidence curve: the smaller tail, plus the largest opposite tail up to it."""
    outcomes = np.arange(min(n, 4 * successes + 60) + 2)
    above = tails_of(outcomes, n, chances)
    below = 1 - above[:, 1:]  # Pr(X <= outcome)
    up, down = above[:, successes], below[:, successes]
    smaller = np.minimum(up, down)[:, np.newaxis] * (1 + 1e-9)
    opposite = np.where((up < down)[:, np.newaxis], below, above[:, :-1])
    return np.asarray(np.minimum(up, down) + np.where(opposite <= smaller, opposite, 0).max(axis=1))


def blaker_bounds(successes: int, n: int, level: float) -> tuple[float, float]:
    """Blaker's interval of a rare trait. Clopper and Pearson's interval contains it.

    The curve may fall and rise again, so it is evaluated at many points. Bisection then finds the
    last digits.
    """
    observed = successes / n

    def end(outer: float) -> float:
        points = np.linspace(outer, observed, 401)[:-1]
        place = int(np.argmax(np.append(acceptability(successes, n, points) > 1 - level, True)))
        if place == 0:
            return outer
        reject, accept = points[place - 1], points[place] if place < len(points) else observed
        for _ in range(40):
            middle = (reject + accept) / 2
            if acceptability(successes, n, np.array([middle]))[0] > 1 - level:
                accept = middle
            else:
                reject = middle
        return float(reject)

    low, high = tail_bounds(successes, n, level)
    return end(low) if successes else 0.0, end(high)


def lengths(n: int, expected: float) -> Lengths:
    """The expected lengths and our coverage, if `expected` of n people have a non-private trait."""
    share = expected / n
    most = int(expected + 8 * math.sqrt(expected) + 8)
    outcomes = range(most + 1)
    above = tails_of(range(most + 2), n, [share])[0]
    chances = above[:-1] - above[1:]
    ours = np.array([exact_bounds(y, n, 1.0, 0.0, LEVEL) for y in outcomes])
    blaker = np.array([blaker_bounds(y, n, LEVEL) for y in outcomes])
    tails = np.array([tail_bounds(y, n, LEVEL) for y in outcomes])
    means = [float(chances @ (each[:, 1] - each[:, 0])) for each in (ours, blaker, tails)]
    covered = float(chances @ ((ours[:, 0] <= share) & (share <= ours[:, 1])))
    return Lengths(n, expected, *means, covered)


def rows() -> list[dict[str, object]]:
    """The rows of the data."""
    found = (lengths(n, expected) for n in SIZES for expected in COUNTS)
    return [
        {
            "n": each.n,
            "expected answers": each.expected,
            "coverage": f"{each.coverage:.4f}",
            "length": f"{each.ours / each.blaker:.3f}",
            "length, Clopper and Pearson": f"{each.tails / each.blaker:.3f}",
        }
        for each in found
    ]


def shown_size(found: Sequence[Row]) -> str:
    return found[0]["n"]


def table(found: Sequence[Row]) -> str:
    """The rows of the smallest survey."""
    heads = ("expected answers", "coverage", "length", "length, Clopper and Pearson")
    return markdown_table(
        heads, [[row[head] for head in heads] for row in found if row["n"] == shown_size(found)]
    )


def spread(found: Sequence[Row]) -> str:
    """A sentence on how little the lengths depend on the number of respondents."""
    by_count: dict[str, list[float]] = {}
    for row in found:
        by_count.setdefault(row["expected answers"], []).append(float(row["length"]))
    most = max(max(each) - min(each) for each in by_count.values())
    largest = max(int(row["n"]) for row in found)
    return (
        f"The table is for n = {shown_size(found)}. Up to n = {largest:,}, Candor's lengths differ "
        f"from these by at most {most:.3f}."
    )
