"""The table of the builder's fields: one row defines a field completely."""

import re
from html import unescape

import pytest

from survey.admin.builder.fields import (
    ANY_FAULTS,
    FIELDS,
    LIMITS,
    QUESTION_FIELDS,
    SURVEY_FIELDS,
    BuilderField,
    empty_question,
    question_form,
    survey_form,
)
from survey.admin.builder.form_to_definition import to_definition
from survey.admin.builder.texts import parts_of_form
from survey.definition.types import QUESTION_TYPES
from tests.support.builder_forms import filled, sent_again
from tests.support.project import ROOT
from tests.support.researchers import without_csrf_tokens
from tests.support.toy_field import MEASURE, NUMBER, TOO_LONG

NEW, EDIT = "/admin/surveys/new", "/admin/surveys/health/edit"
OF_THE_FORM = {"seen", "csrf_token"}


@pytest.fixture
def measure(monkeypatch):
    """Replaces the row of the unit by another one."""
    monkeypatch.delitem(QUESTION_FIELDS, "unit")
    monkeypatch.setitem(QUESTION_FIELDS, "unit", MEASURE)


def page_of(reply):
    return unescape(reply.get_data(as_text=True))


def test_a_row_is_a_field_of_the_page_with_label_hint_placeholder_and_default(researcher, measure):
    page = page_of(researcher.client.get(NEW))
    field = re.search(r'<div data-for="number">\s*<div class="field">.*?Measured in.*?</div>', page,
                      re.DOTALL)[0]  # fmt: skip
    template = page.partition('<template id="blank">')[2].partition("</template>")[0]
    assert "Measured in (optional)" in field
    assert "What one counts." in field
    assert 'placeholder="such as cups"' in field
    assert 'value="glasses"' in field
    assert field in template
    assert "Unit" not in without_csrf_tokens(page)
    assert sent_again(researcher, NEW)["questions-0-unit"] == "glasses"


def test_a_row_has_its_fault_and_its_value_is_stored(store, researcher, measure):
    reply = researcher.post(NEW, filled(NUMBER | {"unit": TOO_LONG}))
    assert reply.status_code == 422
    assert "Question 1, Measured in: take a shorter word." in page_of(reply)
    assert researcher.post(NEW, filled(NUMBER | {"unit": "cups"})).status_code == 302
    assert store.surveys.by_slug("health").survey.questions[0].grid.unit == "cups"
    assert sent_again(researcher, EDIT)["questions-0-unit"] == "cups"


def test_without_its_row_nothing_of_a_field_is_left(store, researcher, monkeypatch):
    monkeypatch.delitem(QUESTION_FIELDS, "unit")
    assert "questions-1000-unit" not in page_of(researcher.client.get(NEW))
    assert researcher.post(NEW, filled(NUMBER | {"unit": "cups"})).status_code == 302
    assert store.surveys.by_slug("health").survey.questions[0].grid.unit == ""


def test_a_row_of_the_survey_reaches_the_definition_too(app, researcher, monkeypatch):
    monkeypatch.setitem(SURVEY_FIELDS, "sponsor", BuilderField(label="Who pays", place="who"))
    assert "Who pays" in page_of(researcher.client.get(NEW))
    with app.test_request_context(method="POST", data=filled() | {"sponsor": " A fund "}):
        assert to_definition(survey_form().data)["sponsor"] == "A fund"


def test_every_field_is_printed_once_on_the_page(researcher):
    page = researcher.client.get(NEW).get_data(as_text=True)
    for name in {*SURVEY_FIELDS} - {"questions", "languages"}:
        assert len(re.findall(rf' name="{name}"', page)) == 1, name
    for name in {*QUESTION_FIELDS, "was"}:
        assert page.count(f'name="questions-1000-{name}"') == 1, name


@pytest.mark.fast
def test_each_label_stands_in_one_place():
    """Labels of one word may also occur in other sentences."""
    folders = ("survey/admin/builder", "templates/admin/builder", "static/admin/builder")
    files = [path for each in folders for path in (ROOT / each).iterdir() if path.is_file()]
    whole = "\n".join(path.read_text(encoding="utf-8") for path in files)
    labels = [row.label for row in FIELDS.values() if " " in row.label]
    assert len(labels) >= 20
    for label in labels:
        assert len(re.findall(rf'[">]{re.escape(label)}[<"]', whole)) == 1, label


@pytest.mark.fast
def test_the_rows_name_fields_types_and_reasons_that_there_are():
    parts = {part for kind in QUESTION_TYPES.values() for part in parts_of_form(kind)}
    assert not {*SURVEY_FIELDS} & {*QUESTION_FIELDS}
    assert [*FIELDS][:2] == ["title", "slug"]
    protections = {choice.value for choice in QUESTION_FIELDS["privacy"].choices}
    for row in FIELDS.values():
        assert not row.part or row.part in parts
        assert {*row.protections} <= protections
        assert not row.only_with or row.only_with in QUESTION_FIELDS
        for fields in row.hangs_on.values():
            assert fields <= {*FIELDS}
        for sentence in (*row.faults.values(), *ANY_FAULTS.values()):
            own = {"fault": "F", "line": "1", "name": "q", "least": 2, "most": 4}
            assert sentence % (own | LIMITS)


def test_the_forms_have_the_fields_of_the_table(app):
    with app.test_request_context():
        whole, question = survey_form(), question_form()()
    assert {each.short_name for each in whole} == {*SURVEY_FIELDS} | OF_THE_FORM
    assert question.data == empty_question()
