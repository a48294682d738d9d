"""Survey files of other programs are refused by name, with what Candor reads."""

import io
import json
import zipfile

import pytest

from survey.core.errors import DataFileError
from survey.definition.survey import parse_survey
from survey.formats.definition_files import read_survey, survey_json, survey_xlsx
from survey.formats.other_programs import program_of
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
    ("Qualtrics", {"SurveyEntry": {}, "SurveyElements": []}),
    ("Typeform", {"title": "Encuesta", "fields": [], "thankyou_screens": []}),
    ("Google Forms", {"formId": "x", "items": []}),
    ("LimeSurvey", '<?xml version="1.0"?>\n<document>\n <LimeSurveyDocType>Survey'),
    ("LimeSurvey", "id\trelated_id\tclass\ttype/scale\tname\trelevance\ttext\n"),
    ("REDCap", '"Variable / Field Name","Form Name","Section Header"\nage,demo,"Tuổi"'),
    ("REDCap", "\ufeffVariable / Field Name;Form Name;Section Header;Field Type\n"),
    ("REDCap", '<?xml version="1.0"?><ODM xmlns:redcap="https://projectredcap.org">'),
]  # fmt: skip


def bytes_of(content):
    return (content if isinstance(content, str) else json.dumps(content)).encode()


@check_each(("program", "content"), FILES)
def test_a_file_of_another_program_is_named(program, content):
    assert program_of(bytes_of(content)) == program
    with pytest.raises(DataFileError, match=f"looks like a survey of {program}. Candor reads"):
        read_survey(bytes_of(content))


@check_each(
    ("content", "words"),
    [
        (b'{"uid": "a", "content": {"survey": []}}', "In KoboToolbox, choose"),
        (spreadsheet(), "Save it as .xlsx"),
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
