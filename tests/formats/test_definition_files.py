"""Definitions as files, on the command line and on the researchers' pages."""

import io
import json
from datetime import date
from html import unescape

import pytest

from survey.core.errors import DataFileError
from survey.definition.survey import parse_survey
from survey.formats.definition_files import (
    MAX_DEFINITION_BYTES,
    read_other_survey,
    read_survey,
    survey_xlsx,
)
from tests.support.check_each import check_each
from tests.support.decomposed import decomposed
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE
from tests.support.other_surveys import dictionary, structure
from tests.support.researchers import signed_in
from tests.support.xlsforms import EXIT, HEALTH, table, workbook

pytestmark = pytest.mark.fast


def upload(researcher, content, name="form.xlsx"):
    reply = researcher.post("/admin/import", {"file": (io.BytesIO(content), name)})
    reply.request.environ["wsgi.input"].close()  # the test client's copy of a large file
    return reply


# --- commands


@pytest.mark.parametrize("name", ["copy.json", "copy.xlsx", "COPY.XLSX"])
def test_a_survey_is_exported_and_imported_again(run, store, tmp_path, name):
    survey = parse_survey(EVERY_TYPE)
    store.surveys.save_draft(survey)
    assert (
        run("survey", "export", "health", "--output", name) == f"health: 13 questions, in {name}\n"
    )
    assert (tmp_path / name).read_bytes().startswith(b"{" if name == "copy.json" else b"PK")
    store.deleted_drafts.delete_draft("health", date.today())
    assert run("survey", "import", name) == "health: draft, 13 questions\n"
    assert store.surveys.by_slug("health").survey == survey


def test_without_a_file_the_definition_is_printed(run, store):
    opened(store, definition())
    assert (
        json.loads(run("survey", "export", "health")) == parse_survey(definition()).as_definition()
    )


def test_import_says_on_standard_error_what_is_left_out(app, store, tmp_path):
    file = tmp_path / "form.xlsx"
    file.write_bytes(workbook(EXIT))
    result = app.test_cli_runner().invoke(args=["survey", "import", str(file)])
    assert result.exit_code == 0
    assert result.stdout == "exit-interview: draft, 9 questions\n"
    assert result.stderr.splitlines()[0] == "Omitted or changed:"
    assert "  survey, row 14, column type: 'acknowledge' is not a question type" in result.stderr
    assert "  survey, row 5, column relevant: the text or date 'reason_other'" in result.stderr
    assert len(result.stderr.splitlines()) == 17
    assert store.surveys.by_slug("exit-interview").state == "draft"


def test_what_cannot_be_imported_or_exported_is_a_sentence(run, store, tmp_path):
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    assert "Save it as .xlsx" in run("survey", "import", "old.xls", code=1)
    assert "There is no survey" in run("survey", "export", "gone", code=1)
    store.surveys.save_draft(parse_survey(definition()))
    far = "nowhere/health.json"
    assert "Cannot write" in run("survey", "export", "health", "--output", far, code=1)


# --- pages


def test_a_form_becomes_a_draft_and_the_page_lists_what_is_left_out(researcher, store):
    reply = upload(researcher, workbook(HEALTH))
    page = reply.get_data(as_text=True)
    assert reply.status_code == 200
    found = store.surveys.by_slug("kap")
    assert found.state == "draft"
    assert found.survey == read_survey(workbook(HEALTH)).survey
    assert page.count("<li>") == len(read_survey(workbook(HEALTH)).left_out) == 8
    assert "8 parts of the file" in page
    assert "<li>survey, row 9, column choice_filter: Candor offers all choices, because" in page
    assert 'href="/admin/surveys/kap/edit"' in page


def test_the_page_says_what_protection_does_to_lists_with_a_filter(researcher, store):
    survey = table(
        ("type", "name", "label", "required", "choice_filter"),
        ("select_one p", "province", "Province", "yes"),
        ("select_one d", "district", "District", "yes", "area = ${province}"),
    )
    choices = table(
        ("list_name", "name", "label", "area"), ("p", "a", "A"), ("p", "b", "B"),
        ("d", "x", "X", "a"), ("d", "y", "Y", "b"),
    )  # fmt: skip
    settings = table(("form_title", "form_id", "default_language"), ("Places", "places", "en"))
    sheets = {"survey": survey, "choices": choices, "settings": settings}
    page = unescape(upload(researcher, workbook(sheets)).get_data(as_text=True))
    named = '<span lang="en">District</span>'
    assert f"If you protect this question, Candor deletes the question “{named}”" in page
    assert f"Candor cannot protect the question “{named}”, because earlier answers decide" in page
    assert page.count('name="question"') == 1
    path = "/admin/surveys/places"
    reply = researcher.post(f"{path}/protect", {"question": "province"}, form=f"{path}/edit")
    assert reply.status_code == 302
    assert [each.name for each in store.surveys.by_slug("places").survey.private] == ["province"]


def test_a_file_of_which_nothing_is_left_out_leads_to_its_draft(researcher, store):
    survey = parse_survey(EVERY_TYPE)
    for content, name in ((survey_xlsx(survey), "x.xlsx"), (json.dumps(EVERY_TYPE).encode(), "x")):
        reply = upload(researcher, content, name)
        assert (reply.status_code, reply.location) == (302, "/admin/surveys/health")
        assert store.surveys.by_slug("health").survey == survey
        store.deleted_drafts.delete_draft("health", date.today())


def test_a_taken_address_is_replaced_and_said(researcher, store):
    opened(store, definition())
    page = upload(researcher, json.dumps(definition()).encode()).get_data(as_text=True)
    assert "The address “health” is taken, so this draft has the address “health-2”." in page
    assert "One part of the file" in page
    assert store.surveys.by_slug("health").state == "open"
    assert store.surveys.by_slug("health-2").state == "draft"
    assert "“health-3”" in upload(researcher, json.dumps(definition()).encode()).get_data(
        as_text=True
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "This is not JSON"),
        (b"{\xff}", "This is not JSON"),
        (b"", "Candor does not know this kind of file."),
        (b"\xff\xfe", "Candor does not know this kind of file."),
        (b"PK\x03\x04", "Candor cannot read this file."),
        (json.dumps(definition(slug="A")).encode(), "slug: is &#39;A&#39;"),
        (b" " * (MAX_DEFINITION_BYTES + 1), "The file is larger than 2 MB."),
    ],
)
def test_a_faulty_file_is_said_beside_the_field_and_makes_nothing(
    researcher, store, content, words
):
    reply = upload(researcher, content)
    page = reply.get_data(as_text=True)
    assert reply.status_code == 422
    assert words in page
    assert 'aria-invalid="true"' in page
    assert store.surveys.all() == []


def test_no_file_is_said_and_a_far_too_large_one_refused(researcher):
    reply = researcher.post("/admin/import")
    assert reply.status_code == 422
    assert "Choose a file." in reply.get_data(as_text=True)
    assert upload(researcher, b" " * (5 * 1024 * 1024)).status_code == 413


def test_texts_of_a_file_cannot_run_on_the_page(researcher):
    form = EXIT | {"settings": [{"form_title": "<script>alert(1)</script>", "form_id": "<b>"}]}
    page = upload(researcher, workbook(form)).get_data(as_text=True)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_an_analyst_takes_definitions_home_and_imports_none(app, store):
    survey = opened(store, EVERY_TYPE).survey
    analyst = signed_in(app, "bob", "analyst").client
    reply = analyst.get("/admin/surveys/health/definition.json")
    assert reply.headers["Content-Disposition"] == 'attachment; filename="health.json"'
    assert parse_survey(reply.get_json()) == survey
    reply = analyst.get("/admin/surveys/health/definition.xlsx")
    assert reply.headers["Content-Disposition"] == 'attachment; filename="health.xlsx"'
    assert reply.mimetype == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    assert read_survey(reply.data).survey == survey
    assert analyst.get("/admin/import").status_code == 403
    page = analyst.get("/admin/surveys/health").get_data(as_text=True)
    assert 'href="/admin/surveys/health/definition.xlsx"' in page


def test_a_definition_that_no_cell_holds_is_refused_in_a_sentence(researcher, store):
    rows = [[1000 + (a == b) for b in range(90)] for a in range(90)]
    question = {
        "name": "q", "type": "select_one", "label": "?",
        "choices": [{"name": f"c{n}", "label": f"C{n}"} for n in range(90)],
        "privacy": {"mechanism": "table", "rows": rows},
    }  # fmt: skip
    store.surveys.save_draft(parse_survey(definition(question)))
    reply = researcher.client.get("/admin/surveys/health/definition.xlsx")
    assert reply.status_code == 422
    assert "Export the definition as JSON." in reply.get_data(as_text=True)


def test_a_question_with_other_specify_gets_a_proposal_that_names_the_text(store, researcher):
    rows = [
        {"type": "select_one drug or_other", "name": "drug", "label": "Which drugs do you use?"},
        {"type": "text", "name": "more", "label": "Anything else?"},
    ]
    choices = [
        {"list_name": "drug", "name": each, "label": each.title()} for each in ("tea", "cannabis")
    ]
    form = {"survey": rows, "choices": choices, "settings": [{"form_title": "Habits"}]}
    page = upload(researcher, workbook(form)).text
    assert "If you protect this question, Candor deletes the question" in page
    assert "Please specify." in page
    [stored] = store.surveys.all()
    slug = stored.survey.slug
    path = f"/admin/surveys/{slug}"
    reply = researcher.post(f"{path}/protect", {"question": "drug"}, form=f"{path}/edit")
    page = researcher.client.get(reply.location).text
    assert "Deleted, because they would reveal private answers: “Please specify.”." in page
    questions = store.surveys.by_slug(slug).survey.questions
    assert {each.name: each.non_private for each in questions} == {"drug": False, "more": True}
    assert [choice.name for choice in questions[0].choices] == ["tea", "cannabis", "other"]


def test_a_decomposed_definition_is_the_composed_one():
    """Also if the JSON has the marks as escapes, as Python writes them."""
    entry = yes_no() | {"label": "Bạn có hút thuốc không?"}
    content = definition(entry) | {"title": "Sức khoẻ"}
    for ascii_only in (True, False):
        written = decomposed(json.dumps(decomposed(content), ensure_ascii=ascii_only)).encode()
        survey = read_survey(written).survey
        assert (survey.title, survey.questions[0].label) == ("Sức khoẻ", entry["label"])


# --- surveys of other programs

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
