"""How the answers of each question type are estimated: one module for each type that differs.

The class in `select_one` has the defaults. It estimates the shares of answers of which respondents
choose one.
"""

from typing import TYPE_CHECKING

from survey.definition.type_behaviours import TypeBehaviours

if TYPE_CHECKING:
    from survey.estimation.types.select_one import ChoiceEstimation

ESTIMATION: "TypeBehaviours[ChoiceEstimation]" = TypeBehaviours("survey.estimation.types")
