"""Analyses as JSON: the numbers of the results, and null for what is not finite."""

import pytest

from survey.analysis.as_json import predictions_json
from survey.analysis.as_rows import tree_accuracy_rows
from survey.analysis.trees.predictions import predicted_rows, tree_accuracy
from survey.analysis.trees.tree_text import tree_accuracy_sentences
from survey.analysis.trees.trees import build_decision_tree
from tests.analysis.titanic_columns import columns

pytestmark = pytest.mark.fast


def test_files_have_the_same_numbers():
    tree = build_decision_tree(*columns())
    accuracy = tree_accuracy(tree)
    rows = list(tree_accuracy_rows(tree, accuracy))
    assert [row.estimate for row in rows] == [
        each.value
        for each in (
            accuracy.in_sample,
            accuracy.cross_validated,
            accuracy.differing,
            accuracy.commonest,
        )
    ]
    assert rows[0].about[0] == "in sample"
    assert (rows[2].figure, rows[2].about[0]) == ("share predicted differently", "cross-validated")
    assert rows[0].about[1].startswith("What of sex?; ")
    content = predictions_json(accuracy, predicted_rows(tree))
    assert content["accuracy"]["cross_validated"]["estimate"] == accuracy.cross_validated.value
    assert content["predictions"][0]["predicted"] == "survived1"
    assert tree_accuracy_sentences(accuracy)[2] == (
        "Baseline accuracy: 67.7 % (65.7 % to 69.6 %). The baseline always predicts the most "
        "frequent answer, “survived1”."
    )
