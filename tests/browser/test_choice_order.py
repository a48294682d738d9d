"""Choices and questions in random order on the respondent's page."""

import json
import math

import pytest
from playwright.sync_api import expect

from tests.support.definitions import definition, opened, yes_no
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


@pytest.mark.plain
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


# The questions of a section. Age and often belong together, and the note keeps its place.
SECTION = {"name": "all", "type": "section", "label": "Habits", "random_order": True}
AGE = {"name": "age", "type": "number", "label": "Age?", "min": 0, "max": 99, "privacy": "none"}
NOTE = {"name": "note", "type": "note", "label": "Half is done."}
OFTEN = {
    "name": "often", "type": "number", "label": "How often?", "min": 0, "max": 99,
    "privacy": "none", "relevant": {"age": {"min": 18}},
}  # fmt: skip
LAST = {"name": "end", "type": "section", "label": "The end"}
HABITS = (
    yes_no("first"), SECTION, yes_no("a"), AGE, yes_no("b"), NOTE, OFTEN, LAST, yes_no("last"),
)  # fmt: skip
QUESTION_ORDERS = """() => {
  const [section] = questions.all.filter(({ name }) => name === 'all');
  const counts = {};
  for (let time = 0; time < 6_000; time += 1) {
    section.shuffle();
    const key = section.order.join('');
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}"""


def names(page):
    return page.locator("[data-question]").evaluate_all(
        "all => all.map((each) => each.dataset.question)"
    )


def until_rearranged(page, live, **rest):
    """A visit in which the order of the questions differs from that of the definition."""
    opened(live.store, definition(*HABITS, **rest))
    for _ in range(20):
        start(page, f"{live.url}/s/health")
        if names(page)[2:7] != ["a", "age", "often", "note", "b"]:
            return
    raise AssertionError("The order never changed.")


def choose(page, name, label):
    page.locator(f"[data-question={name}]").get_by_label(label, exact=True).check()


def test_each_order_of_the_groups_of_questions_is_equally_likely(page, live):
    """A chi-squared test with 5 degrees of freedom. With 6,000 orders, a statistic above 45
    occurs by chance once in 70 million runs, and an order with 1.25 times its share is found."""
    until_rearranged(page, live)
    counts = page.evaluate(QUESTION_ORDERS)
    # The groups are a (0), b (2), and age with often (1, 4). The note (3) keeps its place.
    assert set(counts) == {"01432", "02134", "14032", "14230", "20134", "21430"}
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 45


def test_questions_of_other_sections_stay_and_the_order_is_that_of_the_page(page, live):
    until_rearranged(page, live)
    order = names(page)
    assert (order[:2], order[7:]) == (["first", "all"], ["end", "last"])
    choose(page, "first", "Yes")
    page.get_by_role("button", name="Next").click()
    shown = page.locator("[data-question]:visible").evaluate_all(
        "all => all.map((each) => each.dataset.question)"
    )
    # The heading stands first, and the follow-up question is not asked yet.
    assert shown == [name for name in order[1:7] if name != "often"]
    page.get_by_role("textbox", name="Age?").fill("40")
    choose(page, "a", "Yes")
    choose(page, "b", "No")
    page.get_by_role("textbox", name="How often?").fill("3")
    page.get_by_role("button", name="Next").click()
    choose(page, "last", "Yes")
    page.get_by_role("button", name="Check my answers").click()
    mixed = (
        page.locator("#chosen dl")
        .first.locator("[data-change]")
        .evaluate_all("all => all.map((each) => each.dataset.change)")
    )
    assert mixed == [name for name in order if name in ("first", "a", "b", "last")]
    with page.expect_request("**/responses") as sent:
        page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    body = json.loads(sent.value.post_data)
    assert [*body["reports"]] == ["first", "a", "age", "b", "often", "last"]


def test_one_question_at_a_time_follows_the_order(page, live):
    until_rearranged(page, live, layout="one_at_a_time")
    order = [name for name in names(page) if name not in ("all", "often", "end")]
    met = []
    for _ in order:
        [*_, now] = page.locator("[data-question]:visible").evaluate_all(
            "all => all.map((each) => each.dataset.question)"
        )
        met.append(now)
        if now == "age":
            page.get_by_role("textbox", name="Age?").fill("7")
        elif now != "note":
            choose(page, now, "Yes")
        if now != order[-1]:
            page.get_by_role("button", name="Next").click()
    assert met == order


def test_another_language_keeps_the_order_of_questions(page, live):
    labels = {"first": "Một?", "a": "A vậy?", "age": "Tuổi?", "b": "B vậy?", "often": "Mấy lần?"}
    labels |= {"note": "Nửa.", "all": "Thói quen", "end": "Hết", "last": "Cuối?"}
    texts = {"title": "Đồ", "questions": {name: {"label": text} for name, text in labels.items()}}
    until_rearranged(page, live, translations={"vi": texts})
    order = names(page)
    page.get_by_role("link", name="Tiếng Việt").click()
    expect(page.locator("[data-question=first] .label")).to_have_text("Một?")
    assert names(page) == order
    for name in ("a", "age", "b"):
        expect(page.locator(f"[data-question={name}] .label")).to_have_text(labels[name])


def test_the_next_person_at_a_kiosk_gets_a_new_order_of_questions(page, live):
    """Each person sees the same order as the first with probability 1/6: all ten with 1e-7."""
    opened(live.store, definition(SECTION, yes_no("a"), yes_no("b"), yes_no("c")))
    page.goto(f"{live.url}/s/health#kiosk")
    orders = set()
    for _ in range(10):
        begin(page)
        orders.add(tuple(names(page)))
        for name in "abc":
            choose(page, name, "Yes")
        page.get_by_role("button", name="Check my answers").click()
        page.get_by_role("button", name="Mix up and send").click()
        page.get_by_role("button", name="Next person").click()
        page.locator("#start:visible").wait_for()
    assert len(orders) > 1
    assert all(sorted(order) == ["a", "all", "b", "c"] for order in orders)
