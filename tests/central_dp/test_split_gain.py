"""The information gain as an integer score: its values, and what one respondent changes."""

import math
from itertools import product

import numpy as np
import pytest

from survey.analysis.trees.splits import entropy
from survey.central_dp.split_gain import (
    UNITS_PER_BIT,
    entropy_left,
    gain_sensitivity,
    sums_of_steps,
)

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("n", [0, 1, 2, 10, 999, 100_000, 2_000_000])
def test_no_step_exceeds_the_published_bound_and_none_is_smaller_than_the_one_before(n):
    """Friedman and Schuster (2010): log2(n + 1) + 1/ln 2. Integers only, so this is exact."""
    steps = np.diff(sums_of_steps(n))
    assert len(steps) == n + 1
    assert steps[0] >= 0
    assert (np.diff(steps) >= 0).all()
    assert steps[-1] <= gain_sensitivity(n)
    assert gain_sensitivity(n) < UNITS_PER_BIT * (math.log2(n + 1) + 1 / math.log(2)) + 1


def test_the_bound_is_nearly_reached():
    """A respondent in a class of its own, in a branch with all others."""
    n = 10_000
    change = entropy_left([[n, 1]], n + 1) - entropy_left([[n, 0]], n + 1)
    assert gain_sensitivity(n) - 2 <= change <= gain_sensitivity(n)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_a_respondent_more_never_lowers_the_entropy_left_and_stays_within_the_bound(n):
    """All tables of two branches and three classes with n respondents, and each one more."""
    for cells in product(range(n + 1), repeat=6):
        if sum(cells) != n:
            continue
        before = entropy_left([cells[:3], cells[3:]], n)
        for place in range(6):
            more = list(cells)
            more[place] += 1
            # The score of the neighbour, with the steps for n: it has n + 1 respondents.
            after = entropy_left([more[:3], more[3:]], n)
            assert 0 <= after - before <= gain_sensitivity(n)


def test_it_is_the_entropy_by_hand():
    """Quinlan's outlook leaves 0.694 bits on each of 14 days."""
    outlook = [[2, 3], [4, 0], [3, 2]]
    by_hand = sum(sum(each) * entropy(np.array(each) / sum(each)) for each in outlook)
    assert by_hand == pytest.approx(14 * 0.694, abs=0.01)
    # Each of 14 steps is rounded down by less than a unit.
    assert entropy_left(outlook, 14) == pytest.approx(UNITS_PER_BIT * by_hand, abs=14)


def test_the_gain_tells_the_outlook_from_the_humidity():
    outlook, humidity, wind = [[2, 3], [4, 0], [3, 2]], [[3, 4], [6, 1]], [[6, 2], [3, 3]]
    left = [entropy_left(each, 14) for each in (outlook, humidity, wind)]
    assert left[0] < left[1] < left[2]
    whole = entropy_left([[9, 5]], 14)
    gains = [(whole - each) / 14 / UNITS_PER_BIT for each in left]
    assert gains == pytest.approx([0.247, 0.152, 0.048], abs=0.001)


def test_more_people_than_n_are_refused():
    with pytest.raises(IndexError):
        entropy_left([[5, 5]], 4)
