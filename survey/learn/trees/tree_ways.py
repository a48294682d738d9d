"""Ways to grow a tree of the Titanic: exact, with central noise, with coins, as a text does.

All return the same kind of tree, whose leaves predict whether a person survived.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from survey.analysis.columns.columns import question_column
from survey.analysis.trees.trees import Node, build_decision_tree
from survey.central_dp.dp_request import EXPONENTIAL_AND_LAPLACE, Request, Statistic
from survey.central_dp.tree import DPSplit, DPTree, answer_combination_counts, part_ends, tree_of
from survey.core.processor_time import require_time
from survey.core.translate import later
from survey.definition.survey import Survey
from survey.learn.dp_draws import Integers, draw_discrete_laplace, draw_selected
from survey.learn.trees.text_tree import text_draws, text_tree
from survey.learn.trees.titanic import SHIP, passenger_survey, passenger_table, titanic_survey
from survey.learn.trees.tree_nodes import PredictedNode, node_of, sum_of
from survey.learn.trees.tree_table import (
    People,
    Possible,
    Split,
    TreeTable,
    outcome_counts,
    split_gain,
)
from survey.learn.yes_no_reports import TWO_COINS, report_chances
from survey.web.titanic_people import (
    DIED,
    NAMES,
    SPLITS,
    SURVIVAL,
    SURVIVED,
    passengers,
    titanic_people,
)

COIN_FLIP = "coin_flip"
# Gains that differ less are equal, so that rounding does not choose between two questions.
GAIN_DECIMALS = 9


@dataclass(frozen=True)
class DataSet:
    """People, the columns of their table, and a survey that asks for them by mechanism."""

    table: TreeTable
    people: Callable[[], People]
    survey: Callable[[str], Survey]


ALL_PEOPLE = "people"
PASSENGERS = "passengers"
DATA_SETS = {
    ALL_PEOPLE: DataSet(SHIP, titanic_people, titanic_survey),
    PASSENGERS: DataSet(passenger_table(), passengers, passenger_survey),
}
NAMES_OF_DATA_SETS = {
    ALL_PEOPLE: later("2,201 people, by age group"),
    PASSENGERS: later("891 passengers, by age"),
}


# --- exact: ID3


def exact_tree(
    people: People, table: TreeTable, depth: int, possible: Possible | None = None
) -> PredictedNode:
    """ID3: each node has the split with the largest gain, while one gains something."""
    require_time()
    possible = table.possible if possible is None else possible
    counts = outcome_counts(people)
    splits = list(table.wide_splits(possible)) if len(people) else []
    gains = [round(split_gain(people, table, split), GAIN_DECIMALS) for split in splits]
    if depth == 0 or not gains or max(gains) <= 0:
        return node_of(counts)
    chosen = splits[int(np.argmax(gains))]
    below = zip(table.branches(people, chosen), table.after(possible, chosen), strict=True)
    children = [exact_tree(rows, table, depth - 1, left) for rows, left in below]
    return node_of(counts, chosen, children)


# --- central noise, with Candor's scores and scales


def central_tree(
    data: DataSet, people: People, depth: int, epsilon: float, generator: np.random.Generator
) -> PredictedNode:
    """A central DP tree, with draws that repeat."""
    request = Request(
        statistic=Statistic.TREE,
        question=NAMES[SURVIVAL],
        mechanism=EXPONENTIAL_AND_LAPLACE,
        epsilon=f"{epsilon:g}",
        by=" ".join(SPLITS),
        depth=depth,
    )
    survey = data.survey("")
    tree = tree_of(survey, request, len(people))
    counts = answer_combination_counts(survey, request, people.tolist())

    def select(scores: list[int]) -> int:
        return int(draw_selected(scores, tree.split, 1, generator)[0])

    def count(numbers: list[int]) -> list[int]:
        noise = draw_discrete_laplace(tree.leaf, len(numbers), generator)
        return [int(each) for each in noise + np.array(numbers)]

    drawn = iter(tree.drawn_nodes(counts, select, count))
    return counted_below(drawn, tree, data.table, [])


def counted_below(
    drawn: Iterator[tuple[int, ...]],
    tree: DPTree,
    table: TreeTable,
    way: list[tuple[DPSplit, int]],
) -> PredictedNode:
    node = next(drawn)
    found = tree.drawn_split(node, way)
    if found is None:
        return PredictedNode((float(node[0]), float(node[1])))
    split = (
        table.answer_split(found.place)
        if found.cut is None
        else table.cut_split(part_ends(tree.by[found.place])[found.cut])
    )
    children = [
        counted_below(drawn, tree, table, [*way, (found, branch)])
        for branch in range(len(split.groups))
    ]
    return node_of(sum_of(children), split, children)


# --- two coins


def coin_reports(people: People, generator: np.random.Generator) -> Integers:
    """What each person reports on survival after two coins."""
    chances = np.array(report_chances(TWO_COINS))[people[:, SURVIVAL]]
    return np.where(generator.random(len(people)) < chances, SURVIVED, DIED)


def coin_tree(
    data: DataSet, people: People, depth: int, generator: np.random.Generator
) -> PredictedNode:
    """The tree of the page Analysis, with survival reported by two coins."""
    fields = data.survey(COIN_FLIP).fields
    columns = [
        question_column(each, people[:, place].tolist()) for place, each in enumerate(fields)
    ]
    reports = coin_reports(people, generator).tolist()
    survived = question_column(fields[SURVIVAL], reports)
    tree = build_decision_tree(survived, columns[:SURVIVAL], deepest=depth)
    return estimated_node(tree.root, tree.n, data.table)


def estimated_node(node: Node, n: int, table: TreeTable) -> PredictedNode:
    children = tuple(estimated_node(child, n, table) for child in node.children)
    split = None
    if node.split is not None:
        place, cut = NAMES.index(node.split.column.name), node.split.cut
        split = table.answer_split(place) if cut is None else table.cut_split(int(cut))
        # Below a split by the same number, nobody's number is unknown.
        split = Split(place, split.groups[: len(children)])
    one, other = node.shares
    if node.share is None or one is None or other is None:
        return PredictedNode((0.0, 0.0), split, children)
    many = node.share.value * n
    return PredictedNode((many * one.value, many * other.value), split, children)


Way = Callable[[DataSet, People, int, float, np.random.Generator], PredictedNode]
EXACT = "exact"
CENTRAL = "central"
COINS = "coins"
TEXT = "text"
TEXT_WITHIN = "within"
WAYS: dict[str, Way] = {
    EXACT: lambda data, people, depth, _epsilon, _draws: exact_tree(people, data.table, depth),
    CENTRAL: central_tree,
    COINS: lambda data, people, depth, _epsilon, draws: coin_tree(data, people, depth, draws),
    TEXT: lambda data, people, depth, epsilon, draws: text_tree(
        people, data.table, depth, epsilon, draws
    ),
    TEXT_WITHIN: lambda data, people, depth, epsilon, draws: text_tree(
        people, data.table, depth, epsilon / text_draws(data.table, depth), draws
    ),
}
