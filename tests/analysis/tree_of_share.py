"""A tree with a given share in its leaf, for several test modules."""

from dataclasses import replace

import numpy as np

from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.trees.trees import build_decision_tree
from tests.support.analysed import COIN, column, plain

X = plain(np.arange(400) % 2, 2, "x")
Y = plain(np.where(np.arange(400) % 8 < 2, 1, np.arange(400) % 2), 2, "y")


def with_share(value: float, low: float, high: float, *, of_node: bool = False):
    """A tree whose first leaf has this share of the first answer, or of all respondents.

    The number of people in a leaf is an estimate if the question of the split is private.
    """
    tree = build_decision_tree(Y, [column(X.reports, COIN, "z") if of_node else X])
    figure = IntervalEstimate(value=value, standard_error=0.5, low=low, high=high, method="")
    first, *others = tree.root.children
    changed = (
        replace(first, share=figure)
        if of_node
        else replace(first, shares=(figure, *first.shares[1:]))
    )
    return replace(tree, root=replace(tree.root, children=(changed, *others)))
