"""The share of correct predictions that a decision tree states."""

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.trees.predictions import leaf_of, tree_accuracy
from survey.analysis.trees.trees import Node, build_decision_tree
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array

from . import answers
from .answers import EPSILONS
from .study import Case, Finding, Study

SIZES = (200, 1_000)
DECLINING = 0.05
# The shares of yes to the target, for the answers yes and no to the first predictor. The second one
# has nothing to do with them.
RELATIONS = {
    "no relation, 30 % yes": (0.3, 0.3),
    "strong relation": (0.8, 0.2),
    "rare answer": (0.1, 0.0),
}


def joint_shares(relation: tuple[float, float]) -> Array:
    """The shares of the target and two predictors, each with the answers yes and no."""
    of_target = np.array([[each, 1 - each] for each in relation]).T
    return np.asarray(of_target[:, :, np.newaxis] * np.array([0.5, 0.5]) * 0.5)


def true_accuracy(root: Node, joint: Array) -> float:
    """The share of all people whose answer the tree predicts. Respondents who decline do not
    count for the target."""
    among = joint[:2]
    right = sum(
        joint[(leaf_of(root, list(codes)).predicted, *codes)]
        for codes in np.ndindex(joint.shape[1:])
    )
    return float(right / among.sum())


def draw(
    columns: Sequence[AnalysisColumn], joint: Array, n: int, generator: np.random.Generator
) -> Finding:
    target, *predictors = answers.drawn(generator, columns, joint, n)
    tree = build_decision_tree(target, predictors)
    stated = tree_accuracy(tree).cross_validated
    if stated is None:
        raise UnanswerableQuestion("The page has no accuracy.")
    truth = true_accuracy(tree.root, joint)
    return Finding([stated.value - truth], [stated.low <= truth <= stated.high])


def cases() -> list[Case]:
    found = []
    designs = [(epsilon, False) for epsilon in EPSILONS] + [("2", True), ("none", False)]
    for (epsilon, declines), (title, relation), n in product(designs, RELATIONS.items(), SIZES):
        privacy = "none" if epsilon == "none" else {"epsilon": EPSILONS[epsilon]}
        columns = [answers.asked(name, "yes_no", privacy, declines=declines) for name in "tab"]
        joint = joint_shares(relation)
        joint = answers.declined(joint, DECLINING) if declines else joint
        name = f"{title}, not private" if epsilon == "none" else f"{title}, ε = {epsilon}"
        name += ", special answers" if declines else ""
        found.append(Case(name, n, partial(draw, columns, joint, n), 400))
    return found


STUDY = Study(
    "Accuracy of trees",
    """A tree of a yes/no question by two others. The answer to one of them is related to it, with
    80 % against 20 % yes or 10 % against 0 %, or with no relation. The true accuracy is the share
    of all people for whom the tree is right that the page shows. The stated one is that of
    cross-validation, whose trees grow from four fifths of the responses. Its interval allows for
    predictions in which they differ from the tree of the page.""",
    cases,
    """The interval of the accuracy took the trees as fixed, and covered 80.8 to 99.6 %.""",
)
