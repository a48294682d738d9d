"""The nodes of the lessons' trees."""

import numpy as np
import pytest

from survey.learn.trees.titanic import SHIP
from survey.learn.trees.tree_nodes import (
    PredictedNode,
    node_of,
    number_right,
    predictions,
    sum_of,
)

pytestmark = pytest.mark.fast


def test_a_node_has_the_counts_of_its_children_and_each_branch_predicts():
    leaves = [PredictedNode((5.0, 2.0)), PredictedNode((1.0, 4.0))]
    root = node_of(sum_of(leaves), SHIP.answer_split(1), leaves)
    assert root.counts == (6.0, 6.0)
    # Both fates are equally frequent, so the first node predicts the second.
    assert root.prediction() == 1
    people = np.array([[0, 0, 0, 0], [0, 1, 0, 1], [3, 0, 1, 1]])
    assert predictions(root, people, SHIP).tolist() == [0, 1, 0]
    assert number_right(root, people, SHIP) == 2
