"""The tree of a course text, with its noise as the printed code draws it.

The code draws a count for each class that occurs, and one more for the total, all with Laplace
noise of scale 1/ε. It rounds the counts of the classes towards 0, and does not clip them. It draws
again for each entropy. A gain has the entropy of the node and those of both branches, but weighs
the branches by their exact sizes. The text does not print how it lists the candidates and how a
leaf predicts. Here each set of answers is a candidate, and so is "at most x" for each number x that
occurs. A leaf predicts by noisy counts.
"""

from functools import lru_cache

import numpy as np

from survey.core.processor_time import require_time
from survey.learn.dp_draws import Reals
from survey.learn.trees.tree_nodes import PredictedNode, node_of, sum_of
from survey.learn.trees.tree_table import People, Possible, TreeTable, outcome_counts

# One person is in a count and in the total of the node, and in both of one branch.
COUNTS_OF_A_GAIN = 4
# The text prints 1e20, which no gain reaches. It probably means this.
MIN_GAIN = 1e-20
# The text adds this to each share before its logarithm.
TINY = 1e-9


def noisy_entropies(counts: Reals, noise: Reals) -> Reals:
    """The entropies in bits, from counts of shape (..., 2) and noise of shape (..., 3).

    A class without rows, and a class with a noisy share below 0, add nothing: pandas leaves out the
    logarithm of a negative number when it adds up.
    """
    noisy = np.trunc(counts + noise[..., :2])
    shares = noisy / (counts.sum(axis=-1) + noise[..., 2])[..., np.newaxis]
    added = (counts > 0) & (shares + TINY > 0)
    terms = -shares * np.log2(np.where(added, shares + TINY, 1.0))
    entropies: Reals = np.where(added, terms, 0.0).sum(axis=-1)
    return entropies


def noisy_gains(branches: Reals, epsilon: float, generator: np.random.Generator) -> Reals:
    """The gains of candidates from their counts by branch and class, shape (candidates, 2, 2).

    A candidate with an empty branch has the gain 0 without noise.
    """
    groups = np.concatenate([branches.sum(axis=1, keepdims=True), branches], axis=1)
    noise = generator.laplace(0.0, 1 / epsilon, (len(groups), 3, 3))
    entropies = noisy_entropies(groups, noise)
    sizes = branches.sum(axis=2)
    weights = sizes / sizes.sum(axis=1, keepdims=True)
    gains = entropies[:, 0] - (weights * entropies[:, 1:]).sum(axis=1)
    result: Reals = np.where((sizes == 0).any(axis=1), 0.0, gains)
    return result


def branch_counts(people: People, table: TreeTable, possible: Possible) -> Reals:
    """The counts of all candidates by branch and class, shape (candidates, 2, 2)."""
    by_answer = [
        np.bincount(2 * people[:, place] + people[:, -1], minlength=2 * table.size(place))
        for place in table.places
    ]
    total = outcome_counts(people)
    firsts = [
        by_answer[split.place].reshape(-1, 2)[list(split.groups[0])].sum(axis=0)
        for split in table.halves(possible)
    ]
    return np.array([(first, total - first) for first in firsts], dtype=np.float64)


def text_tree(
    people: People,
    table: TreeTable,
    depth: int,
    epsilon: float,
    generator: np.random.Generator,
    possible: Possible | None = None,
) -> PredictedNode:
    """The tree of the printed code, with ε for each count."""
    require_time()
    possible = table.possible if possible is None else possible
    if depth and len(people):
        splits = list(table.halves(possible))
        gains = noisy_gains(branch_counts(people, table, possible), epsilon, generator)
        best = int(np.argmax(gains))
        if gains[best] >= MIN_GAIN:
            split = splits[best]
            below = zip(table.branches(people, split), table.after(possible, split), strict=True)
            children = [
                text_tree(rows, table, depth - 1, epsilon, generator, left) for rows, left in below
            ]
            return node_of(sum_of(children), split, children)
    noise = generator.laplace(0.0, 1 / epsilon, 2)
    return node_of(outcome_counts(people) + noise)


def candidate_sizes(table: TreeTable) -> tuple[tuple[int, ...], int]:
    """The number of answers of each question without numbers, and the number of cut points."""
    sizes = tuple(table.size(place) for place in table.places if place != table.number)
    return sizes, len(table.ages)


def text_candidates(sizes: tuple[int, ...], cuts: int) -> int:
    """The number of candidates: 2^(k − 1) − 1 ways to divide k answers in two, and the cuts."""
    return sum((1 << (size - 1)) - 1 for size in sizes) + cuts


@lru_cache
def most_candidates(sizes: tuple[int, ...], cuts: int, depth: int) -> tuple[int, ...]:
    """The numbers of candidates at each level, on the path with the largest total.

    A split leaves at most one answer, or one cut point, fewer in a branch.
    """
    if depth == 0:
        return ()
    ways = [
        most_candidates((*sizes[:place], size - 1, *sizes[place + 1 :]), cuts, depth - 1)
        for place, size in enumerate(sizes)
        if size > 1
    ]
    if cuts:
        ways.append(most_candidates(sizes, cuts - 1, depth - 1))
    return (text_candidates(sizes, cuts), *max(ways, key=sum, default=()))


def text_levels(table: TreeTable, depth: int) -> tuple[int, ...]:
    """The largest possible numbers of candidates at the levels of a path."""
    return most_candidates(*candidate_sizes(table), depth)


def text_draws(table: TreeTable, depth: int) -> int:
    """In how many noisy counts one person can be. The losses add up, so the total is that times ε.

    These are four for each candidate on the path, and one for the leaf. The exact sizes that weigh
    the branches are not protected by any ε.
    """
    return COUNTS_OF_A_GAIN * sum(text_levels(table, depth)) + 1
