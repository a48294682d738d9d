"""Confidence intervals for a share that is seen through a two-valued score.

Where a question's scores take two values, "the report speaks for this answer" is a coin with
P = q + (p - q) pi: p is its chance for people with the answer, q for all others, pi the share.
An interval for a binomial P then maps onto pi. The population is what the interval is about:
people like these respondents, each drawn independently.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import scipy

EXACT_UP_TO = 500  # respondents
WILSON_FROM = 100  # reports of either kind to expect at the least; with fewer it falls short
GRID = 2001  # shares at which the exact test is inverted; the interval is widened by one step


@dataclass(frozen=True)
class Interval:
    """Bounds within [0, 1], the level claimed, and the method's name."""

    low: float
    high: float
    level: float
    method: str


def share_interval(successes: int, n: int, p: float, q: float, level: float = 0.95) -> Interval:
    """Interval for pi from a binomial count with success probability q + (p - q) pi.

    Parameters
    ----------
    successes : int, 0 to n
        Reports that speak for the answer.
    n : int, at least 1
    p, q : float in [0, 1], different
        Chance of such a report for people with, and without, the answer.
    level : float in (0, 1)

    Returns
    -------
    Interval
        Never empty, within [0, 1]. Up to n = 500 by inverting the likelihood-ratio-ordered exact
        test, which covers at least `level` for every share. Beyond, by Wilson's interval where
        at least 100 reports of either kind are expected whatever the share: it may fall short by
        0.6 percentage points (0.944 at worst for n = 501, epsilon = ln 3). Where fewer are (a weak
        randomizer, a plain question), by Clopper and Pearson's, which covers at least `level`.

    Notes
    -----
    Ordering by the likelihood ratio against the best share inside [0, 1]: Feldman & Cousins,
    Phys. Rev. D 57 (1998) 3873; Wilson, JASA 22 (1927) 209; Clopper & Pearson, Biometrika 26
    (1934) 404. The latter two are applied to the observed share moved into the range from q to p,
    which only lengthens them towards the inside.
    """
    if n <= EXACT_UP_TO:
        low, high = exact_bounds(successes, n, p, q, level)
        return Interval(low, high, level, "exact, likelihood-ratio ordered")
    inside = min(max(successes / n, min(p, q)), max(p, q))
    if n * min(p, q, 1 - p, 1 - q) >= WILSON_FROM:
        bounds, method = wilson_bounds(inside, n, level), "Wilson, mapped through the table"
    else:
        bounds, method = tail_bounds(inside, n, level), "Clopper-Pearson, mapped through the table"
    low, high = sorted((bound - q) / (p - q) for bound in bounds)
    return Interval(max(0.0, low), min(1.0, high), level, method)


@lru_cache(maxsize=4096)
def exact_bounds(successes: int, n: int, p: float, q: float, level: float) -> tuple[float, float]:
    """Smallest and largest share that the likelihood-ratio-ordered test does not reject.

    A share is rejected when the outcomes strictly likelier, relative to their own best share,
    than the observed one have total probability `level` or more.
    """
    density, ratio = ordered_outcomes(n, p, q)
    # outcomes whose ratios agree but for rounding count as equal, which keeps the test valid
    ahead = ratio > ratio[:, successes, np.newaxis] + 1e-9
    accepted = np.flatnonzero((density * ahead).sum(axis=1) < level)
    step = 1 / (GRID - 1)
    return max(0.0, float(accepted[0] - 1) * step), min(1.0, float(accepted[-1] + 1) * step)


@lru_cache(maxsize=16)
def ordered_outcomes(
    n: int, p: float, q: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Binomial probabilities and log likelihood ratios, both of shape (GRID, n + 1)."""
    outcomes = np.arange(n + 1)
    choose = np.array(
        [math.lgamma(n + 1) - math.lgamma(y + 1) - math.lgamma(n - y + 1) for y in range(n + 1)]
    )

    def log_likelihood(share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        chance = q + (p - q) * share
        with np.errstate(divide="ignore", invalid="ignore"):
            hits = np.where(outcomes > 0, outcomes * np.log(chance), 0.0)
            misses = np.where(outcomes < n, (n - outcomes) * np.log1p(-chance), 0.0)
        return choose + hits + misses

    best = np.clip((outcomes / n - q) / (p - q), 0, 1)
    log_density = log_likelihood(np.linspace(0, 1, GRID)[:, np.newaxis])
    return np.exp(log_density), log_density - log_likelihood(best)


def wilson_bounds(observed: float, n: int, level: float) -> tuple[float, float]:
    """Wilson's interval for a binomial proportion."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (observed + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(observed * (1 - observed) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return centre - half, centre + half


def tail_bounds(observed: float, n: int, level: float) -> tuple[float, float]:
    """Clopper and Pearson's interval for a binomial proportion."""
    successes, tail = observed * n, (1 - level) / 2
    low = scipy.special.betaincinv(successes, n - successes + 1, tail) if successes > 0 else 0.0
    high = (
        scipy.special.betaincinv(successes + 1, n - successes, 1 - tail) if successes < n else 1.0
    )
    return float(low), float(high)
