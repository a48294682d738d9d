"""Workbooks (.xlsx) from and to rows. What comes in is from strangers, and is read elsewhere.

A process of its own reads it (survey/formats/xlsx_reader.py), so that no thread of the server
parses what a stranger wrote, and a workbook that takes too long is stopped. What comes back is JSON
within bounds. Formulas are not computed: what is read is the value that the file has kept.
"""

import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

from survey import PROJECT_FOLDER
from survey.core.errors import DataFileError
from survey.formats.xlsform.vocabulary import Cell, Row, Sheets

MAX_CELL = 32_767  # characters, of Excel
# Of a machine that is busy; the process itself has a limit of processor time.
TIMEOUT_SECONDS = 20
ROOT = PROJECT_FOLDER
# Neither settings of the environment nor installed packages.
COMMAND = (sys.executable, "-E", "-s", "-S", "-m", "survey.formats.xlsx_reader")
ENVIRONMENT = {"LC_ALL": "C.UTF-8"}  # none of the server's, which has the secret key
# A sheet that is no part of a form: what stands in it is not known, and it is named as left out.
UNREAD: list[Row] = [{}]
# A line end that XML would change, and what it cannot hold; and what looks as if it were escaped
ESCAPED = re.compile(r"[\r\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
WIDE, NARROW = 48, 16  # characters; label columns, and others


def read_workbook(content: bytes) -> dict[str, list[Row]]:
    """The rows of the sheets survey, choices and settings below the first, which names the columns;
    of each other sheet one row without columns.

    Raises DataFileError where this is no workbook, or one beyond the bounds of xlsx_reader.py.
    """
    told = read_elsewhere(content)
    if "refused" in told:
        raise DataFileError(told["refused"])
    sheets = {
        name: rows_of(rows, since_1904=told["date1904"]) for name, rows in told["sheets"].items()
    }
    return sheets | dict.fromkeys(told["unread"], UNREAD)


def read_elsewhere(content: bytes) -> dict[str, Any]:
    """What survey/formats/xlsx_reader.py says of a workbook. Raises DataFileError where it was
    stopped by a limit of time or memory."""
    try:
        done = subprocess.run(  # noqa: S603
            COMMAND,
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=ENVIRONMENT,
            timeout=TIMEOUT_SECONDS,
            check=True,
        )
        return dict(json.loads(done.stdout))
    except (subprocess.SubprocessError, ValueError) as error:
        raise DataFileError(
            "This workbook takes too long or too much memory to read. Save the sheets survey, "
            "choices and settings alone, without formats."
        ) from error


def rows_of(rows: list[list[Any]], *, since_1904: bool) -> list[Row]:
    first, *others = rows or [[]]
    names = {place: str(name).strip() for place, name in enumerate(first) if name is not None}
    found: list[Row] = [
        {
            name: cell_of(row[place] if place < len(row) else None, since_1904)
            for place, name in names.items()
        }
        for row in others
    ]
    while found and not any(cell not in (None, "") for cell in found[-1].values()):
        found.pop()  # formatted and empty
    # names of columns count, also where nothing stands below them
    return found or ([dict.fromkeys(names.values())] if names else [])


def cell_of(value: Any, since_1904: bool) -> Cell:
    if isinstance(value, str):
        return ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), value)
    if isinstance(value, dict):
        return date_of(value["date"], since_1904)
    return value if value is None or isinstance(value, int | float) else str(value)


def date_of(days: float, since_1904: bool) -> Cell:
    """A day or a time as in ISO 8601; a number that is none stays one."""
    try:
        moment = from_excel(days, CALENDAR_MAC_1904 if since_1904 else CALENDAR_WINDOWS_1900)
    except (ValueError, OverflowError):
        return days
    return moment.isoformat() if hasattr(moment, "isoformat") else str(moment)


def write_workbook(sheets: Sheets) -> bytes:
    """The bytes of a workbook with these sheets; every row has the same columns.

    Raises DataFileError where a text is longer than a cell can hold.
    """
    longest = max((len(escaped(text)) for text in texts_of(sheets)), default=0)
    if longest > MAX_CELL:
        raise DataFileError(
            f"A text of {longest:,} characters does not fit into a cell, which holds {MAX_CELL:,}. "
            "Take the definition as JSON."
        )
    book = Workbook(write_only=True)
    book.properties.creator = "Candor"
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        names = list(rows[0]) if rows else []
        for place, name in enumerate(names, 1):
            wide = name.startswith(("label", "hint"))
            letter = get_column_letter(place)
            sheet.column_dimensions[letter].width = WIDE if wide else NARROW
        sheet.freeze_panes = "A2"
        sheet.append([written(sheet, name, bold=True) for name in names])
        for row in rows:
            sheet.append([written(sheet, row[name]) for name in names])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def written(sheet: Any, value: Cell, bold: bool = False) -> Any:
    """A cell that holds what it says: a text that begins with = is a text, not a formula."""
    if not isinstance(value, str):
        return value
    cell = WriteOnlyCell(sheet, value=escaped(value))
    cell.data_type = "s"
    if bold:
        cell.font = Font(bold=True)
    return cell


def texts_of(sheets: Sheets) -> Iterator[str]:
    for rows in sheets.values():
        for row in rows:
            yield from (cell for cell in row.values() if isinstance(cell, str))


def escaped(text: str) -> str:
    return ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
