"""Yes or no, in Candor's or the designer's words."""

from collections.abc import Mapping, Sequence
from typing import Any

from survey.core.errors import DefinitionError
from survey.core.translate import later
from survey.definition.choices import Choice, answer_words, names_of
from survey.definition.types.registry import DERIVABLE, Answers, question_type
from survey.definition.types.select_one import SelectOneType


@question_type
class YesNoType(SelectOneType):
    """A single choice between yes, which is the first answer, and no."""

    name = "yes_no"
    title = later("Yes or no")
    answered_by = "Choosing Yes or No."
    menu_place = 10
    members = DERIVABLE | {"choices"}
    medium_mechanism = "coin_flip"
    operations = SelectOneType.operations | {"any", "all"}
    outcome = "at_least"
    dichotomous = True
    xlsform_choices = ("yes", "no")
    builder_parts = ("reword", "protected", "skip", "coin_flip", "derivable", "threshold")

    def usual_points(self, names: Sequence[str]) -> Any:
        return {"yes": 1, "no": 0}

    def own_words(self, language: str) -> Sequence[str]:
        return answer_words(language)[:2]

    def parse_answers(self, entry: Mapping[str, Any], place: str, language: str) -> Answers:
        if "choices" not in entry:
            yes, no = self.own_words(language)
            return (Choice("yes", yes), Choice("no", no)), None
        choices, _ = super().parse_answers(entry, place, language)
        if names_of(choices) != ["yes", "no"]:
            raise DefinitionError(
                f"{place}.choices", "of a yes_no question must be named yes and no.", "yes_no"
            )
        return choices, None
