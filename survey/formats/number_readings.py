"""Numbers in files of responses: a decimal mark for each column, by the values of its question.

The cell 1.500 means 1.5 or 1500. If the question allows only one of the two, the cell means this
one. Otherwise, the other cells of the column decide, or the researcher.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from survey.core.errors import DataFileError
from survey.core.number_cells import DECIMAL_MARKS, number_in_cell
from survey.core.number_grid import decimal_text
from survey.core.translate import translate, translate_number
from survey.definition.choices import names_of
from survey.definition.questions import Question
from survey.definition.report_formats import OneOf, ReportForm, not_a_value


def has_numbers(question: Question) -> bool:
    """Whether the cells of a question in responses.csv are numbers."""
    return question.grid is not None and isinstance(question.form, OneOf)


def possible_numbers(
    form: ReportForm, cell: str, marks: Collection[str] = DECIMAL_MARKS
) -> dict[str, str]:
    """The numbers that a cell can mean and the question allows, by the decimal mark.

    They are written as in the definition, such as 6.5 for the cell 6,50.
    """
    numbers = {mark: number_in_cell(cell, mark) for mark in marks}
    texts = {mark: decimal_text(value) for mark, value in numbers.items() if value is not None}
    return {mark: text for mark, text in texts.items() if is_value_of(form, text)}


def is_value_of(form: ReportForm, text: str) -> bool:
    """Whether a number is a value of the question. It searches no list of a million values."""
    try:
        form.from_cells([text])
    except ValueError:
        return False
    return True


def defined_number(question: Question, cell: str, marks: Collection[str] = DECIMAL_MARKS) -> str:
    """The number, or the name of another answer or report, written as in the definition.

    Raises ValueError if it is neither, or if it can mean two numbers. Python also reads 6/2 as a
    number, but in a file it is rather a date.
    """
    possible = {*possible_numbers(question.form, cell, marks).values()}
    if len(possible) == 1:
        return possible.pop()
    names = question.form.names if isinstance(question.form, OneOf) else []
    if cell not in (names_of(question.special_answers) if question.non_private else names):
        raise ValueError(not_a_value(cell, names))
    return cell


def exported_cell(question: Question, cell: str) -> str:
    """The cell of a number in responses.csv: with a further zero if it could mean two numbers.

    A program with decimal commas could read 1.125 as 1125, but not 1.1250.
    """
    return f"{cell}0" if len({*possible_numbers(question.form, cell).values()}) > 1 else cell


def decided_marks(
    rows: Iterable[tuple[int, Sequence[str]]],
    columns: Mapping[str, tuple[Question, int]],
    stated: Mapping[str, str],
) -> dict[str, Collection[str]]:
    """The decimal marks with which to read the cells of each column of numbers.

    Parameters
    ----------
    rows : the number of each line below the headings, and its cells
    columns : the question of each heading, and the place of its cells
    stated : the mark of a column by its heading or the name of its question; under "" that of all
        others

    Raises DataFileError if a cell can mean two numbers, and the other cells of its column do not
    say which.
    """
    require_number_columns(columns, stated)
    if not columns:
        return {}
    marks: dict[str, Collection[str]] = {}
    for heading, (question, _) in columns.items():
        mark = stated.get(heading) or stated.get(question.name) or stated.get("")
        marks[heading] = [mark] if mark else DECIMAL_MARKS
    fitting = {heading: {*some} for heading, some in marks.items()}
    unclear: dict[str, tuple[int, str]] = {}
    # The caller reads the lines again, and then reports one that cannot be read.
    with suppress(DataFileError):
        for line, row in rows:
            for heading, (question, place) in columns.items():
                cell = row[place]
                if cell.isascii() and cell.isdigit():
                    continue
                if possible := possible_numbers(question.form, cell, marks[heading]):
                    fitting[heading] &= possible.keys()
                if len({*possible.values()}) > 1:
                    unclear.setdefault(heading, (line, cell))
    for heading, (line, cell) in unclear.items():
        if len(fitting[heading]) != 1:
            values = possible_numbers(columns[heading][0].form, cell).values()
            raise DataFileError(mark_is_needed(heading, line, cell, values))
        marks[heading] = fitting[heading]
    return marks


def require_number_columns(
    columns: Mapping[str, tuple[Question, int]], stated: Mapping[str, str]
) -> None:
    """Raise DataFileError if a decimal mark is stated for something else."""
    known = {"", *columns, *(question.name for question, _ in columns.values())}
    for heading in stated:
        if heading not in known:
            raise DataFileError(
                "%(name)s is not a column of numbers. Name one of these with --decimal-mark: "
                "%(columns)s.",
                name=repr(heading),
                columns=", ".join(columns) or translate("none in this survey"),
            )


def mark_is_needed(heading: str, line: int, cell: str, values: Iterable[str]) -> str:
    """A fault of a cell that can mean two numbers, and how to state the decimal mark."""
    one, other = map(translate_number, values)
    return translate(
        "Line %(line)s, column %(column)s: the cell %(cell)s can mean %(one)s or %(other)s, and "
        "the other cells do not say which. Name the decimal mark: --decimal-mark "
        '"%(column)s=." or --decimal-mark "%(column)s=,".',
        line=line,
        column=heading,
        cell=repr(cell),
        one=one,
        other=other,
    )
