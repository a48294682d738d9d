"""Which statistics each question type has, and what a stored answer says: a module for each type.

The class in `select_one` has the defaults.
"""

from typing import TYPE_CHECKING

from survey.definition.type_behaviours import TypeBehaviours

if TYPE_CHECKING:
    from survey.central_dp.types.select_one import ChoiceStatistics

ANSWER_STATISTICS: "TypeBehaviours[ChoiceStatistics]" = TypeBehaviours("survey.central_dp.types")
