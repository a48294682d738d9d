"""Section: a heading, and the questions up to the next section. It begins a new page."""

from typing import ClassVar

from survey.core.translate import later
from survey.definition.types.registry import QuestionType, question_type


@question_type
class SectionType(QuestionType):
    """A heading without answers. Its condition also holds for the questions of the section."""

    name = "section"
    title = later("Section, on a new page")
    answered_by = "Nothing: the page shows the heading above the questions that follow."
    menu_place = 80
    members: ClassVar[frozenset[str]] = frozenset({"random_order", "battery"})
    asks = False
    begins_page = True
    builder_parts = ("section", "order_of_questions", "unanswered")
    template = "section"
    reader = "section"
    xlsform_names = ("begin_group",)
    appearances = ("field-list",)
