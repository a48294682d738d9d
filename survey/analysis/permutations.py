"""p-values by permutation: some codes change places among the responses, at random.

This is the only module of analyses that draws random numbers. Its seed is fixed, so an analysis of
the same responses always gives the same p-value.

If the codes are independent of everything else that a statistic uses, every order is equally
likely. The test then has its level for any number of responses (Fisher 1935; Lehmann & Romano,
"Testing Statistical Hypotheses" (2005), ch. 15).
"""

from collections.abc import Callable, Sequence

import numpy as np

from survey.analysis.columns.variables import Codes
from survey.core.processor_time import require_time
from survey.core.scores import Array

# All permutations of a test, and those after which it ends if its p-value is large.
PERMUTATIONS = 9_999
FIRST_PERMUTATIONS = 999
LARGE_P = 0.1
# With more responses, or more cells of the reports' table, tests use chi-square.
MAX_PERMUTED = 5_000
# The numbers in memory at once.
MAX_HELD_NUMBERS = 4_000_000
# Statistics that differ less, relatively, are equal. Without this, rounding would make p too small.
ROUNDING = 1e-9
SEED = 22

Statistics = Callable[[Codes, Sequence[int]], Array]


def sorted_responses(*codes: Codes) -> list[Codes]:
    """The codes of some questions, with the responses in an order that only the codes decide.

    Without it, a p-value would depend on the order in which the database returns the responses.
    """
    order = np.lexsort(codes)
    return [each[order] for each in codes]


def permutation_p_values(
    codes: Codes, observed: Sequence[float], statistics: Statistics, held: int
) -> list[float]:
    """The p-value of each statistic: the share of orders in which it is at least as large.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        The codes that change places.
    observed : the statistics of the responses
    statistics : function
        From orders of the codes, shape (t, n), and the places of some statistics, to these
        statistics, shape (t, places). An order whose statistic is NaN does not count.
    held : int
        The numbers in memory for one order, at least n.
    """
    generator = np.random.default_rng(SEED)
    at_once = max(1, MAX_HELD_NUMBERS // max(held, len(codes), 1))
    limits = np.asarray(observed) * (1 - ROUNDING)
    extreme, counted, p_values = np.zeros((3, len(observed)))
    undecided, done = list(range(len(observed))), 0
    for total in (FIRST_PERMUTATIONS, PERMUTATIONS):
        while done < total and undecided:
            require_time()
            orders = np.tile(codes, (min(at_once, total - done), 1))
            found = statistics(generator.permuted(orders, axis=1), undecided)
            extreme[undecided] += (found >= limits[undecided]).sum(axis=0)
            counted[undecided] += (~np.isnan(found)).sum(axis=0)
            done += len(orders)
        p_values[undecided] = (extreme[undecided] + 1) / (counted[undecided] + 1)
        undecided = [place for place in undecided if p_values[place] <= LARGE_P]
    return [float(p) for p in p_values]


def binomial_outcomes(sizes: Array, chances: Array, times: int) -> Array:
    """Random outcomes with each of these probabilities, shape (chances, times, groups)."""
    generator = np.random.default_rng(SEED)
    shape = (len(sizes), len(chances), times)
    drawn = generator.binomial(
        sizes.astype(np.int64)[:, np.newaxis, np.newaxis], chances[:, np.newaxis], shape
    )
    return np.moveaxis(drawn, 0, -1).astype(np.float64)


def beta_binomial_outcomes(sizes: Array, first: Array, second: Array, times: int) -> Array:
    """Random outcomes with these parameters of each group, shape (times, groups)."""
    generator = np.random.default_rng(SEED)
    chances = generator.beta(first, second, (times, len(sizes)))
    return generator.binomial(sizes.astype(np.int64), chances).astype(np.float64)


def report_tables(first: Codes, others: Codes, shape: tuple[int, int]) -> Codes:
    """The counts of pairs of codes, shape (t, *shape), for orders of the other codes, (t, n)."""
    cells = shape[0] * shape[1]
    places = first * shape[1] + others + np.arange(len(others))[:, np.newaxis] * cells
    counts = np.bincount(places.reshape(-1), minlength=len(others) * cells)
    return np.asarray(counts.reshape(-1, *shape))


def random_parts(n: int, parts: int) -> Codes:
    """The part of each of n responses at random, from 0 to parts - 1, always the same for an n."""
    return np.asarray(np.random.default_rng(SEED).permutation(n) % parts, dtype=np.int64)
