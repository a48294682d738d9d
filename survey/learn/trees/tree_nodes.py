"""The trees of the lessons: nodes with counts of two outcomes, whose leaves predict one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from survey.learn.dp_draws import Integers, Reals
from survey.learn.trees.tree_table import People, Split, TreeTable

# A node where both outcomes are equally frequent predicts what the node above predicts, and the
# first node the second outcome.
SECOND = 1


@dataclass(frozen=True)
class PredictedNode:
    """A node of a tree.

    Attributes
    ----------
    counts : rows with each outcome, by the numbers that this way knows; 0 and 0 if it knows none
    split : how its rows are divided, or None for a leaf
    children : one for each branch
    """

    counts: tuple[float, float]
    split: Split | None = None
    children: tuple["PredictedNode", ...] = ()

    def prediction(self, above: int = SECOND) -> int:
        """The more frequent outcome, or that of the node above if both are equally frequent."""
        first, second = self.counts
        return above if first == second else int(first < second)


def predictions(
    node: PredictedNode, people: People, table: TreeTable, above: int = SECOND
) -> Integers:
    """The predicted outcome of each row."""
    here = node.prediction(above)
    outcomes = np.full(len(people), here, dtype=np.int64)
    if node.split is not None:
        branches = node.split.branch_of(table.size(node.split.place))
        branch_of = branches[people[:, node.split.place]]
        for branch, child in enumerate(node.children):
            there = branch_of == branch
            outcomes[there] = predictions(child, people[there], table, here)
    return outcomes


def number_right(node: PredictedNode, people: People, table: TreeTable) -> int:
    """The number of rows whose outcome the tree predicts."""
    return int((predictions(node, people, table) == people[:, -1]).sum())


def node_of(
    counts: Reals, split: Split | None = None, children: Sequence[PredictedNode] = ()
) -> PredictedNode:
    return PredictedNode((float(counts[0]), float(counts[1])), split, tuple(children))


def sum_of(children: Sequence[PredictedNode]) -> Reals:
    total: Reals = np.array([child.counts for child in children]).sum(axis=0)
    return total
