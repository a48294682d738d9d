"""Note: a text between the questions, without an answer."""

from survey.core.translate import later
from survey.definition.types.registry import QuestionType, question_type


@question_type
class NoteType(QuestionType):
    """A question type without answers and reports."""

    name = "note"
    title = later("Note, without an answer")
    answered_by = "Nothing: the page only shows the text."
    menu_place = 70
    asks = False
    builder_parts = ("unanswered",)
    template = "note"
    reader = "note"
    xlsform_names = ("note",)
