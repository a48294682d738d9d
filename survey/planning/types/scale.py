"""Scales have a mean, too."""

from survey.definition.types.scale import ScaleType
from survey.planning.precision import ExpectedPrecision, mean_precision
from survey.planning.types import PLANNING
from survey.planning.types.select_one import ChoicePlanning


@PLANNING.of(ScaleType)
class ScalePlanning(ChoicePlanning):
    """Shares as of a choice, then the mean of the levels."""

    def precision_of_distribution(
        self, reported: float, place: float | None, against: float | None
    ) -> list[ExpectedPrecision]:
        return [mean_precision(self.question, reported, place, against)]
