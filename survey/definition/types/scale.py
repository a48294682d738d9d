"""Scale: one answer of an ordered list."""

from collections.abc import Sequence
from typing import Any

from survey.core.mechanisms import ORDERED
from survey.core.translate import later
from survey.definition.types.registry import DERIVABLE, question_type
from survey.definition.types.select_one import SelectOneType


@question_type
class ScaleType(SelectOneType):
    """A single choice whose answers have the ranks 1, 2, 3, ..., and therefore a mean."""

    name = "scale"
    title = later("Scale: ordered choices")
    answered_by = "Choosing one of the ordered choices."
    menu_place = 40
    members = DERIVABLE | {"choices"}
    mechanisms = ORDERED
    usual_goal = "shares"
    ordered = True
    builder_parts = ("choices", "protected", "skip", "coin_flip", "goal", "derivable", "bands")
    appearances = ("likert", "scale")

    def usual_points(self, names: Sequence[str]) -> Any:
        """The rank of each level, from 1."""
        return {name: rank for rank, name in enumerate(names, start=1)}
