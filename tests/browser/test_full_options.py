"""Lists of questions on analysis pages show the whole text of an option that they cut off."""

import pytest
from playwright.sync_api import expect

from tests.support.admin_pages import sign_in
from tests.support.definitions import definition, opened, yes_no

LONG = "Have you, in the past thirty days, taken anything that belonged to your employer? " * 2


@pytest.fixture
def groups_page(page, site, live):
    opened(live.store, definition(yes_no(), yes_no("long", label=LONG.strip()), slug="lists"))
    sign_in(page, site)
    page.set_viewport_size({"width": 375, "height": 667})
    page.goto(f"{site}/admin/surveys/lists/analysis")
    return page


def test_only_a_cut_option_is_repeated_below_its_list(groups_page):
    rows = groups_page.locator("#rows")
    copy = rows.locator("xpath=following-sibling::p")
    expect(copy).to_be_hidden()
    rows.select_option("long")
    expect(copy).to_be_visible()
    expect(copy).to_contain_text("belonged to your employer?")
    expect(copy).to_have_attribute("aria-hidden", "true")
    rows.select_option("smokes")
    expect(copy).to_be_hidden()


def test_it_appears_when_the_window_becomes_narrow(groups_page):
    columns = groups_page.locator("#columns")
    copy = columns.locator("xpath=following-sibling::p")
    columns.select_option("long")
    expect(copy).to_be_visible()
    assert groups_page.evaluate("document.documentElement.scrollWidth") <= 375
