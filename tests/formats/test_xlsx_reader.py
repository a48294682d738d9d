"""A process of its own refuses hostile workbooks and stops at the first limit that they exceed.

The tests count bytes and cells, not seconds. tests/formats/test_xlsx.py covers honest workbooks.
"""

import io
import sys
import zipfile
from datetime import date, datetime
from pathlib import Path
from xml.etree import ElementTree

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from survey.core.errors import DataFileError
from survey.formats import xlsx, xlsx_reader
from survey.formats.xlsx import read_workbook
from survey.formats.xlsx_reader import (
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_UNPACKED_BYTES,
    WorkbookRefused,
)
from tests.support.xlsforms import SMALL, repacked, table, workbook

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
ROW = b'<row r="1"><c t="inlineStr"><is><t>type</t></is></c></row>'
TOO_LARGE, TOO_MANY_CELLS = "unpack to more than", "more than 200,000 cells"
NO_WORKBOOK = "cannot read this file"


def sheet(*rows: bytes) -> bytes:
    return f"<worksheet {MAIN}><sheetData>".encode() + b"".join(rows) + b"</sheetData></worksheet>"


def book(*sheets: tuple[str, str]) -> bytes:
    """A workbook.xml with sheets of these names and relations."""
    named = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="{relation}"/>'
        for n, (name, relation) in enumerate(sheets, 1)
    )
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    return f'<workbook {MAIN} xmlns:r="{relations}"><sheets>{named}</sheets></workbook>'.encode()


def doctype(entity: str) -> bytes:
    return f"<!DOCTYPE w [<!ENTITY a {entity}>]><worksheet {MAIN}>&a;</worksheet>".encode()


def with_texts(content: bytes, texts: str) -> bytes:
    """A workbook with shared texts, as Excel writes it and openpyxl does not."""
    changed = io.BytesIO()
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    relation = f'<Relationship Id="rId99" Type="{kind}" Target="/xl/sharedStrings.xml"/>'
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w", 8) as new:
        for name in old.namelist():
            part = old.read(name)
            if name == "xl/_rels/workbook.xml.rels":
                part = part.replace(b"</Relationships>", f"{relation}</Relationships>".encode())
            new.writestr(name, part)
        new.writestr("xl/sharedStrings.xml", texts)
    return changed.getvalue()


FIFTEEN_MB = 15 * 1024 * 1024
CELL = b'<c t="n"><v>1</v></c>'
WIDE_ROW = b"<row>" + CELL * 199 + b"</row>"
MANY_TEXTS = sheet(*(b'<row><c t="s"><v>0</v></c></row>' for _ in range(4_000)))
HOSTILE = {
    "an attribute of 15 MB": (
        repacked(SMALL, sheet1=sheet(b'<row x="' + b"a" * FIFTEEN_MB + b'"/>')), TOO_LARGE,
    ),
    "an attribute within the bounds": (
        repacked(SMALL, sheet1=sheet(b'<row x="' + b"a" * (MAX_UNPACKED_BYTES // 2) + b'"/>')),
        None,
    ),
    "a row of 300,000 empty cells": (
        repacked(SMALL, sheet1=sheet(b"<row>" + b"<c/>" * 300_000 + b"</row>")), TOO_MANY_CELLS,
    ),
    "a row of 300,000 cells": (
        repacked(SMALL, sheet1=sheet(b"<row>" + CELL * 300_000 + b"</row>")), "or 200 columns",
    ),
    "199 columns and 3,000 rows": (
        repacked(SMALL, sheet1=sheet(*[WIDE_ROW] * 3_000)), TOO_LARGE,
    ),
    "199 columns and 1,800 rows": (
        repacked(SMALL, sheet1=sheet(*[WIDE_ROW] * 1_800)), TOO_MANY_CELLS,
    ),
    "one part as twenty sheets": (
        repacked(SMALL, workbook=book(*((f"s{n}", "rId1") for n in range(19)), ("survey", "rId1")),
                 sheet1=sheet(*[WIDE_ROW] * 300)), None,
    ),
    "one part as all three sheets": (
        repacked(SMALL, workbook=book(("survey", "rId1"), ("choices", "rId1"))), NO_WORKBOOK,
    ),
    "21 sheets": (
        repacked(SMALL, workbook=book(*((f"s{n}", "rId1") for n in range(21)))), "20 sheets",
    ),
    "an entity": (repacked(SMALL, sheet1=doctype('"aaaa"')), NO_WORKBOOK),
    "a file as an entity": (
        repacked(SMALL, sheet1=doctype('SYSTEM "file:///etc/passwd"')), NO_WORKBOOK,
    ),
    "a document type and no more": (
        repacked(SMALL, sheet1=b"<!DOCTYPE w>" + sheet(ROW)), NO_WORKBOOK,
    ),
    "a row of a billion": (
        repacked(SMALL, sheet1=sheet(b'<row r="999999999">' + CELL + b"</row>")), "5,000 rows",
    ),
    "elements within each other": (
        repacked(SMALL, sheet1=sheet(b"<a>" * 200_000 + b"</a>" * 200_000)), None,
    ),
    "a text of a megabyte in every cell": (
        with_texts(
            repacked(SMALL, sheet1=MANY_TEXTS), f"<sst {MAIN}><si><t>{'x' * 10**6}</t></si></sst>"
        ), "more than 8,000,000 characters",
    ),
}  # fmt: skip


def run_instead(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Another program in place of the reader, started in the same way."""
    monkeypatch.setattr(xlsx, "READER_COMMAND", (*xlsx.READER_COMMAND[:-2], "-c", code))


def without_limits_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader finishes on a machine of any speed."""
    code = "from survey.formats import xlsx_reader as r; r.MAX_PROCESSOR_SECONDS = 3_600; r.main()"
    run_instead(monkeypatch, code)
    monkeypatch.setattr(xlsx, "TIMEOUT_SECONDS", 3_600)


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of each parsed part."""
    sizes: list[int] = []
    parse = xlsx_reader.parse

    def counting(content: bytes) -> ElementTree.Element:
        sizes.append(len(content))
        return parse(content)

    monkeypatch.setattr(xlsx_reader, "parse", counting)
    return sizes


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_is_refused_at_the_first_thing_too_many(
    name: str, unpacked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    content, why = HOSTILE[name]
    assert len(content) < 2 * 1024 * 1024
    spent: list[list[int]] = []
    build = xlsx_reader.WorksheetReader

    def noting(name: str, texts: list[str], dates: set[int], sums: list[int]) -> object:
        spent.append(sums)
        return build(name, texts, dates, sums)

    monkeypatch.setattr(xlsx_reader, "WorksheetReader", noting)
    try:
        assert xlsx_reader.read_sheets(content)["cells"] <= MAX_CELLS
        assert why is None
    except (WorkbookRefused, KeyError, ValueError, xlsx_reader.expat.ExpatError) as error:
        refused = isinstance(error, WorkbookRefused)
        assert why is not None
        assert (why in str(error)) if refused else why == NO_WORKBOOK
    assert sum(unpacked) <= MAX_UNPACKED_BYTES
    assert len(spent) <= 3
    assert all(cells <= MAX_CELLS + 1 for cells, _ in spent)
    if why == "or 200 columns":
        assert spent[0][0] == MAX_COLUMNS + 1
    without_limits_of_time(monkeypatch)
    if why is None:
        assert read_workbook(content) is not None
    else:
        with pytest.raises(DataFileError, match=why):
            read_workbook(content)


def test_a_part_that_stands_for_twenty_sheets_is_parsed_once(unpacked: list[int]) -> None:
    content, _ = HOSTILE["one part as twenty sheets"]
    found = xlsx_reader.read_sheets(content)
    assert found["unread"] == [f"s{n}" for n in range(19)]
    assert sum(size > 10**6 for size in unpacked) == 1


def test_sheets_that_are_no_part_of_a_form_are_not_unpacked(unpacked: list[int]) -> None:
    rows = [{"a": "x" * 1_000}] * 1_000
    content = workbook({"survey": table(("type",), ("a",)), "data": rows, "Choices ": []})
    found = read_workbook(content)
    assert found["survey"] == [{"type": "a"}]
    assert list(found) == ["survey", "Choices ", "data"]
    assert xlsx_reader.read_sheets(content)["unread"] == ["data"]
    assert max(unpacked) < 100_000


def test_a_directory_that_lies_is_found_out() -> None:
    """Parts that are larger than the directory says, or packed in another way."""
    bomb = repacked(SMALL, sheet1=b"<a>" + b" " * 10**6)
    size = (10**6 + 3).to_bytes(4, "little")
    with pytest.raises(DataFileError, match=NO_WORKBOOK):
        read_workbook(bomb.replace(size, (1_000).to_bytes(4, "little")))
    other = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(SMALL)) as old, zipfile.ZipFile(other, "w", 14) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    with pytest.raises(DataFileError, match=NO_WORKBOOK):
        read_workbook(other.getvalue())


# --- the process


def test_the_server_itself_unpacks_and_parses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_here(*_: object, **__: object) -> None:
        raise AssertionError("parsed by the server")

    monkeypatch.setattr(zipfile, "ZipFile", not_here)
    monkeypatch.setattr(xlsx_reader.expat, "ParserCreate", not_here)
    monkeypatch.setattr(ElementTree, "fromstring", not_here)
    assert read_workbook(SMALL) == {"survey": [{"type": "text", "name": "q", "label": "?"}]}


def test_it_has_nothing_of_the_servers_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_SECRET_KEY", "s" * 64)
    code = "import json, os; print(json.dumps({'refused': ' '.join(sorted(os.environ))}))"
    run_instead(monkeypatch, code)
    with pytest.raises(DataFileError) as refused:
        read_workbook(SMALL)
    assert set(str(refused.value).split()) <= {"LC_ALL", "LC_CTYPE"}


LIMITED = "from survey.formats.xlsx_reader import set_resource_limits as limit; limit()"


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        f"{LIMITED}\nwhile True: pass",
        f"{LIMITED}\nbytearray(2 * 1024**3)",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        "print('no JSON')",
    ],
)
def test_a_reader_that_is_stopped_or_breaks_is_a_sentence(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_instead(monkeypatch, code)
    with pytest.raises(DataFileError, match="takes too long or too much memory"):
        read_workbook(SMALL)


@pytest.mark.slow
def test_a_reader_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started = tmp_path / "pid"
    code = f"import os, time; open({str(started)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    run_instead(monkeypatch, code)
    monkeypatch.setattr(xlsx, "TIMEOUT_SECONDS", 3)
    with pytest.raises(DataFileError, match="takes too long"):
        read_workbook(SMALL)
    if started.exists():
        assert not Path(f"/proc/{started.read_text()}").exists()


def test_it_needs_no_installed_package() -> None:
    assert xlsx.READER_COMMAND[0] == sys.executable
    assert {"-E", "-s", "-S"} <= set(xlsx.READER_COMMAND)


# --- the output of spreadsheet programs


def test_cells_of_every_kind_are_read_as_openpyxl_reads_them() -> None:
    book = openpyxl.Workbook()
    page = book.active
    page.title = "settings"
    values = [
        "text", "  spaced ", 7, -2.5, 1e300, True, False, "#N/A", date(2026, 11, 22),
        datetime(2026, 11, 22, 12, 30), "_x0041_", "=1+1", None,
        CellRichText("plain ", TextBlock(InlineFont(b=True), "bold")),
    ]  # fmt: skip
    page.append([f"c{n}" for n in range(len(values))])
    page.append([])
    page.append(values)
    page.cell(5, 2, "after a gap")
    content = io.BytesIO()
    book.save(content)
    empty, found, gap, last = read_workbook(content.getvalue())["settings"]
    assert set(empty.values()) == set(gap.values()) == {None}
    assert list(found.values()) == [
        "text", "  spaced ", 7, -2.5, 1e300, True, False, "#N/A", "2026-11-22T00:00:00",
        "2026-11-22T12:30:00", "A", None, None, "plain bold",
    ]  # fmt: skip
    assert last["c1"] == "after a gap"


def test_shared_texts_strict_names_and_dates_since_1904() -> None:
    """Files like Excel's: shared texts with their pronunciation, and a prefix for each name."""
    strict = "http://purl.oclc.org/ooxml/spreadsheetml/main"
    texts = (
        f'<x:sst xmlns:x="{strict}"><x:si><x:t>type</x:t></x:si><x:si><x:r><x:t>a</x:t></x:r>'
        "<x:r><x:t>b</x:t></x:r><x:rPh><x:t>never</x:t></x:rPh></x:si></x:sst>"
    )
    styles = (
        f'<styleSheet {MAIN}><numFmts><numFmt numFmtId="170" formatCode="[Red]&quot;d&quot;0"/>'
        '<numFmt numFmtId="171" formatCode="yyyy"/></numFmts><cellStyleXfs><xf numFmtId="14"/>'
        '</cellStyleXfs><cellXfs><xf/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs>'
        "</styleSheet>"
    )
    rows = sheet(
        b'<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>1</v></c><c r="C1"><v>2</v></c></row>'
        b'<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>3</v></c>'
        b'<c r="C2" s="2"><v>1</v></c></row>'
    )
    since = book(("survey", "rId1")).replace(b"<sheets>", b'<workbookPr date1904="1"/><sheets>')
    content = with_texts(
        repacked(SMALL, sheet1=rows, styles=styles.encode(), workbook=since), texts
    )
    assert read_workbook(content) == {
        "survey": [{"type": "ab", "1": 3, "2": "1904-01-02T00:00:00"}]
    }
