"""Texts and dates, of which only the number is released."""

from survey.central_dp.dp_request import Statistic
from survey.central_dp.types import ANSWER_STATISTICS
from survey.central_dp.types.select_one import ChoiceStatistics
from survey.definition.report_formats import Stored
from survey.definition.types.text import TextType


@ANSWER_STATISTICS.of(TextType)
class TextStatistics(ChoiceStatistics):
    """A blank text is no answer."""

    def offered_statistics(self) -> tuple[str, ...]:
        return (Statistic.COUNT,)

    def countable(self) -> list[tuple[str, str]]:
        return self.anything

    def gives(self, stored: Stored) -> bool:
        return bool(str(stored).strip())
