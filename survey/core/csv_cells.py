"""Safe CSV cells: no spreadsheet runs a cell as a formula, and every text can be read back.

The argument: a spreadsheet runs text that begins with one of a few characters, also after spaces
and quotes, which it may drop. A cell begins where the text begins. If the file is read with another
separator, a cell also begins after a semicolon, a tab or a line end within the text. At each of
these places an apostrophe is added, even if there already is one. So removing one apostrophe at
each place always restores the text.

A negative number is not a formula and keeps its form, because programs compute with it. If the file
is read with another separator, a line whose first cell is such a number is one cell that begins
with a minus. What follows in that cell is limited: the letters, digits, spaces, points and hyphens
of `SIMPLE`, commas, and texts in quotes. A program that takes it for a formula can subtract with
it, but it cannot call anything.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

NUMBER = re.compile(r"-?\d+(\.\d+)?")
# The first characters of formulas. The last four are full-width forms, which some programs accept.
FORMULA = "=+\\-@\uff1d\uff0b\uff0d\uff20"
BEGINS = rf"['\"\s]*[{FORMULA}]"
# A program may also drop a leading tab or line end.
STARTS = rf"['\" ]*[\t\r\n]|{BEGINS}"
UNSAFE = re.compile(rf"\A(?={STARTS})|(?<=[;\t\r\n])(?={BEGINS})")
MADE_SAFE = re.compile(rf"\A'(?={STARTS})|(?<=[;\t\r\n])'(?={BEGINS})")
# Such a cell needs no quotes, with any separator.
SIMPLE = re.compile(r"[\w .-]*")


def safe_text(text: str) -> str:
    """The text with an apostrophe wherever a formula could begin. Numbers stay unchanged."""
    return text if NUMBER.fullmatch(text) else UNSAFE.sub("'", text)


def original_text(text: str) -> str:
    """The inverse of `safe_text`."""
    return MADE_SAFE.sub("", text)


def cell(value: Any) -> str:
    """One cell: empty for None, numbers unchanged, texts made safe for spreadsheets."""
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(float(value))  # numpy's own repr would be np.float64(...).
    if isinstance(value, int):
        return repr(value)
    return safe_text(str(value).replace("\0", ""))


def csv_line(cells: Sequence[str]) -> str:
    """A line of safe texts (RFC 4180), with quotes around all except simple ones."""
    if len(cells) == 1 and not cells[0]:
        return '""\r\n'  # An empty line would not be read as a row.
    quoted = (
        text if SIMPLE.fullmatch(text) else '"{}"'.format(text.replace('"', '""')) for text in cells
    )
    return ",".join(quoted) + "\r\n"


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    return "".join(csv_line([cell(value) for value in row]) for row in rows)
