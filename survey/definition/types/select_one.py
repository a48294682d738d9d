"""Single choice: one answer of a list."""

from collections.abc import Mapping
from typing import Any, ClassVar

from survey.core.mechanisms import CHOICES
from survey.core.translate import later
from survey.definition.choices import most_choices, parse_choices
from survey.definition.types.registry import (
    DERIVABLE,
    ORDER_OF_CHOICES,
    Answers,
    QuestionType,
    question_type,
)


@question_type
class SelectOneType(QuestionType):
    """One answer of a list. Scales and yes/no questions are special cases."""

    name = "select_one"
    title = later("Single choice")
    answered_by = "Choosing one of the choices."
    menu_place = 20
    members: ClassVar[frozenset[str]] = DERIVABLE | ORDER_OF_CHOICES | {"choices"}
    mechanisms: ClassVar[str | None] = CHOICES
    operations: ClassVar[frozenset[str]] = frozenset({"sum", "mean", "count", "recode", "random"})
    outcome: ClassVar[str] = "bands"
    single_choice = True
    builder_parts: ClassVar[tuple[str, ...]] = (
        "choices",
        "conditional",
        "specify",
        "order",
        "protected",
        "skip",
        "coin_flip",
        "derivable",
        "bands",
    )
    template = "choice"
    reader = "choice"
    xlsform_list: ClassVar[str] = "select_one"

    def parse_answers(self, entry: Mapping[str, Any], place: str, language: str) -> Answers:
        listed, most = entry.get("choices"), most_choices(entry)
        return parse_choices(listed, f"{place}.choices", most=most), None
