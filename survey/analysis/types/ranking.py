"""Rankings are analysed as a choice of one order."""

from survey.analysis.types import ANALYSIS
from survey.analysis.types.select_one import ChoiceAnalysis
from survey.definition.types.ranking import RankingType


@ANALYSIS.of(RankingType)
class RankingAnalysis(ChoiceAnalysis):
    """Orders have no points."""

    def can_be_summed(self) -> bool:
        return False
