"""The statistics of the audit: the probability of the observed counts if all is correct.

False alarms. The exact and the instrumented layer have none, because they compare integers. Each
run of the statistical layer has five families of tests, and each run of the joint one has one. A
family raises a false alarm with probability at most ALPHA (Bonferroni). A run of all browser tests
has fewer than 500 families, hence a false alarm with probability below 5e-7.

What a chi-square test detects. Let an answer's reports have probabilities q in place of the table's
p, and let lambda = n * sum of (q - p)^2 / p over them. The statistic is the squared length of a
vector of standard normal noise (its dimension df = reports - 1), shifted by sqrt(lambda). Its part
along the shift alone is N(sqrt(lambda), 1). It stays below the critical value c with probability at
most Phi(sqrt(c) - sqrt(lambda)). The test therefore misses a lambda of (sqrt(c) + 6)^2 with
probability 1e-9.

Suppose that one report is d too likely and the others are too rare in proportion. Then lambda is
n d^2 / (p (1 - p)), so d = (sqrt(c) + 6) sqrt(p (1 - p) / n) is detected.
"""

import math
from collections.abc import Sequence

import numpy as np

ALPHA = 1e-9
# Adding this many terms at once is faster than one by one.
BLOCK = 500
# A share of all counts. Rarer rows and columns are merged before a test of dependence.
RARE = 0.01


def chi_square_tail(statistic: float, df: int) -> float:
    """Pr(chi-square with df degrees of freedom > statistic), in closed form.

    It is the regularised incomplete gamma function Q(df/2, statistic/2). The recurrence is Q(a + 1,
    h) = Q(a, h) + h^a e^-h / Gamma(a + 1), from Q(1/2, h) = erfc(sqrt(h)) or Q(1, h) = e^-h. All
    terms are positive, so small values keep their digits.
    """
    half = statistic / 2
    if half <= 0:
        return 1.0
    a = 0.5 if df % 2 else 1.0
    tail = math.erfc(math.sqrt(half)) if df % 2 else math.exp(-half)
    while a < df / 2:
        tail += math.exp(a * math.log(half) - half - math.lgamma(a + 1))
        a += 1
    return tail


def critical(df: int, tests: int) -> float:
    """The value that the statistic of one of these tests exceeds with probability ALPHA / tests."""
    low, high = 0.0, 1e5
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if chi_square_tail(middle, df) > ALPHA / tests else (low, middle)
    return high


def smallest_seen(p: float, df: int, tests: int, draws: int) -> float:
    """The d of the note above: an error of a probability p that chi-square never misses."""
    return (math.sqrt(critical(df, tests)) + 6) * math.sqrt(p * (1 - p) / draws)


def misfit(chances: Sequence[float], counts: Sequence[int]) -> float:
    """The probability that draws with these proportions fit as badly as these counts, or worse."""
    if any(count and not chance for chance, count in zip(chances, counts, strict=True)):
        return 0.0
    n, total = sum(counts), float(sum(chances))
    fit = [(float(c) * n / total, count) for c, count in zip(chances, counts, strict=True) if c]
    statistic = sum((count - expected) ** 2 / expected for expected, count in fit)
    return chi_square_tail(statistic, len(fit) - 1) if len(fit) > 1 else 1.0


def merged(counts: np.ndarray) -> np.ndarray:
    """The counts with all rare rows merged into one."""
    rare = counts.sum(axis=1) < RARE * counts.sum()
    return np.vstack([counts[~rare], counts[rare].sum(axis=0)]) if rare.any() else counts


def dependence(counts: Sequence[Sequence[int]]) -> float:
    """The probability that independent reports look as dependent as these counts, or more so."""
    seen = merged(merged(np.array(counts, dtype=float)).T).T
    seen = seen[seen.sum(axis=1) > 0][:, seen.sum(axis=0) > 0]
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / seen.sum()
    df = (seen.shape[0] - 1) * (seen.shape[1] - 1)
    return chi_square_tail(float(((seen - expected) ** 2 / expected).sum()), df) if df else 1.0


def at_least(successes: int, n: int, p: float) -> float:
    """Pr(X >= successes) for X binomial with n and p strictly between 0 and 1, term by term."""
    term = math.exp(
        math.lgamma(n + 1)
        - math.lgamma(successes + 1)
        - math.lgamma(n - successes + 1)
        + successes * math.log(p)
        + (n - successes) * math.log1p(-p)
    )
    tail = term
    for first in range(successes, n, BLOCK):
        i = np.arange(first, min(first + BLOCK, n))
        steps = (n - i) / (i + 1) * (p / (1 - p))
        terms = term * np.cumprod(steps)
        tail += float(terms.sum())
        term = float(terms[-1])
        if steps[-1] < 1 and term <= tail * 1e-17:
            break
    return tail


def lower_limit(successes: int, n: int, alpha: float) -> float:
    """Clopper and Pearson's lower limit: the p with Pr(X >= successes) = alpha."""
    low, high = 0.0, successes / n
    for _ in range(50 if successes else 0):
        middle = (low + high) / 2
        if at_least(successes, n, middle) > alpha:
            high = middle
        else:
            low = middle
    return low


def upper_limit(successes: int, n: int, alpha: float) -> float:
    return 1 - lower_limit(n - successes, n, alpha)


def log_ratio_bound(more: int, fewer: int, n: int, share: float) -> float:
    """A lower bound for the log of a ratio of probabilities, except with probability 2 * share."""
    lower = lower_limit(more, n, share)
    return math.log(lower / upper_limit(fewer, n, share)) if lower > 0 else -math.inf


def epsilon_bound(counts: Sequence[Sequence[int]], alpha: float) -> float:
    """A lower bound for the sampler's epsilon, except with probability alpha.

    It is the largest log(lower limit of Pr(y | x) / upper limit of Pr(y | x')) over all reports y
    and ordered pairs of answers x, x'. Two limits for each of those give alpha / (2 k^2 (k - 1))
    for k answers and reports. Both limits increase with the count, so each report's largest ratio
    is that of its most and its least frequent answer.
    """
    answers, reports, n = len(counts), len(counts[0]), sum(counts[0])
    share = alpha / (2 * reports * answers * (answers - 1))
    return max(
        log_ratio_bound(max(column), min(column), n, share) for column in zip(*counts, strict=True)
    )


def event_bound(one: np.ndarray, other: np.ndarray, n: int, alpha: float) -> float:
    """The same bound from the counts of many events with one answer and with another.

    The most promising event is selected first, by six standard deviations. The limits take into
    account the choice among all events and two directions.
    """
    share = alpha / (4 * len(one))
    bound = -math.inf
    for more, fewer in ((one, other), (other, one)):
        careful = (more - 6 * np.sqrt(more)) / (fewer + 6 * np.sqrt(fewer) + 40)
        best = int(np.argmax(careful))
        bound = max(bound, log_ratio_bound(int(more[best]), int(fewer[best]), n, share))
    return bound
