"""The people of the Titanic for trees, and reports of two coins in exact proportions."""

import numpy as np

from survey.analysis.trees.trees import DecisionTree, Node, build_decision_tree
from survey.web.titanic_people import NAMES, SURVIVED
from tests.support.analysed import COIN, plain, through
from tests.support.titanic import people

TITANIC = people()


def titanic(seed: int) -> DecisionTree:
    """Survival, asked with two coins; the other questions are non-private."""
    survived = through(np.random.default_rng(seed), COIN, TITANIC[:, 3], "survived")
    known = [plain(TITANIC[:, place], k, NAMES[place]) for place, k in ((0, 4), (1, 2), (2, 2))]
    return build_decision_tree(survived, known)


def true_share(leaf: Node) -> float | None:
    """The share of the people of a leaf who survived."""
    there = np.ones(len(TITANIC), dtype=bool)
    for asked, answer in leaf.conditions:
        there &= TITANIC[:, NAMES.index(asked.name)] == answer
    return float((TITANIC[there, 3] == SURVIVED).mean()) if there.any() else None


def exactly(cells: dict[tuple[int, int], int]) -> tuple[np.ndarray, np.ndarray]:
    """Two coins' reports in the expected proportions, 9:3:3:1 for each cell of 16 people."""
    reports = [
        (x ^ flip_x, y ^ flip_y)
        for (x, y), sixteens in cells.items()
        for flip_x, flip_y, times in ((0, 0, 9), (0, 1, 3), (1, 0, 3), (1, 1, 1))
        for _ in range(times * sixteens)
    ]
    return np.array(reports).T
