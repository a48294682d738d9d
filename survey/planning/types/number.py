"""Numbers: the mean or the median in place of shares."""

from typing import Any

import numpy as np

from survey.core.languages import Words
from survey.core.randomizer import Randomizer
from survey.core.translate import translate
from survey.definition.answer_bounds.calculated_answers import Answers
from survey.definition.types.number import WITH_SPREAD_REPORTS, NumberType
from survey.planning.precision import ExpectedPrecision, mean_precision, median_precision
from survey.planning.types import PLANNING
from survey.planning.types.select_one import ChoicePlanning


@PLANNING.of(NumberType)
class NumberPlanning(ChoicePlanning):
    """Figures of a distribution."""

    def precision_of_share(self, share: float | None, reported: float) -> list[ExpectedPrecision]:
        """No share of a part of the range is planned."""
        return []

    def precision_of_distribution(
        self, reported: float, place: float | None, against: float | None
    ) -> list[ExpectedPrecision]:
        median = (
            [median_precision(self.question, reported)]
            if self.question.mechanism == "optimal_quantiles"
            else []
        )
        return [*median, mean_precision(self.question, reported, place, against)]

    def denied_precision(self, share: float, reported: float) -> ExpectedPrecision | None:
        return None

    def is_for_mean_alone(self) -> bool:
        return self.question.mechanism not in (*WITH_SPREAD_REPORTS, "optimal_quantiles")

    def usual_truth(self) -> dict[str, Any]:
        """Numbers that are centred in the range."""
        grid = self.question.number_grid
        low, high = float(grid.low), float(grid.high)
        return {"mean": (low + high) / 2, "sd": float(f"{(high - low) / 6:.2g}")}

    def rows(self, table: Randomizer, answers: Answers, generator: np.random.Generator) -> Answers:
        """The rows of the levels, rounded at random. Special answers follow the levels."""
        grid = self.question.number_grid
        levels = table.answers - len(self.question.special_answers)
        width = grid.width(levels)
        up = generator.integers(0, width, size=len(answers)) < answers % width
        return np.where(answers < grid.size, answers // width + up, answers - grid.size + levels)

    def codes_sentence(self, words: Words) -> str:
        return words.say("Your device sends one of a few codes, not the number itself.")

    def shares_in_words(self) -> str:
        return translate("the shares of the parts of the range")

    def margin_of_share(self, margin: str, *, only_arms: bool) -> str:
        return translate(
            "at most about %(margin)s for the share of each part of the range", margin=margin
        )

    def advice_on_precision(self) -> str:
        return translate("Choose weaker protection, or ask more people.")
