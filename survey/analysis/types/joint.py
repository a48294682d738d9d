"""Joint questions, of which each question behind them is a variable."""

from collections.abc import Sequence

import numpy as np

from survey.analysis.columns.conditions import Flags, Met
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.types import ANALYSIS
from survey.analysis.types.select_one import ChoiceAnalysis
from survey.definition.questions import Question
from survey.definition.types.joint import JointType


@ANALYSIS.of(JointType)
class JointAnalysis(ChoiceAnalysis):
    """Combinations of answers."""

    def variables(self, number: int, items: Sequence[Question]) -> list[tuple[str, str, Question]]:
        return [
            (f"{self.question.name}/{item.name}", f"{number}{letter}. {item.label}", item)
            for letter, item in zip("abcd", items, strict=False)
        ]

    def outcomes(
        self,
        asked: bool,
        conditions: Sequence[tuple[str, object]],
        columns: Sequence[AnalysisColumn],
    ) -> dict[Met, list[Flags]]:
        """A case for each combination of answers, on which no condition depends.

        The case is written in binary, as the conditions of other questions are.
        """
        found: dict[Met, list[Flags]] = {}
        digits = range(len(self.question.answers).bit_length())
        for number in range(len(self.question.answers)):
            given = [
                number if column.combinations is None else column.combinations.sorts[number]
                for column in columns
            ]
            found[tuple(number >> digit & 1 == 1 for digit in digits)] = [
                np.arange(len(column.answers)) == answer
                for column, answer in zip(columns, given, strict=True)
            ]
        return found
