"""The coverage of an interval of a share, by enumeration of every outcome."""

import numpy as np

from bench.interval_coverage.enumerated import binomial


def least_coverage(intervals, n, p, q, shares):
    """The smallest coverage over these shares."""
    low, high = np.array([(i.low, i.high) for i in intervals]).T
    return min(
        float(binomial(n, q + (p - q) * share) @ ((low <= share) & (share <= high)))
        for share in shares
    )


def worst_coverage(intervals, n, p, q):
    """The smallest coverage over all shares, exactly.

    The set of outcomes whose intervals contain a share changes only at the ends of intervals. Those
    outcomes are adjacent. Between two ends the probability of such a run of outcomes rises, falls,
    or rises and then falls. Therefore its minimum is next to an end.
    """
    ends = np.array([end for i in intervals for end in (i.low, i.high)])
    shares = np.unique(np.clip(np.concatenate([ends - 1e-9, ends, ends + 1e-9]), 0, 1))
    return least_coverage(intervals, n, p, q, shares)
