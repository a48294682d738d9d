"""Scales have a mean, too."""

from survey.core.translate import translate
from survey.definition.choices import Choice
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

    def margin_of_mean(self, margin: str) -> str:
        if self.question.special_answers:
            return translate(
                "at most about %(margin)s for the mean rank if everyone gives one", margin=margin
            )
        return translate("at most about %(margin)s for the mean rank", margin=margin)

    def example_answer(self) -> Choice:
        return self.question.choices[-1]
