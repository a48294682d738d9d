"""The tables of the Titanic: their people, gains, and exact trees."""

import math

import numpy as np
import pytest

from survey.learn.trees.titanic import SHIP, passenger_table
from survey.learn.trees.tree_nodes import number_right
from survey.learn.trees.tree_picture import picture_rows
from survey.learn.trees.tree_table import split_gain
from survey.learn.trees.tree_ways import exact_tree
from survey.web.titanic_people import UNKNOWN, passengers
from tests.learn.ship import AGE, CLASS, PEOPLE, SEX, WOMAN

pytestmark = pytest.mark.fast


def test_the_gain_of_sex_is_that_by_hand():
    def entropy(yes, no):
        return -sum(k / (yes + no) * math.log2(k / (yes + no)) for k in (yes, no))

    by_hand = entropy(711, 1490) - (1731 * entropy(367, 1364) + 470 * entropy(344, 126)) / 2201
    sex, place, age = (split_gain(PEOPLE, SHIP, SHIP.answer_split(each)) for each in (1, 0, 2))
    assert sex == pytest.approx(by_hand, abs=1e-12)
    assert sex > place > age > 0


def test_the_exact_tree_of_all_people_asks_sex_then_class():
    tree = exact_tree(PEOPLE, SHIP, 2)
    assert tree.split == SHIP.answer_split(SEX)
    assert [child.split for child in tree.children] == [SHIP.answer_split(CLASS)] * 2
    # 1,364 men and 344 women.
    shallow = exact_tree(PEOPLE, SHIP, 1)
    assert number_right(shallow, PEOPLE, SHIP) == 1708
    women = tree.children[WOMAN]
    assert [leaf.counts for leaf in women.children] == [(141, 4), (93, 13), (90, 106), (20, 3)]


def test_the_passengers_are_those_of_the_usual_table():
    """342 of 891 survived, and 177 ages are not recorded. The numbers are in its documentation."""
    people = passengers()
    assert people.shape == (891, 4)
    assert np.bincount(people[:, -1]).tolist() == [342, 549]
    assert np.bincount(people[:, CLASS]).tolist() == [216, 184, 491]
    assert np.bincount(people[:, SEX]).tolist() == [577, 314]
    assert (people[:, AGE] == UNKNOWN).sum() == 177
    assert people[people[:, AGE] < UNKNOWN, AGE].max() == 80


def test_the_exact_tree_of_the_passengers_splits_their_ages():
    """By hand: 233 of 314 women survived and 109 of 577 men, so 233 + 468 are predicted."""
    table, people = passenger_table(), passengers()
    assert number_right(exact_tree(people, table, 1), people, table) == 701
    tree = exact_tree(people, table, 3)
    boys = tree.children[0].children[1]
    assert boys.split == table.cut_split(9)
    assert [leaf.counts for leaf in boys.children] == [(9, 0), (6, 84), (2, 7)]
    names = [name for _, name, _, _ in picture_rows(tree, table, "all")]
    assert {"at most 9", "more than 9", "age not recorded"} <= set(names)
