"""Crosswise answers say only whether two statements are both true or both false."""

from survey.analysis.types import ANALYSIS
from survey.analysis.types.select_one import ChoiceAnalysis
from survey.definition.types.crosswise import CrosswiseType


@ANALYSIS.of(CrosswiseType)
class CrosswiseAnalysis(ChoiceAnalysis):
    """Nothing is known about one statement alone."""

    def can_be_summed(self) -> bool:
        return False
