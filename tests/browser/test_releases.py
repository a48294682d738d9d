"""Releasing a figure in a real browser, with and without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from survey.intake import Response
from survey.store import OWNER, Account
from tests.conftest import PASSWORD, definition, opened, password_hash, yes_no
from tests.every_type import asked, letters


@pytest.fixture
def site(live):
    """A closed survey with two plain questions and 60 responses."""
    questions = (
        yes_no(),
        asked("age", "number", "none", min=0, max=100, unit="years"),
        asked("region", "select_one", "none", choices=letters("ne")),
    )
    opened(live.store, definition(*questions), "closed")
    rows = [Response(bytes([k]) * 16, (k % 2, k, k % 2)) for k in range(60)]
    live.store.add_batches("health", [rows], "loaded")
    live.store.add_account(Account("ada", OWNER, password_hash()))
    return live


@pytest.mark.parametrize("scripts", [True, False])
def test_from_a_budget_to_a_figure_that_everyone_sees(browser, site, scripts):
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"{site.url}/admin/sign-in")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{site.url}/admin/surveys/health/results")
    page.get_by_role("link", name="Release", exact=True).click()
    page.get_by_label("Epsilon, of all releases together").fill("1")
    page.get_by_label("Delta, of all releases together").fill("0")
    page.get_by_role("button", name="Set the budget").click()
    expect(page.get_by_text("Of epsilon 1, 1 is left.")).to_be_visible()
    page.get_by_role("link", name="Mean of What of age?").click()
    page.get_by_label("Epsilon").fill("1.5")
    page.get_by_role("button", name="Show what it costs").click()
    expect(page.get_by_text("That costs epsilon 1.5, and 1 of the budget is left")).to_be_visible()
    page.get_by_label("Epsilon").fill("0.5")
    page.get_by_label("Among").select_option(label="N")
    page.get_by_role("button", name="Show what it costs").click()
    expect(page.get_by_text("It costs epsilon 0.5 of what is left")).to_be_visible()
    assert site.store.releases("health") == []
    page.get_by_role("button", name="Release it").click()
    expect(page.get_by_text("Of epsilon 1, 0.5 is left.")).to_be_visible()
    released = page.get_by_role("region", name="Mean: What of age?")
    expect(released.get_by_text("Laplace, ε = 0.5")).to_be_visible()
    cell = released.get_by_role("row", name=re.compile("^Mean")).get_by_role("cell").first
    value = cell.inner_text()
    page.reload()
    expect(cell).to_have_text(value)
    page.get_by_role("button", name="Show the releases to everyone").click()
    page.get_by_role("link", name="public page").click()
    expect(page.get_by_text("Only those who answered “N” to “What of region?”")).to_be_visible()
    context.close()
