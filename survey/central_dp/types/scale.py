"""Scales: choices in an order, so that there is a median."""

from survey.central_dp.dp_request import ORDERED, Statistic
from survey.central_dp.types import ANSWER_STATISTICS
from survey.central_dp.types.select_one import ChoiceStatistics
from survey.definition.report_formats import Stored
from survey.definition.types.scale import ScaleType


@ANSWER_STATISTICS.of(ScaleType)
class ScaleStatistics(ChoiceStatistics):
    """Places are levels."""

    def offered_statistics(self) -> tuple[str, ...]:
        choices = (Statistic.COUNT, Statistic.HISTOGRAM)
        return (*choices, *ORDERED, Statistic.MODE, Statistic.TREE)

    def place(self, stored: Stored) -> int | None:
        return int(stored) if self.gives(stored) else None
