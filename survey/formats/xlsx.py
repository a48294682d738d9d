"""Reading and writing of workbooks (.xlsx). A separate process reads workbooks from strangers.

That process (survey/formats/xlsx_reader.py) is not a thread of the server, and it is stopped if it
takes too long. It returns JSON of limited size. It computes no formulas, and reads the values that
the file contains.
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
from survey.core.translate import translate_number
from survey.formats.xlsform.vocabulary import Cell, Row, Sheets

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAX_CELL_CHARACTERS = 32_767  # the limit of Excel
# The time on a busy machine. The process itself has a limit of processor time.
TIMEOUT_SECONDS = 20
# Ignore environment variables and installed packages.
READER_COMMAND = (sys.executable, "-E", "-s", "-S", "-m", "survey.formats.xlsx_reader")
READER_ENVIRONMENT = {"LC_ALL": "C.UTF-8"}  # The server's environment has the secret key.
# A sheet outside of the form. Its content is unknown, and a note reports it.
UNREAD_SHEET_ROWS: list[Row] = [{}]
# Characters that XML changes or cannot contain, and text that looks like an escape sequence.
TO_ESCAPE = re.compile(r"[\r\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
ESCAPE_SEQUENCE = re.compile(r"_x([0-9A-Fa-f]{4})_")
LABEL_COLUMN_CHARACTERS = 48
OTHER_COLUMN_CHARACTERS = 16


def read_workbook(content: bytes) -> dict[str, list[Row]]:
    """The rows of the sheets survey, choices and settings. The first row has the column names.

    Any other sheet has one row without columns. Raises DataFileError if this is not a workbook, if
    it exceeds the limits of xlsx_reader.py, or if a limit of time or memory stopped the reader.
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
            "choices and settings only, without formats."
        ) from error
    if "refused" in reply:
        sentence = reply["refused"]
        values = {
            name: value if name == "sheet" else translate_number(value)
            for name, value in reply.get("values", {}).items()
        }
        raise DataFileError(sentence, **values)
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
        records.pop()  # The row is empty but has a format.
    # Keep the column names, even if there are no rows below them.
    return records or ([dict.fromkeys(names.values())] if names else [])


def cell_of(value: Any, epoch: datetime) -> Cell:
    if isinstance(value, str):
        return ESCAPE_SEQUENCE.sub(lambda escape: chr(int(escape[1], 16)), value)
    if isinstance(value, dict):
        # A date or time in ISO 8601. A number that is not a valid date stays a number.
        days: float = value["date"]
        with suppress(ValueError, OverflowError):
            moment = from_excel(days, epoch)
            return moment.isoformat() if hasattr(moment, "isoformat") else str(moment)
        return days
    return value if value is None or isinstance(value, int | float) else str(value)


def write_workbook(sheets: Sheets) -> bytes:
    """The bytes of a workbook with these sheets. All rows of a sheet have the same columns.

    Raises DataFileError if a text is too long for a cell.
    """
    cells = (cell for rows in sheets.values() for row in rows for cell in row.values())
    longest = max((len(escape_cell_text(c)) for c in cells if isinstance(c, str)), default=0)
    if longest > MAX_CELL_CHARACTERS:
        raise DataFileError(
            "A text of %(n)s characters does not fit into a cell, which holds %(most)s. Export "
            "the definition as JSON.",
            n=longest,
            most=MAX_CELL_CHARACTERS,
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
    """A cell with exactly this value: a text that begins with = stays a text."""
    if not isinstance(value, str):
        return value
    cell = WriteOnlyCell(sheet, value=escape_cell_text(value))
    cell.data_type = "s"
    if bold:
        cell.font = Font(bold=True)
    return cell


def escape_cell_text(text: str) -> str:
    return TO_ESCAPE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
