"""Confidence intervals for a share that is estimated through a two-valued score.

If a question's scores take two values, a report supports an answer with probability P = q + (p - q)
pi. Here pi is the share, p the probability for people with the answer, and q the probability for
all others. An interval for the binomial P therefore gives one for pi. The interval is about a
population: people like these respondents, each drawn independently.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import scipy

# The largest number of respondents for the exact interval.
EXACT_UP_TO = 500
# The smallest expected number of either report for Wilson's interval. With fewer, its coverage is
# too low.
WILSON_FROM = 100
# The exact test is inverted at this many shares. The interval is widened by one step.
GRID = 2001


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
        Never empty, within [0, 1]. Up to n = 500 it inverts the likelihood-ratio-ordered exact
        test, which covers at least `level` for every share.
        Beyond, it is Wilson's interval if at least 100 reports of either kind are expected for
        every share. Its coverage may be 0.6 percentage points too low (0.944 at worst for n = 501,
        epsilon = ln 3). If fewer are expected (a weak randomizer, a non-private question), it is
        Clopper and Pearson's, which covers at least `level`.

    Notes
    -----
    The order is that of the likelihood ratio against the best share inside [0, 1]: Feldman &
    Cousins, Phys. Rev. D 57 (1998) 3873. Wilson, JASA 22 (1927) 209; Clopper & Pearson, Biometrika
    26 (1934) 404. The latter two use the observed share, moved into the range from q to p. This
    only lengthens them towards the inside.
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
    """The smallest and the largest share that the likelihood-ratio-ordered test accepts.

    For a share, consider the outcomes that are strictly likelier than the observed one, relative to
    their own best share. The test rejects the share if their total probability is `level` or more.
    """
    accepted = np.flatnonzero(chance_of_likelier(successes, n, p, q) < level)
    step = 1 / (GRID - 1)
    return max(0.0, float(accepted[0] - 1) * step), min(1.0, float(accepted[-1] + 1) * step)


@lru_cache(maxsize=1024)
def chance_of_likelier(successes: int, n: int, p: float, q: float) -> npt.NDArray[np.float64]:
    """The probability of a likelier outcome than the observed one, shape (GRID,).

    It does not depend on the level, so it serves an interval and its simultaneous interval.
    """
    density, ratio = ordered_outcomes(n, p, q)
    # Ratios that differ only by rounding count as equal, which keeps the test valid.
    ahead = ratio > ratio[:, successes, np.newaxis] + 1e-9
    return np.asarray((density * ahead).sum(axis=1))


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
