"""Columns with the same question and different designs: each row has a report in one of them.

The questions of such columns get one label. So the pages of analyses offer them together, as one
variable that uses the design of each row (survey/analysis/columns/joined.py).
"""

from collections.abc import Mapping, Sequence

from survey.core.errors import DataFileError
from survey.core.translate import translate
from survey.definition.choices import NOT_ASKED
from survey.definition.survey import Survey
from survey.formats.randomised_csv.sheet import CSVTable

# The columns of each joined question, by its label.
JoinedColumns = Mapping[str, Sequence[str]]


def check_joined_columns(sheet: CSVTable, joined: JoinedColumns, kinds: Sequence[set[str]]) -> None:
    """Raise DataFileError if columns cannot be joined, or a row has reports in two of them.

    `kinds` are the private columns with one design, and those with designs by cell. Only columns of
    one kind can be joined.
    """
    headings = [heading for columns in joined.values() for heading in columns]
    for label, columns in joined.items():
        if label in sheet.columns and label not in columns:
            raise DataFileError(
                "%(name)s is a column of its own. Choose another name in --join.", name=repr(label)
            )
        one_kind = any({*columns} <= kind for kind in kinds)
        if len({*columns}) < 2 or not one_kind or any(headings.count(each) > 1 for each in columns):
            raise DataFileError(
                "--join %(name)s needs two or more private columns, each in one --join. Give "
                "all of them a design for all rows, or all of them designs by cell.",
                name=label,
            )
        require_single_reports(sheet, label, columns)


def require_single_reports(sheet: CSVTable, label: str, columns: Sequence[str]) -> None:
    """Raise DataFileError if a row has reports in two of these columns."""
    cells = zip(*(sheet.cells_of(heading) for heading in columns), strict=True)
    filled = [
        [heading for heading, cell in zip(columns, row, strict=True) if cell] for row in cells
    ]
    twice = [number for number, some in enumerate(filled) if len(some) > 1]
    if twice:
        raise DataFileError(
            "Line %(line)s has reports in %(first)s and %(second)s, which --join treats as one "
            "question, %(name)s (rows like this: %(n)s). Remove one of the reports, or remove "
            "--join.",
            line=sheet.lines[twice[0]],
            first=filled[twice[0]][0],
            second=filled[twice[0]][1],
            name=label,
            n=len(twice),
        )


def notes_on_joined_columns(survey: Survey, joined: JoinedColumns) -> list[str]:
    """A note on each joined question, and how to use it in commands.

    Raises DataFileError if the answers of its columns differ.
    """
    notes = []
    for label in joined:
        parts = [question for question in survey.fields if question.label == label]
        answers = {
            tuple(each.label for each in question.answers if each.name != NOT_ASKED)
            for question in parts
        }
        if len(answers) > 1:
            raise DataFileError(
                "The columns of --join %(name)s have different answers: %(answers)s. Give them "
                "the same answers in the same order, with --choices.",
                name=label,
                answers="; ".join(sorted(map(", ".join, answers))),
            )
        notes.append(
            translate(
                "In analyses, %(joined)s stands for %(name)s, and uses the design of each row.",
                joined="+".join(question.name for question in parts),
                name=label,
            )
        )
    return notes
