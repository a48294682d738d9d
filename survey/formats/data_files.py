"""Responses as files of Excel (.xlsx), Stata (.dta) and SPSS (.sav), with labels.

A cell has the same meaning as in responses.csv. In .dta and .sav, a named answer or report is a
number, from 1 in the order of the codebook, with its label. A non-private number keeps its value.
The special answers of non-private questions are missing values with a label: user-missing in SPSS,
and .a and .b in Stata. A missing report is a missing value. Names, labels and a note say which
columns contain randomised reports (survey/formats/report_labels.py).

pyreadstat writes .dta and .sav with ReadStat. It loads pandas, which takes a second, so both
are imported when a file is made. All three programs write the time into the file. It is replaced
by a fixed time, so that the same responses give the same bytes.
"""

import io
import math
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from survey.core.errors import MissingExtra, StateError
from survey.core.extras import has_extra, install_command
from survey.core.languages import Words
from survey.core.number_grid import json_number
from survey.definition.choices import free_name
from survey.definition.questions import Question
from survey.definition.report_formats import (
    Bits,
    Combination,
    DateText,
    FreeText,
    Stored,
    parse_date,
)
from survey.definition.survey import Survey
from survey.formats.csv_export import csv_column_names
from survey.formats.report_labels import (
    RANDOMISED,
    bit_labels,
    column_labels,
    file_note,
    file_title,
    has_bits,
    value_label,
)
from survey.formats.xlsx import XLSX, write_workbook

Value = int | float | str | date | None
Read = Callable[[Stored], Sequence[Value]]
# A file is made in memory. More cells would take more than a few hundred MB.
MAX_CELLS = 1_000_000
# Stata allows 32 characters for a name. The rest is for a number that keeps names apart, and for
# the number that pyreadstat appends to name a set of labels.
MAX_NAME_CHARACTERS = 24
# narwhals, which pyreadstat uses, infers the type of a column of objects from this many cells.
CELLS_THAT_DECIDE = 100
# Limits of Stata (labels of variables and files) and of SPSS (of variables, values and files).
MAX_STATA_LABEL_CHARACTERS = 80
MAX_SPSS_LABEL_BYTES = 255
MAX_SPSS_VALUE_LABEL_BYTES = 120
MAX_SPSS_FILE_LABEL_BYTES = 64
# Names that Stata or SPSS do not accept, in small letters.
RESERVED_NAMES = frozenset(
    (
        "all",
        "and",
        "by",
        "byte",
        "double",
        "eq",
        "float",
        "ge",
        "gt",
        "if",
        "in",
        "int",
        "le",
        "long",
        "lt",
        "ne",
        "not",
        "or",
        "to",
        "using",
        "with",
    )
)
# The earliest time that a ZIP, and so a workbook, can contain.
FIXED_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
FIXED_WORKBOOK_TIME = b"1980-01-01T00:00:00Z"
# The place of date and time in the header of a file of SPSS (GNU PSPP developer's guide, "System
# File Format").
SPSS_TIME_START = 92
FIXED_SPSS_TIME = b"01 Jan 8000:00:00"
# A file of Stata has the length of its time, then the time ("help dta").
STATA_TIME_START = b"<timestamp>\x11"
FIXED_STATA_TIME = b"01 Jan 1980 00:00"
WORKBOOK_TIME = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")
# A file of SPSS has a note in lines of this length.
MAX_SPSS_NOTE_BYTES = 80
# The sections of a file of Stata, in the order of the map of their places. The places have 8 bytes.
STATA_CHARACTERISTICS = 8
STATA_MAP = b"<map>"


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a file.

    Attributes
    ----------
    name : a name that all programs accept
    label : the question, and the box if the column is one; it says whether the cells are reports
    values : the label of each number that stands for an answer; empty for texts
    missing : those of these numbers that are no answer to calculate with
    text : whether the cells are texts
    dates : whether the cells are dates
    """

    name: str
    label: str
    values: Mapping[int, str]
    missing: tuple[int, ...] = ()
    text: bool = False
    dates: bool = False


@dataclass(frozen=True)
class DataTable:
    """The responses of a survey as columns of values."""

    title: str
    note: tuple[str, ...]
    columns: tuple[Column, ...]
    cells: tuple[list[Value], ...]


def data_table(
    survey: Survey, responses: Iterable[Sequence[Stored | None]], *, named: bool = False
) -> DataTable:
    """The table of responses.

    Parameters
    ----------
    responses : the stored reports of each respondent, in the order of `survey.fields`
    named : keep the names of answers and of columns, as in responses.csv

    Raises StateError if the table would be too large for these formats.
    """
    columns: list[Column] = []
    readers: list[tuple[int, Read]] = []
    for question in survey.fields:
        own = columns_of(question, {each.name for each in columns}, named, Words(survey.language))
        columns += own
        readers.append((len(own), reader_of(question, named)))
    cells: tuple[list[Value], ...] = tuple([] for _ in columns)
    for n, reports in enumerate(responses, 1):
        if n * len(columns) > MAX_CELLS:
            raise StateError(
                "This survey has too many responses for such a file. Download responses.csv."
            )
        row: list[Value] = []
        for (width, read), report in zip(readers, reports, strict=True):
            row += [None] * width if report is None else read(report)
        for column, value in zip(cells, row, strict=True):
            column.append(value)
    note = tuple(file_note(survey)) if survey.private else ()
    return DataTable(file_title(survey), note, tuple(columns), cells)


def columns_of(question: Question, taken: Iterable[str], named: bool, words: Words) -> list[Column]:
    """The columns of a question, with names that differ from `taken`."""
    used, form, columns = set(taken), question.form, list[Column]()
    names = csv_column_names(question)
    several = has_bits(question)
    values = bit_labels(question, words) if several else value_labels(question, words)
    missing = () if several else missing_values(question)
    for name, label in zip(names, column_labels(question, words, names), strict=True):
        accepted = name if named else free_name(accepted_name(name), used)
        used.add(accepted)
        columns.append(
            Column(
                name=accepted,
                label=label,
                values=values,
                missing=missing,
                text=isinstance(form, FreeText),
                dates=isinstance(form, DateText),
            )
        )
    return columns


def accepted_name(name: str) -> str:
    """A name that Stata and SPSS accept: small letters, digits and _.

    If it is too long, it loses the end of the question's name or of the choice, and still says that
    the cells are randomised.
    """
    start, randomised, end = name.partition(RANDOMISED)
    longest = MAX_NAME_CHARACTERS - len(randomised)
    if len(start) + len(end) > longest:
        kept = max(longest - len(end), longest // 2)
        start, end = start[:kept], end[: max(0, longest - min(kept, len(start)))]
    text = "".join(
        c if c.isascii() and c.isalnum() else "_" for c in (start + randomised + end).lower()
    )
    text = text[:MAX_NAME_CHARACTERS].rstrip("_")
    return f"{text}_1" if text in RESERVED_NAMES else text


def value_labels(question: Question, words: Words) -> dict[int, str]:
    """The label of each number that stands for an answer or report."""
    if isinstance(question.form, FreeText):
        return {}
    if keeps_numbers(question):
        first = special_code(question)
        return {first - i: each.label for i, each in enumerate(question.special_answers)}
    return {
        place: value_label(question, words, report)
        for place, report in enumerate(question.reports, 1)
    }


def missing_values(question: Question) -> tuple[int, ...]:
    """The numbers of special answers. In a private question, they are reports like all others."""
    if not question.non_private or isinstance(question.form, FreeText):
        return ()
    first = special_code(question) if keeps_numbers(question) else 0
    special_answers = range(len(question.special_answers))
    if keeps_numbers(question):
        return tuple(first - place for place in special_answers)
    return tuple(len(question.reports) - place for place in reversed(special_answers))


def keeps_numbers(question: Question) -> bool:
    """Whether its cells are the numbers themselves: those of a non-private number."""
    return question.non_private and question.grid is not None


def special_code(question: Question) -> int:
    """The number of the first special answer: -1, or the whole number below the range."""
    return min(math.floor(question.number_grid.low), 0) - 1


def reader_of(question: Question, named: bool) -> Read:
    """The function from a stored report to its cells."""
    form = question.form
    if isinstance(form, DateText):
        return lambda stored: [parse_date(str(stored)) if stored else None]
    if isinstance(form, Bits | Combination | FreeText):
        return form.cells
    if keeps_numbers(question):
        grid, first = question.number_grid, special_code(question)

        def read_number(stored: Stored) -> Sequence[Value]:
            place = int(stored)
            if place < grid.size:
                return [json_number(grid.value(place))]
            return form.cells(stored) if named else [first - (place - grid.size)]

        return read_number
    return form.cells if named else lambda stored: [int(stored) + 1]


def responses_xlsx(survey: Survey, responses: Iterable[Sequence[Stored | None]]) -> bytes:
    """A workbook with the sheets responses, as in responses.csv, codebook, and about."""
    table, words = data_table(survey, responses, named=True), Words(survey.language)
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*table.cells, strict=True)]
    book = [
        {"column": column.name, "label_question": column.label, "value": value, "label_value": text}
        for question in survey.fields
        for column in columns_of(question, (), True, words)
        for value, text in named_values(question, words)
    ]
    about = [{"about": text} for text in (table.title, *table.note)]
    sheets = {"responses": rows or [dict.fromkeys(names)], "codebook": book, "about": about}
    return with_fixed_time(write_workbook(sheets))


def with_fixed_time(workbook: bytes) -> bytes:
    """The same workbook, without the time at which it was made."""
    fixed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as old, zipfile.ZipFile(fixed, "w") as new:
        for name in old.namelist():
            content = WORKBOOK_TIME.sub(rb"\g<1>" + FIXED_WORKBOOK_TIME, old.read(name))
            entry = zipfile.ZipInfo(name, FIXED_ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, content)
    return fixed.getvalue()


def named_values(question: Question, words: Words) -> list[tuple[int | float | str | None, str]]:
    """The cells of a question in the workbook, with their labels."""
    if has_bits(question):
        return list(bit_labels(question, words).items())
    if isinstance(question.form, FreeText):
        return [(None, "date" if isinstance(question.form, DateText) else "text")]
    if keeps_numbers(question):
        special = [(each.name, each.label) for each in question.special_answers]
        return [(None, "number"), *special]
    return [(each.name, value_label(question, words, each)) for each in question.reports]


def load_pyreadstat() -> Any:
    """The library that writes files of Stata and SPSS. Raises MissingExtra."""
    if not has_extra("files"):
        raise MissingExtra(
            "Files of Stata and SPSS need packages that are not installed on this server. Run "
            "`%(command)s` there, then try again.",
            command=install_command("files"),
        )
    import pyreadstat

    return pyreadstat


def responses_dta(survey: Survey, responses: Iterable[Sequence[Stored | None]]) -> bytes:
    """A file of Stata 15 (format 119 or 118)."""
    pyreadstat = load_pyreadstat()

    table = data_table(survey, responses)
    letters: dict[str, dict[Value, str]] = {
        column.name: dict(zip(column.missing, "abcdefgh", strict=False))
        for column in table.columns
        if column.missing
    }
    labels = {
        column.name: {
            letters.get(column.name, {}).get(value, value): label
            for value, label in column.values.items()
        }
        for column in table.columns
        if column.values
    }
    content = file_content(
        pyreadstat.write_dta,
        with_numbers_first(data_frame(table, letters), letters),
        file_label=table.title[:MAX_STATA_LABEL_CHARACTERS],
        column_labels=[column.label[:MAX_STATA_LABEL_CHARACTERS] for column in table.columns],
        variable_value_labels=labels,
        missing_user_values={name: list(codes.values()) for name, codes in letters.items()},
    )
    start = content.index(STATA_TIME_START) + len(STATA_TIME_START)
    return with_stata_notes(replace_at(content, start, FIXED_STATA_TIME), table.note)


def with_stata_notes(content: bytes, notes: Sequence[str]) -> bytes:
    """The same file with notes, which pyreadstat cannot write for Stata.

    Notes are the characteristics note1, note2, ... of the data set, and note0 is their number. The
    places of all later sections move ("help dta").
    """
    numbered = {"note0": str(len(notes)), **{f"note{n}": text for n, text in enumerate(notes, 1)}}
    pieces = [
        struct.pack("<129s129s", b"_dta", name.encode()) + text.encode() + b"\0"
        for name, text in numbered.items()
    ]
    added = b"".join(b"<ch>" + struct.pack("<I", len(each)) + each + b"</ch>" for each in pieces)
    start = content.index(STATA_MAP) + len(STATA_MAP)
    places = list(struct.unpack_from("<14Q", content, start))
    at = places[STATA_CHARACTERISTICS] + len(b"<characteristics>")
    later = STATA_CHARACTERISTICS + 1
    places[later:] = [place + len(added) for place in places[later:]]
    content = replace_at(content, start, struct.pack("<14Q", *places))
    return content[:at] + added + content[at:]


def responses_sav(survey: Survey, responses: Iterable[Sequence[Stored | None]]) -> bytes:
    """A file of SPSS."""
    pyreadstat = load_pyreadstat()

    table = data_table(survey, responses)
    content = file_content(
        pyreadstat.write_sav,
        data_frame(table, {}),
        file_label=first_bytes(table.title, MAX_SPSS_FILE_LABEL_BYTES),
        column_labels=[first_bytes(each.label, MAX_SPSS_LABEL_BYTES) for each in table.columns],
        variable_value_labels={
            column.name: {
                value: first_bytes(label, MAX_SPSS_VALUE_LABEL_BYTES)
                for value, label in column.values.items()
            }
            for column in table.columns
            if column.values
        },
        missing_ranges={each.name: list(each.missing) for each in table.columns if each.missing},
        note=note_lines(table.note),
        row_compress=True,
    )
    return replace_at(content, SPSS_TIME_START, FIXED_SPSS_TIME)


def replace_at(content: bytes, start: int, text: bytes) -> bytes:
    """The content with this text in place of as many bytes."""
    return content[:start] + text + content[start + len(text) :]


def first_bytes(text: str, most: int) -> str:
    """The beginning of a text that has at most this many bytes in UTF-8."""
    return text.encode()[:most].decode(errors="ignore")


def note_lines(sentences: Iterable[str]) -> list[str]:
    """Sentences in lines that fit into a file of SPSS. A word that is too long is divided."""
    lines = []
    for sentence in sentences:
        line = ""
        for word in sentence.split():
            longer = f"{line} {word}".strip()
            if line and len(longer.encode()) > MAX_SPSS_NOTE_BYTES:
                lines.append(line)
                longer = word
            while len(longer.encode()) > MAX_SPSS_NOTE_BYTES:
                lines.append(first_bytes(longer, MAX_SPSS_NOTE_BYTES))
                longer = longer.removeprefix(lines[-1])
            line = longer
        lines.append(line)
    return lines


def data_frame(table: DataTable, letters: Mapping[str, Mapping[Value, str]]) -> Any:
    """The table for pyreadstat. `letters` stand for the missing values of a column."""
    import pandas

    series = {}
    for column, cells in zip(table.columns, table.cells, strict=True):
        codes = letters.get(column.name, {})
        values = [codes.get(cell, cell) for cell in cells] if codes else cells
        # A column of dates without a single date has no type that pyreadstat could see.
        empty = column.dates and not any(values)
        texts = not empty and (column.text or any(isinstance(value, str) for value in values))
        series[column.name] = pandas.Series(values, dtype="object" if texts else "float64")
    return pandas.DataFrame(series)


def with_numbers_first(frame: Any, columns: Iterable[str]) -> Any:
    """The rows in an order that shows pyreadstat the numbers of these columns.

    pyreadstat decides from the first cells whether a column has numbers. So a row with a number
    comes first if the first cells of a column are all missing values. No file states an order.
    """
    first = []
    for name in columns:
        numbers = [place for place, cell in enumerate(frame[name]) if not isinstance(cell, str)]
        first += numbers[:1]
    if max(first, default=0) < CELLS_THAT_DECIDE:
        return frame
    moved = list(dict.fromkeys(first))
    return frame.iloc[[*moved, *sorted({*range(len(frame))} - {*moved})]]


def file_content(write: Callable[..., None], frame: Any, **options: Any) -> bytes:
    """What `write` writes into a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "responses")
        write(frame, str(path), **options)
        return path.read_bytes()


# Each kind of file, with the function that makes it, and its media type.
DATA_FILES: dict[str, tuple[Callable[[Survey, Iterable[Sequence[Stored | None]]], bytes], str]] = {
    "xlsx": (responses_xlsx, XLSX),
    "dta": (responses_dta, "application/x-stata-dta"),
    "sav": (responses_sav, "application/x-spss-sav"),
}
