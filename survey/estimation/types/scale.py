"""Scales: the mean of the ranks 1, 2, 3, ... next to the shares."""

from collections.abc import Sequence

import numpy as np

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import OneHot
from survey.core.randomizer import Randomizer
from survey.core.scores import Array
from survey.core.translate import translate
from survey.definition.types.scale import ScaleType
from survey.estimation.design_fit import mean_scores
from survey.estimation.quantities import formula_of_mean, mean_of_answers, quantity
from survey.estimation.results import AnswerResults, QuantityResults
from survey.estimation.share_results import Counts
from survey.estimation.types import ESTIMATION
from survey.estimation.types.select_one import ChoiceEstimation


@ESTIMATION.of(ScaleType)
class ScaleEstimation(ChoiceEstimation):
    """Shares as of a choice, and a mean of the levels."""

    def quantities(
        self,
        randomizer: Randomizer | OneHot,
        tally: Sequence[int],
        level: float,
        size: int | None,
    ) -> tuple[QuantityResults, ...]:
        """The mean among respondents who chose a level; none if the reports do not tell it."""
        label = translate(
            "Mean, 1 = %(first)s, %(number)s = %(last)s",
            first=self.question.choices[0].label,
            number=len(self.question.choices),
            last=self.question.choices[-1].label,
        )
        values = self.values()
        try:
            estimate = mean_of_answers(self.question, randomizer, tally, values, level, size)
        except UnanswerableQuestion:
            return ()
        return (quantity("mean", label, estimate, formula_of_mean(self.question, randomizer)),)

    def tested_scores(self, counts: Counts, chances: Array) -> list[Array]:
        shares = super().tested_scores(counts, chances)
        return shares or mean_scores(chances, self.values(), len(self.question.special_answers))

    def ends(self) -> tuple[float, float] | None:
        return 1.0, float(len(self.question.choices))

    def values(self) -> Array:
        return np.arange(1.0, len(self.question.choices) + 1)

    def shares_mirror(self, shares: Sequence[AnswerResults]) -> bool:
        return False
