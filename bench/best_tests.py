"""The smallest loss of power that any test of two groups can have, compared with another test.

A test is the set of the outcomes in which it finds a difference. This module searches all tests

* whose percentage of false positives is small enough at all equal shares,
* that, if they find a difference, also find one after one more report moves either group further
  away from the other,
* that treat both groups alike if they are equally large, and both answers alike if the mechanism
  does.

The search is a mixed integer program with a binary variable for each outcome.
"""

from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_matrix

from survey.analysis.groups.equal_probabilities import binomial_chances
from survey.core.scores import Array

Outcomes = list[tuple[int, int]]
# The equal shares at which false positives are counted. With more of them, fewer tests would be
# acceptable, so the smallest loss could only become larger.
EQUAL_SHARES = 401
# The weight of an outcome: of all tests with the smallest loss, the one that finds most is chosen.
TIE = 1e-6


def smallest_loss(
    sizes: tuple[int, int],
    design: tuple[float, float],
    chances: Array,
    powers: Array,
    accepted: float,
) -> tuple[float, npt.NDArray[np.bool_]]:
    """The smallest loss of power, and a test that has it, shape (n + 1, n + 1) for its sizes.

    Parameters
    ----------
    sizes : the sizes of the groups
    design : the probability of a supporting report from those with the answer, and from the others
    chances : ndarray, shape (pairs, outcomes)
        For each pair of shares, the probability of each outcome.
    powers : ndarray, shape (pairs,)
        The power of the other test for each pair.
    accepted : the largest acceptable rate of false positives

    Notes
    -----
    The loss is the largest over all pairs, and it can be negative. Raises ValueError if the search
    ends without a result.
    """
    p, q = design
    shares = q + (p - q) * np.linspace(0, 1, EQUAL_SHARES)
    first, second = (binomial_chances(np.arange(n + 1.0), n, shares) for n in sizes)
    equal = (first[:, :, np.newaxis] * second[:, np.newaxis, :]).reshape(len(shares), -1)
    outcomes = list(product(range(sizes[0] + 1), range(sizes[1] + 1)))
    count = len(outcomes)
    alike = same_results(outcomes, sizes, both_answers=abs(p + q - 1) < 1e-9)
    ordered = more_extreme(outcomes, sizes)
    rows = lil_matrix((len(alike) + len(ordered), count + 1))
    for row, (one, other) in enumerate([*alike, *ordered]):
        rows[row, outcomes.index(one)], rows[row, outcomes.index(other)] = 1, -1
    lowest = np.append(np.zeros(len(alike)), np.full(len(ordered), -1.0))
    found = milp(
        np.append(np.full(count, -TIE), 1.0),
        constraints=[
            LinearConstraint(np.column_stack([equal, np.zeros(len(equal))]), ub=accepted),
            LinearConstraint(np.column_stack([chances, np.ones(len(chances))]), lb=powers),
            LinearConstraint(rows.tocsr(), lowest, 0),
        ],
        integrality=np.append(np.ones(count), 0),
        bounds=Bounds(np.append(np.zeros(count), -1.0), 1),
    )
    if not found.success:
        raise ValueError(found.message)
    return float(found.x[-1]), (found.x[:-1] > 0.5).reshape(sizes[0] + 1, sizes[1] + 1)


def same_results(outcomes: Outcomes, sizes: tuple[int, int], both_answers: bool) -> list[Outcomes]:
    """Pairs of outcomes that a test has to treat alike."""
    pairs = []
    for one, other in outcomes:
        if sizes[0] == sizes[1] and one < other:
            pairs.append([(one, other), (other, one)])
        mirrored = sizes[0] - one, sizes[1] - other
        if both_answers and (one, other) < mirrored:
            pairs.append([(one, other), mirrored])
    return pairs


def more_extreme(outcomes: Outcomes, sizes: tuple[int, int]) -> list[Outcomes]:
    """Pairs of outcomes that differ by one report. The second has the larger difference."""
    pairs = []
    for one, other in outcomes:
        apart = one * sizes[1] - other * sizes[0]
        away = ([(one + 1, other), (one, other - 1)] if apart >= 0 else []) + (
            [(one - 1, other), (one, other + 1)] if apart <= 0 else []
        )
        pairs += [[(one, other), each] for each in away if each in set(outcomes)]
    return pairs
