"""The chip that says how an answer is protected: at the question, before and after sending."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import no_violations
from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import FAST, answer
from tests.support.servers import Live

REGION = {
    "name": "region",
    "type": "select_one",
    "label": "Where do you live? How this answer is mixed up",
    "hint": "How this answer is mixed up, ε = 0.10",
    "choices": [{"name": "north", "label": "North"}, {"name": "south", "label": "South"}],
    "privacy": "none",
}


def marks(page: Page, within: str) -> list[str]:
    return page.locator(f"{within} .mark").all_inner_texts()


def groups(page: Page, within: str) -> dict[str, list[str]]:
    """The questions of a list under the headings that say how they are sent."""
    headings = page.locator(f"{within} h3")
    return {
        heading.inner_text(): heading.locator("+ dl .label").all_inner_texts()
        for heading in headings.all()
    }


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_question_has_a_badge_above_its_choices_in_the_review_and_in_what_was_sent(
    live: Live, page: Page, scheme
):
    opened(live.store, definition(yes_no(), REGION))
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{live.url}/s/health")
    answer(page, "Yes", "North")
    assert marks(page, "#answers") == [
        "Protected · mixed up on your device",
        "Not protected · stored as you give it",
    ]
    colours = []
    for fieldset in page.locator("#answers fieldset").all():
        mark, choice = fieldset.locator(".mark"), fieldset.locator(".choice").first
        assert mark.bounding_box()["y"] < choice.bounding_box()["y"]
        colours.append(mark.evaluate("(mark) => getComputedStyle(mark).color"))
    assert len({*colours}) == 2
    page.get_by_role("button", name="Check my answers").click()
    page.locator("#review:visible").wait_for()
    expected = ["Protected", "Not protected"]
    assert marks(page, "#chosen") == expected
    assert groups(page, "#chosen") == {
        "Will be mixed up": ["Do you smoke?"],
        "Will be sent as you gave them": [REGION["label"]],
    }
    page.get_by_role("button", name="Mix up and send").click()
    page.locator("#done:visible").wait_for()
    page.locator("#sent summary").click()
    assert marks(page, "#left") == expected
    assert groups(page, "#left") == {
        "Sent mixed up": ["Do you smoke?"],
        "Sent as you gave them": [REGION["label"]],
    }
    no_violations(page)


@pytest.mark.plain
def test_the_badge_is_in_the_language_of_the_page(live: Live, page: Page):
    texts = {"title": "Sức khỏe", "questions": {"smokes": {"label": "Bạn có hút thuốc không?"}}}
    opened(live.store, definition(translations={"vi": texts}))
    page.goto(f"{live.url}/s/health")
    answer(page, "Yes")
    page.get_by_role("button", name="Check my answers").click()
    page.locator("#review:visible").wait_for()
    page.get_by_role("link", name="Tiếng Việt").click()
    page.locator("html[lang=vi]").wait_for(state="attached")
    expect(page.locator("#chosen .mark")).to_have_text("Được bảo vệ")
    expect(page.locator("#chosen dt")).to_contain_text("Bạn có hút thuốc không?")


def test_in_a_sampled_survey_answers_that_are_not_sent_stand_apart(live: Live, page: Page):
    """A condition may need the answer to a question that the device did not pick."""
    follow_up = yes_no("often", label="Often?") | {"relevant": {"smokes": "yes"}}
    budget = {"per_respondent": {"sample": 1}}
    frozen = opened(live.store, definition(yes_no(), follow_up, REGION, budget=budget))
    page.goto(f"{live.url}/s/health")
    # As after a reload, when the device had picked the follow-up.
    kept = json.dumps({"state": "asking", "picked": ["often"]})
    page.evaluate(
        "(item) => sessionStorage.setItem(...item)", [f"candor {frozen.fingerprint}", kept]
    )
    answer(page, "Yes", "Yes", "North")
    page.get_by_role("button", name="Check my answers").click()
    page.locator("#review:visible").wait_for()
    assert groups(page, "#chosen") == {
        "Will be mixed up": ["Often?"],
        "Will be sent as you gave them": [REGION["label"]],
        "Will not be sent": ["Do you smoke?"],
    }
    page.get_by_role("button", name="Mix up and send").click()
    page.locator("#done:visible").wait_for()
    page.locator("#sent summary").click()
    assert groups(page, "#left") == {
        "Sent mixed up": ["Often?"],
        "Sent as you gave them": [REGION["label"]],
        "Not sent": ["Do you smoke?"],
    }


def test_the_last_page_shows_each_step_once_and_is_still_if_motion_is_not_wanted(
    live: Live, page: Page
):
    opened(live.store, definition(yes_no()))
    page.emulate_media(reduced_motion="no-preference")
    page.goto(f"{live.url}/s/health")
    answer(page, "Yes")
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Mix up and send").click()
    heading = page.get_by_role("heading", name="Sent. Thank you.")
    expect(heading).to_be_focused()
    # Screen readers read it once, with the heading.
    expect(heading).to_have_accessible_description("Mixed up ✓ Erased ✓ Sent ✓")
    assert page.locator("#steps").get_attribute("role") is None
    expect(page.get_by_text("A “Yes” in our data does not mean you said “Yes”.")).to_be_visible()
    last = page.locator("#steps span").last
    delay = "(span) => getComputedStyle(span).animationDelay"
    name = "(span) => getComputedStyle(span).animationName"
    assert last.evaluate(delay) == "0.5s"
    expect(last).to_be_visible()
    page.emulate_media(reduced_motion="reduce")
    assert last.evaluate(name) == "none"


def test_no_step_is_shown_before_it_has_happened(live: Live, page: Page):
    page.expected_problems.append("Failed to load resource")
    opened(live.store, definition(yes_no()))
    page.add_init_script(FAST)
    page.route("**/responses", lambda route: route.fulfill(status=503))
    page.goto(f"{live.url}/s/health")
    answer(page, "Yes")
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Mix up and send").click()
    page.locator("#retry:visible").wait_for()
    expect(page.locator("#steps")).to_be_hidden()
    page.unroute("**/responses")
    # The page may try again by itself first, and then the button is gone.
    page.locator("#retry").dispatch_event("click")
    expect(page.locator("#steps")).to_be_visible()
