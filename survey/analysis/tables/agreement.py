"""Agreement of two coders on one code: Cohen's kappa with an interval.

Each of n texts has the code from both coders, from only one of them, or from neither. Kappa is the
agreement beyond chance: (observed - expected) / (1 - expected). Here `expected` is the agreement of
two coders who give the code to the same shares of the texts, but independently of each other.

Sources: Cohen (1960), Educational and Psychological Measurement 20; for the interval, the
likelihood ratio for a parameter of a multinomial distribution (Wilks 1938).
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import scipy

from survey.estimation.number_text import fixed_decimals, percent

LEVEL = 0.95
# Points on each side of the grid that searches the most likely shares, and how often it zooms in.
GRID = 17
ZOOMS = 8
# Each zoom keeps this part of the grid. It is large, so that a search never leaves out the maximum.
KEPT = 0.25
TOLERANCE = 1e-5  # of the ends of the interval
# A kappa can be impossible, and its likelihood ratio infinite. The search of a root needs a number.
MAX_EXCESS = 1e6


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The agreement on a code.

    Attributes
    ----------
    both, first, second, neither : numbers of texts with the code from both coders, only from
        the first, only from the second, and from neither
    observed : the share of texts on which the coders agree; None without texts
    kappa : from -1 to 1; None if it is undefined: without texts, or if both coders gave the code to
        every text, or both to none
    low, high : the interval of kappa for more texts like these; None if kappa is undefined
    """

    both: int
    first: int
    second: int
    neither: int
    observed: float | None = None
    kappa: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def n(self) -> int:
        return self.both + self.first + self.second + self.neither

    @property
    def observed_text(self) -> str:
        """The share of texts on which the coders agree, in percent; a dash without texts."""
        return "–" if self.observed is None else percent(self.observed)

    @property
    def kappa_text(self) -> str:
        """Kappa with two decimals; empty if it is undefined."""
        return "" if self.kappa is None else fixed_decimals(self.kappa, 2)

    @property
    def between(self) -> tuple[str, str]:
        """The ends of the interval with two decimals; empty if kappa is undefined."""
        if self.low is None or self.high is None:
            return "", ""
        return fixed_decimals(self.low, 2), fixed_decimals(self.high, 2)


def agreement(both: int, first: int, second: int, neither: int) -> Agreement:
    """Cohen's kappa of two coders for one code, from the four numbers of texts (each 0 or more)."""
    counted = Agreement(both=both, first=first, second=second, neither=neither)
    n = both + first + second + neither
    if not n:
        return counted
    observed = (both + neither) / n
    # Whole numbers, so that 0 is exact.
    beyond_chance = both * neither - first * second
    possible = (both + first) * (first + neither) + (both + second) * (second + neither)
    if not possible:
        return replace(counted, observed=observed)
    low, high = kappa_interval(both, first, second, neither)
    kappa = 2 * beyond_chance / possible
    return replace(counted, observed=observed, kappa=kappa, low=low, high=high)


@lru_cache(maxsize=4096)
def kappa_interval(both: int, first: int, second: int, neither: int) -> tuple[float, float]:
    """The kappas that the likelihood ratio does not reject, from -1 to 1.

    Kappa must be defined. The coverage is close to 0.95 also for few texts and rare codes
    (tests/analysis/test_agreement.py), where intervals of normal theory have length 0.
    """
    counts = np.array([both, first, second, neither], dtype=float)
    beyond_chance = both * neither - first * second
    possible = (both + first) * (first + neither) + (both + second) * (second + neither)
    kappa = 2 * beyond_chance / possible

    def excess(value: float) -> float:
        return min(kappa_likelihood_ratio(counts, value) - limit_of(counts), MAX_EXCESS)

    ends = []
    for edge in (-1.0, 1.0):
        if abs(edge - kappa) < TOLERANCE or excess(edge) <= 0:
            ends.append(edge)
        else:
            ends.append(float(scipy.optimize.brentq(excess, kappa, edge, xtol=TOLERANCE)))
    return ends[0], ends[1]


def limit_of(counts: npt.NDArray[np.float64]) -> float:
    """The largest likelihood ratio that is not rejected.

    It is the square of Student's quantile with n - 3 degrees of freedom, in place of the quantile
    of chi-square. With few texts, chi-square rejects the true kappa too often.
    """
    freedom = max(1.0, float(counts.sum()) - 3)
    return float(scipy.special.stdtrit(freedom, (1 + LEVEL) / 2)) ** 2


def kappa_likelihood_ratio(counts: npt.NDArray[np.float64], kappa: float) -> float:
    """Twice the difference of log likelihoods: the best shares, and the best with this kappa."""
    best = log_likelihood(counts, counts / counts.sum())
    return 2 * (float(best) - profile(counts, kappa))


def profile(counts: npt.NDArray[np.float64], kappa: float) -> float:
    """The largest log likelihood with this kappa, over the shares of texts that each coder codes.

    It searches a grid of these two shares, which zooms in on its best point.
    """
    n = counts.sum()
    centre = np.array([counts[0] + counts[1], counts[0] + counts[2]]) / n
    half, best = 1.0, -np.inf
    for _ in range(ZOOMS):
        sides = [np.linspace(max(0, each - half), min(1, each + half), GRID) for each in centre]
        u, v = np.meshgrid(*sides, indexing="ij")
        both = u * v + kappa * (u + v - 2 * u * v) / 2
        shares = np.stack([both, u - both, v - both, 1 - u - v + both], axis=-1)
        # Rounding can leave a share of zero slightly below zero.
        shares = np.where(np.abs(shares) < 1e-15, 0.0, shares)
        heights = np.where((shares < 0).any(axis=-1), -np.inf, log_likelihood(counts, shares))
        place = np.unravel_index(np.argmax(heights), heights.shape)
        if heights[place] > best:
            best, centre = float(heights[place]), np.array([u[place], v[place]])
        half *= KEPT
    return best


def log_likelihood(
    counts: npt.NDArray[np.float64], shares: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """The log likelihood of cell shares, which are the last axis."""
    there = counts > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(shares[..., there]) @ counts[there])
