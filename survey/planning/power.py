"""The number of respondents with which a test finds an existing difference.

There are two numbers for each test. One uses the normal formula of the survey literature. The other
adds up the exact probabilities of all outcomes, and from it on the power is never below the target.
"""

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import scipy

NORMAL = NormalDist()
# For larger groups, the exact calculation changes the number by less than a percent.
MAX_COUNTED_RESPONDENTS = 20_000
# Outcomes farther out have a probability below 1e-15.
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
        The number of respondents; in each group, if two groups are compared.
    difference : float
        The difference of the true value from the null hypothesis.
    null_variance, variance : float
        n times the variance of the estimate, without and with the difference. For a share with
        report probabilities p and q, it is P (1 - P) / (p - q)^2 with P = q + (p - q) pi.
    alpha : float in (0, 1)
        The probability that the test rejects a true null hypothesis.
    sides : 1 or 2
        2 if a difference in either direction counts.

    Returns
    -------
    float
        Phi((|difference| sqrt(n) - z s0) / s1), z the 1 - alpha / sides quantile.

    Notes
    -----
    The critical value uses the standard error under the null hypothesis. The power uses the one
    under the alternative: Blair, Imai & Zhou, "Design and analysis of the randomized response
    technique", JASA 110 (2015) 1304, as power.rr.test of their package computes it. A result in the
    wrong direction does not count. The formula treats counts as continuous. In samples of a few
    hundred, the true power may be more than 20 percentage points lower. With 10,000 respondents,
    the difference is usually below two points. `counted_power` is exact.
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
    """The smallest n with `normal_power` at least `power`, also for every larger n.

    n = ((z s0 + z_power s1) / difference)^2, rounded up.

    Examples: forced response with 2/3 truth, 5 % against 0 %, needs 1,025. The mirrored question
    with 2/3 needs 6,324. For 10 % against 20 % in two groups, under the null hypothesis that both
    are at 10 %, each group needs 649. (The package rr stops searching within 0.01 of the power,
    which gives 998, 6,165 and 632.)

    Parameters
    ----------
    power : float in (0, 1)
        The minimum probability that the test finds the difference. The others are as for
        `normal_power`.
    """
    z = NORMAL.inv_cdf(1 - alpha / sides)
    root = z * math.sqrt(null_variance) + NORMAL.inv_cdf(power) * math.sqrt(variance)
    n = max(1, math.ceil((root / difference) ** 2 - 1e-9)) if root > 0 else 1
    # The rounding of a root must never make n one too small.
    while normal_power(n, difference, null_variance, variance, alpha, sides) < power - 1e-12:
        n += 1
    return n


def counted_power(
    n: npt.ArrayLike,
    null: float,
    chance: float,
    alpha: float = 0.05,
    ends: tuple[float, float] = (0.0, 1.0),
) -> Array:
    """The exact power of the two-sided test of a probability.

    Parameters
    ----------
    n : array_like of int, at least 1
    null, chance : float in [0, 1], different
        The probability of a report under the null hypothesis, and the true one.
    alpha : float in (0, 1)
    ends : pair of floats
        The smallest and the largest possible probability of a report.

    Returns
    -------
    ndarray, of the shape of n

    Notes
    -----
    The test is the one that the interval on the results page inverts
    (survey/estimation/share_intervals.py). It rejects the null hypothesis if all outcomes with a
    larger likelihood ratio have probability 1 - alpha or more. A true null hypothesis is therefore
    rejected with probability at most alpha. The power is not monotonic in n: with one more
    respondent, the critical count may increase. A result in the wrong direction does not count.
    """
    sizes = np.asarray(n, dtype=np.float64)
    # By symmetry, count the other report.
    if chance < null:
        null, chance, ends = 1 - null, 1 - chance, (1 - ends[1], 1 - ends[0])
    # If no count is extreme enough, the power is zero.
    return binomial_tail(critical_count(sizes, null, alpha, ends) - 1, sizes, chance, upper=True)


def binomial_tail(
    count: npt.ArrayLike, n: npt.ArrayLike, chance: float, upper: bool = False
) -> Array:
    """Pr(X <= count) for X ~ Bin(n, chance), or Pr(X > count) with `upper`.

    Small probabilities keep all their digits. Counts may lie outside of 0 to n.
    """
    counts, sizes = np.asarray(count), np.asarray(n)
    inside = np.clip(counts, 0, np.maximum(sizes - 1, 0))
    tail = (scipy.special.betainc if upper else scipy.special.betaincc)(
        inside + 1, sizes - inside, chance
    )
    none, every = (1.0, 0.0) if upper else (0.0, 1.0)
    return np.asarray(np.where(counts < 0, none, np.where(counts >= sizes, every, tail)))


def critical_count(n: Array, null: float, alpha: float, ends: tuple[float, float]) -> Array:
    """The smallest count above n null that the test of `counted_power` rejects; n + 1 without one.

    Both searches are bisections: the likelihood ratio rises up to n null, and falls from there on.
    By Bernstein's inequality, counts beyond their reach have a probability below 1e-13.
    """
    expected = np.floor(n * null)
    reach = np.ceil(TAIL_STANDARD_DEVIATIONS * np.sqrt(n * null * (1 - null))) + 24

    def ratio(count: Array) -> Array:
        """The likelihood at the null, divided by the largest one, as a logarithm."""
        found, best = np.zeros_like(count), np.clip(count / n, *ends)
        for hits, chances, at_null in ((count, best, null), (n - count, 1 - best, 1 - null)):
            found += scipy.special.xlogy(hits, at_null) - scipy.special.xlogy(hits, chances)
        return found

    def outside(count: Array) -> Array:
        """The probability of all outcomes that are not likelier than this one."""
        # Equal ratios differ by rounding.
        own = ratio(count) + 1e-6
        below, above = np.maximum(expected - reach, -1), expected + 1
        while (above - below > 1).any():
            middle = np.floor((below + above) / 2)
            as_unlikely = ratio(np.maximum(middle, 0)) <= own
            below, above = (
                np.where(as_unlikely, middle, below),
                np.where(as_unlikely, above, middle),
            )
        return binomial_tail(below, n, null) + binomial_tail(count - 1, n, null, upper=True)

    accepted, rejected = expected, np.minimum(expected + reach, n) + 1
    while (rejected - accepted > 1).any():
        middle = np.floor((accepted + rejected) / 2)
        beyond = outside(middle) <= alpha
        accepted, rejected = np.where(beyond, accepted, middle), np.where(beyond, middle, rejected)
    return np.asarray(rejected)


def respondents_counted(
    null: float,
    chance: float,
    alpha: float = 0.05,
    power: float = 0.8,
    ends: tuple[float, float] = (0.0, 1.0),
) -> int:
    """The n from which `counted_power` is always at least `power`.

    Notes
    -----
    Power as a function of n is a saw-tooth. Each tooth is one report high, and 1 / |chance - null|
    respondents long. Bisection finds a tooth with enough power, as far as some of its sizes show.
    The function then checks all n from below to well above it. The tests check up to three times
    that n in many cases (tests/planning/test_power.py), and find no later n with too little power.
    """
    spread, null_spread = chance * (1 - chance), null * (1 - null)
    tooth = math.ceil(1 / abs(chance - null))

    def enough(sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        return counted_power(sizes, null, chance, alpha, ends) >= power

    # The test never needs many more than the formula says.
    low = 0
    high = respondents_by_formula(chance - null, null_spread, spread, alpha, power) + 12 * tooth
    while high - low > tooth:
        middle = (low + high) // 2
        some = np.linspace(middle, middle + tooth, 16).astype(np.int64)
        low, high = (low, middle) if enough(some).all() else (middle, high)
    sizes = np.arange(max(1, low - 3 * tooth), high + 6 * tooth + 60)
    short = np.flatnonzero(~enough(sizes))
    return int(sizes[short[-1]]) + 1 if len(short) else int(sizes[0])


def counted_power_of_groups(n: int, first: float, second: float, alpha: float = 0.05) -> float:
    """The exact power of the usual test of two probabilities, with n respondents in each group.

    The test compares two proportions with a pooled variance: |x - y| / n against z sqrt(2 m (1 - m)
    / n), where m is the share in both groups together. It rejects a true null hypothesis with
    probability of about alpha, not at most alpha (5.0 % within 0.1 percentage points at n = 650).
    """
    low, high = sorted((first, second))
    z2 = NORMAL.inv_cdf(1 - alpha / 2) ** 2
    reach = TAIL_STANDARD_DEVIATIONS * math.sqrt(n * low * (1 - low)) + 1
    counts = np.arange(max(0, math.floor(n * low - reach)), min(n, math.ceil(n * low + reach)) + 1)
    x = counts.astype(np.float64)
    # The smallest excess d of the other group that the test finds: d^2 > z^2 s (2n - s) / 2n
    # with s = 2x + d.
    a, b, c = 1 + z2 / (2 * n), -z2 * (2 * n - 4 * x) / (2 * n), -z2 * 4 * x * (n - x) / (2 * n)
    root = (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a)
    needed = x + np.floor(root + 1e-9) + 1
    before, until = binomial_tail(x[:1] - 1, n, low), binomial_tail(x, n, low)
    weight = np.diff(until, prepend=before)
    return float(weight @ binomial_tail(needed - 1, n, high, upper=True))


def groups_counted(
    first: float, second: float, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """The respondents in each of two groups from which the usual test always has this power.

    It is None above 20,000, where the exact calculation takes long.

    Notes
    -----
    The search goes down from above the normal formula with the pooled variance. The saw-tooth is
    almost smooth here, because the critical difference varies with the counts in both groups.
    """
    middle = (first + second) / 2
    pooled, spread = 2 * middle * (1 - middle), first * (1 - first) + second * (1 - second)
    rough = respondents_by_formula(first - second, pooled, spread, alpha, power)
    if rough > MAX_COUNTED_RESPONDENTS:
        return None
    tooth = math.ceil(2 / abs(first - second))
    n = rough + min(2 * tooth, 30) + 10
    # Search downwards to the first n with too little power.
    while n > 1 and counted_power_of_groups(n - 1, first, second, alpha) >= power:
        n -= 1
    return n
