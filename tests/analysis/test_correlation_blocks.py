"""The blocks of correlations: a row for each pair, and a matrix for more than two questions."""

import numpy as np
import pytest

from survey.analysis.tables.correlation_blocks import correlation_blocks
from survey.analysis.tables.correlation_matrix import correlations
from tests.support.analysed import plain
from tests.support.blocks import cells_in, table_in, texts_in

pytestmark = pytest.mark.fast
X = plain(np.array([0, 0, 1, 1] * 30), 2, "x")
Y = plain(np.array([0, 1, 1, 1] * 30), 2, "y")
FLAT = plain(np.zeros(120, dtype=int), 2, "flat")


def test_one_pair_has_its_figures_and_no_matrix():
    found = correlations([X, Y])
    blocks = list(correlation_blocks(found, ["X", "Y"], weighted=False))
    [[figure, error, n, p]] = cells_in(table_in(blocks, "pairs"))
    pair = found.pairs[0].found
    assert (figure.exact, error.exact, p.exact) == (
        pair.figure.value, pair.figure.standard_error, pair.p
    )  # fmt: skip
    assert n.text == "120"
    with pytest.raises(KeyError):
        table_in(blocks, "matrix")


def test_a_pair_without_a_coefficient_has_its_reason():
    found = correlations([X, Y, FLAT])
    blocks = list(correlation_blocks(found, ["X", "Y", "Flat"], weighted=True))
    rows = table_in(blocks, "pairs").rows
    assert [bool(row.instead) for row in rows] == [False, True, True]
    assert [len(row.cells) for row in rows] == [5, 0, 0]
    matrix = cells_in(table_in(blocks, "matrix"))
    assert [[cell.text != "" for cell in row] for row in matrix] == [
        [False, False], [True, False], [True, True]
    ]  # fmt: skip
    assert "With 3 pairs, some can look significant" in texts_in(blocks)
