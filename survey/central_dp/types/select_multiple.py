"""Boxes, stored as a text of 0 and 1."""

from collections.abc import Mapping, Sequence

from survey.central_dp.dp_request import Statistic
from survey.central_dp.types import ANSWER_STATISTICS
from survey.central_dp.types.select_one import ChoiceStatistics
from survey.definition.report_formats import Stored
from survey.definition.types.select_multiple import SelectMultipleType


@ANSWER_STATISTICS.of(SelectMultipleType)
class BoxStatistics(ChoiceStatistics):
    """One respondent can tick all boxes."""

    def offered_statistics(self) -> tuple[str, ...]:
        return (Statistic.COUNT, Statistic.HISTOGRAM, Statistic.MODE)

    def gives(self, stored: Stored) -> bool:
        """Without special answers it is always true, because all boxes may be unticked."""
        return "1" not in str(stored)[len(self.question.choices) :]

    def has(self, name: str, stored: Stored) -> bool:
        return str(stored)[[each.name for each in self.question.answers].index(name)] == "1"

    def bars(self, stored: Stored, size: int) -> Sequence[int]:
        return [int(bit == "1") for bit in str(stored)]

    def most_bars(self, size: int) -> int:
        return size

    def times_given(self, answers: Mapping[Stored, int], places: Sequence[int]) -> list[int]:
        return [
            sum(times for ticked, times in answers.items() if str(ticked)[place] == "1")
            for place in places
        ]
