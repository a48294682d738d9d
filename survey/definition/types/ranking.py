"""Ranking: an order of a few items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from survey.core.errors import DefinitionError
from survey.core.translate import later
from survey.definition.choices import Choice, parse_choices
from survey.definition.types.registry import (
    ORDER_OF_CHOICES,
    SKIPPABLE,
    Answers,
    question_type,
)
from survey.definition.types.select_one import SelectOneType


@dataclass(frozen=True)
class Order(Choice):
    """One order of the items of a ranking, which is an answer. The first item comes first."""

    items: tuple[Choice, ...] = ()

    @classmethod
    def of(cls, items: Sequence[Choice]) -> "Order":
        name = ">".join(item.name for item in items)  # No name of a choice contains this sign.
        return cls(name, " > ".join(item.label for item in items), tuple(items))


@question_type
class RankingType(SelectOneType):
    """A single choice whose answers are all orders of the items.

    The orders have the sequence of `itertools.permutations`, which the page repeats: the first one
    is that of the definition.
    """

    name = "ranking"
    title = later("Ranking: put a few items in order")
    answered_by = (
        "Giving each item a place. The answer is one of all orders of the items: 2, 6 or 24. "
        "`choices` lists the items, at most 4."
    )
    menu_place = 45
    members = SKIPPABLE | ORDER_OF_CHOICES | {"choices"}
    # Conditions and joint questions name one choice, and an order is several.
    can_be_condition = False
    can_be_joint = False
    builder_parts = ("choices", "items", "order", "protected", "skip", "coin_flip")
    template = "ranking"
    reader = "ranking"
    # Four items have 24 orders. Five would have 120, whose shares need too many respondents.
    item_limits = (2, 4)
    xlsform_list = "rank"

    def parse_answers(self, entry: Mapping[str, Any], place: str, language: str) -> Answers:
        listed = entry.get("choices")
        least, most = self.item_limits
        if isinstance(listed, list) and not least <= len(listed) <= most:
            raise DefinitionError(
                f"{place}.choices",
                "must be a list of %(least)s to %(most)s items.",
                "items",
                least=least,
                most=most,
            )
        return self.answers_of(parse_choices(listed, f"{place}.choices")), None

    def answers_of(self, listed: tuple[Choice, ...]) -> tuple[Choice, ...]:
        return tuple(Order.of(each) for each in permutations(listed))

    def listed_choices(self, choices: Sequence[Choice]) -> tuple[Choice, ...]:
        """The items, which the first order has in the sequence of the definition."""
        return next((each.items for each in choices if isinstance(each, Order)), ())

    def parse_condition(self, condition: Any, offered: Sequence[Choice], place: str) -> Any:
        raise DefinitionError(place, "is a ranking, and conditions cannot use a ranking.", "values")
