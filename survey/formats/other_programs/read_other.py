"""The survey in a file of another program that Candor reads."""

from survey.core.errors import DataFileError
from survey.core.json_text import parse_json
from survey.formats.other_programs.formbricks import read_formbricks
from survey.formats.other_programs.limesurvey import read_limesurvey
from survey.formats.other_programs.recognise import UTF8_BOM, other_program_sentence, program_of
from survey.formats.other_programs.redcap import read_redcap
from survey.formats.other_programs.surveyjs import read_surveyjs
from survey.formats.xlsform.read_form import ImportedDefinition, from_xlsform

TABLES_AND_XML = {"LimeSurvey": read_limesurvey, "REDCap": read_redcap}
IN_JSON = {"Formbricks": read_formbricks, "SurveyJS": read_surveyjs}


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
