"""Analyses as rows: every figure once, with its labels, in the order of the page."""

import math

import numpy as np
import pytest

from survey.analysis.as_rows import (
    POINTS,
    SHARE,
    AnalysisRow,
    comparison_rows,
    correlation_rows,
    crosstab_rows,
    regression_rows,
    table_of_rows,
    tree_accuracy_rows,
    tree_rows,
)
from survey.analysis.groups.groups import compare
from survey.analysis.regression.regression import regress
from survey.analysis.tables.correlation_matrix import correlations
from survey.analysis.tables.crosstabs import crosstab
from survey.analysis.trees.predictions import tree_accuracy
from survey.analysis.trees.trees import build_decision_tree
from survey.core.translate import in_language
from survey.estimation.findings.remarks import MISFIT, NO_FIGURE, Remark
from tests.support.analysed import COIN, column, plain

pytestmark = pytest.mark.fast

X = plain(np.array([0, 0, 1, 1] * 30), 2, "x")
Y = column(np.array([0, 1, 1, 1, 0] * 24), COIN, "y")


def test_a_table_of_rows_has_a_cell_for_every_field():
    table = table_of_rows(
        [
            AnalysisRow(
                figure="share",
                about=("a", "b"),
                unit=SHARE,
                estimate=0.5,
                standard_error=0.1,
                low=0.3,
                high=0.7,
            )
        ]
    )
    assert table[0] == (
        "figure", "first", "second", "third", "unit", "estimate", "standard_error", "low", "high",
        "p", "adjusted_low", "adjusted_high", "adjusted_p", "label", "do_not_use", "remark_codes",
    )  # fmt: skip
    numbers = (0.5, 0.1, 0.3, 0.7, None, None, None, None)
    assert table[1] == ("share", "a", "b", "", SHARE, *numbers, "share", "", "")
    remarks = [Remark(MISFIT, "a"), Remark(NO_FIGURE, "b"), Remark(NO_FIGURE, "c")]
    assert table_of_rows([AnalysisRow(figure="share")], remarks)[1][-2:] == (
        "yes",
        "design_misfit no_figure",
    )


def test_figures_are_keys_and_labels_are_in_the_language_of_the_page():
    found = compare(Y, X, answer=0)
    english = [(row[0], row[-3]) for row in table_of_rows(list(comparison_rows(found)))[1:]]
    with in_language("vi"):
        vietnamese = [(row[0], row[-3]) for row in table_of_rows(list(comparison_rows(found)))[1:]]
    assert [key for key, _ in vietnamese] == [key for key, _ in english]
    assert ("difference", "difference") in english
    assert ("difference", "hiệu số") in vietnamese
    assert ("share", "share of y0") in english


def test_a_comparison_has_each_group_and_difference():
    found = compare(Y, X, answer=0)
    rows = list(comparison_rows(found))
    assert [(row.figure, row.about) for row in rows[:-1]] == [
        ("share of respondents", ("x0",)), ("share of respondents", ("x1",)),
        ("share", ("x0",)), ("share", ("x1",)), ("share", ("Everyone",)),
        ("difference", ("x1", "x0")),
    ]  # fmt: skip
    assert rows[2].estimate == found.groups[0].figure.value
    assert (rows[5].unit, rows[5].adjusted_p) == (POINTS, found.differences[0].adjusted)
    assert (rows[6].figure, rows[6].p) == ("score test", found.overall.p)


def test_a_table_has_each_cell_in_row_major_order():
    table = crosstab([X, Y])
    rows = list(crosstab_rows(table))
    every = [("x0", "y0"), ("x0", "y1"), ("x1", "y0"), ("x1", "y1")]
    for start, figures in ((0, table.cells), (4, table.of_row), (8, table.of_column)):
        part = rows[start : start + 4]
        assert [row.about for row in part] == every
        assert [row.estimate for row in part] == [each.value for each in figures]
    assert [row.about for row in rows if row.figure == "difference from the first row"] == every[2:]
    likely = [row.estimate for row in rows if row.figure == "maximum likelihood share"]
    assert likely == list(table.likeliest)
    assert [row.p for row in rows if row.figure.endswith("test")] == [t.p for t in table.tests]


def test_correlations_regressions_and_trees_have_each_figure():
    found = correlations([X, Y], answers=[0, 0])
    [row] = correlation_rows(found, ["X", "Y"])
    assert row.about == ("X", "Y", "n = 120")
    assert row.estimate == found.pairs[0].found.figure.value
    fit = regress(Y, [X])
    rows = list(regression_rows(fit, [X]))
    ours = [row for row in rows if row.figure == "coefficient"]
    assert [row.estimate for row in ours] == [each.value for each in fit.coefficients]
    assert [row.about[0] for row in ours] == ["constant", "What of x? “x0”"]
    ratios = [row for row in rows if row.figure == "odds ratio"]
    assert [(row.about, row.low) for row in ratios] == [
        (("What of x? “x0”", "y0"), math.exp(fit.coefficients[1].low))
    ]
    assert ratios[0].estimate == math.exp(fit.coefficients[1].value)
    tested = [row for row in rows if row.figure == "likelihood ratio test"]
    assert [(row.p, row.adjusted_p) for row in tested] == [(t.p, t.adjusted_p) for t in fit.tests]
    tree = build_decision_tree(Y, [X])
    tested = sum(node.tested is not None for node in tree.root.nodes)
    assert len(list(tree_rows(tree))) == tested + 2 * len(tree.root.leaves)


def test_the_names_of_figures_do_not_depend_on_the_language():
    fit, tree = regress(Y, [X]), build_decision_tree(Y, [X])
    accuracy = tree_accuracy(tree)
    told = []
    for language in ("en", "vi"):
        with in_language(language):
            rows = [*regression_rows(fit, [X]), *tree_rows(tree)]
            told.append([row.figure for row in (*rows, *tree_accuracy_rows(tree, accuracy))])
    assert told[0] == told[1]
    assert {"coefficient", "likelihood ratio test", "share of the answer"} <= set(told[0])
