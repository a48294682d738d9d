"""Files from researchers: responses collected elsewhere, and true shares for simulations."""

import io
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from survey.core.csv_tables import UnknownEncoding, csv_rows
from survey.core.errors import DataFileError
from survey.core.number_cells import DECIMAL_MARKS
from survey.core.translate import join_sentences, later, translate, translate_number
from survey.definition.derived_answers import arm_probabilities
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey
from survey.estimation.pilot_truth import AssumedGroup
from survey.formats.csv_export import csv_column_names
from survey.formats.number_readings import decided_marks, defined_number, has_numbers
from survey.planning.assumed_shares import choice_truth, hint, number_truth, parse_share
from survey.planning.pilot_form import MAX_GROUPS

# Rounded shares of groups may differ from 1 by this much.
SHARE_TOLERANCE = 1e-6
# The column names in an error message.
MAX_NAMES = 12
# The line numbers in an error message.
MAX_LINES_NAMED = 3
# What is wrong in a line, and the same for several lines.
COLUMN_FAULT = (
    later("Line %(line)s, column %(fault)s"),
    later("Lines %(line)s, column %(fault)s"),
)
SAMPLE_FAULT = (
    later(
        "Line %(line)s: a response must report on exactly %(sample)s private questions. "
        "Leave the cells of the others empty."
    ),
    later(
        "Lines %(line)s: a response must report on exactly %(sample)s private questions. "
        "Leave the cells of the others empty."
    ),
)


AT_MOST_FAULT = (
    later(
        "Line %(line)s: a response must report on at most %(sample)s private questions. Leave the "
        "cells of the others empty."
    ),
    later(
        "Lines %(line)s: a response must report on at most %(sample)s private questions. Leave the "
        "cells of the others empty."
    ),
)


@dataclass(frozen=True)
class CSVReading:
    """What the researcher says about a file of responses.

    Attributes
    ----------
    encoding, separator : see `csv_rows`
    decimal_marks : see `decided_marks`
    """

    encoding: str = ""
    separator: str = ""
    decimal_marks: Mapping[str, str] = field(default_factory=dict)


def read_responses(
    file: BinaryIO, survey: Survey, reading: CSVReading = CSVReading()
) -> Iterator[tuple[Stored | None, ...]]:
    """The reports of each line of a responses.csv, in the order of the survey's questions.

    Parameters
    ----------
    file : binary file
        CSV with a header (see `csv_rows`): the columns of responses.csv in any order. Each cell is
        the name of a report, or 1 or 0 for a choice. All cells of a question without a report are
        empty.

    Raises
    ------
    DataFileError
        With the line and the fault.
    """
    for line, reports, faults in parse_file(file, survey, reading):
        if faults:
            raise DataFileError(faults[0].sentence([line]))
        yield reports


@dataclass(frozen=True)
class LineFault:
    """A fault without its line: two sentences, for one line and for several, and their values."""

    sentences: tuple[str, str]
    name: str
    value: object

    def sentence(self, lines: Sequence[int]) -> str:
        """The fault of these lines. Only the first ones are named."""
        line = names_text([str(each) for each in lines], MAX_LINES_NAMED)
        return translate(self.sentences[len(lines) > 1], line=line, **{self.name: self.value})


def parse_file(
    file: BinaryIO, survey: Survey, reading: CSVReading
) -> Iterator[tuple[int, tuple[Stored | None, ...], list[LineFault]]]:
    """The number and reports of each line of a responses.csv, and everything wrong with the line.

    Raises DataFileError if the rest of the file cannot be read: the header is wrong, or a line is
    not CSV or has another number of cells. It also does so if numbers are unclear, see
    `decided_marks`.
    """
    rows = csv_rows(file, reading.encoding, reading.separator)
    places = column_places(next(rows, (1, []))[1], survey)
    number_columns = {
        csv_column_names(each)[0]: (each, places[each.name][0])
        for each in survey.fields
        if has_numbers(each)
    }
    marks = decided_marks(rows, number_columns, reading.decimal_marks)
    rows = csv_rows(file, reading.encoding, reading.separator)
    next(rows, None)
    for line, row in rows:
        reports: list[Stored | None] = []
        faults: list[LineFault] = []
        for question in survey.fields:
            try:
                cells = [row[place] for place in places[question.name]]
                reports.append(stored_cells(survey, question, cells, marks))
            except ValueError as error:
                faults.append(LineFault(COLUMN_FAULT, "fault", str(error)))
        sample, n = survey.budget.sample, len(survey.private) - reports.count(None)
        if not faults and sample and n != sample and (n > sample or not survey.budget.at_most):
            fault = AT_MOST_FAULT if survey.budget.at_most else SAMPLE_FAULT
            faults.append(LineFault(fault, "sample", sample))
        yield line, tuple(reports), faults


def column_places(cells: Sequence[str], survey: Survey) -> dict[str, list[int]]:
    """The places of each question's columns in the header. Raises DataFileError."""
    columns = {question.name: csv_column_names(question) for question in survey.fields}
    header = [cell.strip() for cell in cells]
    # The name of a column may leave out that the cells are randomised.
    short = [name for each in survey.private for name in each.form.columns(each.name)]
    full = [name for each in survey.private for name in columns[each.name]]
    full_names = dict(zip(short, full, strict=True))
    header = [full_names.get(name, name) for name in header]
    if fault := header_fault(survey, header, [name for each in columns.values() for name in each]):
        raise DataFileError(fault)
    return {name: [header.index(column) for column in names] for name, names in columns.items()}


@dataclass(frozen=True)
class CheckedFile:
    """A file of responses before it is loaded.

    Attributes
    ----------
    rows : the reports of each sound line
    faults : everything that is wrong; the file can be loaded if it is empty
    """

    rows: tuple[tuple[Stored | None, ...], ...]
    faults: tuple[str, ...]


def check_responses(content: bytes, survey: Survey, reading: CSVReading) -> CheckedFile:
    """Read a whole responses.csv, and list everything that is wrong with it.

    A fault that several lines have is listed once, with the numbers of the lines. Raises
    UnknownEncoding.
    """
    rows: list[tuple[Stored | None, ...]] = []
    lines_with: dict[LineFault, list[int]] = {}
    others: list[str] = []
    try:
        for line, reports, wrong in parse_file(io.BytesIO(content), survey, reading):
            for fault in wrong:
                lines_with.setdefault(fault, []).append(line)
            if not wrong:
                rows.append(reports)
    except UnknownEncoding:
        raise
    except DataFileError as error:
        others.append(str(error))
    faults = [*(fault.sentence(lines) for fault, lines in lines_with.items()), *others]
    if not rows and not faults:
        faults.append(
            translate("There is no line below the headings. Choose a file with responses.")
        )
    return CheckedFile(tuple(rows), tuple(faults))


def header_fault(survey: Survey, header: list[str], expected: list[str]) -> str:
    """What is missing in the header, unknown, or there twice. Empty if nothing is wrong."""
    if not any(header):
        return translate(
            "Line 1 is empty. Write these column names into it: %(columns)s.",
            columns=names_text(expected),
        )
    missing = [name for name in expected if name not in header]
    unknown = [name for name in header if name not in expected]
    twice = sorted({name for name in expected if header.count(name) > 1})
    sentences = []
    if missing:
        fault = translate("Line 1 lacks these columns: %(columns)s.", columns=names_text(missing))
        sentences.append(fault)
    if unknown:
        names = names_text([name or translate("an empty name") for name in unknown])
        fault = translate("The survey does not have these columns: %(columns)s.", columns=names)
        sentences.append(fault)
    if twice:
        fault = translate("Line 1 has these columns twice: %(columns)s.", columns=names_text(twice))
        sentences.append(fault)
    if sentences:
        sentences.append(translate("Correct line 1."))
    return join_sentences(*sentences, advice_on_texts(survey, header) if sentences else "")


def names_text(names: Sequence[str], most: int = MAX_NAMES) -> str:
    """The first of these names of columns, or numbers of lines."""
    text = ", ".join(names[:most])
    if len(names) <= most:
        return text
    more = translate_number(f"{len(names) - most:,}")
    return translate("%(names)s and %(n)s more", names=text, n=more)


def advice_on_texts(survey: Survey, header: list[str]) -> str:
    """What to do if the file has a column of a text that the survey stores apart."""
    texts = [question.name for question in survey.apart if question.name in header]
    if not texts:
        return ""
    return translate(
        "This survey stores texts apart from private answers, so it cannot load them from a file: "
        "%(columns)s. Delete these columns, or see “Load responses” in the help.",
        columns=names_text(texts),
    )


def stored_cells(
    survey: Survey,
    question: Question,
    cells: list[str],
    marks: Mapping[str, Collection[str]],
) -> Stored | None:
    """The stored report of a question's cells.

    `marks` are the decimal marks of columns of numbers. Raises ValueError with the question's name.
    """
    form = question.form
    if not survey.always_reported(question) and not any(cells):
        return None
    try:
        if has_numbers(question):
            own = marks.get(csv_column_names(question)[0], DECIMAL_MARKS)
            cells = [defined_number(question, cells[0], own)]
        return form.from_cells(cells)
    except ValueError as error:
        raise ValueError(f"{question.name}: {error}") from error


def read_truth(content: Any, survey: Survey) -> dict[str, list[float]]:
    """The true shares of each question's answers, from a file for a simulation.

    Parameters
    ----------
    content : the parsed JSON, such as `{"smokes": {"yes": 0.3, "no": 0.7}}`
        It needs every question that respondents answer, except texts. One choice may be omitted
        and gets the rest. Boxes have a share each, 0 if omitted. Numbers have
        `{"mean": 62, "sd": 12}`, or shares by value. "prefer_not_to_say" has a share like a choice,
        0 if omitted. A derived answer may have shares. It is then drawn, and not calculated.

    Returns
    -------
    dict
        For each question, the shares in the order of its choices or of the values of its grid. The
        share of "prefer not to say" follows if it is offered. The shares of boxes do not add up to
        one. Experimental arms have the shares of their weights. Derived answers that are to be
        calculated are missing.

    Raises
    ------
    DataFileError
    """
    if not isinstance(content, Mapping):
        raise DataFileError(
            'The file is not a JSON object. Write one such as {"smokes": {"yes": 0.3}}.'
        )
    asked = {question.name: question for question in survey.simulated}
    require_asked(content, asked)
    truth = {}
    for name, question in asked.items():
        shares = content.get(name)
        if question.is_arm:
            truth[name] = [float(each) for each in arm_probabilities(question).values()]
            continue
        if shares is None and question.derived is not None:
            continue
        if not isinstance(shares, Mapping):
            raise DataFileError(
                "The true shares of %(name)s must be an object: %(hint)s.",
                name=repr(name),
                hint=hint(question),
            )
        truth[name] = (
            number_truth(question, question.grid, shares)
            if question.grid
            else choice_truth(question, shares)
        )
    return truth


def require_asked(names: Iterable[str], asked: Mapping[str, Question]) -> None:
    """Refuse true shares of something that is not asked. Raises DataFileError."""
    for name in names:
        if name not in asked:
            raise DataFileError(
                "%(name)s is not a question of this survey. Remove it from the true shares.",
                name=repr(name),
            )
        if (asked[name].derived or {}).get("joint"):
            raise DataFileError(
                "%(name)s is a joint question, whose answer follows from other answers. Remove "
                "it from the true shares.",
                name=repr(name),
            )
        if asked[name].is_arm:
            raise DataFileError(
                "%(name)s is an experimental arm, whose weights are in the definition. Remove "
                "it from the true shares.",
                name=repr(name),
            )


def read_groups(content: Any, survey: Survey) -> tuple[AssumedGroup, ...]:
    """The groups of respondents of a simulation, from its file.

    Parameters
    ----------
    content : the parsed JSON
        Either true shares of all respondents, for `read_truth`, or groups with true shares each:
        `{"groups": [{"share": 0.4, "answers": {"smokes": {"yes": 0.6}}}, ...]}`. The shares of the
        groups add up to 1.

    Raises
    ------
    DataFileError
    """
    listed = content.get("groups") if isinstance(content, Mapping) else None
    if not isinstance(listed, list):
        return (AssumedGroup(1.0, read_truth(content, survey)),)
    if set(content) != {"groups"}:
        raise DataFileError('With "groups", put all true shares into the groups.')
    if not 1 <= len(listed) <= MAX_GROUPS:
        raise DataFileError(
            "The file has %(n)s groups. Write from 1 to %(most)s.", n=len(listed), most=MAX_GROUPS
        )
    groups = []
    for place, each in enumerate(listed, 1):
        if not isinstance(each, Mapping) or set(each) != {"share", "answers"}:
            raise DataFileError(
                'Group %(number)s must be an object with "share" and "answers".', number=place
            )
        share = parse_share(each["share"], f"group {place}")
        try:
            groups.append(AssumedGroup(share, read_truth(each["answers"], survey)))
        except DataFileError as error:
            raise DataFileError("Group %(number)s: %(fault)s", number=place, fault=error) from error
    total = math.fsum(group.share for group in groups)
    if abs(total - 1) > SHARE_TOLERANCE:
        raise DataFileError(
            "The shares of the groups add up to %(total)s. Make them add up to 1.",
            total=translate_number(f"{total:g}"),
        )
    return tuple(AssumedGroup(group.share / total, group.truth) for group in groups)
