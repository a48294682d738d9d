"""Scales have a mean of their ranks, too."""

import numpy as np

from survey.analysis.types import ANALYSIS
from survey.analysis.types.select_one import ChoiceAnalysis, Quantities
from survey.core.scores import Array
from survey.core.translate import translate
from survey.definition.types.scale import ScaleType


@ANALYSIS.of(ScaleType)
class ScaleAnalysis(ChoiceAnalysis):
    """A choice whose answers have the ranks 1, 2, 3, ..."""

    def measures(self) -> Quantities:
        return ((None, translate("mean")), *super().measures())

    def quantities(self) -> Quantities:
        return ((None, ""),)

    def values(self) -> Array | None:
        return np.arange(1.0, len(self.question.choices) + 1)
