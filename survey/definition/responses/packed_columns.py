"""Packed columns: the stored reports to several questions in one number.

This takes a third of the time to read responses. Most of the time goes into transferring each value
from the database.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from survey.definition.questions import Question
from survey.definition.report_formats import OneOf, Stored
from survey.definition.survey import Survey

# The limit for the values of one pack, so that a table of their meanings stays small.
MAX_PACK_VALUES = 4_096


@dataclass(frozen=True)
class PackedColumns:
    """Consecutive questions that are read as one value.

    Attributes
    ----------
    sizes : the number of values of each question. It is one more than the number of reports if a
        report may be missing. It is empty for a single question, whose value is its stored report.
    """

    questions: tuple[Question, ...]
    sizes: tuple[int, ...] = ()

    def reports(self, value: Stored | None) -> list[Stored | None]:
        """The report to each question, or None if it is missing."""
        if not self.sizes or value is None:
            return [value]
        number, stored_reports = int(value), list[Stored | None]()
        for question, size in zip(self.questions, self.sizes, strict=True):
            number, report = divmod(number, size)
            stored_reports.append(None if report == reports_to(question) else report)
        return stored_reports


def reports_to(question: Question) -> int | None:
    """The number of different reports to a question, or None if reports are texts."""
    return len(question.form.names) if isinstance(question.form, OneOf) else None


def packs_of(survey: Survey) -> list[PackedColumns]:
    """The packs of a survey's questions, in order."""
    packs: list[PackedColumns] = []
    for question in survey.fields:
        size = (reports_to(question) or MAX_PACK_VALUES) + (not survey.always_reported(question))
        last, values = packs[-1] if packs else None, size
        for each in last.sizes if last else ():
            values *= each
        if last and last.sizes and values <= MAX_PACK_VALUES:
            packs[-1] = PackedColumns((*last.questions, question), (*last.sizes, size))
        else:
            packs.append(PackedColumns((question,), (size,) if size < MAX_PACK_VALUES else ()))
    return packs


def separate(survey: Survey) -> Sequence[PackedColumns]:
    """One pack for each question."""
    return [PackedColumns((question,)) for question in survey.fields]
