"""Obstacles of people who had never seen the builder; each has a test."""

import pytest
from playwright.sync_api import expect

from survey.store import OWNER, Account
from tests.support.admin_pages import sign_in
from tests.support.builder_page import draft
from tests.support.definitions import yes_no
from tests.support.researchers import password_hash


@pytest.fixture
def builder(live, page):
    """The builder page after sign-in."""
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    sign_in(page, live.url)
    return page


def test_a_fault_is_gone_to_also_where_the_checklist_led_elsewhere(builder, live):
    builder.expected_problems += ["422"]
    builder.goto(draft(live, yes_no()) + "#support")
    expect(builder.get_by_label("Help and support")).to_be_focused()
    builder.get_by_label("Duration in minutes").fill("three")
    builder.get_by_role("button", name="Save and close").click()
    expect(builder).to_have_url(f"{live.url}/admin/surveys/health/edit")  # no “#support”
    expect(builder.get_by_text("Not saved yet.")).to_be_attached()
    expect(builder.get_by_label("Duration in minutes")).to_be_focused()
    expect(builder.locator("#minutes-error")).to_be_in_viewport()


@pytest.mark.slow
def test_draft_saved_goes_with_the_first_change(builder, live):
    builder.goto(draft(live, yes_no()))
    builder.get_by_label("Title").fill("Health, again")
    builder.get_by_role("button", name="Save", exact=True).click()
    expect(builder.get_by_text("Draft saved.")).to_be_visible()
    builder.wait_for_load_state("networkidle")  # its scripts handle events by now
    builder.get_by_label("Title").press("End")
    builder.keyboard.type("!")
    expect(builder.get_by_text("Draft saved.")).not_to_be_visible()
    builder.get_by_role("button", name="Add question").click()
    expect(builder.get_by_text("Question 2 added.")).to_be_visible()


def options(page):
    """The protections that the first question offers."""
    shown = "all => all.filter((each) => !each.hidden && !each.disabled).map((each) => each.value)"
    return page.locator("#questions-0-privacy option").evaluate_all(shown)


def test_what_cannot_protect_a_kind_of_question_is_not_offered(builder, live):
    builder.goto(draft(live, yes_no()))
    levels = ["none", "not_sent", "strong", "medium", "light"]
    kind = builder.get_by_label("Type", exact=True)
    assert options(builder) == [*levels, "coin_flip", "epsilon", "gamma", "other"]
    kind.select_option("number")
    assert options(builder) == [*levels, "epsilon", "mean", "quantiles", "other"]
    kind.select_option("select_multiple")
    assert options(builder) == [*levels, "epsilon", "other"]
    kind.select_option("scale")
    builder.get_by_label("Choices, one per line").fill("low\nmiddle\nhigh")
    assert options(builder) == [*levels, "coin_flip", "epsilon", "mean", "other"]
    builder.get_by_label("Choices, one per line").fill("low\nhigh")
    builder.get_by_label("Protection", exact=True).select_option("gamma")
    builder.get_by_label("Choices, one per line").fill("low\nmiddle\nhigh")
    assert "gamma" in options(builder)  # it was chosen, and the server reports the fault
    builder.get_by_label("Protection", exact=True).select_option("medium")
    assert "gamma" not in options(builder)


def test_what_belongs_to_a_kind_is_said_beside_it(builder, live):
    builder.goto(draft(live, yes_no()))
    expect(builder.get_by_label("Offer “prefer not to say”")).to_be_visible()
    none, range_ = builder.get_by_text("Do not add"), builder.get_by_text("With a narrower")
    for kind, shown in (("yes_no", None), ("select_multiple", none), ("number", range_)):
        builder.get_by_label("Type", exact=True).select_option(kind)
        for hint in (none, range_):
            expect(hint).to_be_visible(visible=hint is shown)


ABOVE_THE_BAR = """() => {
  const at = document.activeElement;
  const bar = document.querySelector('.saving').getBoundingClientRect();
  return at.name.endsWith('-label') && at.labels[0].getBoundingClientRect().top >= 0
    && at.getBoundingClientRect().bottom <= bar.top;
}"""


# About 30 % of the mean width of a letter. The layout is thus tested with wider fonts than this
# machine has.
WIDER = "0.18em"


@pytest.mark.parametrize("spacing", ["normal", WIDER])
@pytest.mark.parametrize("kind", ["yes_no", "number"])
def test_on_a_telephone_a_new_question_stands_above_the_bar(builder, live, kind, spacing):
    builder.set_viewport_size({"width": 375, "height": 667})
    builder.goto(draft(live, yes_no(), yes_no("more")))
    builder.evaluate(f"document.body.style.letterSpacing = '{spacing}'")
    for _ in range(2):
        builder.get_by_label("Type of the next question").select_option(kind)
        builder.get_by_role("button", name="Add question").click()
        builder.wait_for_function(ABOVE_THE_BAR)


@pytest.mark.slow
def test_what_the_checklist_leads_to_comes_with_its_label(builder, live):
    builder.set_viewport_size({"width": 375, "height": 667})
    address = draft(live, yes_no())
    for place in ("contact", "asked_by", "support", "batch"):
        builder.goto(f"{live.url}/admin/")
        builder.goto(f"{address}#{place}")
        expect(builder.locator(f"#{place}")).to_be_focused()
        expect(builder.locator(f"label[for={place}]")).to_be_in_viewport(ratio=1)
    builder.goto(f"{live.url}/admin/")
    builder.goto(f"{address}#question-1")
    expect(builder.locator("#question-1-name")).to_be_focused()


def test_a_fault_that_is_put_right_leaves_no_gap_once_one_goes_on(builder, live):
    builder.expected_problems += ["422"]
    builder.goto(draft(live, yes_no()))
    title = builder.get_by_label("Title")
    before = builder.locator("#questions").bounding_box()["y"] - title.bounding_box()["y"]
    title.fill("")
    builder.get_by_role("button", name="Save", exact=True).click()
    expect(builder.locator("#title-error")).to_be_visible()
    expect(title).to_be_focused()
    builder.wait_for_load_state()  # the page's scripts have run
    title.fill("Health")
    room = builder.locator("#questions").bounding_box()["y"] - title.bounding_box()["y"]
    assert room > before  # nothing moves during typing
    builder.keyboard.press("Tab")
    expect(builder.locator("#title-error")).to_be_hidden()
    after = builder.locator("#questions").bounding_box()["y"] - title.bounding_box()["y"]
    assert after == pytest.approx(before, abs=1)
