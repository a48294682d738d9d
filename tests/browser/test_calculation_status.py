"""The status while Candor calculates an analysis."""

import pytest
from playwright.sync_api import Page, expect

from survey.store import OWNER, Account
from tests.support.admin_pages import sign_in
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import password_hash
from tests.support.servers import Live

pytestmark = pytest.mark.slow

STATUS = "Candor calculates the analysis. This can take some seconds."


@pytest.fixture
def analyses(page: Page, live: Live) -> str:
    """The address of the analyses of a survey, for a researcher who is signed in."""
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    opened(live.store, definition(yes_no(), yes_no("drinks")))
    sign_in(page, live.url)
    return f"{live.url}/admin/surveys/health/analysis"


@pytest.mark.parametrize("analysis", ["", "/regression", "/tree"])
def test_a_form_that_was_sent_says_that_candor_calculates(page: Page, analyses: str, analysis: str):
    page.goto(f"{analyses}{analysis}")
    button = page.locator(".analysis-form button.primary")
    status = page.locator("[data-calculating]")
    expect(status).to_have_text("")
    # Nothing is sent, so the page stays as it is while the server calculates.
    page.evaluate("window.addEventListener('submit', (event) => event.preventDefault())")
    button.click()
    expect(button).to_be_disabled()
    expect(button).to_have_attribute("aria-busy", "true")
    expect(status).to_have_text(STATUS)
    expect(status).to_have_role("status")
    # A researcher who stopped the request changes something.
    page.locator(".analysis-form select").first.dispatch_event("input")
    expect(button).to_be_enabled()
    expect(button).not_to_have_attribute("aria-busy", "true")
    expect(status).to_have_text("")


def test_the_form_works_again_after_going_back(page: Page, analyses: str):
    page.goto(analyses)
    button = page.locator(".analysis-form button.primary")
    button.click()
    page.wait_for_url("**/analysis?*")
    expect(button).to_be_enabled()
    page.go_back()
    expect(button).to_be_enabled()
    expect(page.locator("[data-calculating]")).to_have_text("")
    button.click()
    page.wait_for_url("**/analysis?*")
