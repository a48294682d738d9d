"""Confidence intervals for a share that is estimated through a two-valued score.

If a question's scores take two values, a report supports an answer with probability P = q + (p - q)
pi. Here pi is the share, p the probability for people with the answer, and q the probability for
all others. An interval for the binomial P therefore gives one for pi. The interval is about a
population: people like these respondents, each drawn independently.

The interval inverts an exact test. For a P, the test orders the outcomes 0 to n by their likelihood
ratio. This is the likelihood of P, divided by the largest likelihood of any P between q and p.
Consider the outcomes that are strictly likelier than the observed one by this order. The test
rejects P if their total probability is the level or more. The interval has all P from the smallest
to the largest that the test accepts, so it also has those between them that the test rejects.

Two facts make the smallest accepted P quick to find. The largest has the same search, with the
other report counted.

* Let P be below the share of the observed outcome y. The likelier outcomes are then those between y
  and some a < y. For each a there is a crossing: the smallest P at which a is no longer likelier
  than y. Its log odds are the slope of the largest log-likelihoods between a and y. The crossing
  rises with a, because those log-likelihoods are convex.
* Between two crossings, the probability of the likelier outcomes rises, falls, or rises and then
  falls. At a crossing it jumps down. So the first accepted P is a crossing, or a root before it.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import scipy

METHOD = "exact, likelihood-ratio ordered"
# Relative to P or 1 - P. Each end moves this far outwards, which is more than its rounding error.
# The exported scripts find the same ends to 1e-9.
ROUNDING = 1e-11
# A block of crossings is excluded by one bound if it can be, and otherwise cut into this many.
BLOCKS = 16
# `math.exp` fails above 709.
MAX_EXPONENT = 700
# The sizes of the blocks before a crossing: they grow, because the bound is then farther away.
DISTANCES = np.array(sorted({min(round(1.5**step), 2**40) for step in range(100)}))

Integers = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """The two ends of an interval, the claimed level, and the name of the method."""

    low: float
    high: float
    level: float
    method: str


def share_interval(successes: int, n: int, p: float, q: float, level: float = 0.95) -> Interval:
    """Interval for pi from a binomial count with success probability q + (p - q) pi.

    Parameters
    ----------
    successes : int, 0 to n
        The number of reports that support the answer.
    n : int, at least 1
    p, q : float in [0, 1], different
        The probability of such a report for people with, and without, the answer.
    level : float in (0, 1)

    Returns
    -------
    Interval
        Never empty, within [0, 1]. It covers at least `level` for every share and every n.

    Notes
    -----
    The order is that of the likelihood ratio against the best share inside [0, 1]: Feldman &
    Cousins, Phys. Rev. D 57 (1998) 3873.
    """
    low, high = exact_bounds(int(successes), int(n), p, q, level)
    return Interval(low, high, level, METHOD)


@lru_cache(maxsize=4096)
def exact_bounds(successes: int, n: int, p: float, q: float, level: float) -> tuple[float, float]:
    """The smallest and the largest share that the likelihood-ratio-ordered test accepts."""
    least, most = min(p, q), max(p, q)
    lowest = Search(
        successes=successes, n=n, least=least, most=most, miss=1 - level
    ).smallest_accepted()
    opposite = Search(
        successes=n - successes, n=n, least=1 - most, most=1 - least, miss=1 - level
    ).smallest_accepted()
    # Rounding must not cut off the end of the range, where a share is exactly 0 or 1.
    highest = 1 - opposite if opposite > 1 - most else most
    one, other = (lowest - q) / (p - q), (highest - q) / (p - q)
    return max(0.0, min(one, other)), min(1.0, max(one, other))


@dataclass(frozen=True, kw_only=True)
class Search:
    """The search for the smallest accepted P.

    Attributes
    ----------
    successes, n : the observed outcome y
    least, most : the range of P
    miss : 1 minus the level
    """

    successes: int
    n: int
    least: float
    most: float
    miss: float

    def smallest_accepted(self) -> float:
        """The smallest P that the test accepts, or slightly less because of rounding."""
        # No outcome is likelier than y at the lower end of the range.
        if self.successes <= self.n * self.least:
            return self.least
        found = self.first_accepted()
        if found < 0:
            return self.least
        start, end = self.crossing(found - 1), self.crossing(found)

        def excess(chance: float) -> float:
            return self.outside_at(found - 1, chance) - self.miss

        # Up to this crossing, found is one of the likelier outcomes.
        if excess(end) > 0:
            end = float(scipy.optimize.brentq(excess, start, end, xtol=1e-300, rtol=1e-13))
        return max(self.least, end * (1 - ROUNDING))

    def first_accepted(self) -> int:
        """The smallest a, from -1, whose crossing the test accepts.

        Bisection finds a candidate. It is the smallest if accepted crossings follow each other
        without a gap. This is always so in the tests, but not proved. Therefore bounds exclude all
        crossings before the candidate, block by block.
        """
        rejected, accepted = -2, self.successes - 1
        share = self.successes / self.n
        spread = math.sqrt(self.n * share * (1 - share))
        # Begin near the end of a normal interval. Its other side is as far away.
        guess = self.successes - 2 * NormalDist().inv_cdf(1 - self.miss / 2) * spread
        probes = [round(guess + spread / 4), round(guess - spread / 4)]
        while accepted - rejected > 1:
            middle = probes.pop() if probes else (accepted + rejected) // 2
            if not rejected < middle < accepted:
                continue
            if self.outside_at(middle, self.crossing(middle)) > self.miss:
                accepted = middle
            else:
                rejected = middle
        from_below, from_above = DISTANCES - 2, accepted - DISTANCES
        middle = (accepted - 1) // 2
        edges = np.concatenate(
            [from_below[from_below < middle], from_above[from_above >= middle][::-1], [accepted]]
        )
        earlier = self.first_within(edges) if accepted > -1 else None
        return accepted if earlier is None else earlier

    def first_within(self, edges: Integers) -> int | None:
        """The first accepted crossing from the first of these edges to before the last, or None.

        In a block from a to b, an upper tail is at most that of b, and a lower tail at most that of
        b at the crossing of a. Blocks of one crossing have exact tails.
        """
        starts, ends = edges[:-1], edges[1:] - 1
        bounds = self.outside(ends, self.crossings(starts), self.crossings(ends))
        for place in np.flatnonzero(bounds > self.miss):
            start, end = int(starts[place]), int(ends[place])
            if start == end:
                return start
            parts = np.unique(np.linspace(start, end + 1, BLOCKS + 1).astype(np.int64))
            found = self.first_within(parts)
            if found is not None:
                return found
        return None

    def crossings(self, outcomes: Integers) -> Array:
        """For each outcome below y the smallest P at which it is no longer likelier than y.

        For -1, it is the lower end of the range.
        """
        both = np.append(np.maximum(outcomes, 0), self.successes)
        best = np.clip(both / self.n, self.least, self.most)
        heights = scipy.special.xlogy(both, best) + scipy.special.xlog1py(self.n - both, -best)
        slopes = (heights[-1] - heights[:-1]) / (self.successes - outcomes)
        return np.where(outcomes < 0, self.least, scipy.special.expit(slopes))

    def crossing(self, outcome: int) -> float:
        """`crossings` of a single outcome, as a number."""
        if outcome < 0:
            return self.least
        slope = (self.height(self.successes) - self.height(outcome)) / (self.successes - outcome)
        return 1 / (1 + math.exp(-slope)) if slope > -MAX_EXPONENT else 0.0

    def height(self, outcome: int) -> float:
        """The largest log-likelihood of an outcome, without the binomial coefficient."""
        best = min(max(outcome / self.n, self.least), self.most)
        hits = outcome * math.log(best) if outcome else 0.0
        misses = self.n - outcome
        return hits + (misses * math.log1p(-best) if misses else 0.0)

    def outside(self, outcomes: Integers, lower: Array, upper: Array) -> Array:
        """Pr(X <= outcome), at one P, plus Pr(X >= y), at another."""
        tails = scipy.special.betaincc(np.maximum(outcomes, 0) + 1, self.n - outcomes, lower)
        above = scipy.special.betainc(self.successes, self.n - self.successes + 1, upper)
        return np.asarray(np.where(outcomes < 0, 0.0, tails) + above)

    def outside_at(self, outcome: int, chance: float) -> float:
        """The probability of all outcomes that are not likelier than y, as a single number."""
        n, y = self.n, self.successes
        below = scipy.special.betaincc(outcome + 1, n - outcome, chance) if outcome >= 0 else 0.0
        return float(below + scipy.special.betainc(y, n - y + 1, chance))


def tail_bounds(successes: float, n: float, level: float) -> tuple[float, float]:
    """Clopper and Pearson's interval for a binomial probability (Biometrika 26, 1934, 404)."""
    tail = (1 - level) / 2
    low = scipy.special.betaincinv(successes, n - successes + 1, tail) if successes > 0 else 0.0
    high = (
        scipy.special.betaincinv(successes + 1, n - successes, 1 - tail) if successes < n else 1.0
    )
    return float(low), float(high)
