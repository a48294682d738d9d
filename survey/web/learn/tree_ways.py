"""Four ways to grow a tree of the Titanic: exact, with central noise, with coins, as the text does.

All four return the same kind of tree, whose leaves predict whether a person survived.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.columns import question_column
from survey.analysis.trees.splits import entropy, information_gain
from survey.analysis.trees.trees import Node, build_decision_tree
from survey.central_dp.dp_request import EXPONENTIAL_AND_LAPLACE, Request, Statistic
from survey.central_dp.tree import DPTree, tree_of
from survey.core.exact_numbers import exact
from survey.core.mechanisms.randomized_response import two_levels
from survey.core.number_grid import decimal_text
from survey.core.processor_time import require_time
from survey.core.scores import probabilities
from survey.web.learn.dp_draws import draw_discrete_laplace, draw_selected
from survey.web.learn.titanic import (
    ANSWERS,
    DIED,
    NAMES,
    SPLITS,
    SURVIVAL,
    SURVIVED,
    People,
    titanic_survey,
)

COIN_FLIP = "coin_flip"
COINS_TABLE = two_levels(2, Fraction(3))  # of this mechanism, for two answers
Floats = npt.NDArray[np.float64]
Predictions = npt.NDArray[np.int64]
# Gains that differ less are equal, so that rounding does not choose between two questions.
GAIN_DECIMALS = 9


@dataclass(frozen=True)
class PredictedNode:
    """A node of a tree of the Titanic.

    Attributes
    ----------
    counts : survivors and deaths, by the numbers that this way knows; 0 and 0 if it knows none
    split : the place of the question that splits it, or None for a leaf
    children : one for each answer
    """

    counts: tuple[float, float]
    split: int | None = None
    children: tuple["PredictedNode", ...] = ()

    def predicted(self, above: int = DIED) -> int:
        """The more frequent fate, or that of the node above if both are equally frequent."""
        survived, died = self.counts
        return above if survived == died else SURVIVED if survived > died else DIED


def predictions(node: PredictedNode, people: People, above: int = DIED) -> Predictions:
    """The predicted fate of each person."""
    here = node.predicted(above)
    fates = np.full(len(people), here, dtype=np.int64)
    if node.split is not None:
        for answer, child in enumerate(node.children):
            there = people[:, node.split] == answer
            fates[there] = predictions(child, people[there], here)
    return fates


def part_right(node: PredictedNode, people: People) -> float:
    """The share of people whose fate the tree predicts."""
    return float(np.mean(predictions(node, people) == people[:, SURVIVAL]))


def fate_counts(people: People) -> Floats:
    """The numbers of survivors and of deaths."""
    return np.bincount(people[:, SURVIVAL], minlength=2).astype(np.float64)


def divided(people: People, place: int) -> list[People]:
    """The people by their answers to one question."""
    return [people[people[:, place] == answer] for answer in range(len(ANSWERS[NAMES[place]]))]


def node_of(counts: Floats, split: int | None, children: Sequence[PredictedNode]) -> PredictedNode:
    return PredictedNode((float(counts[0]), float(counts[1])), split, tuple(children))


# --- exact: ID3


def exact_gain(people: People, place: int) -> float:
    """The information gain of a question, in bits."""
    joint = np.array([fate_counts(each) for each in divided(people, place)])
    return information_gain(joint / joint.sum())


def exact_tree(people: People, places: Sequence[int], depth: int) -> PredictedNode:
    """ID3: each node is split by the question with the largest gain, while one gains something."""
    require_time()
    counts = fate_counts(people)
    gains = [round(exact_gain(people, place), GAIN_DECIMALS) for place in places if len(people)]
    if depth == 0 or not gains or max(gains) <= 0:
        return node_of(counts, None, ())
    chosen = places[int(np.argmax(gains))]
    others = [place for place in places if place != chosen]
    children = [exact_tree(each, others, depth - 1) for each in divided(people, chosen)]
    return node_of(counts, chosen, children)


# --- the text's own: noise at every entropy


def text_tree(
    people: People, places: Sequence[int], depth: int, epsilon: float,
    generator: np.random.Generator,
) -> PredictedNode:  # fmt: skip
    """ID3 on counts with Laplace noise of scale 1/ε, drawn again for each entropy."""
    require_time()

    def noisy(group: People) -> Floats:
        noise = generator.laplace(0.0, 1 / epsilon, 2)
        return np.maximum(fate_counts(group) + noise, 0.0)

    def gain(place: int) -> float:
        whole = noisy(people)
        parts = [noisy(group) for group in divided(people, place)]
        total = max(sum(float(part.sum()) for part in parts), 1.0)
        rest = sum(float(part.sum()) / total * bits(part) for part in parts)
        return bits(whole) - rest

    if depth == 0:
        return node_of(noisy(people), None, ())
    chosen = max(places, key=gain)
    others = [place for place in places if place != chosen]
    children = [
        text_tree(each, others, depth - 1, epsilon, generator) for each in divided(people, chosen)
    ]
    return node_of(sum_of(children), chosen, children)


def bits(counts: Floats) -> float:
    """The entropy of two counts, 0 if both are 0."""
    return entropy(counts / max(float(counts.sum()), 1e-9))


def sum_of(children: Sequence[PredictedNode]) -> Floats:
    total: Floats = np.array([child.counts for child in children]).sum(axis=0)
    return total


def text_draws(questions: int, depth: int) -> int:
    """How often the text adds noise to a count of one person, whose losses add up.

    The gain of a question needs the entropy of the node and those of its branches. Each person is
    in one count of the node and in one of a branch. So each of the questions left at a level costs
    2 ε, and the leaves cost ε.
    """
    return 2 * sum(questions - level for level in range(depth)) + 1


# --- central noise, with Candor's scores and scales


def central_tree(
    people: People, depth: int, epsilon: float, generator: np.random.Generator
) -> PredictedNode:
    """A central DP tree, with draws that repeat."""
    request = Request(
        Statistic.TREE, NAMES[SURVIVAL], EXPONENTIAL_AND_LAPLACE,
        decimal_text(exact(f"{epsilon:g}", "epsilon")), by=" ".join(SPLITS), depth=depth,
    )  # fmt: skip
    tree = tree_of(titanic_survey(), request, len(people))
    # A table has the answer to the target first.
    table = Counter((row[SURVIVAL], *row[:SURVIVAL]) for row in people.tolist())

    def select(scores: list[int]) -> int:
        return int(draw_selected(scores, tree.split, 1, generator)[0])

    def count(counts: list[int]) -> list[int]:
        noise = draw_discrete_laplace(tree.leaf, len(counts), generator)
        return [int(each) for each in noise + np.array(counts)]

    return counted_below(iter(tree.drawn_nodes(table, select, count)), tree, 0)


def counted_below(drawn: Iterator[tuple[int, ...]], tree: DPTree, depth: int) -> PredictedNode:
    node = next(drawn)
    if depth == tree.depth:
        return PredictedNode((float(node[0]), float(node[1])))
    children = [counted_below(drawn, tree, depth + 1) for _ in tree.by[node[0]].answers]
    return node_of(sum_of(children), node[0], children)


# --- two coins


def coin_reports(people: People, generator: np.random.Generator) -> Predictions:
    """What each person reports on survival after two coins."""
    chances = probabilities(COINS_TABLE)[:, SURVIVED]
    chances = chances[people[:, SURVIVAL]]
    return np.where(generator.random(len(people)) < chances, SURVIVED, DIED)


def coin_tree(people: People, depth: int, generator: np.random.Generator) -> PredictedNode:
    """The tree of the page Analysis, with survival reported by two coins."""
    fields = titanic_survey(COIN_FLIP).fields
    columns = [
        question_column(each, people[:, place].tolist()) for place, each in enumerate(fields)
    ]
    reports = coin_reports(people, generator).tolist()
    survived = question_column(fields[SURVIVAL], reports)
    tree = build_decision_tree(survived, columns[:SURVIVAL], deepest=depth)
    return estimated_node(tree.root, tree.n)


def estimated_node(node: Node, n: int) -> PredictedNode:
    children = tuple(estimated_node(child, n) for child in node.children)
    split = None if node.split is None else NAMES.index(node.split.column.name)
    one, other = node.shares
    if node.share is None or one is None or other is None:
        return PredictedNode((0.0, 0.0), split, children)
    many = node.share.value * n
    return PredictedNode((many * one.value, many * other.value), split, children)


Way = Callable[[People, int, float, np.random.Generator], PredictedNode]
EXACT, CENTRAL, COINS, TEXT = "exact", "central", "coins", "text"
QUESTIONS = tuple(range(len(SPLITS)))
WAYS: dict[str, Way] = {
    EXACT: lambda people, depth, _epsilon, _draws: exact_tree(people, QUESTIONS, depth),
    CENTRAL: central_tree,
    COINS: lambda people, depth, _epsilon, draws: coin_tree(people, depth, draws),
    TEXT: lambda people, depth, epsilon, draws: text_tree(people, QUESTIONS, depth, epsilon, draws),
}
