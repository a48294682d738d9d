"""One answer out of a few, stored as its place, and the defaults of all types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from survey.central_dp.dp_request import EVERYONE, Statistic
from survey.central_dp.types import ANSWER_STATISTICS
from survey.core.translate import later
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.types.registry import QuestionType


@ANSWER_STATISTICS.of(QuestionType)
@dataclass(frozen=True)
class ChoiceStatistics:
    """The statistics of a non-private question, and what one stored answer adds to them."""

    question: Question

    def offered_statistics(self) -> tuple[str, ...]:
        """The statistics that can be released."""
        return (Statistic.COUNT, Statistic.HISTOGRAM, Statistic.MODE, Statistic.TREE)

    def countable(self) -> list[tuple[str, str]]:
        """The answers that a count can use, each with its label; EVERYONE comes first."""
        return self.anything + [(each.name, each.label) for each in self.question.answers]

    @property
    def anything(self) -> list[tuple[str, str]]:
        return [(EVERYONE, later("any answer"))]

    def gives(self, stored: Stored) -> bool:
        """Whether the stored value is an answer, not a special one such as "prefer not to say"."""
        return int(stored) < len(self.question.choices)

    def has(self, name: str, stored: Stored) -> bool:
        """Whether the respondent gave this answer."""
        return int(stored) == [each.name for each in self.question.answers].index(name)

    def place(self, stored: Stored) -> int | None:
        """The place of the answer among numbers or levels; None for any other answer."""
        return None

    def bars(self, stored: Stored, size: int) -> Sequence[int]:
        """What one respondent adds to each of the bars of a histogram, one for each answer."""
        return [int(place == int(stored)) for place in range(size)]

    def most_bars(self, size: int) -> int:
        """To how many bars one respondent can add."""
        return 1

    def times_given(self, answers: Mapping[Stored, int], places: Sequence[int]) -> list[int]:
        """How many respondents gave the answer at each place."""
        return [answers.get(place, 0) for place in places]
