"""The information gain of a split as an integer score, with a bound on one respondent's effect.

The largest gain is the smallest entropy that a split leaves in all its branches together. In bits
this is E = sum over branches of g(t) - sum over classes of g(t_c). Here g(x) = x log2 x, t is the
number of respondents in a branch, and t_c the number of those in class c.

A respondent more in a branch and class changes E by h(t) - h(t_c), with h(x) = g(x + 1) - g(x). The
function h never decreases, and h(x) < log2(x + 1) + 1/ln 2. So E never decreases, and grows by at
most log2(n + 1) + 1/ln 2 for up to n respondents before (Friedman and Schuster 2010, section 3).

Scores must be integers, so that rounding reveals nothing. Candor sums integers d(x), which are
1000 h(x) rounded down, in place of h. The argument needs only that d never decreases, and no bound
on rounding errors.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

# Scores are in thousandths of a bit.
UNITS_PER_BIT = 1_000


def gain_sensitivity(n: int) -> int:
    """The bound 1000 (log2(n + 1) + 1/ln 2) on a score's change, rounded up, for n respondents."""
    return math.ceil(UNITS_PER_BIT * (math.log2(n + 1) + 1 / math.log(2)))


@lru_cache(maxsize=2)
def sums_of_steps(n: int) -> npt.NDArray[np.int64]:
    """About 1000 x log2 x for x from 0 to n + 1, as exact sums of integers d(0), …, d(n).

    Raises ArithmeticError if a d exceeds the bound, which is a bug.
    """
    x = np.arange(1, n + 1, dtype=np.float64)
    steps = np.log2(x + 1) + x * np.log1p(1 / x) / math.log(2)
    whole = np.floor(UNITS_PER_BIT * np.append(0.0, steps)).astype(np.int64)
    whole = np.maximum.accumulate(whole)
    if whole[-1] > gain_sensitivity(n):
        raise ArithmeticError("A step of the information gain is larger than its bound.")
    return np.append(np.int64(0), np.cumsum(whole))


def entropy_left(branches: Sequence[Sequence[int]], n: int) -> int:
    """The entropy that a split leaves, in thousandths of a bit, for counts of at most n in all.

    Parameters
    ----------
    branches : for each branch the number of respondents in each class
    """
    sums = sums_of_steps(n)
    return sum(
        int(sums[sum(classes)]) - sum(int(sums[count]) for count in classes) for classes in branches
    )
