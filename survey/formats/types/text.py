"""Texts and dates, which may always stay empty."""

from survey.definition.types.text import TextType
from survey.formats.types import FORMATS
from survey.formats.types.select_one import ChoiceFormat


@FORMATS.of(TextType)
class TextFormat(ChoiceFormat):
    """A question that respondents can skip."""

    def required_cell(self) -> str | None:
        return None
