"""How files of other programs state the answers to each question type.

`FORMATS` writes questions, and `EARLIER` reads conditions and calculations. There is one module for
each type that differs. The classes in `select_one` have the defaults.
"""

from typing import TYPE_CHECKING

from survey.definition.type_behaviours import TypeBehaviours

if TYPE_CHECKING:
    from survey.formats.types.select_one import ChoiceFormat, EarlierChoice

FORMATS: "TypeBehaviours[ChoiceFormat]" = TypeBehaviours("survey.formats.types")
EARLIER: "TypeBehaviours[EarlierChoice]" = TypeBehaviours("survey.formats.types")
