"""Workbooks (.xlsx) from and to rows. What comes in is from strangers, and bounded in every way.

A workbook is a ZIP of XML. Its directory says how large each part is, and no more than that is
ever unpacked, so that the sum can be checked beforehand; defusedxml, which openpyxl uses where it
is installed, refuses entities. Formulas are not computed: what is read is the value that the file
has kept.
"""

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any

from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from .errors import DataFileError
from .xlsform.vocabulary import Cell, Row, Sheets

MAX_UNPACKED = 16 * 1024 * 1024  # bytes
MAX_PARTS, MAX_SHEETS = 500, 20
MAX_ROWS, MAX_COLUMNS = 5_000, 200
MAX_CELL = 32_767  # characters, of Excel
# A line end that XML would change, and what it cannot hold; and what looks as if it were escaped
ESCAPED = re.compile(r"[\r\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
WIDE, NARROW = 48, 16  # characters; label columns, and others


def read_workbook(content: bytes) -> dict[str, list[Row]]:
    """The rows of each sheet below its first, which names the columns.

    Raises DataFileError where this is no workbook, or one beyond the bounds above.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            listed = parts.infolist()
        size = sum(part.file_size for part in listed)
        if len(listed) > MAX_PARTS or size > MAX_UNPACKED:
            raise DataFileError(
                f"This workbook is {size:,} bytes in {len(listed)} parts when it is unpacked; the "
                f"most is {MAX_UNPACKED:,} in {MAX_PARTS}. Save the three sheets of the form alone."
            )
        with warnings.catch_warnings():  # about features of Excel that are not read here
            warnings.simplefilter("ignore")
            book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            if len(book.worksheets) > MAX_SHEETS:
                raise DataFileError(f"This workbook has more than {MAX_SHEETS} sheets.")
            return {sheet.title: rows_of(sheet) for sheet in book.worksheets}
    except DataFileError:
        raise
    except Exception as error:  # whatever a broken file makes of the libraries that read it
        raise DataFileError("This is no Excel workbook (.xlsx) that can be read.") from error


def rows_of(sheet: Any) -> list[Row]:
    rows = sheet.iter_rows(max_row=MAX_ROWS + 1, max_col=MAX_COLUMNS + 1, values_only=True)
    first = next(rows, ())
    names = {place: str(name).strip() for place, name in enumerate(first) if name is not None}
    found: list[Row] = []
    for row in rows:
        found.append({name: cell_of(row[place]) for place, name in names.items()})
    while found and not any(cell not in (None, "") for cell in found[-1].values()):
        found.pop()  # formatted and empty
    if len(found) >= MAX_ROWS or MAX_COLUMNS in names:
        raise DataFileError(
            f"Sheet {sheet.title} has more than {MAX_ROWS:,} rows or {MAX_COLUMNS} columns."
        )
    # names of columns count, also where nothing stands below them
    return found or ([dict.fromkeys(names.values())] if names else [])


def cell_of(value: Any) -> Cell:
    if isinstance(value, str):
        return ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), value)
    if value is None or isinstance(value, int | float):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


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
