"""Where people who had never seen the builder got stuck: each is a test of its own."""

import pytest
from playwright.sync_api import expect

from survey.definition import parse_survey
from survey.store import OWNER, Account
from tests.browser.test_admin_pages import sign_in
from tests.conftest import definition, password_hash, yes_no


@pytest.fixture
def builder(live, page):
    """The page, signed in."""
    live.store.add_account(Account("ada", OWNER, password_hash()))
    sign_in(page, live.url)
    return page


def draft(live, *questions, **rest):
    live.store.save_draft(parse_survey(definition(*questions, **rest)))
    return f"{live.url}/admin/surveys/health/edit"


def test_a_fault_is_gone_to_also_where_the_checklist_led_elsewhere(builder, live):
    builder.expected_problems += ["422"]
    builder.goto(draft(live, yes_no()) + "#support")
    expect(builder.get_by_label("Help and support")).to_be_focused()
    builder.get_by_label("Minutes it takes").fill("three")
    builder.get_by_role("button", name="Save and close").click()
    expect(builder).to_have_url(f"{live.url}/admin/surveys/health/edit")  # no “#support”
    expect(builder.get_by_text("Not saved yet.")).to_be_attached()
    expect(builder.get_by_label("Minutes it takes")).to_be_focused()
    expect(builder.locator("#minutes-error")).to_be_in_viewport()


def test_draft_saved_goes_with_the_first_change(builder, live):
    builder.goto(draft(live, yes_no()))
    builder.get_by_label("Title").fill("Health, again")
    builder.get_by_role("button", name="Save", exact=True).click()
    expect(builder.get_by_text("Draft saved.")).to_be_visible()
    builder.get_by_label("Title").press("End")
    builder.keyboard.type("!")
    expect(builder.get_by_text("Draft saved.")).not_to_be_visible()
    builder.get_by_role("button", name="Add a question").click()
    expect(builder.get_by_text("Question 2 added.")).to_be_visible()
