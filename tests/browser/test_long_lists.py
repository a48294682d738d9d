"""Lists of many choices on the respondent's page: a search shows those that contain a text."""

from playwright.sync_api import expect

from tests.support.definitions import definition, opened
from tests.support.respondent_page import start

PLACES = ["Hà Nội", "Đà Nẵng", "Thừa Thiên Huế", "กรุงเทพมหานคร", "เชียงใหม่", "北京", "上海"]
PLACES += [f"District {n}" for n in range(1, 994)]
LISTED = [{"name": f"p{n}", "label": label} for n, label in enumerate(PLACES)]
QUESTION = {
    "name": "place", "type": "select_one", "label": "Where?", "privacy": "none", "choices": LISTED,
    "prefer_not_to_say": True,
}  # fmt: skip
BOXES = QUESTION | {"name": "places", "type": "select_multiple", "choices": LISTED[:40]}
SHOWN = "all => all.filter((each) => !each.hidden).map((each) => each.textContent.trim())"


def shown(page, name):
    return page.locator(f"[data-question={name}] .choice").evaluate_all(SHOWN)


def searched(page, name, text):
    field = page.locator(f"[data-question={name}]").get_by_label("Find an answer")
    field.fill(text)
    return shown(page, name)


def test_a_search_finds_choices_in_every_script_and_with_or_without_marks(page, live):
    opened(live.store, definition(QUESTION, BOXES))
    start(page, f"{live.url}/s/health")
    assert len(shown(page, "place")) == 1_001
    assert searched(page, "place", "da nang") == ["Đà Nẵng"]
    assert searched(page, "place", "ĐÀ") == ["Đà Nẵng"]
    assert searched(page, "place", "เชียง") == ["เชียงใหม่"]
    assert searched(page, "place", " 京 ") == ["北京"]
    assert searched(page, "place", "District 99") == ["District 99", "District 990",
                                                      "District 991", "District 992",
                                                      "District 993"]  # fmt: skip
    page.get_by_text("District 991").click()
    nothing = page.locator("[data-question=place] [data-nothing]")
    assert searched(page, "place", "nowhere") == ["District 991"]
    expect(nothing).to_be_visible()
    searched(page, "place", "")
    expect(nothing).to_be_hidden()
    assert searched(page, "places", "hue") == ["Thừa Thiên Huế"]


def test_the_keys_move_between_the_choices_that_are_shown(page, live):
    opened(live.store, definition(QUESTION))
    start(page, f"{live.url}/s/health")
    searched(page, "place", "District 99")
    page.keyboard.press("Enter")  # It does not turn the page.
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("District 990")).to_be_checked()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label("District 993")).to_be_checked()
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()


def test_a_short_list_has_no_search(page, live):
    opened(live.store, definition(QUESTION | {"choices": LISTED[:29]}))
    start(page, f"{live.url}/s/health")
    assert page.get_by_label("Find an answer").count() == 0
