"""Boxes to tick: any number of choices of a list, or none."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from survey.core.errors import DefinitionError
from survey.core.mechanisms import BOXES
from survey.core.randomizer import Randomizer
from survey.core.translate import later
from survey.definition.choices import Choice, most_choices, names_of, parse_choices
from survey.definition.report_formats import Bits, Combination, ReportForm, Stored
from survey.definition.types.registry import (
    ANSWERED,
    ORDER_OF_CHOICES,
    Answered,
    Answers,
    QuestionType,
    question_type,
)

if TYPE_CHECKING:
    from survey.definition.questions import Question


@question_type
class SelectMultipleType(QuestionType):
    """Boxes to tick. Reports are bits, or one of all combinations if one table covers them.

    A non-private question can have one box, for example for consent.
    """

    name = "select_multiple"
    title = later("Multiple choice (boxes)")
    answered_by = "Ticking any number of choices, or none."
    menu_place = 30
    members = ANSWERED | ORDER_OF_CHOICES | {"choices"}
    mechanisms = BOXES
    usual_mechanism = "joint_boxes"
    optional = True
    boxes = True
    builder_parts = ("choices", "conditional", "specify", "boxes", "order", "protected")
    template = "boxes"
    reader = "boxes"
    xlsform_list = "select_multiple"

    def parse_answers(self, entry: Mapping[str, Any], place: str, language: str) -> Answers:
        # One box is enough for consent. Protected, it would be a yes/no question.
        least = 1 if entry.get("privacy") == "none" else 2
        listed, most = entry.get("choices"), most_choices(entry)
        return parse_choices(listed, f"{place}.choices", least=least, most=most), None

    def parse_otherwise(self, value: Any, answers: Answers, place: str) -> Any:
        names = names_of(answers[0])
        if not isinstance(value, list) or any(name not in names for name in value):
            raise DefinitionError(
                place, "must be a list of some of: %(names)s.", names=", ".join(names)
            )
        return [name for name in names if name in value]

    def usual_points(self, names: Sequence[str]) -> Any:
        """One point for each ticked box."""
        return dict.fromkeys(names, 1)

    def number_of_answers(self, listed: int) -> int:
        """All combinations of ticks."""
        return int(2**listed)

    def name_reports(self, question: "Question", own: int) -> list[Choice]:
        """Names for all combinations. The lowest binary digit of a report is the first box."""
        named = []
        for number in range(own):
            bits = [number >> place & 1 for place in range(len(question.choices))]
            ticked = [c.label for c, bit in zip(question.choices, bits, strict=True) if bit]
            named.append(Choice("".join(map(str, bits)), ", ".join(ticked) or "–"))
        return named

    def report_form(self, question: "Question") -> ReportForm:
        if question.table is not None:
            return Combination(names_of(question.reports), tuple(names_of(question.choices)))
        if question.non_private:
            return Bits(names_of(question.answers), len(question.answers))
        return super().report_form(question)

    def points_between(self, points: Any, question: "Question") -> tuple[int, int]:
        return sum(min(each, 0) for each in points.values()), sum(
            max(each, 0) for each in points.values()
        )

    def both_conditions(self, one: Any, other: Any) -> Any:
        # A condition says that one of several boxes is ticked, so it can express both conditions
        # only if one of them implies the other.
        both = super().both_conditions(one, other)
        return both if both in (one, other) else None

    def are_all_covered(self, question: "Question", conditions: Sequence[Any], asked: Any) -> bool:
        # Without a condition, it is possible that no box is ticked.
        return asked is not None and super().are_all_covered(question, conditions, asked)

    def meets_condition(self, question: "Question", stored: Stored, condition: Any) -> bool:
        ticked = zip(question.answers, str(stored), strict=True)
        return any(bit == "1" and box.name in condition for box, bit in ticked)

    def is_chosen(self, stored: str, place: int) -> bool:
        return stored[place] == "1"

    def answers_at(self, question: "Question", places: Answered) -> Answered:
        """The ticked boxes, and a column for "prefer not to say" if the question offers it."""
        boxes = len(question.choices)
        ticked = places[:, np.newaxis] >> np.arange(boxes) & 1
        if not question.offers_to_decline:
            return np.asarray(ticked)
        declined = places == 2**boxes
        return np.column_stack([np.where(declined[:, np.newaxis], 0, ticked), declined])

    def report_weights(
        self, question: "Question", table: Randomizer, answer: Sequence[int]
    ) -> list[int]:
        boxes = len(question.choices)
        ticked = [place for place, bit in enumerate(answer) if bit]
        special = [place - boxes + 2**boxes for place in ticked if place >= boxes]
        return list(table.rows[special[-1] if special else sum(2**place for place in ticked)])
