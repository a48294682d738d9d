"""Choices in random order on the respondent's page."""

import math

import pytest
from playwright.sync_api import expect

from tests.support.definitions import definition, opened
from tests.support.respondent_page import begin, start

NAMES = ("tea", "coffee", "milk", "water", "other")
QUESTION = {
    "name": "drink", "type": "select_one", "label": "What do you drink?", "privacy": "none",
    "choices": [{"name": name, "label": name.title()} for name in NAMES],
    "random_order": True, "anchors": ["other"], "prefer_not_to_say": True,
}  # fmt: skip
SHOWN = "all => all.map((each) => each.textContent.trim())"
# The order of four choices, with 1/24 chance each
ORDERS = """() => {
  const [question] = questions.all;
  const counts = {};
  for (let time = 0; time < 12_000; time += 1) {
    question.shuffle();
    const key = question.order.join('');
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}"""


def labels(page):
    return page.locator("[data-question=drink] .choice").evaluate_all(SHOWN)


def send(page):
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()


def until_shuffled(page, live, **rest):
    """A visit in which the order differs from that of the definition."""
    opened(live.store, definition(QUESTION, **rest))
    for _ in range(20):
        start(page, f"{live.url}/s/health")
        if labels(page)[:4] != ["Tea", "Coffee", "Milk", "Water"]:
            return
    raise AssertionError("The order never changed.")


def test_anchors_keep_their_place_and_each_order_is_equally_likely(page, live):
    """A chi-squared test with 23 degrees of freedom. With 12,000 orders, a statistic above 80
    occurs by chance once in 40 million runs, and an order with 1.7 times its share is found."""
    until_shuffled(page, live)
    assert sorted(labels(page)[:4]) == ["Coffee", "Milk", "Tea", "Water"]
    assert labels(page)[4:] == ["Other", "Prefer not to say"]
    counts = page.evaluate(ORDERS)
    assert len(counts) == math.factorial(4)
    assert all(order[4:] == "45" for order in counts)
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 80


@pytest.mark.parametrize("kind", ["select_one", "select_multiple"])
def test_the_chosen_label_is_the_answer(page, live, kind):
    opened(live.store, definition(QUESTION | {"type": kind, "prefer_not_to_say": False}))
    for name in NAMES:
        start(page, f"{live.url}/s/health")
        page.get_by_label(name.title(), exact=True).check()
        page.get_by_role("button", name="Check my answers").click()
        expect(page.locator("#chosen")).to_contain_text(name.title())
        page.get_by_role("button", name="Back", exact=True).click()
        send(page)
        expect(page.locator("#left")).to_contain_text(name.title())
        page.evaluate("sessionStorage.clear()")
    rows = sorted(live.store.responses.rows("health"))
    one_hot = ["".join("01"[place == each] for place in range(5)) for each in range(5)]
    places = list(range(5)) if kind == "select_one" else sorted(one_hot)
    assert [report for [report] in rows] == places


def test_the_arrow_keys_follow_the_order_on_the_page(page, live):
    until_shuffled(page, live)
    order = labels(page)
    page.get_by_label(order[0], exact=True).focus()
    for label in [*order[1:], order[0]]:
        page.keyboard.press("ArrowDown")
        expect(page.get_by_label(label, exact=True)).to_be_focused()
        expect(page.get_by_label(label, exact=True)).to_be_checked()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label(order[-1], exact=True)).to_be_checked()
    positions = page.locator("[data-question=drink] input").evaluate_all(
        "all => all.map((each) => each.ariaPosInSet)"
    )
    assert positions == ["1", "2", "3", "4", "5", "6"]


def test_going_back_and_another_language_keep_the_order(page, live):
    words = dict(zip(NAMES, ("Trà", "Cà phê", "Sữa", "Nước", "Khác"), strict=True))
    texts = {"title": "Đồ uống", "questions": {"drink": {"label": "Uống gì?", "choices": words}}}
    until_shuffled(page, live, translations={"vi": texts})
    order = labels(page)
    page.get_by_label("Milk", exact=True).check()
    page.go_back()
    begin(page)
    assert labels(page) == order
    page.get_by_role("link", name="Tiếng Việt").click()
    expect(page.get_by_label("Sữa", exact=True)).to_be_checked()
    assert labels(page)[:5] == [words[label.lower()] for label in order[:5]]


def test_the_next_person_at_a_kiosk_gets_a_new_order(page, live):
    """Each person sees the same order as the first with probability 1/24: all ten with 7e-14."""
    opened(live.store, definition(QUESTION))
    page.goto(f"{live.url}/s/health#kiosk")
    orders = set()
    for _ in range(10):
        begin(page)
        orders.add(tuple(labels(page)))
        page.get_by_label("Tea", exact=True).check()
        send(page)
        page.get_by_role("button", name="Next person").click()
        page.locator("#start:visible").wait_for()
    assert len(orders) > 1
