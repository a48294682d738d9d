"""Yes or no, whose list has the conventional name."""

from survey.definition.types.yes_no import YesNoType
from survey.formats.types import FORMATS
from survey.formats.types.select_one import ChoiceFormat


@FORMATS.of(YesNoType)
class YesNoFormat(ChoiceFormat):
    """A list that is called yes_no by convention."""

    def usual_list_name(self) -> str:
        return "yes_no"
