"""The page with one level of protection, in a real browser."""

import pytest

from survey.definition.survey import parse_survey
from survey.store import OWNER, Account
from tests.browser.looks import looks, sound
from tests.support.admin_pages import OUTSIDE, sign_in
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE
from tests.support.researchers import password_hash

MANY = [yes_no(f"q{n}", {"epsilon": 0.2}, label=f"Question {n}: ever?") for n in range(20)]


@pytest.fixture
def site(live):
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    live.store.surveys.save_draft(parse_survey(definition(*MANY, slug="many")))
    live.store.surveys.save_draft(parse_survey(EVERY_TYPE | {"slug": "every"}))
    return live.url


@pytest.mark.slow
@looks(375, 1280)
def test_the_levels_are_accessible(page, site, width, scheme):
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    sign_in(page, site)
    for path in ("many/protection", "every/protection", "many/protection?n=0&main=q1"):
        page.goto(f"{site}/admin/surveys/{path}")
        page.evaluate(
            "document.querySelectorAll('main details').forEach((d) => { d.open = true; })"
        )
        sound(page, path)
        too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(too_wide), path
        assert page.evaluate(OUTSIDE) == [], path


@pytest.mark.plain
def test_a_level_is_chosen_by_keyboard_and_without_scripts(live, site, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/many")
    page.get_by_role("link", name="Choose one level of protection").focus()
    page.keyboard.press("Enter")
    page.get_by_label("How many will answer?").fill("3000")
    page.keyboard.press("Enter")
    page.get_by_text("Expected margin with 3,000 respondents").wait_for()
    page.get_by_role("button", name="Use this level").nth(1).focus()
    page.keyboard.press("Enter")
    page.get_by_text("The draft now has the level “Protected”.").wait_for()
    assert live.store.surveys.by_slug("many").survey.budget.sample == 2
    context.close()
