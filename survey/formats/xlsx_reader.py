"""A program that reads the sheets of an XLSForm from a workbook: bytes in, JSON out.

The argument. A workbook comes from a stranger. It is a ZIP of XML, and both can be made so that a
few bytes take minutes. A part can unpack to gigabytes. An attribute can have many megabytes, and a
row hundreds of thousands of cells. Twenty sheets can share one part. An entity can expand.

So a separate process reads it (survey/formats/xlsx.py starts it). This process has none of the
server's threads, files, secrets or memory, and it has limits of processor time and memory. Inside
the process everything is limited as well. It unpacks only the parts that the three sheets need,
each once, and no more bytes than the directory states. It refuses any document type, and with it
every entity, before it builds the tree of a part. It stops at the first row, column, cell or
character above the limits.

It imports nothing else of Candor and little of Python, so that it starts fast.

Standard output is one JSON object. For a refusal, `refused` is an English sentence, and `values`
has the values of its placeholders. Otherwise `sheets` has a list of rows for each sheet that was
read, `unread` has the names of the others, and `date1904` is a flag. A cell is null, a number, a
text, true or false, or {"date": days} for a number with a date format.
"""

import gc
import io
import json
import posixpath
import re
import resource
import sys
import zipfile
from contextlib import suppress
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

SHEETS = ("survey", "choices", "settings")
MAX_UNPACKED_BYTES = 8 * 1024 * 1024  # for all parts that are read
MAX_PARTS = 500
MAX_SHEETS = 20
MAX_ROWS = 5_000
MAX_COLUMNS = 200
MAX_CELLS = 200_000  # in all sheets, including empty cells
MAX_CHARACTERS = 8_000_000  # in all sheets, because every cell may use the same shared text
# The limits above end the reading of any workbook. The slowest hostile workbook of the tests took
# 1.4 seconds on an AMD EPYC. A slower machine also has enough time.
MAX_PROCESSOR_SECONDS = 10
MAX_MEMORY_BYTES = 512 * 1024 * 1024
MAIN_NAMESPACES = (
    "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}",
    "{http://purl.oclc.org/ooxml/spreadsheetml/main}",
)
RELATION_IDS = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)
CELL_REFERENCE = re.compile("([A-Z]{1,3})([1-9][0-9]{0,6})")
# The built-in number formats of Excel that show dates and times.
DATE_FORMATS = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
FORMAT_LITERALS = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]', re.IGNORECASE)


class WorkbookRefused(Exception):
    """A workbook above the limits. The sentence is for the researcher, with its values. It is
    translated where it is shown, and `make translations` finds it by the name of this class."""

    def __init__(self, sentence: str, **values: int | str):
        written = {
            name: f"{value:,}" if isinstance(value, int) else value
            for name, value in values.items()
        }
        super().__init__(sentence % written)
        self.sentence, self.values = sentence, written


class Package:
    """The parts of a workbook. Each is unpacked and parsed at most once, on request."""

    def __init__(self, content: bytes):
        self.archive = zipfile.ZipFile(io.BytesIO(content))
        self.unread = {entry.filename: entry for entry in self.archive.infolist()}
        self.bytes_left = MAX_UNPACKED_BYTES
        if len(self.archive.infolist()) > MAX_PARTS:
            raise WorkbookRefused(
                "This workbook has more than %(most)s parts. Save the sheets survey, choices "
                "and settings only, without formats.",
                most=MAX_PARTS,
            )

    def read(self, name: str) -> Element:
        """The root element of a part.

        Raises WorkbookRefused above the limits. Raises KeyError, ValueError and the errors of the
        parsers for a part that is missing, was read before, has another compression than Excel
        uses, or is not XML.
        """
        entry = self.unread.pop(name)
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(entry.compress_type)
        self.bytes_left -= entry.file_size
        if self.bytes_left < 0:
            raise WorkbookRefused(
                "The sheets of this workbook unpack to more than %(most)s MB. Save the sheets "
                "survey, choices and settings only, without formats.",
                most=MAX_UNPACKED_BYTES // 1024**2,
            )
        with self.archive.open(entry) as part:
            # Do not read more than the directory states. A longer part fails its checksum.
            content = part.read(entry.file_size + 1)
        if len(content) != entry.file_size:
            raise ValueError(name)
        return parse(content)

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """The kind of each relation of a part, and the name of its target part, by relation id."""
        folder, name = posixpath.split(part)
        relations: dict[str, tuple[str, str]] = {}
        for relation in self.read(posixpath.join(folder, "_rels", f"{name}.rels")):
            if relation.get("TargetMode") != "External":
                target = posixpath.join("/", folder, relation.attrib["Target"])
                kind = relation.attrib["Type"].rpartition("/")[2]
                relations[relation.attrib["Id"]] = kind, posixpath.normpath(target).lstrip("/")
        return relations


def parse(content: bytes) -> Element:
    """The root element of XML. Names of the main namespaces lose their prefix."""

    def refuse(*_: object) -> None:
        raise ValueError("a document type")

    # ElementTree accepts document types silently, and expands their entities.
    checker = expat.ParserCreate()
    checker.StartDoctypeDeclHandler = refuse
    checker.Parse(content, True)
    root = ElementTree.fromstring(content)  # noqa: S314
    for element in root.iter():
        for namespace in MAIN_NAMESPACES:
            element.tag = element.tag.removeprefix(namespace)
    return root


def text_of(element: Element) -> str:
    """The text of a cell, plain or in formatted pieces, without phonetic hints."""
    parts = (element, *element.findall("r"))
    return "".join(text.text or "" for part in parts for text in part.findall("t"))


def date_styles(styles: Element) -> set[int]:
    """The indices of the styles that show a number as a date or a time."""
    dates = DATE_FORMATS | {
        int(own.attrib["numFmtId"])
        for own in styles.iter("numFmt")
        if is_date_format(own.attrib["formatCode"])
    }
    formats = enumerate(styles.findall("cellXfs/xf"))
    return {style for style, xf in formats if int(xf.get("numFmtId", "0")) in dates}


def is_date_format(code: str) -> bool:
    """Whether a custom format shows dates. Only its first section counts, outside quotes."""
    letters = FORMAT_LITERALS.sub("", code.split(";")[0]).lower()
    return any(letter in letters for letter in "dmyhs")


class WorksheetReader:
    """The rows of one sheet, read cell by cell."""

    def __init__(self, name: str, texts: list[str], dates: set[int], spent: list[int]):
        self.name, self.texts, self.dates = name, texts, dates
        self.spent = spent  # cells and characters of all sheets so far

    def rows(self, sheet: Element) -> list[list[object]]:
        """The rows up to the last non-empty one, each up to its last non-empty cell."""
        filled: dict[int, dict[int, object]] = {}
        number = 0
        for row in sheet.iter("row"):
            number, column = int(row.get("r", number + 1)), 0
            for cell in row.findall("c"):
                self.spend(cells=1)
                place = CELL_REFERENCE.fullmatch(cell.get("r", ""))
                column = column_number(place[1]) if place else column + 1
                number = int(place[2]) if place else number
                value = self.value(cell)
                if value is None:
                    continue
                if number > MAX_ROWS or column > MAX_COLUMNS:
                    raise WorkbookRefused(
                        "Sheet %(sheet)s has more than %(rows)s rows or %(columns)s columns. "
                        "Make it smaller.",
                        sheet=self.name,
                        rows=MAX_ROWS,
                        columns=MAX_COLUMNS,
                    )
                self.spend(characters=len(value) if isinstance(value, str) else 0)
                filled.setdefault(number, {})[column] = value
        in_order = (filled.get(row, {}) for row in range(1, max(filled, default=0) + 1))
        return [[c.get(place) for place in range(1, max(c, default=0) + 1)] for c in in_order]

    def value(self, cell: Element) -> object:
        kind, written = cell.get("t", "n"), cell.findtext("v")
        if kind == "inlineStr":
            return "".join(map(text_of, cell.findall("is"))) or None
        if not written:
            return None
        match kind:
            case "s":
                return self.texts[int(written)]
            case "b":
                return bool(int(written))
            case "n":
                whole = "." not in written and "e" not in written.lower()
                number = int(written) if whole else float(written)
                return {"date": number} if int(cell.get("s", "0")) in self.dates else number
        return written  # a computed text, an error, or a date in ISO 8601

    def spend(self, cells: int = 0, characters: int = 0) -> None:
        self.spent[0] += cells
        self.spent[1] += characters
        if self.spent[0] > MAX_CELLS:
            raise WorkbookRefused(
                "This workbook has more than %(most)s cells, including empty cells with a "
                "format. Save the sheets survey, choices and settings only, without formats.",
                most=MAX_CELLS,
            )
        if self.spent[1] > MAX_CHARACTERS:
            raise WorkbookRefused(
                "The texts of this workbook have more than %(most)s characters. Shorten them.",
                most=MAX_CHARACTERS,
            )


def column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def read_sheets(content: bytes) -> dict[str, object]:
    """The output of this program for a workbook.

    Raises WorkbookRefused, and any other error for a broken file.
    """
    package = Package(content)
    [book] = [name for kind, name in package.relations("").values() if kind == "officeDocument"]
    root, relations = package.read(book), package.relations(book)
    sheets = list(root.iter("sheet"))
    if len(sheets) > MAX_SHEETS:
        raise WorkbookRefused(
            "This workbook has more than %(most)s sheets. Save the sheets survey, choices and "
            "settings only, without formats.",
            most=MAX_SHEETS,
        )
    parts = dict(relations.values())
    shared = package.read(parts["sharedStrings"]).iter("si") if "sharedStrings" in parts else ()
    texts = [text_of(text) for text in shared]
    dates = date_styles(package.read(parts["styles"])) if "styles" in parts else set()
    spent, wanted = [0, 0], set(SHEETS)
    rows_by_sheet: dict[str, list[list[object]]] = {}
    unread = []
    for sheet in sheets:
        name = sheet.attrib["name"]
        if name.strip().lower() not in wanted:
            unread.append(name)
            continue
        wanted.remove(name.strip().lower())
        [relation] = [sheet.attrib[key] for key in RELATION_IDS if key in sheet.attrib]
        page = package.read(relations[relation][1])
        rows_by_sheet[name] = WorksheetReader(name, texts, dates, spent).rows(page)
    settings = root.find("workbookPr")
    return {
        "sheets": rows_by_sheet,
        "unread": unread,
        "date1904": settings is not None and settings.get("date1904") in ("1", "true"),
        "cells": spent[0],
    }


def set_resource_limits() -> None:
    """Limit the process. A sandbox may forbid this, or have lower limits already."""
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
    # The tree of a part has no cycles. Searching for them would take a third of the time.
    gc.disable()
    try:
        output = read_sheets(sys.stdin.buffer.read())
    except WorkbookRefused as refusal:
        output = {"refused": refusal.sentence, "values": refusal.values}
    except MemoryError:
        raise
    except Exception:  # A broken file can cause any error in the modules that read it.
        broken = WorkbookRefused(
            "Candor cannot read this file. Save it as an Excel workbook (.xlsx)."
        )
        output = {"refused": broken.sentence, "values": {}}
    json.dump(output, sys.stdout)


if __name__ == "__main__":
    main()
