"""Numbers, stored as their places on the grid. Special answers follow them."""

from survey.central_dp.dp_request import MAX_MODE_VALUES, ORDERED, SUMS, Statistic
from survey.central_dp.types import ANSWER_STATISTICS
from survey.central_dp.types.select_one import ChoiceStatistics
from survey.definition.report_formats import Stored
from survey.definition.types.number import NumberType


@ANSWER_STATISTICS.of(NumberType)
class NumberStatistics(ChoiceStatistics):
    """Only special answers have names."""

    def offered_statistics(self) -> tuple[str, ...]:
        few = self.question.number_grid.size <= MAX_MODE_VALUES
        return (*SUMS, *ORDERED, *((Statistic.MODE,) if few else ()), Statistic.CURVE)

    def countable(self) -> list[tuple[str, str]]:
        return self.anything + [(each.name, each.label) for each in self.question.special_answers]

    def gives(self, stored: Stored) -> bool:
        return int(stored) < self.question.number_grid.size

    def has(self, name: str, stored: Stored) -> bool:
        place = [each.name for each in self.question.special_answers].index(name)
        return int(stored) == self.question.number_grid.size + place

    def place(self, stored: Stored) -> int | None:
        return int(stored) if self.gives(stored) else None
