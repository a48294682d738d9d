"""Best and worst in analyses: one pair of all, without points."""

from survey.analysis.types import ANALYSIS
from survey.analysis.types.ranking import RankingAnalysis
from survey.definition.types import QUESTION_TYPES


@ANALYSIS.of(type(QUESTION_TYPES["best_worst"]))
class BestWorstAnalysis(RankingAnalysis):
    """Shares of the pairs."""
