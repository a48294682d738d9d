"""Date: a day between two ends, stored as given."""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from survey.core.errors import DefinitionError
from survey.core.translate import later
from survey.definition.choices import parse_text
from survey.definition.report_formats import DateText, ReportForm, parse_date
from survey.definition.types.registry import DateEnds, question_type
from survey.definition.types.text import TextType

if TYPE_CHECKING:
    from survey.definition.questions import Question


@question_type
class DateType(TextType):
    """A date, not randomised or estimated. It is stored where texts are.

    A date such as a birthday can show whose answers these are, so it is no more part of a row with
    reports than a text is (docs/how-to/code-texts.md).
    """

    name = "date"
    title = later("Date, stored as given")
    answered_by = "Choosing or typing a date between the earliest and the latest date, or nothing."
    menu_place = 65
    members = frozenset({"privacy", "earliest", "latest"})
    never_private = later(
        "A date is never randomised. Use a private question with periods as its choices, or a "
        'private number such as a year. Otherwise set "privacy" to "none".'
    )
    builder_parts = ("date",)
    template = "date"
    reader = "date"
    xlsform_names = ("date",)

    def parse_dates(self, entry: Mapping[str, Any], place: str) -> DateEnds | None:
        earliest, latest = (date_of(entry, key, place) for key in ("earliest", "latest"))
        if earliest >= latest:
            raise DefinitionError(f"{place}.latest", "must be after the earliest date.", "order")
        return earliest, latest

    def report_form(self, question: "Question") -> ReportForm:
        if question.dates is None:
            raise TypeError(f"{question.name} has no dates.")
        return DateText(10, *question.dates)


def date_of(entry: Mapping[str, Any], key: str, place: str) -> date:
    """A date of a definition. Raises DefinitionError."""
    try:
        return parse_date(parse_text(entry, key, place, limit=10))
    except ValueError as error:
        raise DefinitionError(
            f"{place}.{key}", "must be a date such as 2026-01-31.", "date"
        ) from error
