"""A new question type needs only one module and one template.

The files are in tests/support/toy_type. Nothing else in the project knows the type.
"""

import csv
import io
import runpy
from datetime import date

import pytest
from jinja2 import ChoiceLoader, FileSystemLoader

from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.definition.types import QUESTION_TYPES
from survey.formats.xlsform.read_form import from_xlsform
from survey.formats.xlsform.write_form import to_xlsform
from survey.store import OWNER, Account
from survey.web import api_tokens
from tests.support.admin_pages import sign_in
from tests.support.definitions import definition, yes_no
from tests.support.project import ROOT
from tests.support.researchers import password_hash
from tests.support.respondent_page import answer, send, start

TOY = ROOT / "tests" / "support" / "toy_type"


@pytest.fixture
def agreement(app):
    """The type, installed with the others."""
    runpy.run_path(str(TOY / "agreement.py"))
    templates = ChoiceLoader([app.jinja_env.loader, FileSystemLoader(TOY)])
    app.jinja_env.loader = templates
    yield QUESTION_TYPES["agreement"]
    del QUESTION_TYPES["agreement"]


@pytest.fixture
def token(app, store):
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    with app.app_context():
        return api_tokens.make_token("ada", "script", 90)


def design(page, site):
    """A survey with one question of the type, made in the builder."""
    sign_in(page, site)
    page.get_by_role("link", name="New survey").click()
    page.get_by_label("Title").fill("Taxes")
    page.get_by_text("Introduction and address").click()
    page.get_by_label("Address").fill("taxes")
    block = page.locator("#question-1")
    block.get_by_label("Type", exact=True).select_option(label="Agreement")
    block.get_by_label("Question", exact=True).fill("Are taxes too high?")
    block.get_by_text("With 500 respondents, ").wait_for()
    assert block.get_by_label("Main goal").is_visible()
    assert not block.get_by_label("Choices, one per line").is_visible()
    assert "Agreement" in block.locator("[data-gist]").inner_text()
    page.get_by_role("button", name="Save and close").click()


@pytest.mark.plain
def test_it_works_from_the_builder_to_the_api(agreement, token, page, live, client):
    design(page, live.url)
    page.goto(f"{live.url}/admin/surveys/taxes/preview")
    page.get_by_role("button", name="I agree: start").click()
    page.get_by_text("From disagreement to agreement").wait_for()

    draft = live.store.surveys.by_slug("taxes").survey
    live.store.deleted_drafts.delete_draft("taxes", date.today())
    content = draft.as_definition() | {"batch": 1}
    live.store.surveys.save_draft(parse_survey(content))
    page.goto(f"{live.url}/admin/surveys/taxes")
    page.get_by_label("I have checked the").check()
    page.get_by_role("button", name="Open survey").click()
    page.get_by_text("The survey is open.").wait_for()

    start(page, f"{live.url}/s/taxes")
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_text("Choose an answer to continue.").wait_for()
    answer(page, "I agree")
    page.get_by_role("button", name="Check my answers").click()
    assert "I agree" in page.locator("#chosen").inner_text()
    page.get_by_role("button", name="Change").first.click()
    send(page)

    for number in range(9):
        live.store.responses.add_response("taxes", Response(bytes([number]) * 16, (1,)))
    page.goto(f"{live.url}/admin/surveys/taxes/results")
    page.get_by_text("10 responses").first.wait_for()
    page.get_by_text("I disagree").first.wait_for()

    program = {"Authorization": f"Bearer {token}"}
    results = client.get("/api/v1/surveys/taxes/estimates.json", headers=program).get_json()
    assert results["questions"][0]["type"] == "agreement"
    assert {each["measure"] for each in results["questions"][0]["estimates"]} >= {"share", "mean"}
    table = client.get("/api/v1/surveys/taxes/responses.csv", headers=program)
    rows = [*csv.DictReader(io.StringIO(table.get_data(as_text=True)))]
    assert len(rows) == 10
    assert {row["q1.randomised"] for row in rows} <= {"no", "neither", "yes", "prefer_not_to_say"}
    book = client.get("/api/v1/surveys/taxes/codebook.json", headers=program)
    assert '"agreement"' in book.get_data(as_text=True)


def test_it_is_written_as_xlsform_and_read_again(agreement):
    asked = {"name": "taxes", "type": "agreement", "label": "Too high?", "privacy": {"epsilon": 1}}
    survey = parse_survey(definition(yes_no(), asked))
    sheets = to_xlsform(survey)
    assert sheets["survey"][1]["appearance"] == "agreement"
    again = from_xlsform(sheets)
    assert again.survey == survey
    assert not again.left_out


def test_the_type_is_gone_after_its_test():
    assert "agreement" not in QUESTION_TYPES
