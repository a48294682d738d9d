"""A builder field is one row: the page, its scripts, the faults and the draft support it."""

from playwright.sync_api import expect

from survey.admin.builder.fields import QUESTION_FIELDS
from survey.store import OWNER, Account
from tests.support.admin_pages import sign_in
from tests.support.researchers import password_hash
from tests.support.toy_field import MEASURE, TOO_LONG


def test_a_row_is_all_that_a_field_needs(page, live, monkeypatch):
    monkeypatch.delitem(QUESTION_FIELDS, "unit")
    monkeypatch.setitem(QUESTION_FIELDS, "unit", MEASURE)
    page.expected_problems += ["422"]
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    sign_in(page, live.url)
    page.goto(f"{live.url}/admin/surveys/new")
    page.get_by_label("Title").fill("Health")
    block = page.locator("#question-1")
    block.get_by_label("Question", exact=True).fill("How much do you drink?")
    field = block.get_by_label("Measured in (optional)")
    expect(field).to_be_hidden()  # the question is yes or no
    block.get_by_label("Type", exact=True).select_option(label="Number")
    expect(field).to_have_value("glasses")
    expect(field).to_have_attribute("placeholder", "such as cups")
    expect(block.get_by_text("What one counts.")).to_be_visible()

    block.get_by_label("Smallest value").fill("0")
    block.get_by_label("Largest value").fill("9")
    field.fill(TOO_LONG)
    block.get_by_text("Measured in: take a shorter word.").wait_for()  # the preview says so
    page.get_by_role("button", name="Save", exact=True).click()
    link = page.get_by_role("link", name="Question 1, Measured in: take a shorter word.")
    expect(link).to_be_visible()
    expect(block.locator(".error:visible")).to_have_text("Take a shorter word.")
    expect(field).to_be_focused()
    expect(field).to_have_value(TOO_LONG)

    field.fill("cups")
    page.get_by_role("button", name="Duplicate").click()
    expect(page.locator("#question-2").get_by_label("Measured in")).to_have_value("cups")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    (saved,) = live.store.surveys.all()
    assert [question.grid.unit for question in saved.survey.questions] == ["cups", "cups"]
