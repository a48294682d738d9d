"""Boxes, each of which is a variable of its own."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from survey.analysis.columns.conditions import Flags, Met
from survey.analysis.columns.tick_boxes import NOT_TICKED, TICKED, box_column
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.types import ANALYSIS
from survey.analysis.types.select_one import ChoiceAnalysis, Quantities
from survey.core.translate import translate
from survey.definition.choices import NOT_ASKED, names_of
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.types.registry import whole_points
from survey.definition.types.select_multiple import SelectMultipleType


@ANALYSIS.of(SelectMultipleType)
class BoxAnalysis(ChoiceAnalysis):
    """A box is ticked or not."""

    def variables(self, number: int, items: Sequence[Question]) -> list[tuple[str, str, Question]]:
        question = self.question
        return [
            (
                f"{question.name}/{choice.name}",
                f"{number}. {question.label} {choice.label}",
                question,
            )
            for choice in question.choices
        ]

    def column(self, stored: Sequence[Stored | None], box: str | None) -> AnalysisColumn:
        return box_column(self.question, stored, box)

    def joins(self) -> bool:
        return False

    def why_not_in_design(self) -> str:
        return translate(
            "%(question)s has boxes. For weights, strata or clusters, choose a non-private "
            "question to which people give only one answer.",
            question=self.question.name,
        )

    def measures(self) -> Quantities:
        return self.shares_of([translate(TICKED), translate(NOT_TICKED)])

    def quantities(self) -> Quantities:
        return ((None, ""),)

    def answer_names(self) -> list[str]:
        return ["1", "0"]

    def parse_points(self, points: Any, place: str) -> Any:
        """The points of a tick."""
        return whole_points(points, place=place)

    def usual_points(self) -> Any:
        return 1

    def points_by_answer(self, points: Any) -> list[int]:
        return [points, 0]

    def outcomes(
        self,
        asked: bool,
        conditions: Sequence[tuple[str, object]],
        columns: Sequence[AnalysisColumn],
    ) -> dict[Met, list[Flags]]:
        """Each condition requires one of several boxes, and the columns are boxes.

        Only what a single box decides counts as impossible.
        """
        special_answers = names_of(self.question.special_answers)
        wanted = [set(c) if isinstance(c, list) else set() for _, c in conditions]
        cases: list[tuple[str, Met]]
        if not asked:
            cases = [(NOT_ASKED, (False,) * len(wanted))]
        else:
            cases = [
                ("", tuple(bool(case >> place & 1) for place in range(len(wanted))))
                for case in range(2 ** len(wanted))
            ]
            if self.question.offers_to_decline:
                declined = next(name for name in special_answers if name != NOT_ASKED)
                cases.append((declined, tuple(declined in boxes for boxes in wanted)))
        found: dict[Met, list[Flags]] = {}
        for special, met in cases:
            flags = found.setdefault(met, [np.zeros(len(c.answers), dtype=bool) for c in columns])
            for of_column, column in zip(flags, columns, strict=True):
                box = column.name.partition("/")[2]
                filled = special == NOT_ASKED and self.question.otherwise is not None
                if special and not filled:
                    # Where boxes are reported separately, a special answer is a box like others.
                    place = 2 + special_answers.index(special)
                    alone = 0 if box == special else 1
                    of_column[place if place < len(column.answers) else alone] = True
                elif filled:
                    of_column[0 if box in self.question.otherwise else 1] = True
                else:
                    pairs = list(zip(wanted, met, strict=True))
                    of_column[0] |= box not in special_answers and all(
                        is_met or box not in boxes for boxes, is_met in pairs
                    )
                    of_column[1] |= not any(is_met and boxes == {box} for boxes, is_met in pairs)
        return found
