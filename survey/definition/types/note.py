"""Note: a text between the questions. Nothing is asked."""

from survey.definition.types.registry import QuestionType, question_type


@question_type
class NoteType(QuestionType):
    """It has no answer and no report."""

    name = "note"
    title = "Note, without an answer"
    menu_place = 70
    asks = False
    template = "note"
    reader = "note"
    xlsform_names = ("note",)
