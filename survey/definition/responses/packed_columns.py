"""Stored reports to several questions, packed into one number.

Responses are then read in a third of the time: most of it goes into handing each value over from
the database.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from survey.definition.questions import Question
from survey.definition.report_formats import OneOf, Stored
from survey.definition.survey import Survey

MAX_PACK_VALUES = 4_096  # values of one pack, so that a table of what each means stays small


@dataclass(frozen=True)
class PackedColumns:
    """Questions in a row, read as one value.

    Attributes
    ----------
    sizes : for each question how many values it has, one more than it has reports where there may
        be none; empty for a question on its own, whose value is what is stored of it
    """

    questions: tuple[Question, ...]
    sizes: tuple[int, ...] = ()

    def reports(self, value: Stored | None) -> list[Stored | None]:
        """The report to each question, None where there is none."""
        if not self.sizes or value is None:
            return [value]
        number, stored_reports = int(value), list[Stored | None]()
        for question, size in zip(self.questions, self.sizes, strict=True):
            number, report = divmod(number, size)
            stored_reports.append(None if report == reports_to(question) else report)
        return stored_reports


def reports_to(question: Question) -> int | None:
    """How many different ones there are, as numbers; None where they are texts."""
    return len(question.form.names) if isinstance(question.form, OneOf) else None


def packs_of(survey: Survey) -> list[PackedColumns]:
    """The questions of a survey in packs, in order."""
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
    """Each question on its own."""
    return [PackedColumns((question,)) for question in survey.fields]
