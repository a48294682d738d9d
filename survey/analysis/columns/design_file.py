"""Design files: weights, strata and clusters by the answers to non-private questions.

Responses contain nothing personal that could be matched with a list of people. Population figures,
such as the number of people by region and sex, refer to answers to non-private questions. The file
therefore has one row for each combination of these answers.
"""

import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.variables import Codes
from survey.analysis.types import ANALYSIS
from survey.core.csv_tables import csv_rows
from survey.core.errors import DataFileError, UnanswerableQuestion
from survey.core.number_cells import DECIMAL_MARKS, POINT, column_numbers, number_in_cell
from survey.core.translate import join_sentences, translate, translate_number, translate_plural
from survey.definition.choices import names_of
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey
from survey.formats.number_readings import defined_number, has_numbers, possible_numbers

WEIGHT = "weight"
STRATUM = "stratum"
CLUSTER = "cluster"
POPULATION = "population"
# The columns of a design file besides questions: each with its unit or format, and a sentence.
# `make reference` writes them into docs/reference/csv-columns.md.
DESIGN_FIELDS = {
    WEIGHT: (
        "number from 0 to 1e12",
        "Number of people whom each respondent with these answers represents.",
    ),
    STRATUM: ("text", "Stratum from which the respondents with these answers were sampled."),
    CLUSTER: ("text", "Cluster of the respondents with these answers."),
    POPULATION: (
        "whole number from 1 to 1e12",
        "Number of people in the stratum, or in the whole population if there are no strata. All "
        "rows of a stratum have the same number. Needed for the finite population correction.",
    ),
}
DESIGN_COLUMNS = tuple(DESIGN_FIELDS)
OTHERS = "*"
MAX_DESIGN_FILE_BYTES = 1_000_000
MAX_DESIGN_FILE_ROWS = 20_000
MAX_WEIGHT = 1e12
# The number of combinations that an error lists.
MAX_NAMED_COMBINATIONS = 5
Row = tuple[float | str, ...]


@dataclass(frozen=True)
class DesignFile:
    """A parsed design file.

    Attributes
    ----------
    keys : names of the non-private questions whose answers identify a row
    tells : the columns in DESIGN_COLUMNS that it has
    rows : the values in the order of `tells`, by the stored answers to `keys`
    others : the values for every other combination, or None
    """

    keys: tuple[str, ...]
    tells: tuple[str, ...]
    rows: Mapping[tuple[Stored | None, ...], Row]
    others: Row | None = None


def read_design_file(content: bytes, survey: Survey, encoding: str = "") -> DesignFile:
    """Parse a design file.

    Parameters
    ----------
    content : CSV, see `csv_rows`. Line 1 names non-private questions with one answer, and any of
        weight, stratum, cluster and population, in any order. The first three words never mean a
        question. The word population means a question if the survey has one of this name. Cells of
        questions are names as in responses.csv. Weights are numbers from 0 to 1e12, population
        sizes whole numbers from 1 to 1e12. A line with * for every question covers all combinations
        without a line of their own.
    encoding : see `decode_text`

    Raises DataFileError with line and column, and UnknownEncoding.
    """
    header, questions, lines = header_and_lines(content, survey, encoding)
    questions_by_name = {question.name: question for question in survey.fields}
    tells = tuple(name for name in design_columns_for(survey) if name in header)
    places = [header.index(name) for name in tells]
    numbers = {
        name: parse_design_numbers(name, [(line, row[place].strip()) for line, row in lines])
        for name, place in zip(tells, places, strict=True)
        if name in (WEIGHT, POPULATION)
    }
    # The key None stands for all other combinations.
    rows_by_key: dict[tuple[Stored | None, ...] | None, Row] = {}
    seen: dict[tuple[Stored | None, ...] | None, int] = {}
    for line, row in lines:
        cells = {name: row[place].strip() for name, place in questions.items()}
        key = (
            None
            if set(cells.values()) == {OTHERS}
            else parse_row_key(cells, questions_by_name, line)
        )
        if key in seen:
            raise DataFileError(
                "Line %(line)s has the same answers as line %(other)s: %(answers)s. Remove one "
                "of them.",
                line=line,
                other=seen[key],
                answers=cells_text(cells),
            )
        seen[key] = line
        rows_by_key[key] = tuple(
            told_by(row[place].strip(), name, line, numbers.get(name, {}))
            for name, place in zip(tells, places, strict=True)
        )
    if WEIGHT in tells and not any(row[0] for row in rows_by_key.values()):
        raise DataFileError(
            "Column weight is 0 in every line, so no response would be left. Type a weight above 0."
        )
    others = rows_by_key.pop(None, None)
    own = {key: row for key, row in rows_by_key.items() if key is not None}
    return DesignFile(tuple(questions), tells, own, others)


def header_and_lines(
    content: bytes, survey: Survey, encoding: str
) -> tuple[list[str], dict[str, int], list[tuple[int, list[str]]]]:
    """The cells of line 1, the place of each question in it, and the other lines with numbers.

    Raises DataFileError.
    """
    if len(content) > MAX_DESIGN_FILE_BYTES:
        raise DataFileError(larger_than_a_design())
    rows = csv_rows(io.BytesIO(content), encoding)
    header = [cell.strip() for cell in next(rows, (1, []))[1]]
    questions = header_question_places(header, survey)
    lines = list(rows)
    if not lines:
        raise DataFileError("Line 2 is missing. Add one line for each combination of answers.")
    if len(lines) > MAX_DESIGN_FILE_ROWS:
        raise DataFileError(
            "The file has %(n)s lines. The maximum is %(maximum)s.",
            n=len(lines),
            maximum=MAX_DESIGN_FILE_ROWS,
        )
    return header, questions, lines


def larger_than_a_design() -> str:
    return translate(
        "The file is larger than %(maximum)s bytes. Use one line for each combination of answers, "
        "not one for each response.",
        maximum=MAX_DESIGN_FILE_BYTES,
    )


def design_columns_for(survey: Survey) -> tuple[str, ...]:
    """The columns that design files of this survey can have.

    If a question is called population, a column with this name means the question.
    """
    names = {question.name for question in survey.fields}
    return tuple(name for name in DESIGN_COLUMNS if name != POPULATION or name not in names)


def header_question_places(header: Sequence[str], survey: Survey) -> dict[str, int]:
    """The places of the questions in line 1. Raises DataFileError for any other name."""
    questions_by_name = {question.name: question for question in survey.fields}
    design_columns = design_columns_for(survey)
    fitting = [
        name for name, question in questions_by_name.items() if key_question_fault(question) is None
    ]
    offered = ", ".join(name for name in fitting if name not in design_columns) or translate(
        "none in this survey"
    )
    question_places: dict[str, int] = {}
    for place, name in enumerate(header):
        fault = None
        if name in header[:place]:
            fault = name_used_twice(name)
        elif name not in design_columns and name not in questions_by_name:
            fault = no_such_question(name, offered, design_columns)
        elif name not in design_columns:
            fault = key_question_fault(questions_by_name[name])
            question_places[name] = place
        if fault is not None:
            raise cell_error(1, place + 1, fault)
    if not question_places:
        raise DataFileError(
            "Line 1 has no name of a non-private question. Use one of: %(questions)s.",
            questions=offered,
        )
    if not set(design_columns) & set(header):
        raise DataFileError(
            "Line 1 needs one of the columns %(columns)s.", columns=", ".join(design_columns)
        )
    return question_places


def cell_error(line: int, column: int | str, fault: str) -> DataFileError:
    """An error in one cell, with its line and the number or name of its column."""
    return DataFileError(
        "Line %(line)s, column %(column)s: %(fault)s", line=line, column=column, fault=fault
    )


def name_used_twice(name: str) -> str:
    if not name:
        return translate("an empty name is used twice.")
    return translate("%(name)s is used twice.", name=name)


def no_such_question(name: str, offered: str, columns: Sequence[str]) -> str:
    """A fault of a name in line 1, which may have the questions `offered` and these columns."""
    return join_sentences(
        translate("there is no question %(name)s.", name=repr(name[:80])),
        translate(
            "Use a non-private question (%(questions)s), or one of %(columns)s.",
            questions=offered,
            columns=", ".join(columns),
        ),
    )


def key_question_fault(question: Question) -> str | None:
    """Why a question cannot identify rows, or None."""
    if not question.non_private:
        return translate(
            "%(question)s is private. Its report is random, so it cannot identify a line. Use "
            "non-private questions.",
            question=question.name,
        )
    return ANALYSIS[question].why_not_in_design() or None


def parse_row_key(
    cells: Mapping[str, str], known: Mapping[str, Question], line: int
) -> tuple[Stored | None, ...]:
    """The stored answers of a line. Raises DataFileError if a cell is not an answer."""
    key = []
    for name, cell in cells.items():
        question = known[name]
        numeric = has_numbers(question)
        if numeric and len({*possible_numbers(question.form, cell).values()}) > 1:
            raise cell_error(line, name, two_numbers(cell))
        try:
            written = defined_number(question, cell) if numeric else cell
            key.append(question.form.from_cells([written]))
        except ValueError as error:
            refused = translate(
                "%(answer)s is not an answer to this question.", answer=repr(cell[:80])
            )
            explanation = possible_answers(question) or str(error)
            raise cell_error(line, name, join_sentences(refused, explanation)) from error
    return tuple(key)


def possible_answers(question: Question) -> str:
    """Which answers a cell of a question can have."""
    answers = names_of(question.offered if question.grid else question.answers)
    listed, numbers = "", ""
    if answers:
        listed = translate("There are: %(answers)s.", answers=", ".join(answers))
    if question.grid is not None:
        grid = question.grid
        numbers = translate(
            "Use %(low)s to %(high)s.", low=str(grid[0]), high=str(grid[grid.size - 1])
        )
    return join_sentences(numbers, listed)


def parse_design_numbers(name: str, numbered: Sequence[tuple[int, str]]) -> Mapping[str, Fraction]:
    """The numbers in the cells of a column, from each line and its cell. Other cells are missing.

    Raises DataFileError if the cells can mean different numbers.
    """
    cells = [cell for _, cell in numbered]
    meanings = column_numbers({*cells} - {""})
    if len(meanings) > 1:
        line, cell = next(
            (line, cell)
            for line, cell in numbered
            if meanings[0].get(cell) != meanings[1].get(cell)
        )
        raise cell_error(line, name, two_numbers(cell))
    points = {cell: number_in_cell(cell, POINT) for cell in cells}
    return (
        meanings[0]
        if meanings
        else {cell: value for cell, value in points.items() if value is not None}
    )


def two_numbers(cell: str) -> str:
    """A fault of a cell such as 1.200, which has a decimal point or one between thousands."""
    one, other = (number_in_cell(cell, mark) for mark in DECIMAL_MARKS)
    return translate(
        "%(cell)s can mean %(one)s or %(other)s. Write it without a mark between thousands, and "
        "with another number of decimals.",
        cell=cell,
        one=f"{float(one or 0):g}",
        other=f"{float(other or 0):g}",
    )


def told_by(cell: str, name: str, line: int, numbers: Mapping[str, Fraction]) -> float | str:
    """The value of a cell of a design column. Raises DataFileError."""
    if not cell:
        raise cell_error(line, name, translate("the cell is empty."))
    if name not in (WEIGHT, POPULATION):
        return cell
    weight = float(numbers.get(cell, math.nan))
    if math.isnan(weight):
        fault = translate(
            "%(number)s is not a number. Use a number such as 1200 or 0.85.",
            number=repr(cell[:80]),
        )
        raise cell_error(line, name, fault)
    if weight < 0:
        raise cell_error(line, name, translate("%(number)s is below 0.", number=cell))
    if weight > MAX_WEIGHT:
        fault = translate(
            "%(number)s is above %(maximum)s.", number=cell, maximum=f"{MAX_WEIGHT:g}"
        )
        raise cell_error(line, name, fault)
    if name == POPULATION and (weight < 1 or weight != int(weight)):
        fault = translate(
            "%(number)s is not a number of people. Use a whole number from 1.", number=cell
        )
        raise cell_error(line, name, fault)
    return weight


def cells_text(cells: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {cell}" for name, cell in cells.items())


def file_row_places(file: DesignFile, stored: Mapping[str, Sequence[Stored | None]]) -> Codes:
    """The place of each response's row in the file, shape (n,).

    It is len(rows) for all other combinations, for which the file may have no row.
    """
    place_of = {key: place for place, key in enumerate(file.rows)}
    keys = zip(*(stored[name] for name in file.keys), strict=True)
    return np.array([place_of.get(key, len(place_of)) for key in keys], dtype=np.int64)


def design_values_from_file(
    file: DesignFile, survey: Survey, stored: Mapping[str, Sequence[Stored | None]]
) -> dict[str, npt.NDArray[Any]]:
    """The file's values for each response: an array of shape (n,) for each of `file.tells`.

    Raises UnanswerableQuestion if the file has no row for a combination in the responses.
    """
    places = file_row_places(file, stored)
    rows = list(file.rows.values())
    if file.others is not None:
        rows.append(file.others)
    elif (fault := lacking(file, survey, stored, places)) is not None:
        raise UnanswerableQuestion(fault)
    return {
        name: np.array([row[column] for row in rows])[places]
        for column, name in enumerate(file.tells)
    }


def lacking(
    file: DesignFile, survey: Survey, stored: Mapping[str, Sequence[Stored | None]], places: Codes
) -> str | None:
    """A sentence on combinations in the responses without a row; None if there are none."""
    if file.others is not None:
        return None
    without = np.flatnonzero(places == len(file.rows))
    if not len(without):
        return None
    forms = {question.name: question.form for question in survey.fields}
    came = Counter(
        cells_text(
            {
                name: forms[name].cells(value)[0]
                if (value := stored[name][place]) is not None
                else ""
                for name in file.keys
            }
        )
        for place in without.tolist()
    )
    commonest = sorted(came.items(), key=lambda each: (-each[1], each[0]))
    listed = "; ".join(
        f"{answers} ({translate_number(f'{times:,}')})"
        for answers, times in commonest[:MAX_NAMED_COMBINATIONS]
    )
    if len(came) > MAX_NAMED_COMBINATIONS:
        more = translate_number(f"{len(came) - MAX_NAMED_COMBINATIONS:,}")
        listed = translate("%(answers)s; and %(n)s more", answers=listed, n=more)
    return join_sentences(
        translate_plural(
            "%(unmatched)s of %(n)s response matches no line of the file: %(answers)s.",
            "%(unmatched)s of %(n)s responses match no line of the file: %(answers)s.",
            len(places),
            unmatched=len(without),
            answers=listed,
        ),
        translate(
            "Add a line for these answers, or a line with * for every question. That line applies "
            "to all other answers, and weight 0 excludes them."
        ),
    )
