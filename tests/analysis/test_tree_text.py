"""Trees in words: the rules say the same as the picture."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from survey.analysis.trees.tree_blocks import branches_table
from survey.analysis.trees.tree_text import nodes_with_depth, people_text, rules
from survey.analysis.trees.trees import build_decision_tree
from survey.charts.decision_tree import tree_chart
from tests.analysis.tree_of_share import X, Y, with_share
from tests.support.analysed import COIN, column
from tests.support.titanic_trees import titanic

pytestmark = pytest.mark.fast


def test_rules_and_picture_say_the_same():
    grown = titanic(1)
    said = rules(grown)
    assert len(said) == len(grown.root.leaves)
    leaf = grown.root.leaves[0]
    assert f"{100 * leaf.shares[0].value:.1f} %" in said[0]
    assert said[0].startswith("If What of sex? is “sex0”")
    drawn = ElementTree.fromstring(tree_chart(grown).svg().__html__())
    circles = [each for each in drawn.iter() if each.tag.endswith("circle")]
    assert len(circles) == len(list(nodes_with_depth(grown.root)))
    assert all(470 <= float(circle.get("cx")) <= 830 for circle in circles)


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        ((-0.02, 0.0, 0.03), "about 0 respondents (at most 3.0 %)"),
        ((1.02, 0.97, 1.0), "about 400 respondents (at least 97.0 %)"),
    ],
)
def test_an_impossible_number_of_people_is_never_stated(figure, words):
    assert words in rules(with_share(*figure, of_node=True))[0]


def test_all_respondents_are_a_hundred_percent():
    """Their share has no random error, so it has no interval."""
    for private in (False, True):
        tree = build_decision_tree(Y, [column(X.reports, COIN, "z") if private else X])
        cell = branches_table(tree).rows[0].cells[0]
        assert (cell.text, cell.exact, cell.between) == ("100.0 %", 1.0, None)
        assert people_text(tree.root, tree) == "400 respondents (100.0 %)"
    alone = replace(tree.root, split=None, children=())
    assert rules(replace(tree, root=alone))[0].startswith("All respondents: “y0” ")
