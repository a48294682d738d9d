"""Texts and dates, of which nothing is estimated."""

from survey.definition.types.text import TextType
from survey.planning.precision import ExpectedPrecision
from survey.planning.types import PLANNING
from survey.planning.types.select_one import ChoicePlanning


@PLANNING.of(TextType)
class TextPlanning(ChoicePlanning):
    """No precision."""

    def precision_of_share(self, share: float | None, reported: float) -> list[ExpectedPrecision]:
        return []

    def denied_precision(self, share: float, reported: float) -> ExpectedPrecision | None:
        return None
