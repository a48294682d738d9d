"""Text: an answer in the respondent's own words, stored as given."""

from typing import TYPE_CHECKING, ClassVar

from survey.core.translate import later
from survey.definition.report_formats import FreeText, ReportForm
from survey.definition.types.registry import QuestionType, question_type

if TYPE_CHECKING:
    from survey.definition.questions import Question

MAX_TYPED_CHARACTERS = 1_000


@question_type
class TextType(QuestionType):
    """A free text, not randomised or estimated. Results count the respondents who wrote one."""

    name = "text"
    title = later("Text, stored as given")
    answered_by = f"Typing at most {MAX_TYPED_CHARACTERS:,} characters, or nothing."
    menu_place = 60
    members = frozenset({"privacy"})
    optional = True
    template = "text"
    reader = "text"
    xlsform_names: ClassVar[tuple[str, ...]] = ("text", "string")

    def report_form(self, question: "Question") -> ReportForm:
        return FreeText(MAX_TYPED_CHARACTERS)
