"""Numbers have a mean in place of shares."""

from typing import Any

import numpy as np

from survey.analysis.types import ANALYSIS
from survey.analysis.types.select_one import ChoiceAnalysis, Quantities
from survey.core.scores import Array
from survey.core.translate import translate
from survey.definition.types.number import NumberType
from survey.definition.types.registry import whole_points


@ANALYSIS.of(NumberType)
class NumberAnalysis(ChoiceAnalysis):
    """Values of a grid."""

    def measures(self) -> Quantities:
        return ((None, translate("mean")),)

    def quantities(self) -> Quantities:
        return ((None, ""),)

    def parse_points(self, points: Any, place: str) -> Any:
        """The factor of the number."""
        return whole_points(points, place=place)

    def usual_points(self) -> Any:
        return 1

    def values(self) -> Array | None:
        levels = self.question.levels
        if levels is None:
            return None
        return np.array([float(levels.value(place)) for place in range(levels.size)])
