"""How respondents give the answer to each question type by hand: one module for each that differs.

The class in `select_one` has the defaults.
"""

from typing import TYPE_CHECKING

from survey.definition.type_behaviours import TypeBehaviours

if TYPE_CHECKING:
    from survey.respondent.types.select_one import GivenChoice

GIVEN: "TypeBehaviours[GivenChoice]" = TypeBehaviours("survey.respondent.types")
