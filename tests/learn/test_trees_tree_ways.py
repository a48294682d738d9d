"""Ways to grow a tree: the exact tree, the noise of a curator, and two coins."""

import numpy as np
import pytest

from survey.learn.trees.titanic import SHIP
from survey.learn.trees.tree_nodes import number_right
from survey.learn.trees.tree_ways import central_tree, coin_tree
from survey.web.titanic_people import SURVIVED
from tests.learn.ship import ALL, PEOPLE, SEX

pytestmark = pytest.mark.fast


def test_at_a_large_epsilon_the_curators_tree_is_as_good_as_the_best():
    """With 3 levels of ε = 4/3 each, a split that predicts 137 fewer people has e^-182."""
    tree = central_tree(ALL, PEOPLE, 2, 4.0, np.random.default_rng(2))
    assert tree.split == SHIP.answer_split(SEX)
    # The counts of 16 leaves have noise of scale 3/4, which exceeds 40 with e^-53.
    assert sum(tree.counts) == pytest.approx(2201, abs=16 * 40)
    assert number_right(tree, PEOPLE, SHIP) >= 1708 - 0.02 * 2201


def test_two_coins_give_the_number_of_survivors_on_average():
    # The estimate is 2 R - n/2 for R reports. Each report has variance 3/16, so the mean of 6
    # estimates has the standard error 2 √(2,201 × 3/16 / 6) = 16.6. Four of them fail by chance
    # once in 16,000 times.
    trees = [coin_tree(ALL, PEOPLE, 1, np.random.default_rng(seed)) for seed in range(6)]
    assert np.mean([tree.counts[SURVIVED] for tree in trees]) == pytest.approx(711, abs=4 * 16.6)
    # Another question than sex comes first in about one of 200 trees (tests/analysis/test_trees).
    assert sum(tree.split == SHIP.answer_split(SEX) for tree in trees) >= 5
