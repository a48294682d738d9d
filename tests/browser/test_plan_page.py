"""The planner in a real browser: by keyboard, at any width, light and dark, without JavaScript."""

from dataclasses import replace

import pytest

from survey.definition.survey import parse_survey
from survey.store import OWNER, Account
from tests.browser.looks import looks, sound
from tests.support.admin_pages import OUTSIDE, sign_in
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE
from tests.support.joint_survey import EVERYTHING
from tests.support.researchers import password_hash

MANY = [yes_no(f"q{n}", {"epsilon": 0.2}, label=f"Question {n}: ever?") for n in range(60)]
WRONG = "?n=0&margin=0&null=5&truth=5&power=80&alpha=5"


@pytest.fixture
def site(live):
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    live.store.surveys.save_draft(parse_survey(definition()))
    live.store.surveys.save_draft(parse_survey(definition(*MANY, slug="many")))
    live.store.surveys.save_draft(parse_survey(EVERY_TYPE | {"slug": "every"}))
    live.store.surveys.save_draft(replace(EVERYTHING, slug="joint"))
    return live.url


@pytest.mark.slow
@looks(375, 1280)
def test_the_planner_is_accessible(page, site, width, scheme):
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    sign_in(page, site)
    smokes = "?question=habits/smokes&n=90&margin=5&null=10&truth=20&power=80&alpha=5"
    mood = "?question=mood&n=90&margin=5&null=10&truth=20&power=80&alpha=5"
    for path in (
        "health/plan",
        f"every/plan{mood}",
        "many/plan",
        f"joint/plan{smokes}",
        f"health/plan{WRONG}",
    ):
        page.goto(f"{site}/admin/surveys/{path}")
        for summary in page.locator("summary").all():
            summary.click()
        sound(page, path)
        too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(too_wide), path
        assert page.evaluate(OUTSIDE) == [], path
        assert page.locator(".chart").count() == 3  # with defaults in place of invalid values


@pytest.mark.plain
def test_it_is_planned_by_keyboard_and_without_scripts(live, site, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/health")
    page.get_by_role("link", name="Plan", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_label("Margin of error").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("10")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # unfolds the rest
    page.keyboard.press("Tab")
    page.keyboard.type("50")
    page.keyboard.press("Enter")
    page.get_by_text("with a margin of ± 10 points, you need 385 respondents").wait_for()
    assert "margin=10" in page.url
    assert page.get_by_label("Assumed true share").is_visible()  # because it is not the default
    page.get_by_label("Number of respondents", exact=True).fill("0")
    page.keyboard.press("Enter")
    page.get_by_text("Type a whole number from 1", exact=False).first.wait_for()
    assert page.get_by_label("Margin of error").input_value() == "10"
    page.goto(f"{site}/admin/surveys/every/plan")
    assert not page.get_by_label("Assumed true share").is_visible()
    page.get_by_label("Number of respondents", exact=True).fill("90")
    page.get_by_label("Question", exact=True).select_option("weight")
    page.get_by_role("button", name="Show details").press("Enter")
    page.get_by_role("heading", name="Details: What of weight?").wait_for()
    assert "n=90" in page.url
    assert "question=weight" in page.url
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [375, 1280])
def test_fields_beside_each_other_are_on_a_line(page, site, width):
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/health/plan{WRONG}")
    tops = "(fields) => fields.map((field) => field.getBoundingClientRect().top)"
    found = page.locator(".plan-form details input").evaluate_all(tops)
    rows = 5 if width == 375 else 2
    assert len({round(top) for top in found}) == rows
