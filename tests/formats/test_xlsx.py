"""Workbooks: hostile and large ones are refused, and texts are never formulas."""

import io

import openpyxl
import pytest

from survey.core.errors import DataFileError
from survey.definition.survey import parse_survey
from survey.formats.definition_files import MAX_DEFINITION_BYTES, read_survey, survey_xlsx
from survey.formats.xlsx import read_workbook, write_workbook
from survey.formats.xlsx_reader import MAX_COLUMNS, MAX_ROWS, MAX_UNPACKED_BYTES
from tests.support.definitions import definition, yes_no
from tests.support.xlsforms import SMALL, repacked, table, workbook

pytestmark = pytest.mark.fast


ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    b'<row r="1"><c r="A1" t="inlineStr"><is><t>&b;</t></is></c></row></sheetData></worksheet>'
)


def test_a_bomb_is_refused_before_it_is_unpacked():
    bomb = repacked(SMALL, sheet1=b"<a>" + b" " * MAX_UNPACKED_BYTES)
    assert len(bomb) < 60_000
    with pytest.raises(DataFileError, match="unpack to more than 8 MB"):
        read_workbook(bomb)


def test_a_bomb_whose_directory_lies_is_not_unpacked_further():
    bomb = repacked(SMALL, sheet1=b"<a>" + b" " * MAX_UNPACKED_BYTES)
    size = (MAX_UNPACKED_BYTES + 3).to_bytes(4, "little")
    assert bomb.count(size) >= 1
    with pytest.raises(DataFileError, match="cannot read this file"):
        read_workbook(bomb.replace(size, (1_000).to_bytes(4, "little")))


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04 and no more",
        SMALL[:-40],
        repacked(SMALL, sheet1=ENTITIES),
        repacked(SMALL, workbook=ENTITIES),
        repacked(SMALL, sheet1=b"<not XML"),
    ],
)
def test_what_is_no_workbook_is_a_sentence(content):
    with pytest.raises(DataFileError, match=r"Candor cannot read this file"):
        read_survey(content)


def test_old_and_large_files_are_refused():
    with pytest.raises(DataFileError, match=r"Save it as \.xlsx"):
        read_survey(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    with pytest.raises(DataFileError, match="larger than 2 MB"):
        read_survey(b" " * (MAX_DEFINITION_BYTES + 1))


def test_too_many_rows_columns_and_sheets_are_refused():
    rows = table(("type", "name"), *[("note", n) for n in range(MAX_ROWS)])
    with pytest.raises(DataFileError, match="Sheet survey has more than 5,000 rows"):
        read_workbook(workbook({"survey": rows}))
    wide = [{f"c{n}": 1 for n in range(MAX_COLUMNS + 1)}]
    with pytest.raises(DataFileError, match="or 200 columns"):
        read_workbook(workbook({"survey": wide}))
    with pytest.raises(DataFileError, match="more than 20 sheets"):
        read_workbook(workbook({f"s{n}": [] for n in range(21)}))


def test_a_last_row_of_a_million_that_is_only_formatted_is_read_quickly():
    book = openpyxl.load_workbook(io.BytesIO(SMALL))
    book["survey"].cell(1_048_576, 3).font = openpyxl.styles.Font(bold=True)
    content = io.BytesIO()
    book.save(content)
    assert read_workbook(content.getvalue()) == {
        "survey": [{"type": "text", "name": "q", "label": "?"}]
    }


def test_formulas_are_not_computed_and_texts_are_never_formulas():
    computed = workbook({"survey": [{"type": "text", "name": '="q"&1', "label": "?"}]})
    assert read_workbook(computed)["survey"][0]["name"] is None  # No program has calculated it yet.
    survey = parse_survey(definition(yes_no(label='=HYPERLINK("https://example.org")')))
    book = openpyxl.load_workbook(io.BytesIO(survey_xlsx(survey)))
    kinds = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
    assert "f" not in kinds


def test_what_does_not_fit_into_a_cell_is_refused_in_a_sentence():
    with pytest.raises(DataFileError, match="40,000 characters does not fit into a cell"):
        write_workbook({"survey": [{"label": "x" * 40_000}]})
