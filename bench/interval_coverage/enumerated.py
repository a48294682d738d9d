"""Coverage from all outcomes, if there are few enough, without random draws."""

import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from survey.core.factored_randomizers import Boxes, OneHot
from survey.core.mechanisms import build_randomizer
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities, support_of, unbiased_scores
from survey.definition.questions import Question
from survey.estimation.mean_intervals import mean_interval
from survey.estimation.share_estimates import estimate_shares
from survey.estimation.share_intervals import Interval, share_interval

from .cases import EPSILONS, NORMAL, PLAIN, Measured

SHARES = {  # mechanism, kind of answers, number of answers
    "k-ary randomised response, 5 answers": ("k_randomized_response", "choices", 5),
    "subset selection, 7 answers": ("subset_selection", "choices", 7),
    "subset selection, 16 answers": ("subset_selection", "choices", 16),
    "optimised unary encoding, 8 answers": ("optimized_unary_encoding", "choices", 8),
    "symmetric unary encoding, 8 answers": ("symmetric_unary_encoding", "choices", 8),
    "a random few of 10 boxes": ("sampled_boxes", "boxes", 10),
    "all combinations of 3 boxes": ("joint_boxes", "boxes", 3),
}
OWN_TABLES = {
    "2 answers, 3 reports": ([[5, 3, 2], [2, 3, 5]], (10, 20, 50, 200)),
    "3 answers, 3 reports": ([[6, 1, 1], [2, 5, 1], [1, 1, 6]], (10, 20, 50)),
    "Kuk's cards, 3 draws": ([[8, 12, 6, 1], [1, 6, 12, 8]], (10, 20)),
}
TYPICAL = 0.3  # the true share at which widths are shown


def coin_of(mechanism: str, kind: str, answers: int, epsilon: str) -> tuple[float, float]:
    """The probabilities of a report that supports an answer, with and without that answer."""
    if epsilon == PLAIN:
        return 1.0, 0.0
    built = build_randomizer({"mechanism": mechanism, "epsilon": EPSILONS[epsilon]}, kind, answers)
    if isinstance(built, OneHot):
        return float(built.p), float(built.q)
    table = built.table if isinstance(built, Boxes) else built
    if not isinstance(table, Randomizer):
        raise TypeError(f"{mechanism} has no table.")
    places = np.arange(table.answers)  # With boxes, odd combinations contain the first box.
    meant = places % 2 == 1 if mechanism == "joint_boxes" else places == 0
    scores = unbiased_scores(table, meant[:, np.newaxis].astype(float))[:, 0]
    support = support_of(table, scores, meant)
    if support is None:
        raise TypeError(f"The scores of {mechanism} take more than two values.")
    return float(support.p), float(support.q)


@cache
def ways(n: int) -> np.ndarray:
    """ln (n choose k) for k from 0 to n. It is the same for each probability."""
    y = range(n + 1)
    return np.array([math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in y])


def binomial(n: int, chance: float) -> np.ndarray:
    """The probabilities of 0 to n successes."""
    y, choose = np.arange(n + 1), ways(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        hits = np.where(y > 0, y * np.log(chance), 0.0)
        misses = np.where(y < n, (n - y) * np.log1p(-chance), 0.0)
    return np.asarray(np.exp(choose + hits + misses))


def worst_of_coin(intervals: Sequence[Interval], p: float, q: float, wald: np.ndarray) -> Measured:
    """The smallest coverage over all shares (or means from 0 to 1), exactly.

    The set of outcomes whose intervals contain a share changes only at the ends of intervals, and
    these outcomes are adjacent. Between two ends, the probability of such a run rises, falls, or
    rises and then falls. So its minimum is next to an end.
    """
    n = len(intervals) - 1
    low, high = np.array([(i.low, i.high) for i in intervals]).T
    ends = np.concatenate([low, high])
    shares = np.unique(np.clip(np.concatenate([ends - 1e-6, ends, ends + 1e-6]), 0, 1))
    worst = min(
        float(binomial(n, q + (p - q) * share) @ ((low <= share) & (share <= high)))
        for share in shares
    )
    likely = binomial(n, q + (p - q) * TYPICAL)
    return Measured(
        worst, 1.0, middle(high - low, likely), middle(wald, likely), float(min(high - low)), 0.0
    )


def middle(values: np.ndarray, likely: np.ndarray) -> float:
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(likely[order]), likely.sum() / 2)])


def wald_widths(values: np.ndarray, errors: np.ndarray) -> np.ndarray:
    ends = np.clip([values - NORMAL * errors, values + NORMAL * errors], 0, 1)
    return np.asarray(ends[1] - ends[0])


def share_of_coin(p: float, q: float, n: int) -> Measured:
    """Shares from scores with two values."""
    intervals = [share_interval(y, n, p, q) for y in range(n + 1)]
    seen = np.arange(n + 1) / n
    errors = np.sqrt(seen * (1 - seen) / max(1, n - 1)) / abs(p - q)
    return worst_of_coin(intervals, p, q, wald_widths((seen - q) / (p - q), errors))


def mean_of_one_bit(question: Question, n: int) -> Measured:
    """The mean of a number from 0 to 100 from one bit, relative to the range."""
    table = question.table
    if table is None or table.reports != 2:
        raise TypeError("One bit has two reports.")
    values = np.linspace(0, 1, table.answers)
    scores = unbiased_scores(table, values[:, np.newaxis])[:, 0]
    chances = probabilities(table)
    high = int(np.argmax(scores))
    counts = [np.array([y, n - y] if high == 0 else [n - y, y]) for y in range(n + 1)]
    intervals = [mean_interval(row, scores, 0.0, 1.0) for row in counts]
    seen = np.arange(n + 1) / n
    means = np.array([row @ scores / n for row in counts])
    errors = np.sqrt(seen * (1 - seen) / max(1, n - 1)) * float(np.ptp(scores))
    p, q = float(chances[-1, high]), float(chances[0, high])
    return worst_of_coin(intervals, p, q, wald_widths(means, errors))


def outcomes(n: int, reports: int) -> Iterator[tuple[int, ...]]:
    """All distributions of n responses over this number of reports."""
    if reports == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in outcomes(n - first, reports - 1):
            yield (first, *rest)


def share_of_table(rows: list[list[int]], n: int) -> Measured:
    """The share of the first answer with an own table; the minimum over a grid of all shares."""
    table = Randomizer.from_rows(rows)
    counts = np.array(list(outcomes(n, table.reports)))
    first = [estimate_of_first(table, row) for row in counts]
    low, high = np.array([(i.low, i.high) for i, _, _ in first]).T
    factorials = np.array([math.lgamma(y + 1) for y in range(n + 1)])
    choose = factorials[n] - factorials[counts].sum(axis=1)
    steps = 100 if table.answers == 2 else 20
    grid = np.array(list(outcomes(steps, table.answers))) / steps
    typical = np.array([TYPICAL, *[(1 - TYPICAL) / (table.answers - 1)] * (table.answers - 1)])

    def likely(shares: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(choose + counts @ np.log(shares @ probabilities(table))))

    worst = min(
        float(likely(shares) @ ((low - 1e-9 <= shares[0]) & (shares[0] <= high + 1e-9)))
        for shares in grid
    )
    values, errors = np.array([(value, error) for _, value, error in first]).T
    wald = wald_widths(values, errors)
    at = likely(typical)
    return Measured(worst, 1.0, middle(high - low, at), middle(wald, at), min(high - low), 0.0)


def estimate_of_first(table: Randomizer, counts: np.ndarray) -> tuple[Interval, float, float]:
    share = estimate_shares(table, counts.tolist()).shares[0]
    return share.interval, share.value, share.standard_error or 0.0
