"""Ranking questions on the respondent's page."""

from itertools import permutations

import pytest
from playwright.sync_api import expect

from tests.browser.looks import no_violations
from tests.support.definitions import definition, opened
from tests.support.respondent_page import begin, start

FOODS = ("rice", "fish", "egg")
PAGE = "/s/health"


def ranking(*items, **rest):
    choices = [{"name": item, "label": item.title()} for item in items or FOODS]
    question = {"name": "foods", "type": "ranking", "label": "Which do you like?"}
    return question | {"choices": choices, "privacy": "none"} | rest


def menu(page, item):
    return page.get_by_role("combobox", name=item.title(), exact=True)


def places(page):
    return page.locator(".ranked select").evaluate_all("all => all.map(({ value }) => value)")


def check(page):
    page.get_by_role("button", name="Check my answers").click()


def send(page):
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()


def test_every_order_is_sent_as_its_place_among_all_orders(page, live):
    opened(live.store, definition(ranking()))
    for order in permutations(FOODS):
        start(page, live.url + PAGE)
        for place, item in enumerate(order, 1):
            menu(page, item).select_option(str(place))
        text = " > ".join(item.title() for item in order)
        expect(page.locator("p.order")).to_have_text(text)
        check(page)
        expect(page.locator("#chosen")).to_contain_text(text)
        send(page)
        expect(page.locator("#left")).to_contain_text(text)
        page.evaluate("sessionStorage.clear()")
    assert sorted(code for [code] in live.store.responses.rows("health")) == [0, 1, 2, 3, 4, 5]
    names = [
        choice.name for choice in live.store.surveys.by_slug("health").survey.questions[0].choices
    ]
    assert names == [">".join(order) for order in permutations(FOODS)]


def test_a_place_belongs_to_one_item(page, live):
    opened(live.store, definition(ranking("rice", "fish", "egg", "tea")))
    start(page, live.url + PAGE)
    menu(page, "rice").select_option("1")
    menu(page, "fish").select_option("1")
    assert places(page) == ["2", "1", "", ""]
    expect(page.locator("p.order")).to_have_text("Fish > Rice > – > –")
    # The last item gets the place that is left.
    menu(page, "tea").select_option("4")
    assert places(page) == ["2", "1", "3", "4"]
    menu(page, "tea").select_option("1")
    assert places(page) == ["2", "4", "3", "1"]
    # A place can be taken back.
    menu(page, "tea").select_option("")
    assert places(page) == ["2", "4", "3", ""]
    check(page)
    expect(page.get_by_text("Give each one a place to continue.")).to_be_visible()
    expect(menu(page, "tea")).to_have_attribute("aria-invalid", "true")
    menu(page, "tea").select_option("1")
    expect(page.get_by_text("Give each one a place to continue.")).to_be_hidden()
    expect(page.locator("[aria-invalid]")).to_have_count(0)


@pytest.mark.plain
def test_items_move_with_the_keyboard(page, live):
    opened(live.store, definition(ranking()))
    start(page, live.url + PAGE)
    for name, after in [
        ("Move down: Rice", ["3", "", ""]),
        ("Move up: Egg", ["3", "2", "1"]),
        ("Move up: Fish", ["3", "1", "2"]),
        ("Move up: Fish", ["3", "1", "2"]),
        ("Move up: Rice", ["2", "1", "3"]),
        ("Move down: Egg", ["2", "1", "3"]),
        ("Move down: Fish", ["1", "2", "3"]),
    ]:
        page.get_by_role("button", name=name).focus()
        page.keyboard.press("Enter")
        assert (name, places(page)) == (name, after)
        expect(page.get_by_role("button", name=name)).to_be_focused()


def test_a_private_order_is_mixed_up_and_erased(page, live):
    declines = {"prefer_not_to_say": True, "optional": True}
    opened(live.store, definition(ranking(privacy={"epsilon": 1}, **declines)))
    start(page, live.url + PAGE)
    page.get_by_label("Prefer not to say").check()
    menu(page, "rice").select_option("2")
    # An answer and "prefer not to say" exclude each other.
    expect(page.get_by_label("Prefer not to say")).not_to_be_checked()
    page.get_by_label("Prefer not to say").check()
    assert places(page) == ["", "", ""]
    expect(page.locator("p.order")).to_have_text("")
    page.get_by_label("Prefer not to say").uncheck()
    check(page)
    expect(page.locator("#chosen")).to_contain_text("Prefer not to say")
    page.get_by_role("button", name="Change").click()
    menu(page, "rice").select_option("2")
    # A part of an order is no answer.
    check(page)
    expect(page.get_by_text("Give each one a place, or tick “Prefer not to say”.")).to_be_visible()
    menu(page, "egg").select_option("1")
    check(page)
    expect(page.locator("#chosen")).to_contain_text("Egg > Rice > Fish")
    page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    assert places(page) == ["", "", ""]
    assert page.locator("p.order").inner_text() == ""
    question = live.store.surveys.by_slug("health").survey.questions[0]
    [[code]] = live.store.responses.rows("health")
    assert code in range(len(question.reports)) or set(str(code)) <= {"0", "1"}


def test_another_language_keeps_the_order(page, live):
    words = dict(zip(FOODS, ("Cơm", "Cá", "Trứng"), strict=True))
    texts = {"title": "Ăn", "questions": {"foods": {"label": "Thích gì?", "choices": words}}}
    opened(live.store, definition(ranking(random_order=True), translations={"vi": texts}))
    start(page, live.url + PAGE)
    menu(page, "egg").select_option("1")
    menu(page, "rice").select_option("2")
    shown = page.locator(".ranked span").all_inner_texts()
    page.get_by_role("link", name="Tiếng Việt").click()
    expect(page.get_by_role("combobox", name="Trứng")).to_have_value("1")
    expect(page.locator("p.order")).to_have_text("Trứng > Cơm > Cá")
    assert page.locator(".ranked span").all_inner_texts() == [words[s.lower()] for s in shown]


def test_items_may_have_a_random_order(page, live):
    """All ten visits have the order of the definition with probability 6^-10, which is 2e-8."""
    opened(live.store, definition(ranking(random_order=True)))
    seen = set()
    for _ in range(10):
        start(page, live.url + PAGE)
        seen.add(tuple(page.locator(".ranked span").all_inner_texts()))
    assert len(seen) > 1
    # The order on the page does not change the answer.
    for place, item in enumerate(("fish", "egg", "rice"), 1):
        menu(page, item).select_option(str(place))
    check(page)
    expect(page.locator("#chosen")).to_contain_text("Fish > Egg > Rice")


def test_a_kiosk_forgets_the_order(page, live):
    opened(live.store, definition(ranking()))
    page.goto(live.url + PAGE + "#kiosk")
    begin(page)
    menu(page, "rice").select_option("2")
    menu(page, "egg").select_option("1")
    check(page)
    send(page)
    page.get_by_role("button", name="Next person").click()
    begin(page)
    assert places(page) == ["", "", ""]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_and_fits_a_phone(page, live, scheme):
    long = "ในสามสิบวันที่ผ่านมาคุณสูบบุหรี่หรือผลิตภัณฑ์ยาสูบชนิดใดชนิดหนึ่งหรือไม่รวมถึงบุหรี่ไฟฟ้า"
    question = ranking(prefer_not_to_say=True)
    question["choices"] = [
        {"name": n, "label": w} for n, w in zip("ab", (long, "W" * 60), strict=True)
    ]
    opened(live.store, definition(question))
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 375, "height": 667})
    start(page, live.url + PAGE)
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    for element in page.locator(".ranked :is(select, button)").all():
        box = element.bounding_box()
        assert min(box["width"], box["height"]) >= 44
    no_violations(page, "asking")
    check(page)
    no_violations(page, "error")
