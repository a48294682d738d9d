"""Texts in files that a spreadsheet may open: no cell begins a formula, and each can be read back.

The argument: a spreadsheet runs what begins with one of a few characters, after spaces and quotes
that it may drop. A cell begins where the text does, and also after a semicolon, a tab or a line end
within it, if the file is read with another separator than it was written with. At each of these
places an apostrophe goes in front. It is put there also where one stands already, so that taking
one away at each place gives the text that it was, whatever it was.

A negative number is no formula and keeps its form, since programs compute with it. Read with
another separator, a line whose first cell is such a number is one cell that begins with a minus.
All that can follow in that cell are the letters, digits, spaces, points and hyphens of `SIMPLE`,
commas, and texts in quotes: a program that takes it for a formula can subtract with it, and call
nothing.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from survey.core.errors import DataFileError

NUMBER = re.compile(r"-?\d+(\.\d+)?")
# How formulas begin; the last four are as wide as a Chinese character, which some programs read so.
FORMULA = "=+\\-@\uff1d\uff0b\uff0d\uff20"
BEGINS = rf"['\"\s]*[{FORMULA}]"
# A program may also drop a tab or a line end with which a text begins.
STARTS = rf"['\" ]*[\t\r\n]|{BEGINS}"
UNSAFE = re.compile(rf"\A(?={STARTS})|(?<=[;\t\r\n])(?={BEGINS})")
MADE_SAFE = re.compile(rf"\A'(?={STARTS})|(?<=[;\t\r\n])'(?={BEGINS})")
# Needs no quotes, whatever the separator is.
SIMPLE = re.compile(r"[\w .-]*")


def safe_text(text: str) -> str:
    """The text with an apostrophe wherever a formula could begin; a number is none."""
    return text if NUMBER.fullmatch(text) else UNSAFE.sub("'", text)


def original_text(text: str) -> str:
    """What `safe_text` was given."""
    return MADE_SAFE.sub("", text)


def cell(value: Any) -> str:
    """One cell: empty for None, numbers as they are, texts made safe for spreadsheets."""
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(float(value))  # numpy's floats would call themselves np.float64(...)
    if isinstance(value, int):
        return repr(value)
    return safe_text(str(value).replace("\0", ""))


def csv_line(cells: Sequence[str]) -> str:
    """A line of texts that are safe already (RFC 4180), with quotes around all but simple ones."""
    if len(cells) == 1 and not cells[0]:
        return '""\r\n'  # an empty line would be no row
    quoted = (
        text if SIMPLE.fullmatch(text) else '"{}"'.format(text.replace('"', '""')) for text in cells
    )
    return ",".join(quoted) + "\r\n"


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    return "".join(csv_line([cell(value) for value in row]) for row in rows)


def csv_rows(lines: Iterable[str], delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file with the numbers of their lines; the first names the columns.

    Raises DataFileError where a line is no CSV, or has more or fewer cells than the first.
    """
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    width = None
    try:
        for row in rows:
            if width is None:
                width = len(row)
            elif not row:  # an empty line, as editors leave at the end
                continue
            if len(row) != width:
                raise DataFileError(
                    f"Line {rows.line_num} has {len(row)} cells, line 1 has {width}."
                )
            yield rows.line_num, row
    except csv.Error as error:
        raise DataFileError(f"Line {rows.line_num} is not CSV: {error}.") from error
