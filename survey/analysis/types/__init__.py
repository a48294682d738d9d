"""What analyses do with each question type: one module for each type that differs.

The class in `select_one` has the defaults.
"""

from typing import TYPE_CHECKING

from survey.definition.type_behaviours import TypeBehaviours

if TYPE_CHECKING:
    from survey.analysis.types.select_one import ChoiceAnalysis

ANALYSIS: "TypeBehaviours[ChoiceAnalysis]" = TypeBehaviours("survey.analysis.types")
