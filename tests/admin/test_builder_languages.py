"""The builder's messages and the page after an import can be translated completely."""

import io
import json
import re

import pytest

from survey.core import languages, translate
from survey.core.mechanisms.registry import MECHANISMS
from survey.definition.choices import answer_words, other_words
from survey.web import i18n
from tests.support.builder_forms import filled, sent_again
from tests.support.pseudo_language import Pseudo, untranslated
from tests.support.xlsforms import HEALTH, workbook

NEW, EDIT, IMPORT = "/admin/surveys/new", "/admin/surveys/health/edit", "/admin/import"
THAI = {"Accept-Language": "th"}
# Names and values that the forms below contain, names of a definition and of a workbook's parts.
DATA = re.compile(
    r"(?<!\w)(ada|Health|health|foo|bar|nope|yes|no|choices|numbers|ordered|p_\w+|table|Ctrl|smokes|"
    r"slug|title|questions|survey|settings|relevant|appearance|label|type|media|image|region|"
    r"choice_filter|allow_choice_duplicates|injects|translations|Français|fr|"
    r"Prefer not to say|row_\d|"
    r"Expecting property name enclosed in double quotes: line \d column|char|"
    + "|".join(MECHANISMS)
    + r")(?!\w)"
)
FAULTY = [
    {"label": "", "name": "A B", "choices": "x | y\nz"},
    {"name": "q2", "type": "select_one", "choices": "a"},
    {"name": "q2", "type": "select_one", "choices": "a\na\n| b\nb|"},
    {"name": "q4", "type": "number", "min": "x", "max": "1", "step": "0"},
    {"name": "q5", "type": "number", "min": "5", "max": "1"},
    {"name": "q6", "type": "number", "min": "0", "max": "10", "step": "3"},
    {"name": "q7", "type": "number", "min": "0", "max": "1e9", "privacy": "other", "other": "{"},
    {"name": "q8", "privacy": "gamma", "gamma": "2"},
    {"name": "q9", "privacy": "epsilon", "epsilon": "200"},
    {"name": "q10", "privacy": "other", "other": '{"mechanism": "nope"}'},
    {"name": "q11", "privacy": "other", "other": '{"mechanism": "warner", "p": "1/2"}'},
    {"name": "q12", "privacy": "other", "other": '{"mechanism": "window"}'},
    {"name": "q13", "privacy": "other", "other": '{"mechanism": "table", "rows": [[1,2],[3,4]]}'},
    {"name": "q14", "relevant": "foo"},
    {"name": "q15", "relevant": "foo: yes"},
    {"name": "q16", "relevant": "q8: bar", "otherwise": "q"},
    {"name": "q17", "type": "select_one", "choices": "a\nb", "random_order": "y", "anchors": "c"},
    {"name": "q18", "type": "nope"},
]
SOUND = [
    {"name": "q1", "type": "scale", "choices": "a\nb\nc", "privacy": "medium"},
    {"name": "q2", "type": "select_multiple", "choices": "a\nb\nc", "privacy": "strong"},
    {"name": "q3", "type": "number", "min": "0", "max": "100", "privacy": "medium"},
    {"name": "q4", "type": "text"},
    {"name": "q5", "type": "select_one", "choices": "a\nb\nc", "privacy": "none"},
    {"name": "q6", "type": "select_one", "choices": "a\nb\nc", "privacy": "light"},
]


@pytest.fixture
def pseudo(monkeypatch):
    for language in languages.LANGUAGES:
        # These remember their words, which later tests need.
        answer_words(language)
        other_words(language)
    for module in (languages, translate, i18n):
        monkeypatch.setattr(module, "catalog", lambda *_: Pseudo())


@pytest.fixture
def post(researcher, pseudo):
    token = researcher.token(NEW)

    def send(path, data, **options):
        form = data | {"csrf_token": token}
        return researcher.client.post(path, data=form, headers=THAI, **options)

    return send


def test_a_new_survey_has_the_language_of_the_page(researcher):
    page = researcher.client.get(NEW, headers=THAI).get_data(as_text=True)
    assert re.search(r'<option selected value="th"', page)
    english = researcher.client.get(NEW, headers={"Accept-Language": "en"}).get_data(as_text=True)
    assert re.search(r'<option selected value="en"', english)


def test_an_unknown_address_below_admin_has_one_language(researcher):
    page = researcher.client.get("/admin/nothing", headers=THAI)
    assert page.status_code == 404
    assert "This page does not exist" not in page.get_data(as_text=True)


def test_the_messages_about_faults_can_be_translated(post):
    survey = {"slug": "x y", "title": "", "budget": "z", "sample": "zz", "minutes": "9999"}
    survey |= {"exit": "u", "completion_link": "u", "completion_code": "??", "series": "A b"}
    survey |= {"batch": "0", "respondents": "zz", "by_hand": "y", "introduction": "x" * 30_000}
    page = post(NEW, filled(*FAULTY, do="save", **survey))
    assert page.status_code == 422
    assert untranslated(page.get_data(as_text=True), DATA) == []
    assert (
        untranslated(post("/admin/preview", filled(FAULTY[0])).get_data(as_text=True), DATA) == []
    )


@pytest.mark.parametrize("respondents", ["20", "5000"])
@pytest.mark.parametrize("change", [{}, {"sample": "2"}])
@pytest.mark.parametrize("questions", [SOUND, FAULTY, SOUND[3:5], SOUND * 3])
def test_the_preview_of_privacy_and_precision_can_be_translated(
    post, questions, respondents, change
):
    numbered = [question | {"name": f"q{n}"} for n, question in enumerate(questions)]
    found = post("/admin/odds", filled(*numbered, respondents=respondents, **change)).json
    for question in found["questions"]:
        lines = [question["fault"], *question["sentences"], question["precision"]]
        assert untranslated("<br>".join([*lines, question["short"]]), DATA) == []
    assert untranslated("<br>".join(found["sentences"]), DATA) == []


def test_the_messages_about_a_stale_draft_can_be_translated(post, researcher):
    saved = post(NEW, filled(slug="health", do="save"), follow_redirects=True)
    assert untranslated(saved.get_data(as_text=True), DATA) == []
    form = sent_again(researcher, EDIT)
    post(EDIT, form | {"title": "Health"})
    post(EDIT, form | {"hint": "foo", "questions-0-hint": "foo"})
    stale = post(EDIT, form | {"questions-0-hint": "bar"})
    assert stale.status_code == 409
    assert untranslated(stale.get_data(as_text=True), DATA) == []


@pytest.mark.parametrize(
    "content",
    [
        b"hello",
        b"{",
        b'{"slug": 1}',
        json.dumps({"slug": "a", "title": "t"}).encode(),
        b"PK\x03\x04",
    ],
)
def test_the_refusal_of_a_file_can_be_translated(post, content):
    reply = post(IMPORT, {"file": (io.BytesIO(content), "a")}, content_type="multipart/form-data")
    assert reply.status_code == 422
    assert untranslated(reply.get_data(as_text=True), DATA) == []


def test_the_notes_of_an_import_can_be_translated(post):
    file = {"file": (io.BytesIO(workbook(HEALTH)), "a.xlsx")}
    reply = post(IMPORT, file, content_type="multipart/form-data")
    assert reply.status_code == 200
    assert untranslated(reply.get_data(as_text=True), DATA) == []
