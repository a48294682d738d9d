"""Definitions as files: JSON, and XLSForm in an Excel workbook."""

import json
from collections.abc import Container

from survey.core.errors import DataFileError
from survey.definition.survey import Survey, read_definition
from survey.formats.xlsform import Imported, from_xlsform, to_xlsform

MAX_FILE = 2 * 1024 * 1024  # bytes
ZIP, OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"  # how such files begin
UTF8_MARK = b"\xef\xbb\xbf"
LONGEST_SLUG = 63


def read_survey(content: bytes) -> Imported:
    """The survey that a file holds; its first bytes tell what it is, whatever its name.

    Raises DataFileError and DefinitionError.
    """
    if len(content) > MAX_FILE:
        raise DataFileError(f"The file is larger than {MAX_FILE // 1024**2} MB.")
    if content.startswith(OLD_EXCEL):
        raise DataFileError("This is a workbook of an old kind. Save it as .xlsx, then try again.")
    if content.startswith(ZIP):
        from survey.formats.xlsx import read_workbook

        return from_xlsform(read_workbook(content))
    if not content.removeprefix(UTF8_MARK).lstrip().startswith(b"{"):
        raise DataFileError("This is neither a definition in JSON nor an Excel workbook (.xlsx).")
    return Imported(read_definition(content.removeprefix(UTF8_MARK)))


def survey_json(survey: Survey) -> str:
    """The definition in its canonical form, on lines, for people to read."""
    return json.dumps(survey.as_definition(), ensure_ascii=False, indent=2) + "\n"


def survey_xlsx(survey: Survey) -> bytes:
    """The definition as XLSForm. Raises DataFileError where a text does not fit into a cell."""
    from survey.formats.xlsx import write_workbook

    return write_workbook(to_xlsform(survey))


def free_slug(slug: str, taken: Container[str]) -> str:
    """The address itself, or the first of slug-2, slug-3, ... that is not taken."""
    free, number = slug, 2
    while free in taken:
        end = f"-{number}"
        free, number = slug[: LONGEST_SLUG - len(end)].rstrip("-") + end, number + 1
    return free
