"""A program that reads the sheets of an XLSForm from a workbook: bytes in, JSON out.

The argument. A workbook comes from a stranger. It is a ZIP of XML, and both can be made so that a
few bytes take minutes: a part that unpacks to gigabytes, an attribute of many megabytes, a row of
hundreds of thousands of cells, a part that stands for twenty sheets, an entity that grows. So it
is read by a process of its own (survey/formats/xlsx.py starts it), which has none of the server's
threads, files, secrets or memory, and a limit of processor time and of memory. Within the process
everything is bounded as well. Only the parts that the three sheets need are unpacked, each once,
and no more bytes than the directory promises. Any document type is refused, and with it every
entity. The parser stops at the first row, column, cell or character too many.

It imports nothing of Candor but xlsx_parts.py and little of Python, so that it starts fast.
Standard output is one JSON object: `refused` with a sentence, or `sheets`, a list of rows for each
sheet that was read, `unread`, the names of the others, and `date1904`. A cell is null, a number, a
text, true or false, or {"date": days} where the number is formatted as a date.
"""

import json
import re
import resource
import sys
from contextlib import suppress

from survey.formats.xlsx_parts import (
    MAX_UNPACKED_BYTES,
    Attributes,
    Package,
    WorkbookRefused,
    parse,
    part_relations,
)

SHEETS = ("survey", "choices", "settings")
MAX_SHEETS = 20
MAX_ROWS, MAX_COLUMNS = 5_000, 200
MAX_CELLS = 200_000  # of all sheets, the empty ones among them
MAX_CHARACTERS = 8_000_000  # of all sheets: one shared text may stand in every cell
MAX_PROCESSOR_SECONDS = 2
MAX_MEMORY_BYTES = 512 * 1024 * 1024
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_RELATIONS = "http://purl.oclc.org/ooxml/officeDocument/relationships"
CELL_REFERENCE = re.compile("([A-Z]{1,3})([1-9][0-9]{0,6})")
# Of the number formats that Excel has built in, those of dates and times.
DATE_FORMATS = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
FORMAT_LITERALS = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]', re.IGNORECASE)


def listed_sheets(package: Package, part: str) -> tuple[list[tuple[str, str]], bool]:
    """The name and the relation of each sheet, in order; and whether days count from 1904."""
    sheets: list[tuple[str, str]] = []
    since_1904 = False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal since_1904
        if name == "workbookPr":
            since_1904 = attributes.get("date1904", "0") in ("1", "true")
        elif name == "sheet":
            relation = attributes.get(f"{RELATIONS} id") or attributes[f"{STRICT_RELATIONS} id"]
            sheets.append((attributes["name"], relation))
            if len(sheets) > MAX_SHEETS:
                raise WorkbookRefused(f"This workbook has more than {MAX_SHEETS} sheets.")

    parse(package.read(part), start)
    return sheets, since_1904


def shared_texts(content: bytes) -> list[str]:
    """The texts that cells refer to by number; how they are to be pronounced is left out."""
    texts: list[str] = []
    pieces: list[str] = []
    within: list[str] = []

    def start(name: str, attributes: Attributes) -> None:
        if name == "si":
            pieces.clear()
        if name in ("t", "rPh"):
            within.append(name)

    def end(name: str) -> None:
        if name in ("t", "rPh"):
            within.pop()
        if name == "si":
            texts.append("".join(pieces))

    def text(piece: str) -> None:
        if within == ["t"]:
            pieces.append(piece)

    parse(content, start, end, text)
    return texts


def date_styles(content: bytes) -> set[int]:
    """The numbers of the styles that show a number as a date or a time."""
    own: dict[int, str] = {}
    formats: list[int] = []
    inside = False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal inside
        if name == "numFmt":
            own[int(attributes["numFmtId"])] = attributes["formatCode"]
        elif name == "cellXfs":
            inside = True
        elif name == "xf" and inside:
            formats.append(int(attributes.get("numFmtId", "0")))

    def end(name: str) -> None:
        nonlocal inside
        if name == "cellXfs":
            inside = False

    parse(content, start, end)
    dates = DATE_FORMATS | {number for number, code in own.items() if is_date_format(code)}
    return {style for style, number in enumerate(formats) if number in dates}


def is_date_format(code: str) -> bool:
    """Whether a format of the workbook's own shows dates: by its first section, outside quotes."""
    return (
        re.search("[dmyhs]", FORMAT_LITERALS.sub("", code.split(";")[0]), re.IGNORECASE) is not None
    )


class WorksheetReader:
    """The rows of one sheet, read cell by cell."""

    def __init__(self, name: str, texts: list[str], dates: set[int], spent: list[int]):
        self.name, self.texts, self.dates = name, texts, dates
        self.spent = spent  # cells and characters of all sheets so far
        self.rows: dict[int, dict[int, object]] = {}
        self.row = self.column = 0
        self.kind, self.style = "n", 0
        self.pieces: list[str] = []
        self.within: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "row":
            self.row = int(attributes.get("r", self.row + 1))
            self.column = 0
        elif name == "c":
            self.spend(cells=1)
            place = CELL_REFERENCE.fullmatch(attributes.get("r", ""))
            self.column = column_number(place[1]) if place else self.column + 1
            self.row = int(place[2]) if place else self.row
            self.kind, self.style = attributes.get("t", "n"), int(attributes.get("s", "0"))
            self.pieces.clear()
        elif name in ("v", "is", "t", "rPh"):
            self.within.append(name)

    def text(self, piece: str) -> None:
        if self.within == ["v"] or self.within == ["is", "t"]:
            self.pieces.append(piece)

    def end(self, name: str) -> None:
        if name in ("v", "is", "t", "rPh"):
            self.within.pop()
        elif name == "c":
            value = self.value("".join(self.pieces))
            if value is not None:
                self.put(value)

    def value(self, written: str) -> object:
        if self.kind == "inlineStr":
            return written or None
        if written == "":
            return None
        match self.kind:
            case "s":
                return self.texts[int(written)]
            case "b":
                return bool(int(written))
            case "n":
                whole = "." not in written and "e" not in written.lower()
                number = int(written) if whole else float(written)
                return {"date": number} if self.style in self.dates else number
        return written  # a computed text, an error, or a date in ISO 8601

    def put(self, value: object) -> None:
        if self.row > MAX_ROWS or self.column > MAX_COLUMNS:
            raise WorkbookRefused(
                f"Sheet {self.name} has more than {MAX_ROWS:,} rows or {MAX_COLUMNS} columns."
            )
        self.spend(characters=len(value) if isinstance(value, str) else 0)
        self.rows.setdefault(self.row, {})[self.column] = value

    def spend(self, cells: int = 0, characters: int = 0) -> None:
        self.spent[0] += cells
        self.spent[1] += characters
        if self.spent[0] > MAX_CELLS:
            raise WorkbookRefused(
                f"This workbook has more than {MAX_CELLS:,} cells, empty ones with a format among "
                "them. Save the sheets survey, choices and settings alone, without formats."
            )
        if self.spent[1] > MAX_CHARACTERS:
            raise WorkbookRefused(
                f"The texts of this workbook have more than {MAX_CHARACTERS:,} letters."
            )

    def filled(self) -> list[list[object]]:
        """The rows from the first to the last that holds something, each to its last cell."""
        return [
            [cells.get(column) for column in range(1, max(cells, default=0) + 1)]
            for cells in (self.rows.get(row, {}) for row in range(1, max(self.rows, default=0) + 1))
        ]


def column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def read_sheets(content: bytes) -> dict[str, object]:
    """What this program prints of a workbook.

    Raises WorkbookRefused, and anything for a broken file.
    """
    package = Package(content)
    [book] = [
        name for kind, name in part_relations(package, "").values() if kind == "officeDocument"
    ]
    sheets, since_1904 = listed_sheets(package, book)
    relations = part_relations(package, book)
    parts = {kind: name for kind, name in relations.values() if kind != "worksheet"}
    texts = shared_texts(package.read(parts["sharedStrings"])) if "sharedStrings" in parts else []
    dates = date_styles(package.read(parts["styles"])) if "styles" in parts else set()
    spent = [0, 0]
    rows_by_sheet: dict[str, list[list[object]]] = {}
    unread = []
    wanted = set(SHEETS)
    for name, relation in sheets:
        if name.strip().lower() not in wanted:
            unread.append(name)
            continue
        wanted.remove(name.strip().lower())
        sheet = WorksheetReader(name, texts, dates, spent)
        parse(package.read(relations[relation][1]), sheet.start, sheet.end, sheet.text)
        rows_by_sheet[name] = sheet.filled()
    return {
        "sheets": rows_by_sheet,
        "unread": unread,
        "date1904": since_1904,
        "bytes": MAX_UNPACKED_BYTES - package.bytes_left,
        "cells": spent[0],
    }


def set_resource_limits() -> None:
    """Bound the process. A sandbox may forbid to lower limits, or have lower ones already."""
    for kind, most in (
        (resource.RLIMIT_CPU, MAX_PROCESSOR_SECONDS),
        (resource.RLIMIT_AS, MAX_MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))


def main() -> None:
    set_resource_limits()
    try:
        output = read_sheets(sys.stdin.buffer.read())
    except WorkbookRefused as refusal:
        output = {"refused": str(refusal)}
    except MemoryError:
        raise
    except Exception:  # whatever a broken file makes of the modules that read it
        output = {"refused": "This is no Excel workbook (.xlsx) that can be read."}
    json.dump(output, sys.stdout)


if __name__ == "__main__":
    main()
