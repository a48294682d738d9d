"""Files of other programs are read by their content, on the page and by the command."""

import io
import json

import pytest

from survey.core.errors import DataFileError
from survey.formats.other_programs.read_other import read_other_survey
from tests.support.check_each import check_each
from tests.support.other_surveys import dictionary, structure

SURVEYJS = {
    "locale": "vi",
    "title": "Thuốc lá",
    "elements": [
        {
            "type": "boolean",
            "name": "smokes",
            "title": "Bạn có hút thuốc không?",
            "isRequired": True,
        },
        {"type": "comment", "name": "why", "title": "Vì sao?", "visibleIf": "{age} > 3"},
    ],
}
FORMBRICKS = {
    "name": "S",
    "welcomeCard": {},
    "questions": [{"type": "nps", "id": "q", "headline": {"default": "Q?"}}],
}
LIMESURVEY = structure(
    groups=[{"gid": 1}],
    questions=[
        {
            "qid": 1,
            "parent_qid": 0,
            "gid": 1,
            "type": "Y",
            "title": "Q",
            "question": "Q?",
            "language": "en",
            "mandatory": "Y",
        }
    ],
)
REDCAP = dictionary({"name": "q", "type": "yesno", "label": "Q?", "required": "y"})


@check_each("content", [json.dumps(FORMBRICKS).encode(), LIMESURVEY, REDCAP])
def test_a_survey_of_each_program_is_read(content):
    imported = read_other_survey(content)
    assert imported is not None
    assert [question.label for question in imported.survey.questions] == ["Q?"]
    assert imported.unprotected == ("q",)


def test_a_file_of_candor_or_of_no_program_is_not_read_here():
    assert read_other_survey(b'{"slug": "a", "questions": []}') is None
    assert read_other_survey(b"a,b\n1,2\n") is None


def test_a_program_that_candor_does_not_read_is_named():
    with pytest.raises(DataFileError, match="survey of Qualtrics, which Candor does not read"):
        read_other_survey(b'{"SurveyElements": []}')


def test_the_page_makes_a_draft_and_lists_what_is_left_out(researcher, store):
    file = io.BytesIO(json.dumps(SURVEYJS).encode()), "survey.json"
    reply = researcher.post("/admin/import", {"file": file})
    page = reply.get_data(as_text=True)
    assert "Draft imported" in page
    assert "question why, visibleIf: depends on" in page
    stored = store.surveys.by_slug("thuoc-la").survey
    assert [question.name for question in stored.questions] == ["smokes", "why"]


def test_the_command_makes_a_draft_and_names_the_row_of_a_note(run, store, tmp_path):
    fields = [{"name": "q", "type": "yesno", "label": "Q?", "required": "y"}]
    fields.append({"name": "r", "type": "file", "label": "R?"})
    file = tmp_path / "dictionary.csv"
    file.write_bytes(dictionary(*fields))
    assert "health: draft, 1 question" in run("survey", "import", str(file))
    assert [each.name for each in store.surveys.by_slug("health").survey.questions] == ["q"]
    refused = run("survey", "import", str(file), code=1)
    assert "The file states it here: Form Name." in refused
