"""The tree of the course text, against its printed code in loops, one count at a time."""

import math

import numpy as np
import pytest

from survey.learn.trees.text_tree import (
    COUNTS_OF_A_GAIN,
    branch_counts,
    candidate_sizes,
    most_candidates,
    noisy_entropies,
    noisy_gains,
    text_candidates,
    text_draws,
    text_levels,
    text_tree,
)
from survey.learn.trees.titanic import SHIP, passenger_table
from survey.learn.trees.tree_nodes import PredictedNode
from survey.web.titanic_people import passengers, titanic_people

pytestmark = pytest.mark.fast

PEOPLE = titanic_people()
NO_NOISE = 1e12


class Listing:
    """What the printed functions `entropy` and `information_gain` calculate, in plain loops.

    `count` stands for each query with noise. It records the rows that it counted.
    """

    def __init__(self, noise):
        self.noise, self.counted = noise, []

    def count(self, rows):
        self.counted.append(rows)
        return len(rows) + self.noise()

    def entropy(self, rows):
        by_class = [
            int(self.count([row for row in rows if row[-1] == fate]))
            for fate in sorted({row[-1] for row in rows})
        ]
        total = self.count(rows)
        shares = [each / total for each in by_class]
        return sum(-a * math.log2(a + 1e-9) for a in shares if a + 1e-9 > 0)

    def gain(self, rows, mask):
        chosen = [row for row, inside in zip(rows, mask, strict=True) if inside]
        others = [row for row, inside in zip(rows, mask, strict=True) if not inside]
        if not chosen or not others:
            return 0
        part = len(chosen) / len(rows)
        return self.entropy(rows) - part * self.entropy(chosen) - (1 - part) * self.entropy(others)


def listed_gains(people, table, listing):
    rows = [tuple(row) for row in people.tolist()]
    return [
        listing.gain(rows, [row[split.place] in split.groups[0] for row in rows])
        for split in table.halves(table.possible)
    ]


def test_without_noise_the_gains_are_those_of_the_listing():
    for people, table in ((PEOPLE[::7], SHIP), (passengers()[:120], passenger_table())):
        expected = listed_gains(people, table, Listing(lambda: 0))
        counts = branch_counts(people, table, table.possible)
        gains = noisy_gains(counts, NO_NOISE, np.random.default_rng(1))
        # Noise of 1e-12 below a whole number would be cut off by the rounding towards 0.
        assert gains == pytest.approx(expected, abs=0.05)
        exact = noisy_gains(counts, NO_NOISE, Without())
        assert exact == pytest.approx(expected, abs=1e-12)


class Without(np.random.Generator):
    """A generator whose noise is 0."""

    def __init__(self):
        super().__init__(np.random.PCG64(1))

    def laplace(self, loc, scale, size):
        return np.zeros(size)


def test_a_noisy_entropy_is_that_of_the_listing():
    """With the noise of a class that does not occur left out, and negative shares as well."""
    noise = [2.5, -7.4, 0.25]
    for counts in ([9.0, 5.0], [9.0, 0.0], [1.0, 3.0]):
        drawn = iter(
            [each for each, many in zip(noise[:2], counts, strict=True) if many] + noise[2:]
        )
        rows = [(0,)] * int(counts[0]) + [(1,)] * int(counts[1])
        expected = Listing(lambda drawn=drawn: next(drawn)).entropy(rows)
        entropy = noisy_entropies(np.array(counts), np.array(noise))
        assert float(entropy) == pytest.approx(expected, abs=1e-12)


def test_one_person_is_in_four_counts_of_each_candidate():
    """Of the node and of one branch: the count of the own fate, and the total."""
    for people, table in ((PEOPLE[::7], SHIP), (passengers()[:120], passenger_table())):
        listing = Listing(lambda: 0)
        gains = listed_gains(people, table, listing)
        me = tuple(people[0].tolist())
        twins = people.tolist().count(list(me))
        mine = sum(rows.count(me) for rows in listing.counted) / twins
        # A candidate with an empty branch counts nothing.
        tried = sum(gain != 0 for gain in gains)
        assert mine == COUNTS_OF_A_GAIN * tried
        assert len(gains) == text_candidates(*candidate_sizes(table))


@pytest.mark.parametrize(("depth", "levels"), [(1, (9,)), (2, (9, 8)), (3, (9, 8, 7))])
def test_the_levels_have_so_many_candidates(depth, levels):
    """7 divisions of four classes, and one each of the sexes and of the age groups."""
    assert text_levels(SHIP, depth) == levels
    assert text_draws(SHIP, depth) == 4 * sum(levels) + 1
    # Three classes have 3 divisions, and 70 of the 71 different ages are cut points.
    table = passenger_table()
    assert len(table.ages) == 70
    assert text_levels(table, depth) == (74, 73, 72)[:depth]


def test_no_path_has_more_candidates_than_counted():
    """All paths of the people's table, one by one."""

    def most(possible, depth):
        splits = list(SHIP.halves(possible))
        if depth == 0:
            return 0
        below = [most(left, depth - 1) for split in splits for left in SHIP.after(possible, split)]
        return len(splits) + max(below, default=0)

    for depth in (1, 2, 3):
        assert most(SHIP.possible, depth) == sum(text_levels(SHIP, depth))
    assert most_candidates((2,), 0, 3) == (1, 0)


class Recorded(np.random.Generator):
    """A generator that records how many numbers each call draws."""

    def __init__(self, bits):
        super().__init__(bits)
        self.sizes = []

    def laplace(self, loc, scale, size):
        self.sizes.append(size)
        return super().laplace(loc, scale, size)


def test_the_counts_that_a_tree_draws_stay_within_the_total():
    """A person on the path to a leaf is in the counts of its candidates, and in the leaf's."""
    for table, people in ((SHIP, PEOPLE[::3]), (passenger_table(), passengers())):
        generator = Recorded(np.random.PCG64(3))
        tree = text_tree(people, table, 3, 1.0, generator)

        def spent(node: PredictedNode, sizes) -> int:
            """The largest number of counts of one person below a node, in the order of draws."""
            size = next(sizes)
            if isinstance(size, int):
                return 1
            if node.split is None:  # No candidate gained anything, and the leaf drew next.
                return COUNTS_OF_A_GAIN * size[0] + spent(node, sizes)
            deepest = [spent(child, sizes) for child in node.children]
            return COUNTS_OF_A_GAIN * size[0] + max(deepest)

        assert 0 < spent(tree, iter(generator.sizes)) <= text_draws(table, 3)
