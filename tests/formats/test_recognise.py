"""Survey files of other programs are recognised by their content."""

import io
import json
import zipfile

import pytest

from survey.core.errors import DataFileError
from survey.definition.survey import parse_survey
from survey.formats.definition_files import read_survey, survey_json, survey_xlsx
from survey.formats.other_programs.recognise import UTF8_BOM, program_of
from tests.support.check_each import check_each
from tests.support.every_type import EVERY_TYPE

pytestmark = pytest.mark.fast


def spreadsheet():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", "<a/>")
    return content.getvalue()


FILES = [
    ("SurveyJS", {"title": "S", "pages": [{"name": "p1", "elements": [{"type": "radiogroup"}]}]}),
    ("SurveyJS", {"elements": [{"type": "text", "name": "tuổi", "title": "Bạn bao nhiêu tuổi?"}]}),
    ("SurveyJS", {"survey": {"pages": [{"elements": []}]}}),
    ("Formbricks", {"name": "产品", "questions": [{"headline": {"default": "您满意吗？"}}]}),
    ("Formbricks", {"data": {"welcomeCard": {"enabled": False}, "questions": []}}),
    ("Formbricks", {"blocks": [{"id": "b", "elements": [{"headline": {"th": "พอใจไหม"}}]}]}),
    ("SurveyJS", {"questions": [{"type": "dropdown", "name": "q"}]}),
    ("Formbricks", {"name": "S", "slug": None, "endings": [], "blocks": []}),
    ("REDCap", "sep=;\nVariable / Field Name;Form Name\n"),
    ("REDCap", "field_name,form_name,field_type\n"),
    ("Qualtrics", {"SurveyEntry": {}, "SurveyElements": []}),
    ("Typeform", {"title": "Encuesta", "fields": [], "thankyou_screens": []}),
    ("Google Forms", {"formId": "x", "items": []}),
    ("LimeSurvey", '<?xml version="1.0"?>\n<document>\n <LimeSurveyDocType>Survey'),
    ("LimeSurvey (text)", "id\trelated_id\tclass\ttype/scale\tname\trelevance\ttext\n"),
    ("REDCap", '"Variable / Field Name","Form Name","Section Header"\nage,demo,"Tuổi"'),
    ("REDCap", "\ufeffVariable / Field Name;Form Name;Section Header;Field Type\n"),
    ("REDCap (XML)", '<?xml version="1.0"?><ODM xmlns:redcap="https://projectredcap.org">'),
]


def bytes_of(content):
    return (content if isinstance(content, str) else json.dumps(content)).encode()


@check_each(("program", "content"), FILES)
def test_a_file_of_another_program_is_recognised(program, content):
    assert program_of(bytes_of(content)) == program
    plain = bytes_of(content).removeprefix(UTF8_BOM)
    assert program_of(UTF8_BOM + plain) == program
    assert program_of(plain.decode().encode("utf-16")) == program


@check_each("program", ["Qualtrics", "Typeform", "Google Forms"])
def test_a_program_that_candor_does_not_read_is_named(program):
    content = next(content for name, content in FILES if name == program)
    with pytest.raises(DataFileError, match=f"survey of {program}, which Candor does not read."):
        read_survey(bytes_of(content))


@check_each(
    ("content", "words"),
    [
        (b'{"uid": "a", "content": {"survey": []}}', "In KoboToolbox, choose"),
        (spreadsheet(), "Save it as .xlsx"),
        (b"id\trelated_id\tclass\t", "In LimeSurvey, export the survey as .lss."),
        (b'<ODM xmlns:redcap="x">', "In REDCap, download the data dictionary"),
        (b'<h:html xmlns="http://www.w3.org/2002/xforms">', "Candor reads the XLSForm itself"),
    ],
)
def test_a_format_next_to_those_that_candor_reads_says_which_to_choose(content, words):
    with pytest.raises(DataFileError, match=words):
        read_survey(content)


def test_files_of_candor_are_those_of_no_other_program():
    survey = parse_survey(EVERY_TYPE)
    for content in (survey_json(survey).encode(), survey_xlsx(survey), b"{}", b"[1]", b"", b"{"):
        assert program_of(content) is None
    assert program_of(b'{"questions": [{"name": "a", "type": ["x"]}]}') is None
