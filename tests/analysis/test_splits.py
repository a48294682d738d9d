"""Splits of trees: gains of information, by hand and as published."""

import math

import numpy as np
import pytest

from survey.analysis.trees.splits import information_gain
from survey.analysis.trees.trees import build_decision_tree
from survey.web.titanic_people import SURVIVED
from tests.support.analysed import plain
from tests.support.titanic import WOMAN
from tests.support.titanic_trees import TITANIC

pytestmark = pytest.mark.fast


def by_hand(counts: list[tuple[int, int]]) -> float:
    """H(S) - sum |S_a| / |S| H(S_a) of counts that survived and died."""

    def bits(yes: int, no: int) -> float:
        return -sum(k / (yes + no) * math.log2(k / (yes + no)) for k in (yes, no) if k)

    whole = bits(*(sum(part) for part in zip(*counts, strict=True)))
    n = sum(map(sum, counts))
    return whole - sum(sum(each) / n * bits(*each) for each in counts)


def test_asked_plainly_the_gains_are_those_by_hand():
    survived = plain(TITANIC[:, 3], 2, "survived")
    grown = build_decision_tree(survived, [plain(TITANIC[:, 1], 2, "sex")])
    assert grown.root.split.gain == pytest.approx(by_hand([(367, 1364), (344, 126)]), abs=1e-12)
    assert grown.root.split.gain == pytest.approx(0.1424, abs=5e-5)
    assert grown.root.leaves[WOMAN].shares[SURVIVED].value == 344 / 470
    one = build_decision_tree(survived, [plain(TITANIC[:, 0], 4, "class")])
    classes = [(203, 122), (118, 167), (178, 528), (212, 673)]
    assert one.root.split.gain == pytest.approx(by_hand(classes), abs=1e-12)


def test_gains_are_those_of_quinlans_saturday_mornings():
    """Nine days to play and five not; Quinlan (1986) gives 0.246, 0.151, 0.048 bits, truncated."""
    outlook = np.array([[2, 3], [4, 0], [3, 2]]) / 14
    humidity = np.array([[3, 4], [6, 1]]) / 14
    windy = np.array([[6, 2], [3, 3]]) / 14
    gains = [information_gain(table) for table in (outlook, humidity, windy)]
    assert [int(1000 * gain) / 1000 for gain in gains] == [0.246, 0.151, 0.048]
