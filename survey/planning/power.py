"""How many respondents a test needs to find what is there.

Two numbers for each: by the normal formula that the survey literature uses, and by counting the
outcomes one by one, from where on the power is never below what was asked for.
"""

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import scipy

NORMAL = NormalDist()
# Respondents in each group; beyond, counting adds less than a percent.
MAX_COUNTED_RESPONDENTS = 20_000
# Standard deviations outside of which outcomes have no weight (1e-15).
TAIL_STANDARD_DEVIATIONS = 8.0
Array = npt.NDArray[np.float64]


def normal_power(
    n: int,
    difference: float,
    null_variance: float,
    variance: float,
    alpha: float = 0.05,
    sides: int = 2,
) -> float:
    """The power of a test on the estimate, by the normal formula.

    Parameters
    ----------
    n : int, at least 1
        Respondents; of each group, where two are compared.
    difference : float
        How far the truth is from what is tested against.
    null_variance, variance : float
        n times the variance of the estimate, if there is no difference and if there is. For a
        share seen through the chances p and q, P (1 - P) / (p - q)^2 with P = q + (p - q) pi.
    alpha : float in (0, 1)
        How often the test finds something where nothing is.
    sides : 1 or 2
        Whether a difference in either direction counts.

    Returns
    -------
    float
        Phi((|difference| sqrt(n) - z s0) / s1), z the 1 - alpha / sides quantile.

    Notes
    -----
    The standard error is that under the null hypothesis in the critical value, and that under the
    alternative in the power: Blair, Imai & Zhou, "Design and analysis of the randomized response
    technique", JASA 110 (2015) 1304, as power.rr.test of their package computes it. A finding in
    the wrong direction is no finding. The formula takes counts for continuous, so that the true
    power lies up to a percentage point above or below; `counted_power` is without that fault.
    """
    z = NORMAL.inv_cdf(1 - alpha / sides)
    distance = abs(difference) * math.sqrt(n) - z * math.sqrt(null_variance)
    return NORMAL.cdf(distance / math.sqrt(variance)) if variance else float(distance > 0)


def respondents_by_formula(
    difference: float,
    null_variance: float,
    variance: float,
    alpha: float = 0.05,
    power: float = 0.8,
    sides: int = 2,
) -> int:
    """The smallest n with `normal_power` at least `power`, and so for every larger n.

    n = ((z s0 + z_power s1) / difference)^2, rounded up. It gives 1,025 for forced response with
    2/3 truth, 5 % against 0 %; 6,324 for the mirrored question with 2/3; and for 10 % against 20 %
    in two groups 649 in each, the null hypothesis being that both are at 10 %. (The package rr
    stops searching within 0.01 of the power asked for, which gives 998, 6,165 and 632.)

    Parameters
    ----------
    power : float in (0, 1)
        At least so often the test finds the difference. The others are as for `normal_power`.
    """
    z = NORMAL.inv_cdf(1 - alpha / sides)
    root = z * math.sqrt(null_variance) + NORMAL.inv_cdf(power) * math.sqrt(variance)
    n = max(1, math.ceil((root / difference) ** 2 - 1e-9)) if root > 0 else 1
    # so that the rounding of a root can never leave it one short
    while normal_power(n, difference, null_variance, variance, alpha, sides) < power - 1e-12:
        n += 1
    return n


def counted_power(n: npt.ArrayLike, null: float, chance: float, alpha: float = 0.05) -> Array:
    """The power of the exact two-sided test of a chance, counted without approximation.

    Parameters
    ----------
    n : array_like of int, at least 1
    null, chance : float in [0, 1], different
        The chance of a report that is tested against, and the true one.

    Returns
    -------
    ndarray, of the shape of n

    Notes
    -----
    The null is rejected where the tail from the count outwards has probability alpha / 2 or less
    (Clopper & Pearson, Biometrika 26 (1934) 404): false alarms are never more frequent than alpha.
    The interval on the results page leaves the null out at least about as often, since it is never
    longer but for a report or so. Power saws: with one respondent more the critical count may jump.
    """
    sizes = np.asarray(n, dtype=np.float64)
    if chance < null:  # the same, with the other report counted
        null, chance = 1 - null, 1 - chance
    # where no count is extreme enough, there is no power
    return binomial_tail(upper_critical(sizes, null, alpha / 2) - 1, sizes, chance, upper=True)


def binomial_tail(
    count: npt.ArrayLike, n: npt.ArrayLike, chance: float, upper: bool = False
) -> Array:
    """Pr(X <= count) for X ~ Bin(n, chance), or Pr(X > count), with all its digits where it is
    small. Counts may lie outside of 0 to n."""
    counts, sizes = np.asarray(count), np.asarray(n)
    inside = np.clip(counts, 0, np.maximum(sizes - 1, 0))
    tail = (scipy.special.betainc if upper else scipy.special.betaincc)(
        inside + 1, sizes - inside, chance
    )
    none, every = (1.0, 0.0) if upper else (0.0, 1.0)
    return np.asarray(np.where(counts < 0, none, np.where(counts >= sizes, every, tail)))


def upper_critical(n: Array, null: float, tail: float) -> Array:
    """The smallest count c, at least 1, with Pr(X >= c) at most `tail` for X ~ Bin(n, null)."""
    if null <= 0:
        return np.ones_like(n)
    if null >= 1:
        return np.asarray(n + 1)
    # a guess of the quantile (Cornish & Fisher, 1938), then step by step to where it is
    z, spread = NORMAL.inv_cdf(1 - tail), np.sqrt(n * null * (1 - null))
    quantile = np.clip(np.round(n * null + z * spread + (z * z - 1) * (1 - 2 * null) / 6), 0, n)
    while (short := binomial_tail(quantile, n, null) < 1 - tail).any():
        quantile = quantile + short
    while (far := binomial_tail(quantile - 1, n, null) >= 1 - tail).any():
        quantile = quantile - far
    return np.asarray(quantile + 1)


def respondents_counted(
    null: float, chance: float, alpha: float = 0.05, power: float = 0.8
) -> tuple[int, int]:
    """The first n at which `counted_power` is at least `power`, and the n from which on it always
    is; the latter is the one to plan with.

    Notes
    -----
    Each saw tooth is one report high, that is 1 / |chance - null| respondents long. So all n from
    well below the normal formula's to well above it are counted; tests/planning/test_power.py
    counts on to three times that in many cases, and finds no tooth that falls below again.
    """
    spread, null_spread = chance * (1 - chance), null * (1 - null)
    rough = respondents_by_formula(chance - null, null_spread, spread, alpha, power)
    tooth = math.ceil(1 / abs(chance - null))
    start = 1 if rough <= 5_000 else rough - 6 * tooth
    sizes = np.arange(max(1, start), rough + 12 * tooth + 60)
    enough = counted_power(sizes, null, chance, alpha) >= power
    short = np.flatnonzero(~enough)
    always = int(sizes[short[-1]]) + 1 if len(short) else int(sizes[0])
    return int(sizes[int(np.argmax(enough))]), always


def counted_power_of_groups(n: int, first: float, second: float, alpha: float = 0.05) -> float:
    """The power of the usual test of two chances, n respondents in each group, counted.

    The test is that of two proportions with a pooled variance, |x - y| / n against
    z sqrt(2 m (1 - m) / n), m the share in both together. Its false alarms are about alpha, not
    at most (5.0 % within 0.1 points at n = 650).
    """
    low, high = sorted((first, second))
    z2 = NORMAL.inv_cdf(1 - alpha / 2) ** 2
    reach = TAIL_STANDARD_DEVIATIONS * math.sqrt(n * low * (1 - low)) + 1
    counts = np.arange(max(0, math.floor(n * low - reach)), min(n, math.ceil(n * low + reach)) + 1)
    x = counts.astype(np.float64)
    # the smallest excess d of the other group that is found: d^2 > z^2 s (2n - s) / 2n, s = 2x + d
    a, b, c = 1 + z2 / (2 * n), -z2 * (2 * n - 4 * x) / (2 * n), -z2 * 4 * x * (n - x) / (2 * n)
    root = (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a)
    needed = x + np.floor(root + 1e-9) + 1
    before, until = binomial_tail(x[:1] - 1, n, low), binomial_tail(x, n, low)
    weight = np.diff(until, prepend=before)
    return float(weight @ binomial_tail(needed - 1, n, high, upper=True))


def groups_counted(
    first: float, second: float, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """How many respondents in each of two groups, so that from there on the power of the usual
    test is never below `power`; None above 20,000, where counting takes long.

    Notes
    -----
    Counted down from above the normal formula with the pooled variance. The saw is all but smooth
    here, since the critical difference varies with what both groups have in common.
    """
    middle = (first + second) / 2
    pooled, spread = 2 * middle * (1 - middle), first * (1 - first) + second * (1 - second)
    rough = respondents_by_formula(first - second, pooled, spread, alpha, power)
    if rough > MAX_COUNTED_RESPONDENTS:
        return None
    tooth = math.ceil(2 / abs(first - second))
    n = rough + min(2 * tooth, 30) + 10
    # downwards, to the first that falls short
    while n > 1 and counted_power_of_groups(n - 1, first, second, alpha) >= power:
        n -= 1
    return n
