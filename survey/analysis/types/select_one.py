"""One answer out of a few, and the defaults of all types."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from survey.analysis.columns.conditions import Flags, Met, meets, reported_as, true_answers
from survey.analysis.columns.single_answer import single_column
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.types import ANALYSIS
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import translate
from survey.definition.choices import names_of
from survey.definition.derived_answers import usual_points
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.types.registry import QuestionType

# The place of an answer, or None for a mean, with words.
Quantities = tuple[tuple[int | None, str], ...]


@ANALYSIS.of(QuestionType)
@dataclass(frozen=True)
class ChoiceAnalysis:
    """The variables of a question, and what can be calculated of each."""

    question: Question

    # Variables.

    def variables(self, number: int, items: Sequence[Question]) -> list[tuple[str, str, Question]]:
        """The name, label and question of each variable. `number` is that of the question."""
        question = self.question
        return [(question.name, f"{number}. {question.label}", question)]

    def column(self, stored: Sequence[Stored | None], box: str | None) -> AnalysisColumn:
        """The column of the stored reports. Raises UnanswerableQuestion."""
        if box is not None:
            raise UnanswerableQuestion("%(question)s has no boxes.", question=self.question.name)
        return single_column(self.question, stored)

    def joins(self) -> bool:
        """Whether its answers can be those of another question with the same ones."""
        return bool(self.question.choices) or not self.question.non_private

    def why_not_in_design(self) -> str:
        """Why a non-private question cannot define a stratum or a cluster; usually empty."""
        return ""

    # What is calculated.

    def measures(self) -> Quantities:
        """The measures that can be compared between groups."""
        return self.shares_of([choice.label for choice in self.question.choices])

    @staticmethod
    def shares_of(labels: Sequence[str]) -> Quantities:
        return tuple(
            (place, translate("share of “%(answer)s”", answer=label))
            for place, label in enumerate(labels)
        )

    def quantities(self) -> Quantities:
        """The quantities that can be correlated."""
        choices = self.question.choices
        counted_choices = choices[:1] if len(choices) == 2 else choices
        return tuple((place, f"“{choice.label}”") for place, choice in enumerate(counted_choices))

    def answer_names(self) -> list[str]:
        """The names of the answers in a request."""
        return names_of(self.question.choices)

    def values(self) -> Array | None:
        """The value of each answer without the special ones; None if answers have no values."""
        return None

    # Sums.

    def can_be_summed(self) -> bool:
        """Whether its answers can have points."""
        return not self.question.is_arm

    def parse_points(self, points: Any, place: str) -> Any:
        """The points of each choice by its name. Raises DefinitionError."""
        return self.question.kind.parse_points(points, self.question, place)

    def usual_points(self) -> Any:
        """The usual points of each choice; None if there are none."""
        return usual_points(self.question)

    def points_by_answer(self, points: Any) -> list[int]:
        return [points[each.name] for each in self.question.choices]

    # Conditions.

    def outcomes(
        self,
        asked: bool,
        conditions: Sequence[tuple[str, object]],
        columns: Sequence[AnalysisColumn],
    ) -> dict[Met, list[Flags]]:
        """The possible cases of one question, each with the possible answers of its columns."""
        found: dict[Met, list[Flags]] = {}
        for number, name in true_answers(self.question, asked):
            met = tuple(
                meets(self.question, number, name, condition) for _, condition in conditions
            )
            flags = found.setdefault(met, [np.zeros(len(c.answers), dtype=bool) for c in columns])
            for of_column, column in zip(flags, columns, strict=True):
                of_column |= reported_as(self.question, number, name, column)
        return found
