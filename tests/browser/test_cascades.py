"""Choices that depend on earlier answers, on the respondent's page."""

import json
import random

import numpy as np
import pytest
from playwright.sync_api import expect

from survey.definition.answer_bounds.calculated_answers import offered_choices, who_is_asked
from survey.definition.responses.parse_response import parse_response
from survey.definition.survey import parse_survey
from tests.support.builder_page import draft, until_ready
from tests.support.builder_page import question as asked_as
from tests.support.cascades import asked, chain, choice, offered_in, random_cascade
from tests.support.definitions import definition, opened
from tests.support.respondent_page import start

SHOWN = "all => all.filter((each) => !each.hidden).map((each) => each.textContent.trim())"
RESPONDENTS, ACTS = 40, 40
# The most milliseconds that a change may take; a person notices about 100.
MAX_MILLISECONDS = 100
# What the page holds of each question, except whether inputs are checked, and what is typed
INSIDE = "questions.all.map(({ element }) => element.innerHTML).join()"
# Random acts on questions that are shown, each with two numbers from 0 to 1. Then, for every
# question: whether it is asked, the places of the choices that can be seen, and the answer. An
# error says that something of the respondent before is left on the page.
ACT = """([everyone]) => Promise.all(everyone.map((acts) => {
  for (const question of questions.all) question.erase();
  questions.offer();
  if (inside() !== untouched) throw new Error('The page shows something of the respondent before.');
  for (const [which, what] of acts) {
    const shown = questions.all.filter(questions.asked);
    const question = shown[Math.floor(which * shown.length)];
    const inputs = question.reachable;
    const input = inputs[Math.floor(what * inputs.length)];
    if (input.type === 'text') {
      input.value = String(Math.floor(what * 7));
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    } else {
      input.click();
    }
  }
  const states = questions.all.map((question) => ({
    name: question.name,
    asked: questions.asked(question),
    offered: question.options.map((each, place) => (each.hidden ? -1 : place))
      .filter((place) => place >= 0 && question.names[place] !== 'prefer_not_to_say'),
    answered: question.answered,
    row: question.row(true),
    sizes: question.reachable.filter(({ type }) => type === 'radio')
      .map((each) => each.getAttribute('aria-setsize') ?? ''),
    tab: question.reachable.filter(({ type, tabIndex }) => type === 'radio' && !tabIndex).length,
  }));
  const complete = states.every(({ asked, answered }) => answered || !asked);
  if (!complete) return [states, null];
  return questions.reports((context, make) => make()).then((reports) => [states, reports]);
}))"""


def question(page, name):
    return page.locator(f"[data-question={name}]")


def shown(page, name):
    return question(page, name).locator(".choice").evaluate_all(SHOWN)


def choose(page, name, label):
    question(page, name).get_by_text(label, exact=True).click()


def send(page):
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()


@pytest.mark.plain
def test_a_chain_offers_the_choices_of_the_earlier_answer(page, live):
    opened(live.store, definition(*chain()))
    start(page, f"{live.url}/s/health")
    # Nobody has chosen a province, so there is no district to ask for.
    expect(question(page, "district")).to_be_hidden()
    choose(page, "province", "Huế")
    assert shown(page, "district") == ["Huế 1", "Huế 2", "Huế 3"]
    expect(question(page, "commune")).to_be_hidden()
    choose(page, "district", "Huế 2")
    assert shown(page, "commune") == ["Huế 2.1", "Huế 2.2", "Huế 2.3"]
    choose(page, "commune", "Huế 2.3")
    # Another province: the district and the commune are not chosen any more.
    choose(page, "province", "Đà Nẵng")
    assert shown(page, "district") == ["Đà Nẵng 1", "Đà Nẵng 2", "Đà Nẵng 3"]
    assert question(page, "district").locator(":checked").count() == 0
    expect(question(page, "commune")).to_be_hidden()
    page.get_by_role("button", name="Check my answers").click()
    expect(question(page, "district").locator(".error")).to_be_visible()
    choose(page, "district", "Đà Nẵng 1")
    choose(page, "commune", "Đà Nẵng 1.2")
    send(page)
    assert list(live.store.responses.rows("health")) == [(1, 3, 10)]


def test_a_change_in_the_review_asks_again_for_what_is_dropped(page, live):
    opened(live.store, definition(*chain(), layout="one_at_a_time"))
    start(page, f"{live.url}/s/health")
    for name, label in (
        ("province", "Hà Nội"),
        ("district", "Hà Nội 1"),
        ("commune", "Hà Nội 1.1"),
    ):
        choose(page, name, label)
        button = "Check my answers" if name == "commune" else "Next"
        page.get_by_role("button", name=button).click()
    page.get_by_role("button", name="Change: Which province?").click()
    choose(page, "province", "Huế")
    page.get_by_role("button", name="Check my answers").click()
    expect(question(page, "district")).to_be_visible()
    choose(page, "district", "Huế 1")
    page.get_by_role("button", name="Check my answers").click()
    choose(page, "commune", "Huế 1.3")
    page.get_by_role("button", name="Check my answers").click()
    expect(page.locator("#chosen")).to_contain_text("Huế 1.3")


def test_a_change_in_the_review_shows_other_choices_even_if_none_is_needed(page, live):
    """Boxes may stay empty. Without them on the screen, the answer would be lost unseen."""
    boxes = [choice("x", "Box X", one=["a"]), choice("y", "Box Y", one=["b"])]
    entries = [asked("one", choices=[choice("a", "A"), choice("b", "B")]),
               asked("boxes", "select_multiple", choices=boxes),
               asked("last", choices=[choice("a", "L"), choice("b", "M")])]  # fmt: skip
    opened(live.store, definition(*entries))
    start(page, f"{live.url}/s/health")
    for name, label in (("one", "A"), ("boxes", "Box X"), ("last", "L")):
        choose(page, name, label)
    review = page.get_by_role("button", name="Check my answers")
    review.click()
    change = page.get_by_role("button", name="Change: Which one?")
    change.click()
    choose(page, "one", "B")
    review.click()
    assert shown(page, "boxes") == ["Box Y"]
    choose(page, "boxes", "Box Y")
    review.click()
    expect(page.locator("#chosen")).to_contain_text("Box Y")
    # Nothing changes, so nothing else is shown.
    change.click()
    choose(page, "one", "B")
    review.click()
    expect(page.locator("#review")).to_be_visible()


def answer_of(each, row):
    """The answer at a row of the page, as the oracle has it; None if there is none."""
    names = [choice.name for choice in each.offered]
    if each.kind.boxes:
        return [name for name, ticked in zip(names, row, strict=False) if ticked]
    if row in (None, -1):
        return None
    if each.grid is None:
        return names[row]
    return str(each.grid.value(row)) if row < each.grid.size else names[row - each.grid.size]


@pytest.mark.parametrize("seeds", [range(6), range(6, 12)])
def test_the_page_offers_what_python_offers_in_random_surveys(page, live, seeds):
    """Random acts of 40 respondents in each survey. The server's rules and an oracle agree with the
    page, and the server accepts each complete response."""
    chance, met = random.Random(12), 0
    for seed in seeds:
        frozen = opened(live.store, random_cascade(seed))
        entries = frozen.document()["definition"]["questions"]
        known = {each.name: each for each in frozen.survey.questions}
        start(page, f"{live.url}/s/random-{seed}")
        acts = [
            [[chance.random(), chance.random()] for _ in range(ACTS)] for _ in range(RESPONDENTS)
        ]
        page.evaluate(f"globalThis.inside = () => {INSIDE}; globalThis.untouched = inside();")
        found = page.evaluate(ACT, [acts])
        complete = [states for states, reports in found if reports is not None]
        met += len(complete)
        drawn, asked_of, offered_of = {}, {}, {}
        for number, (name, each) in enumerate(known.items()):
            rows = [states[number]["row"] for states in complete]
            unasked = [row if each.kind.boxes or row not in (None, -1) else 0 for row in rows]
            drawn[name] = np.array(unasked)
            if each.kind.boxes:
                drawn[name] = drawn[name].reshape(len(rows), -1)[:, : len(each.offered)]
            asked_of[name] = who_is_asked(each, known, drawn, asked_of, len(rows))
            offered_of[name] = offered_choices(each, known, drawn, asked_of, len(rows))
            for place, states in enumerate(complete):
                assert states[number]["asked"] == asked_of[name][place], (seed, name)
                places = np.flatnonzero(offered_of[name][place]).tolist()
                assert states[number]["offered"] == places, (seed, name)
        for states, reports in found:
            answers = {s["name"]: answer_of(known[s["name"]], s["row"]) for s in states}
            shown_to, offered = offered_in(entries, answers)
            assert [state["name"] for state in states if state["asked"]] == shown_to, seed
            for state in states:
                each = known[state["name"]]
                names = [each.choices[place].name for place in state["offered"]]
                assert names == offered[each.name], (seed, each.name)
                assert state["tab"] == min(1, len(state["sizes"])), (seed, each.name)
                assert {*state["sizes"]} <= {str(len(state["sizes"]))}, (seed, each.name)
            if reports is not None:
                content = {"id": "0" * 32, "fingerprint": frozen.fingerprint, "reports": reports}
                parse_response(json.dumps(content).encode(), frozen)
    assert met > 60


def thousand():
    """1,000 communes in 100 districts of 10 provinces."""
    entries = [
        asked("province", choices=[choice(f"p{n}", f"Province {n}") for n in range(10)]),
        asked("district", choices=[
            choice(f"d{n}", f"District {n}", province=[f"p{n // 10}"]) for n in range(100)]),
        asked("commune", prefer_not_to_say=True, choices=[
            choice(f"c{n}", f"Commune {n}", district=[f"d{n // 10}"]) for n in range(1_000)]),
    ]  # fmt: skip
    return definition(*entries)


def test_a_change_among_a_thousand_choices_takes_no_noticeable_time(page, live):
    opened(live.store, thousand())
    start(page, f"{live.url}/s/health")
    choose(page, "province", "Province 3")
    choose(page, "district", "District 31")
    assert shown(page, "commune") == [*(f"Commune {n}" for n in range(310, 320)),
                                      "Prefer not to say"]  # fmt: skip
    times = page.evaluate("""() => {
      const [, district] = questions.all;
      return Array.from({ length: 20 }, (_, n) => {
        const before = performance.now();
        district.inputs[30 + n % 10].click();
        return performance.now() - before;
      }).sort((one, other) => one - other);
    }""")
    assert times[10] < MAX_MILLISECONDS


def test_the_search_and_the_keys_reach_only_choices_that_are_offered(page, live):
    many = [choice(f"d{n}", f"District {n}", province=["a" if n < 40 else "b"]) for n in range(45)]
    entries = [asked("province", choices=[choice("a", "North"), choice("b", "South")]),
               asked("district", choices=many)]  # fmt: skip
    opened(live.store, definition(*entries))
    start(page, f"{live.url}/s/health")
    search = question(page, "district").get_by_label("Find an answer")
    choose(page, "province", "North")
    search.fill("4")
    assert shown(page, "district") == [f"District {n}" for n in (4, 14, 24, 34)]
    search.fill("44")
    assert shown(page, "district") == []
    expect(question(page, "district").locator("[data-nothing]")).to_be_visible()
    # A short list needs no search, and the typed text counts no more.
    choose(page, "province", "South")
    expect(search).to_be_hidden()
    assert shown(page, "district") == [f"District {n}" for n in range(40, 45)]
    question(page, "province").get_by_label("South").focus()
    page.keyboard.press("Tab")
    expect(question(page, "district").get_by_label("District 40")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(question(page, "district").get_by_label("District 44")).to_be_checked()
    page.keyboard.press("ArrowDown")
    expect(question(page, "district").get_by_label("District 40")).to_be_checked()


def test_boxes_that_are_not_offered_are_unticked_and_random_order_stays(page, live):
    boxes = [choice("x", "Box X", one=["a"]), choice("y", "Box Y", one=["b"]), choice("z", "Box Z")]
    entries = [asked("one", choices=[choice("a", "A"), choice("b", "B")]),
               asked("boxes", "select_multiple", choices=boxes, random_order=True)]  # fmt: skip
    opened(live.store, definition(*entries))
    start(page, f"{live.url}/s/health")
    assert shown(page, "boxes") == ["Box Z"]
    choose(page, "one", "A")
    assert sorted(shown(page, "boxes")) == ["Box X", "Box Z"]
    choose(page, "boxes", "Box X")
    choose(page, "boxes", "Box Z")
    choose(page, "one", "B")
    assert sorted(shown(page, "boxes")) == ["Box Y", "Box Z"]
    choose(page, "one", "A")
    ticked = question(page, "boxes").locator(".choice:has(:checked)")
    assert [each.strip() for each in ticked.all_text_contents()] == ["Box Z"]


def test_questions_in_random_order_follow_those_that_decide_their_choices(page, live):
    section = {"name": "places", "type": "section", "label": "", "random_order": True}
    others = [asked(name, choices=[choice("a"), choice("b")]) for name in ("x", "y")]
    opened(live.store, definition(section, *chain(), *others))
    orders = set()
    for _ in range(12):
        start(page, f"{live.url}/s/health")
        shown_order = page.evaluate("questions.all.slice(1).map(({ name }) => name)")
        places = [shown_order.index(name) for name in ("province", "district", "commune")]
        assert places == sorted(places)
        orders.add(tuple(shown_order))
    # By chance, all of them are the same in one of 6^11 runs.
    assert len(orders) > 1


def test_a_kiosk_offers_the_next_person_the_first_choices_again(page, live):
    opened(live.store, definition(*chain()))
    start(page, f"{live.url}/s/health#kiosk")
    before = page.evaluate(INSIDE)
    for name, label in (("province", "Huế"), ("district", "Huế 2"), ("commune", "Huế 2.1")):
        choose(page, name, label)
    send(page)
    # Also the order of Tab and the numbers for screen readers.
    assert page.evaluate(INSIDE) == before
    page.get_by_role("button", name="Next person").click()
    page.get_by_role("button", name="I agree: start").click()
    expect(question(page, "district")).to_be_hidden()
    choose(page, "province", "Huế")
    assert shown(page, "district") == ["Huế 1", "Huế 2", "Huế 3"]
    assert question(page, "district").locator(":checked").count() == 0


def test_another_language_keeps_the_choices_that_are_offered(page, live):
    names = {each["name"]: {"choices": {c["name"]: f"vi {c['label']}" for c in each["choices"]},
                            "label": f"vi {each['label']}"} for each in chain()}  # fmt: skip
    content = definition(*chain(), translations={"vi": {"title": "x", "questions": names}})
    assert not parse_survey(content).untranslated
    opened(live.store, content)
    start(page, f"{live.url}/s/health")
    choose(page, "province", "Huế")
    choose(page, "district", "Huế 2")
    page.get_by_role("link", name="Tiếng Việt").click()
    expect(question(page, "district")).to_contain_text("vi Huế 1")
    assert shown(page, "district") == ["vi Huế 1", "vi Huế 2", "vi Huế 3"]
    expect(question(page, "district").get_by_label("vi Huế 2")).to_be_checked()


def test_the_builder_edits_conditions_of_choices(builder, live):
    page = builder
    page.goto(draft(live, *chain(2, 1)))
    until_ready(page)
    district = asked_as(page, 2)
    # The fold is open, because the question has conditions.
    lines = district.get_by_label("Choices offered only if")
    assert lines.input_value().splitlines()[0] == "hn_1, hn_2 if province: hn"
    asked_as(page, 1).get_by_text("Conditions and column name").click()
    name = asked_as(page, 1).get_by_label("Column name in the CSV file")
    name.fill("city")
    name.press("Tab")
    assert lines.input_value().splitlines()[0] == "hn_1, hn_2 if city: hn"
    # Only single choices and boxes have the field.
    district.get_by_label("Type", exact=True).select_option(label="Scale: ordered choices")
    expect(lines).to_be_hidden()
    district.get_by_label("Type", exact=True).select_option(label="Single choice")
    # Perhaps nobody is offered a choice, so there is an answer for those people.
    expect(district.get_by_label("Answer for people who are not asked")).to_be_visible()
    page.expected_problems.append("422")
    lines.fill("hn_1 if city: paris")
    page.get_by_role("button", name="Save and close").click()
    expect(page.get_by_text("“city” must be one or a list of: hn, dn, hue.").first).to_be_visible()
    lines = asked_as(page, 2).get_by_label("Choices offered only if")
    lines.fill("hn_1 if city: dn, hue")
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("heading", name="Pre-launch checklist").wait_for()
    district = live.store.surveys.by_slug("health").survey.questions[1]
    assert district.choice_conditions == (({"city": ["dn", "hue"]}, (0,)),)
