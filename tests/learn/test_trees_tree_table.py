"""The columns of the tables of trees, and the ways to split them."""

import numpy as np
import pytest

from survey.learn.trees.titanic import SHIP, passenger_table
from survey.learn.trees.tree_table import Split, outcome_counts
from survey.web.titanic_people import OLDEST, UNKNOWN

pytestmark = pytest.mark.fast

TABLE = passenger_table()
CLASS, SEX, AGE = range(3)


def test_halves_divide_the_answers_in_each_way_once():
    classes = [split.groups for split in SHIP.halves(SHIP.possible) if split.place == CLASS]
    assert len(classes) == len({frozenset(groups) for groups in classes}) == 7
    for first, second in classes:
        assert first
        assert second
        assert sorted(first + second) == [0, 1, 2, 3]


def test_an_age_is_at_most_a_cut_point_or_more_and_may_be_unknown():
    split = TABLE.cut_split(9)
    branches = split.branch_of(TABLE.size(AGE))
    assert branches[[0, 9, 10, OLDEST, UNKNOWN]].tolist() == [0, 0, 1, 1, 2]
    labels = [TABLE.branch_label(split, branch) for branch in range(3)]
    assert labels == ["at most 9", "more than 9", "age not recorded"]
    halves = TABLE.cut_split(9, branches=2)
    assert halves.branch_of(TABLE.size(AGE))[UNKNOWN] == 1
    assert TABLE.branch_label(halves, 1) == "more than 9, or not recorded"
    assert TABLE.branch_label(Split(CLASS, ((0, 2), (1,))), 0) == "not second class"
    assert SHIP.branch_label(Split(CLASS, ((0, 2), (1, 3))), 0) == "first class, third class"


def test_what_is_possible_shrinks_on_the_way():
    young, old, unknown = TABLE.after(TABLE.possible, TABLE.cut_split(49))
    assert young[AGE] == tuple(range(50))
    assert {split.groups[0][-1] for split in TABLE.wide_splits(young) if split.place == AGE} == {
        9, 19, 29, 39,
    }  # fmt: skip
    assert [split.groups[0][-1] for split in TABLE.wide_splits(old) if split.place == AGE] == [
        59, 69, 79, 89,
    ]  # fmt: skip
    assert not [split for split in TABLE.wide_splits(unknown) if split.place == AGE]
    men, _ = TABLE.after(TABLE.possible, TABLE.answer_split(SEX))
    assert not [split for split in TABLE.wide_splits(men) if split.place == SEX]
    assert not [split for split in TABLE.halves(men) if split.place == SEX]


def test_branches_have_all_rows():
    people = np.array([[0, 0, 5, 0], [1, 1, UNKNOWN, 1], [2, 0, 30, 1]])
    parts = TABLE.branches(people, TABLE.cut_split(9))
    assert [part.tolist() for part in parts] == [
        [people[0].tolist()],
        [people[2].tolist()],
        [people[1].tolist()],
    ]
    assert outcome_counts(people).tolist() == [1, 2]
    assert TABLE.answer_label(AGE, UNKNOWN) == "age not recorded"
