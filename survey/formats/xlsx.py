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
from contextlib import suppress
from datetime import datetime
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

from survey import PROJECT_FOLDER
from survey.core.errors import DataFileError
from survey.formats.xlsform.vocabulary import Cell, Row, Sheets

MAX_CELL_CHARACTERS = 32_767  # of Excel
# Of a machine that is busy; the process itself has a limit of processor time.
TIMEOUT_SECONDS = 20
# Neither settings of the environment nor installed packages.
READER_COMMAND = (sys.executable, "-E", "-s", "-S", "-m", "survey.formats.xlsx_reader")
READER_ENVIRONMENT = {"LC_ALL": "C.UTF-8"}  # none of the server's, which has the secret key
# A sheet that is no part of a form: what stands in it is not known, and it is named as left out.
UNREAD_SHEET_ROWS: list[Row] = [{}]
# A line end that XML would change, and what it cannot hold; and what looks as if it were escaped
TO_ESCAPE = re.compile(r"[\r\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
ESCAPE_SEQUENCE = re.compile(r"_x([0-9A-Fa-f]{4})_")
LABEL_COLUMN_CHARACTERS, OTHER_COLUMN_CHARACTERS = 48, 16


def read_workbook(content: bytes) -> dict[str, list[Row]]:
    """The rows of the sheets survey, choices and settings below the first, which names the columns;
    of each other sheet one row without columns.

    Raises DataFileError where this is no workbook, one beyond the bounds of xlsx_reader.py, or one
    whose reading was stopped by a limit of time or memory.
    """
    try:
        done = subprocess.run(  # noqa: S603
            READER_COMMAND,
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=PROJECT_FOLDER,
            env=READER_ENVIRONMENT,
            timeout=TIMEOUT_SECONDS,
            check=True,
        )
        reply = json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError) as error:
        raise DataFileError(
            "This workbook takes too long or too much memory to read. Save the sheets survey, "
            "choices and settings alone, without formats."
        ) from error
    if "refused" in reply:
        raise DataFileError(reply["refused"])
    epoch = CALENDAR_MAC_1904 if reply["date1904"] else CALENDAR_WINDOWS_1900
    sheets = {name: rows_with_headings(rows, epoch) for name, rows in reply["sheets"].items()}
    return sheets | dict.fromkeys(reply["unread"], UNREAD_SHEET_ROWS)


def rows_with_headings(rows: list[list[Any]], epoch: datetime) -> list[Row]:
    first, *others = rows or [[]]
    names = {place: str(name).strip() for place, name in enumerate(first) if name is not None}
    records: list[Row] = [
        {
            name: cell_of(row[place] if place < len(row) else None, epoch)
            for place, name in names.items()
        }
        for row in others
    ]
    while records and not any(cell not in (None, "") for cell in records[-1].values()):
        records.pop()  # formatted and empty
    # names of columns count, also where nothing stands below them
    return records or ([dict.fromkeys(names.values())] if names else [])


def cell_of(value: Any, epoch: datetime) -> Cell:
    if isinstance(value, str):
        return ESCAPE_SEQUENCE.sub(lambda escape: chr(int(escape[1], 16)), value)
    if isinstance(value, dict):
        # A day or a time, as in ISO 8601; a number that is none stays one.
        days: float = value["date"]
        with suppress(ValueError, OverflowError):
            moment = from_excel(days, epoch)
            return moment.isoformat() if hasattr(moment, "isoformat") else str(moment)
        return days
    return value if value is None or isinstance(value, int | float) else str(value)


def write_workbook(sheets: Sheets) -> bytes:
    """The bytes of a workbook with these sheets; every row has the same columns.

    Raises DataFileError where a text is longer than a cell can hold.
    """
    cells = (cell for rows in sheets.values() for row in rows for cell in row.values())
    longest = max((len(escape_cell_text(c)) for c in cells if isinstance(c, str)), default=0)
    if longest > MAX_CELL_CHARACTERS:
        raise DataFileError(
            f"A text of {longest:,} characters does not fit into a cell, which holds "
            f"{MAX_CELL_CHARACTERS:,}. Take the definition as JSON."
        )
    book = Workbook(write_only=True)
    book.properties.creator = "Candor"
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        names = list(rows[0]) if rows else []
        for place, name in enumerate(names, 1):
            wide = name.startswith(("label", "hint"))
            letter = get_column_letter(place)
            sheet.column_dimensions[letter].width = (
                LABEL_COLUMN_CHARACTERS if wide else OTHER_COLUMN_CHARACTERS
            )
        sheet.freeze_panes = "A2"
        sheet.append([workbook_cell(sheet, name, bold=True) for name in names])
        for row in rows:
            sheet.append([workbook_cell(sheet, row[name]) for name in names])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def workbook_cell(sheet: Any, value: Cell, bold: bool = False) -> Any:
    """A cell that holds what it says: a text that begins with = is a text, not a formula."""
    if not isinstance(value, str):
        return value
    cell = WriteOnlyCell(sheet, value=escape_cell_text(value))
    cell.data_type = "s"
    if bold:
        cell.font = Font(bold=True)
    return cell


def escape_cell_text(text: str) -> str:
    return TO_ESCAPE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
