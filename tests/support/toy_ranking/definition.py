"""Best and worst: a toy type whose answers are pairs of the listed items."""

from dataclasses import dataclass
from itertools import permutations

from survey.core.errors import DefinitionError
from survey.definition.choices import Choice, parse_choices
from survey.definition.types import question_type
from survey.definition.types.registry import SKIPPABLE
from survey.definition.types.select_one import SelectOneType


@dataclass(frozen=True, kw_only=True)
class BestWorst(Choice):
    """One item as the best, and another one as the worst."""

    best: Choice
    worst: Choice

    @classmethod
    def of(cls, best, worst):
        label = f"{best.label} > {worst.label}"
        return cls(f"{best.name}>{worst.name}", label, best=best, worst=worst)


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
    item_limits = (3, 5)

    def parse_answers(self, entry, place, language):
        listed = entry.get("choices")
        least, most = self.item_limits
        if isinstance(listed, list) and not least <= len(listed) <= most:
            sentence = "must be a list of %(least)s to %(most)s items."
            raise DefinitionError(f"{place}.choices", sentence, "items", least=least, most=most)
        return self.answers_of(parse_choices(listed, f"{place}.choices")), None

    def answers_of(self, listed):
        return tuple(BestWorst.of(*pair) for pair in permutations(listed, 2))

    def listed_choices(self, choices):
        """Each item is the best of some pairs."""
        return tuple(dict.fromkeys(each.best for each in choices))
