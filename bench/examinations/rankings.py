"""Mean ranks of items, and the shares of orders that put each item first."""

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from bench import headlines
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.definition.parse_question import parse_question
from survey.definition.questions import Question
from survey.estimation.build_results import question_results
from survey.estimation.headlines import FIRST
from survey.estimation.types.ranking import MEAN_RANK, ranks_of_items

from .answers import EPSILONS, SIZES
from .study import Case, Finding, Study

DECLINING = 0.05
MECHANISMS = ("k_randomized_response", "subset_selection", "optimized_unary_encoding")
# The shares of the orders that put each item first. Candor finds the leader, if there is one.
LEADER, EQUAL = "one leader", "equal leaders, one rare"
FIRSTS = {
    2: {LEADER: (0.8, 0.2), EQUAL: (0.5, 0.5)},
    3: {LEADER: (0.6, 0.3, 0.1), EQUAL: (0.475, 0.475, 0.05)},
    4: {LEADER: (0.6, 0.2, 0.15, 0.05), EQUAL: (0.4, 0.4, 0.15, 0.05)},
}
# The title, the privacy, and whether there is a special answer.
DESIGNS: list[tuple[str, Any, bool]] = [
    ("non-private", "none", False),
    *(
        (f"ε = {epsilon}", {"epsilon": value}, declines)
        for epsilon, value in EPSILONS.items()
        for declines in (False, True)
    ),
    *(
        (f"ε = ln 3, {mechanism}", {"epsilon": EPSILONS["ln 3"], "mechanism": mechanism}, False)
        for mechanism in MECHANISMS
    ),
]


def asked(items: int, privacy: Any, declines: bool) -> Question:
    entry = {
        "name": "x", "type": "ranking", "label": "?", "privacy": privacy,
        "choices": [{"name": f"c{place}", "label": f"Item {place}"} for place in range(items)],
    } | ({"prefer_not_to_say": True} if declines else {})  # fmt: skip
    return parse_question(entry, "", "en")


def shares_of(question: Question, firsts: tuple[float, ...]) -> Array:
    """The shares of all orders, then of the people who decline."""
    orders = headlines.shares_of_orders(
        question, {f"c{place}": share for place, share in enumerate(firsts)}
    )
    if not question.special_answers:
        return orders
    return np.append(orders * (1 - DECLINING), DECLINING)


def draw(
    question: Question, firsts: tuple[float, ...], n: int, generator: np.random.Generator
) -> Finding:
    shares = shares_of(question, firsts)
    counts = headlines.draw(question, headlines.Truth(shares, {}, {}), n, generator)
    found = question_results(question, counts)
    if not found.quantities:
        raise UnanswerableQuestion("The page has no figures.")
    ranks = ranks_of_items(question)
    orders = shares[: ranks.shape[1]] / shares[: ranks.shape[1]].sum()
    names = [item.name for item in question.listed]
    errors, held = [], []
    for each in found.quantities:
        place = names.index(each.item.name) if each.item else 0
        of_orders = ranks[place] if each.name == MEAN_RANK else ranks[place] == 1
        truth = float(of_orders @ orders)
        # Errors of all items add up to zero, so their mean says nothing about a bias.
        errors += [each.value - truth] if place == 0 and each.name == MEAN_RANK else []
        held.append(each.low <= truth <= each.high)
    true_firsts = dict(zip(names, firsts, strict=True))
    leads = firsts[0] > firsts[1]
    return Finding(
        errors, held, alarm=headlines.is_wrong(found.headline, true_firsts),
        found=found.headline.kind == FIRST if leads else None,
    )  # fmt: skip


def cases() -> list[Case]:
    found = []
    for items, shapes in FIRSTS.items():
        for (title, privacy, declines), (shape, firsts) in product(DESIGNS, shapes.items()):
            question = asked(items, privacy, declines)
            name = f"{items} items, {title}, {shape}" + (", special answer" if declines else "")
            sizes = SIZES if title in ("ε = ln 3", "non-private") else SIZES[1:2]
            found += [Case(name, n, partial(draw, question, firsts, n), 500) for n in sizes]
    return found


STUDY = Study(
    "Rankings",
    """The mean rank of each item, and the share of the orders that put it first. The shares of the
    orders follow from those of the items that are first (Plackett, Appl. Stat. 24 (1975) 193).
    Coverage is that of the intervals of all these figures. A false alarm is a headline that states
    something that is not true: that an item comes first which does not, or an interval without the
    true share. The power is how often the headline names the item that comes first. With a special
    answer, 5 % of the people decline.""",
    cases,
)
