"""Pictures of trees: their labels are whole, and nodes without people are marked."""

import numpy as np
import pytest

from survey.core.languages import LANGUAGES
from survey.core.translate import in_language
from survey.learn.trees.titanic import SHIP
from survey.learn.trees.tree_nodes import PredictedNode, predictions
from survey.learn.trees.tree_picture import tree_chart
from survey.learn.trees.tree_ways import DATA_SETS, TEXT_WITHIN, WAYS
from survey.web.titanic_people import DIED, SURVIVED
from tests.learn.ship import AGE, CHILD

pytestmark = pytest.mark.fast


def test_a_leaf_without_people_predicts_what_the_node_above_predicts():
    empty = PredictedNode((0.0, 0.0))
    split = SHIP.answer_split(AGE)
    root = PredictedNode((3.0, 1.0), split, (PredictedNode((0.0, 1.0)), empty))
    people = np.array([[0, 0, 0, DIED], [0, 0, CHILD, SURVIVED]])
    assert predictions(root, people, SHIP).tolist() == [DIED, SURVIVED]
    assert "nobody, or too few people" in str(tree_chart(root, SHIP).svg("x").__html__())


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_label_of_a_wide_tree_is_shortened(language):
    """The text's tree has sets of classes, and ages that are not recorded."""
    for data in DATA_SETS.values():
        for seed in range(6):
            draws = np.random.default_rng(seed)
            tree = WAYS[TEXT_WITHIN](data, data.people()[:300], 3, 1.1, draws)
            with in_language(language):
                assert "…" not in str(tree_chart(tree, data.table).svg("x"))
