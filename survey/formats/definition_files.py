"""Survey definitions as files: JSON, and XLSForm in an Excel workbook."""

import json
from collections.abc import Container
from itertools import count

from survey.core.csv_tables import XLS_SIGNATURE, ZIP_SIGNATURE
from survey.core.errors import DataFileError
from survey.core.json_text import parse_json
from survey.definition.survey import (
    MAX_SLUG_CHARACTERS,
    Survey,
    read_definition,
    require_texts_for_all,
)
from survey.formats.other_programs.formbricks import read_formbricks
from survey.formats.other_programs.limesurvey import read_limesurvey
from survey.formats.other_programs.recognise import UTF8_BOM, other_program_sentence, program_of
from survey.formats.other_programs.redcap import read_redcap
from survey.formats.other_programs.surveyjs import read_surveyjs
from survey.formats.xlsform.read_form import ImportedDefinition, from_xlsform
from survey.formats.xlsform.write_form import to_xlsform

MAX_DEFINITION_BYTES = 2 * 1024 * 1024
TABLES_AND_XML = {"LimeSurvey": read_limesurvey, "REDCap": read_redcap}
IN_JSON = {"Formbricks": read_formbricks, "SurveyJS": read_surveyjs}


def read_survey(content: bytes) -> ImportedDefinition:
    """The survey in a file. Its first bytes, not its name, decide how it is read.

    Raises DataFileError and DefinitionError.
    """
    if len(content) > MAX_DEFINITION_BYTES:
        raise DataFileError(
            "The file is larger than %(n)s MB. Make it smaller.", n=MAX_DEFINITION_BYTES // 1024**2
        )
    if (imported := read_other_survey(content)) is not None:
        return imported
    if content.startswith(XLS_SIGNATURE):
        raise DataFileError("This workbook has an old format. Save it as .xlsx, then try again.")
    if content.startswith(ZIP_SIGNATURE):
        from survey.formats.xlsx import read_workbook

        return from_xlsform(read_workbook(content))
    if not content.removeprefix(UTF8_BOM).lstrip().startswith(b"{"):
        raise DataFileError(
            "Candor does not know this kind of file. Choose a definition in JSON, an XLSForm "
            "(.xlsx), or a survey of REDCap (.csv), LimeSurvey (.lss), SurveyJS or Formbricks "
            "(.json)."
        )
    survey = read_definition(content.removeprefix(UTF8_BOM), nfc=True)
    require_texts_for_all(survey)
    return ImportedDefinition(survey)


def read_other_survey(content: bytes) -> ImportedDefinition | None:
    """The survey in a file of another program; None for one of Candor, and for an unknown file.

    Raises DataFileError for a program that Candor does not read, and see `from_xlsform`.
    """
    program = program_of(content)
    if program is None:
        return None
    if program in TABLES_AND_XML:
        sheets, origin = TABLES_AND_XML[program](content)
    elif program in IN_JSON:
        sheets, origin = IN_JSON[program](parse_json(content.removeprefix(UTF8_BOM)))
    else:
        raise DataFileError(other_program_sentence(program))
    return from_xlsform(sheets, origin)


def survey_json(survey: Survey) -> str:
    """The definition in its canonical form, with line breaks for reading."""
    return json.dumps(survey.as_definition(), ensure_ascii=False, indent=2) + "\n"


def survey_xlsx(survey: Survey) -> bytes:
    """The definition as XLSForm. Raises DataFileError if a text is too long for a cell."""
    from survey.formats.xlsx import write_workbook

    return write_workbook(to_xlsform(survey))


def slug_with_suffix(slug: str, taken: Container[str], suffix: str = "") -> str:
    """The slug with the suffix; if it is taken, the first free one with -2, -3, ... after it."""
    ends = (suffix if number == 1 else f"{suffix}-{number}" for number in count(1))
    slugs = (slug[: MAX_SLUG_CHARACTERS - len(end)].rstrip("-") + end for end in ends)
    return next(each for each in slugs if each not in taken)
