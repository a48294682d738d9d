"""The accuracy of trees, against predictions made one by one, and for private answers exactly."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from survey.analysis import SurveyDesign
from survey.analysis.as_rows import tree_accuracy_rows
from survey.analysis.trees.predictions import (
    FOLDS,
    fold_of_responses,
    leaf_of,
    predicted_rows,
    tree_accuracy,
)
from survey.analysis.trees.tree_text import tree_accuracy_sentences
from survey.analysis.trees.trees import build_decision_tree
from survey.web.titanic_people import NAMES, SURVIVED
from tests.analysis.titanic_columns import columns
from tests.support.analysed import COIN, column, plain, through
from tests.support.titanic_trees import TITANIC, exactly, titanic, true_share

pytestmark = pytest.mark.fast


def number_right(tree, rows) -> int:
    return sum(leaf_of(tree.root, row[:3].tolist()).predicted == row[3] for row in rows)


def test_asked_plainly_the_shares_are_those_of_predictions_one_by_one():
    tree = build_decision_tree(*columns())
    accuracy = tree_accuracy(tree)
    assert accuracy.in_sample.value == pytest.approx(number_right(tree, TITANIC) / 2201, abs=1e-12)
    parts = fold_of_responses(tree.grower.whole)
    right = sum(
        number_right(build_decision_tree(*columns(TITANIC[parts != part])), TITANIC[parts == part])
        for part in range(FOLDS)
    )
    assert accuracy.cross_validated.value == pytest.approx(right / 2201, abs=1e-12)
    assert accuracy.commonest.value == pytest.approx(1490 / 2201, abs=1e-12)
    assert accuracy.answer == "survived1"
    # The binomial standard error of 78.5 % of 2,201 people.
    assert accuracy.cross_validated.standard_error == pytest.approx(0.00876, abs=2e-5)


def test_the_interval_allows_for_predictions_that_the_tree_does_not_have():
    """With 120 people, the trees of cross-validation differ from the tree of all. One by one."""
    rows = TITANIC[np.random.default_rng(7).permutation(len(TITANIC))[:120]]
    tree = build_decision_tree(*columns(rows))
    accuracy, parts = tree_accuracy(tree), fold_of_responses(tree.grower.whole)
    common = differ = 0
    for part in range(FOLDS):
        other = build_decision_tree(*columns(rows[parts != part]))
        for row in rows[parts == part]:
            own, shown = (leaf_of(each.root, row[:3].tolist()).predicted for each in (other, tree))
            common += own == shown == row[3]
            differ += own != shown
    assert differ > 0
    assert accuracy.differing.value == pytest.approx(differ / 120, abs=1e-12)
    least = binomtest(common, 120).proportion_ci().low
    most = binomtest(common + differ, 120).proportion_ci().high
    found = accuracy.cross_validated
    assert (found.low, found.high) == pytest.approx((least, most), abs=1e-5)
    sentence = tree_accuracy_sentences(accuracy)[0]
    assert f"different answers: {100 * differ / 120:.1f} % (" in sentence


def test_by_sex_alone_it_is_1708_of_2201():
    survived, known = columns()
    tree = build_decision_tree(survived, [known[1]])
    accuracy = tree_accuracy(tree)
    assert accuracy.differing is None
    assert len(list(tree_accuracy_rows(tree, accuracy))) == 3
    assert len(tree_accuracy_sentences(accuracy)[0].split(". ")) == 2
    assert accuracy.in_sample.value == pytest.approx(1708 / 2201, abs=1e-12)
    assert accuracy.cross_validated.value == pytest.approx(1708 / 2201, abs=1e-12)


def test_private_answers_are_predicted_for_the_share_that_is_right():
    """Both questions by two coins, in exactly the expected shares: 90 and 70 of 100 are right."""
    x, y = exactly({(0, 0): 90, (0, 1): 10, (1, 0): 30, (1, 1): 70})
    tree = build_decision_tree(column(y, COIN, "y"), [column(x, COIN, "x")])
    assert tree_accuracy(tree).in_sample.value == pytest.approx(0.8, abs=1e-12)
    assert not predicted_rows(tree)


DESIGNS = (
    None,
    SurveyDesign(weights=np.ones(800)),
    SurveyDesign(clusters=np.repeat(np.arange(80), 10)),
)


@pytest.mark.parametrize("design", DESIGNS)
def test_a_tree_without_a_split_predicts_like_the_most_frequent_answer(design):
    generator = np.random.default_rng(4)
    y = through(generator, COIN, (np.arange(800) % 10 == 0).astype(int), "y")
    tree = build_decision_tree(y, [plain(generator.integers(0, 2, 800), 2, "x")], design)
    assert tree.root.split is None
    accuracy = tree_accuracy(tree)
    assert accuracy.cross_validated.value == pytest.approx(accuracy.commonest.value)
    assert accuracy.in_sample.value == pytest.approx(accuracy.commonest.value)


def test_weights_count_as_several_people_in_sample():
    generator = np.random.default_rng(3)
    x = generator.integers(0, 2, 3000)
    y = np.where(generator.random(3000) < 0.2 + 0.5 * x, 0, 1)
    heavy = build_decision_tree(plain(y, 2, "y"), [plain(x, 2, "x")], SurveyDesign(weights=1 + x))
    accuracy = tree_accuracy(heavy)
    predicted = np.where(x == 1, 0, 1)
    right = ((1 + x) * (predicted == y)).sum() / (1 + x).sum()
    assert accuracy.in_sample.value == pytest.approx(right, abs=1e-12)
    assert accuracy.cross_validated.value == pytest.approx(right, abs=1e-12)


def test_clusters_stay_together():
    clusters = np.arange(600) % 60
    x = np.arange(600) % 3 % 2
    design = SurveyDesign(clusters=clusters)
    tree = build_decision_tree(plain(x, 2, "y"), [plain(np.arange(600) % 2, 2, "x")], design)
    parts = fold_of_responses(tree.grower.whole)
    assert all(len(set(parts[clusters == cluster])) == 1 for cluster in range(60))
    assert np.bincount(parts).tolist() == [120] * FOLDS


def test_special_answers_to_the_target_are_left_out():
    answers = np.repeat([0, 1, 2], [600, 300, 100])
    x = plain(np.arange(1000) % 2, 2, "x")
    tree = build_decision_tree(plain(answers, 3, "y", special_answers=1), [x])
    assert tree_accuracy(tree).commonest.value == pytest.approx(2 / 3)
    assert {row.true for row in predicted_rows(tree, 1000)} == {"y0", "y1"}


def test_rows_are_shown_only_if_no_question_is_private():
    tree = build_decision_tree(*columns())
    rows = predicted_rows(tree)
    assert len(rows) == 20
    assert [row.true for row in rows] == [f"survived{fate}" for fate in TITANIC[:20, 3]]
    assert all(row.answers[1] == "sex0" and row.predicted == "survived1" for row in rows)
    assert not predicted_rows(titanic(1))
    missing = replace(columns()[0], reports=np.where(np.arange(2201) < 2200, -1, 0))
    assert not predicted_rows(replace(tree, target=missing))[1:]


@pytest.mark.slow
def test_the_interval_holds_the_share_that_trees_get_right():
    """Two coins for survival, 100 seeds. The true share is that of the tree on all true answers.

    The interval should hold in 95 % of seeds. Fewer than 88 do once in 680 runs of 100.
    """
    held = 0
    for seed in range(100):
        tree = titanic(seed)
        true = sum(
            share * (true_share(leaf) if leaf.predicted == SURVIVED else 1 - true_share(leaf))
            for leaf in tree.root.leaves
            if (share := share_there(leaf)) > 0
        )
        figure = tree_accuracy(tree).cross_validated
        held += figure.low <= true <= figure.high
    assert held >= 88


def share_there(leaf) -> float:
    there = np.ones(len(TITANIC), dtype=bool)
    for asked, answer in leaf.conditions:
        there &= TITANIC[:, NAMES.index(asked.name)] == answer
    return float(there.mean())
