"""The blocks of a tree: no impossible share is a finding, and p is the one that decides."""

import numpy as np
import pytest

from survey.analysis.as_rows import tree_rows
from survey.analysis.blocks import Folded
from survey.analysis.sentences import tree_sentence
from survey.analysis.trees.predictions import predicted_rows, tree_accuracy
from survey.analysis.trees.tree_blocks import branches_table, tree_blocks
from survey.analysis.trees.tree_text import rules
from survey.analysis.trees.trees import build_decision_tree
from survey.charts.decision_tree import tree_chart
from survey.cli.tables import block_lines
from tests.analysis.tree_of_share import X, Y, with_share
from tests.support.analysed import plain

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        ((-2.889, 0.0, 1.0), "not known"),
        ((-0.02, 0.0, 0.04), "at most 4.0 %"),
        ((1.01, 0.955, 1.0), "at least 95.5 %"),
    ],
)
def test_an_impossible_share_is_never_stated(figure, words):
    tree = with_share(*figure)
    said = rules(tree)[0]
    assert f": “y0” {words}; 200 respondents (50.0 %)." in said
    cell = branches_table(tree).rows[1].cells[1]
    assert cell.text == words
    # The page keeps the exact figure, and so does the CSV file.
    assert (cell.exact, cell.low, cell.high) == figure
    [row] = [row for row in tree_rows(tree) if row.about == ("What of x?: x0", "y0")]
    assert (row.estimate, row.low, row.high) == figure
    assert ("not known" in tree_chart(tree).svg().__html__()) == (words == "not known")
    raw = f"{100 * figure[0]:.1f}".replace("-", "−")
    printed = "\n".join(block_lines(tree_blocks(tree, tree_accuracy(tree), ())))
    assert raw not in printed + tree_chart(tree).svg().__html__()


def test_p_is_the_one_that_decides():
    generator = np.random.default_rng(1)
    others = [plain(generator.integers(3, size=400), 3, name) for name in "ab"]
    tree = build_decision_tree(Y, [X, *others])
    split = tree.root.split
    assert (split.tried, split.adjusted_p) == (3, 3 * split.p)
    assert "(p < 0.001 with Bonferroni’s correction)" in tree_sentence(tree)
    noise = build_decision_tree(Y, others)
    reason = "no predictor explains more than random noise does (p = "
    assert noise.root.why.startswith(reason)
    assert noise.root.why.endswith(" with Bonferroni’s correction)")
    row = branches_table(noise).rows[0]
    assert row.names == ("All respondents", f"not split: {noise.root.why}")
    assert [cell.text for cell in row.cells[2:]] == ["–"] * 3


def test_the_terminal_prints_the_first_predictions():
    tree = build_decision_tree(Y, [X])
    blocks = list(tree_blocks(tree, tree_accuracy(tree), predicted_rows(tree)))
    assert isinstance(blocks[-1], Folded)
    lines = list(block_lines(blocks))
    assert "The first responses and their predictions" in lines
    assert sum(line.endswith(" correct") for line in lines) == 20
    assert any(line.split() == ["x0", "y1", "y0", "not", "correct"] for line in lines)
