"""Best and worst: a toy type whose answers are pairs of the listed items."""

from dataclasses import dataclass
from itertools import permutations

from survey.core.errors import DefinitionError
from survey.definition.choices import Order, parse_choices
from survey.definition.types import question_type
from survey.definition.types.registry import SKIPPABLE
from survey.definition.types.select_one import SelectOneType


@dataclass(frozen=True)
class BestWorst(Order):
    """The best item, the worst one, and then the others as they are listed."""

    @classmethod
    def of(cls, items):
        best, worst, *_ = items
        return cls(f"{best.name}>{worst.name}", f"{best.label} > {worst.label}", tuple(items))


@question_type
class BestWorstType(SelectOneType):
    """A single choice of the best and the worst item of three to five."""

    name = "best_worst"
    title = "Best and worst"
    menu_place = 46
    members = SKIPPABLE | {"choices"}
    builder_parts = ("choices", "items", "protected", "skip", "coin_flip")
    template = "best_worst"
    can_be_condition = False
    can_be_joint = False
    appearances = ("best_worst",)

    def parse_answers(self, entry, place, language):
        listed = entry.get("choices")
        if isinstance(listed, list) and not 3 <= len(listed) <= 5:
            raise DefinitionError(f"{place}.choices", "must be a list of 3 to 5 items.", "items")
        return self.answers_of(parse_choices(listed, f"{place}.choices")), None

    def answers_of(self, listed):
        return tuple(
            BestWorst.of((*pair, *(each for each in listed if each not in pair)))
            for pair in permutations(listed, 2)
        )
