"""Section: a heading, and the questions up to the next section. It begins a new page."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from survey.core.translate import later
from survey.definition.choices import parse_text
from survey.definition.types.registry import QuestionType, question_type

if TYPE_CHECKING:
    from survey.definition.questions import Question


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

    def parse_label(self, entry: Mapping[str, Any], place: str) -> str:
        return parse_text(entry, "label", place, optional=True)

    def condition_from_section(self, section: "Question | None") -> Mapping[str, Any]:
        """A section is in no other section."""
        return {}
