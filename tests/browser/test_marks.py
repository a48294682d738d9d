"""The badge that tells whether an answer is mixed up: at the question, before and after sending."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import no_violations
from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import answer
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


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_question_has_a_badge_above_its_choices_in_the_review_and_in_what_was_sent(
    live: Live, page: Page, scheme
):
    opened(live.store, definition(yes_no(), REGION))
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{live.url}/s/health")
    answer(page, "Yes", "North")
    expected = ["Mixed up", "Not mixed up"]
    assert marks(page, "#answers") == expected
    colours = []
    for fieldset in page.locator("#answers fieldset").all():
        mark, choice = fieldset.locator(".mark"), fieldset.locator(".choice").first
        assert mark.bounding_box()["y"] < choice.bounding_box()["y"]
        colours.append(mark.evaluate("(mark) => getComputedStyle(mark).color"))
    assert len({*colours}) == 2
    stored = page.locator("#answers fieldset").nth(1).locator(".stored-plainly")
    expect(stored).to_have_text("The answer to this question is stored as you give it.")
    assert stored.bounding_box()["y"] < page.get_by_text("North").bounding_box()["y"]
    page.get_by_role("button", name="Check my answers").click()
    page.locator("#review:visible").wait_for()
    assert marks(page, "#chosen") == expected
    page.get_by_role("button", name="Mix up and send").click()
    page.locator("#done:visible").wait_for()
    page.locator("#sent summary").click()
    assert marks(page, "#left") == expected
    no_violations(page)


def test_the_badge_is_in_the_language_of_the_page(live: Live, page: Page):
    texts = {"title": "Sức khỏe", "questions": {"smokes": {"label": "Bạn có hút thuốc không?"}}}
    opened(live.store, definition(translations={"vi": texts}))
    page.goto(f"{live.url}/s/health")
    answer(page, "Yes")
    page.get_by_role("button", name="Check my answers").click()
    page.locator("#review:visible").wait_for()
    page.get_by_role("link", name="Tiếng Việt").click()
    page.locator("html[lang=vi]").wait_for(state="attached")
    expect(page.locator("#chosen .mark")).to_have_text("Biến đổi ngẫu nhiên")
    expect(page.locator("#chosen dt")).to_contain_text("Bạn có hút thuốc không?")
