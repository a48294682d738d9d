"""Numbers in trees: their cut points, and the shares on both sides."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from survey.analysis.columns.columns import question_column
from survey.analysis.trees.candidates import candidates_of, in_parts
from survey.analysis.trees.tree_blocks import branches_table
from survey.analysis.trees.tree_text import rules
from survey.analysis.trees.trees import build_decision_tree
from survey.core.errors import UnanswerableQuestion
from survey.core.number_grid import Grid
from survey.definition.survey import parse_survey
from tests.support.analysed import THREE, column, plain
from tests.support.blocks import remarked
from tests.support.definitions import definition
from tests.support.every_type import asked

pytestmark = pytest.mark.fast


def ages(stored, **rest):
    question = asked("age", "number", "none", min=0, max=99, unit="years", **rest)
    return question_column(parse_survey(definition(question)).fields[0], list(stored))


@pytest.mark.parametrize(
    ("size", "expected"),
    [(100, [9, 19, 29, 39, 49, 59, 69, 79, 89]), (10, list(range(9))), (3, [0, 1]), (2, [0]),
     (11, [0, 1, 2, 3, 4, 5, 6, 7, 8])],
)  # fmt: skip
def test_a_range_has_ten_parts_of_about_equal_size(size, expected):
    grid = Grid(Fraction(0), Fraction(1), size)
    assert grid.cuts(10) == expected
    sizes = np.diff([-1, *grid.cuts(10), size - 1])
    assert sizes.max() - sizes.min() <= 1


def test_the_cut_points_do_not_depend_on_the_answers():
    few, many = ages([3, 70]), ages(range(100))
    assert few.cuts == many.cuts
    assert few.cuts[0] == (9.0, "9 years")
    assert in_parts(few).reports.tolist() == [0, 7]
    assert in_parts(many).reports.tolist() == [age // 10 for age in range(100)]


def test_special_answers_are_branches_of_their_own():
    answered = ages([5, 100, 95], prefer_not_to_say=True)
    parts = in_parts(answered)
    assert parts.reports.tolist() == [0, 10, 9]
    assert parts.answers[10] == "Prefer not to say"
    first = next(candidates_of(0, parts, None))
    assert first.column.answers == ("at most 9 years", "more than 9 years", "Prefer not to say")
    assert [mask.sum() for mask in first.branches] == [1, 9, 1]
    # Nothing is left to split where only the special answer is.
    assert not list(candidates_of(0, parts, first.branches[2]))


def test_an_age_between_two_cut_points_is_found_and_the_shares_are_those_of_the_people():
    age = np.tile(np.arange(100), 40)
    y = np.where((age > 29) & (age <= 69), np.arange(4000) % 10 == 0, np.arange(4000) % 10 > 0)
    tree = build_decision_tree(plain(y.astype(int), 2, "y"), [ages(age)])
    assert tree.root.split.cut in (29.0, 69.0)
    for leaf in tree.root.leaves:
        inside = leaf.masks[0][age // 10]
        assert leaf.shares[1].value == pytest.approx(y[inside].mean(), abs=1e-12)
        assert leaf.share.value == pytest.approx(inside.mean(), abs=1e-12)
    assert any("more than 29 years" in rule and "at most 69 years" in rule for rule in rules(tree))
    assert any("more than 69 years" in row.names[0] for row in branches_table(tree).rows)


@pytest.mark.parametrize("size", [1_001, 100_001])
def test_a_number_with_many_values_needs_no_table(size):
    question = asked("income", "number", "none", min=0, max=size - 1)
    stored = np.arange(2000) * (size // 2000 + 1) % size
    income = question_column(parse_survey(definition(question)).fields[0], stored.tolist())
    y = plain((stored > size // 2).astype(int), 2, "y")
    tree = build_decision_tree(y, [income])
    # The fifth of ten parts ends next to the middle.
    assert tree.root.split.cut == size * 5 // 10 - 1
    assert len(tree.root.children) == 2


def expected_reports(cells: dict[tuple[int, int], int]) -> tuple[np.ndarray, np.ndarray]:
    """The reports on a number with three levels in exactly the expected shares, and the answers."""
    rows = [
        (report, y)
        for (x, y), times in cells.items()
        for report, weight in enumerate(THREE.rows[x])
        for _ in range(int(weight) * times)
    ]
    return np.array(rows).T


def private_number(cells) -> tuple:
    reports, y = expected_reports(cells)
    number = column(reports, THREE, "x", values=[0, 10, 20])
    return replace(number, cuts=((0.0, "0"), (10.0, "10"))), plain(y, 2, "y")


def test_a_private_number_is_split_at_its_levels_without_bias():
    """Also twice on the way to a leaf, where the scores of one report must not be multiplied."""
    cells = {(0, 0): 900, (0, 1): 100, (1, 0): 200, (1, 1): 800, (2, 0): 900, (2, 1): 100}
    x, y = private_number(cells)
    tree = build_decision_tree(y, [x])
    leaves = {"; ".join(c.answers[place] for c, place in leaf.conditions): leaf
              for leaf in tree.root.leaves}  # fmt: skip
    assert len(leaves) == 3
    for leaf in leaves.values():
        there = [level for level in range(3) if leaf.masks[0][level]]
        yes = sum(cells[level, 0] for level in there)
        people = yes + sum(cells[level, 1] for level in there)
        assert leaf.shares[0].value == pytest.approx(yes / people, abs=1e-9)
        assert leaf.share.value == pytest.approx(people / 3000, abs=1e-9)
    assert sum(leaf.share.value for leaf in leaves.values()) == pytest.approx(1)


def test_a_private_number_that_is_rounded_says_so():
    x, y = private_number({(0, 0): 90, (0, 1): 10, (1, 0): 20, (1, 1): 80, (2, 1): 50})
    remark = "A private number is split by the level to which the answer was rounded at random."
    assert remark not in remarked(build_decision_tree(y, [x]))
    assert remark in remarked(build_decision_tree(y, [replace(x, rounding=2.0)]))


def test_a_number_as_the_outcome_still_needs_few_answers():
    with pytest.raises(UnanswerableQuestion, match="has 20 answers"):
        build_decision_tree(ages(np.arange(20)), [plain(np.arange(20) % 2, 2, "x")])


@pytest.mark.slow
def test_a_number_that_tells_nothing_is_rarely_split():
    """Nine cut points are nine tests. More than 5 % false splits beyond chance would show here.

    In 400 trees, more than 38 splits occur once in 10,000 runs if the rate is 5 %.
    """
    split = 0
    for seed in range(400):
        generator = np.random.default_rng(seed)
        y = plain(generator.integers(0, 2, 300), 2, "y")
        age = ages(generator.integers(0, 100, 300).tolist())
        split += build_decision_tree(y, [age], deepest=1).root.split is not None
    assert split <= 38
