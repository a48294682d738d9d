"""One level of protection for the whole survey, in the builder."""

import pytest
from playwright.sync_api import expect

from survey.definition.survey_level import SURVEY_LEVELS, SurveyProtection
from survey.store import OWNER, Account
from tests.browser.looks import looks, sound
from tests.support.admin_pages import OUTSIDE, sign_in
from tests.support.builder_page import TOO_WIDE, draft, until_ready
from tests.support.definitions import yes_no
from tests.support.researchers import password_hash

LEVEL = "How well is each respondent protected?"


@pytest.fixture
def builder(live, page):
    """The builder page after sign-in."""
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    sign_in(page, live.url)
    return page


def options(page, number=0):
    shown = "all => all.filter((each) => !each.hidden && !each.disabled).map((each) => each.value)"
    return page.locator(f"#questions-{number}-privacy option").evaluate_all(shown)


@pytest.mark.plain
def test_twelve_questions_with_all_defaults_are_protected(builder, live):
    """They could not open when each had a protection of its own: ε was 13.19 of 12."""
    builder.goto(f"{live.url}/admin/surveys/new")
    until_ready(builder)
    builder.get_by_label("Title", exact=True).fill("Twelve")
    for number in range(12):
        if number:
            builder.get_by_role("button", name="Add question").click()
        builder.locator(f"#questions-{number}-label").fill(f"Number {number + 1}?")
    expect(builder.locator("#total")).to_contain_text("private questions, chosen at random")
    expect(builder.locator("#total")).to_contain_text("you need")
    expect(builder.locator("#question-1 [data-gist]")).to_contain_text("Protected, ε = ")
    builder.get_by_role("button", name="Save and close").click()
    builder.get_by_role("heading", name="Twelve").first.wait_for()
    [stored] = live.store.surveys.list_surveys()
    survey = live.store.surveys.by_slug(stored.slug).survey
    assert survey.protection == SurveyProtection(level="protected")
    level = SURVEY_LEVELS["protected"]
    assert level.allows(survey.largest_ratio_bound, survey.ratio_bound)


def test_a_level_and_protection_by_hand_exclude_each_other(builder, live):
    """Without a level, no question can share in one, and the sample size is typed."""
    builder.goto(draft(live, yes_no("a", {"epsilon": 0.4}), yes_no("b", {"epsilon": 0.4})))
    until_ready(builder)
    expect(builder.get_by_label(LEVEL)).to_have_value("")
    assert "level" not in options(builder)
    builder.get_by_label(LEVEL).select_option("light")
    assert "level" in options(builder)
    builder.locator("#questions-0-privacy").select_option("level")
    builder.get_by_role("button", name="Save", exact=True).click()
    builder.get_by_text("Draft saved.").wait_for()
    survey = live.store.surveys.by_slug("health").survey
    assert survey.protection == SurveyProtection(level="light", kept=("b",))
    builder.get_by_label(LEVEL).select_option("")
    expect(builder.locator("#questions-0-privacy")).to_have_value("medium")
    builder.get_by_role("button", name="Add question").click()
    expect(builder.locator("#questions-2-privacy")).to_have_value("medium")


@pytest.mark.slow
@looks(375, 1280)
def test_the_level_is_accessible(builder, live, width, scheme):
    builder.set_viewport_size({"width": width, "height": 800})
    builder.emulate_media(color_scheme=scheme)
    builder.goto(f"{live.url}/admin/surveys/new")
    until_ready(builder)
    sound(builder, "new")
    assert not builder.evaluate(TOO_WIDE)
    assert builder.evaluate(OUTSIDE) == []
