"""Texts and dates have no variables. They can be strata and clusters."""

from collections.abc import Sequence

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.types import ANALYSIS
from survey.analysis.types.select_one import ChoiceAnalysis
from survey.core.errors import UnanswerableQuestion
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.types.text import TextType


@ANALYSIS.of(TextType)
class TextAnalysis(ChoiceAnalysis):
    """Stored texts."""

    def variables(self, number: int, items: Sequence[Question]) -> list[tuple[str, str, Question]]:
        return []

    def column(self, stored: Sequence[Stored | None], box: str | None) -> AnalysisColumn:
        raise UnanswerableQuestion(
            "%(question)s is a %(type)s, which has no answers.",
            question=self.question.name,
            type=self.question.type,
        )

    def joins(self) -> bool:
        return False
