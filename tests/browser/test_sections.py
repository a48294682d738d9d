"""Sections as pages, and questions that may be skipped, on the respondent's page."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.looks import no_violations
from tests.support.builder_page import TOO_WIDE
from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import begin, send, start

AGE = {"name": "age", "type": "number", "label": "Age?", "min": 0, "max": 120, "privacy": "none"}
TEXT = {"name": "why", "type": "text", "label": "Anything else?", "privacy": "none"}


def section(name, label, **rest):
    return {"name": name, "type": "section", "label": label, **rest}


QUESTIONS = (
    AGE,
    section("work", "Work", hint="Paid or not.", relevant={"age": {"min": 18}}),
    yes_no("paid", label="Are you paid?"),
    yes_no("happy", label="Are you happy there?", privacy="none"),
    section("end", ""),
    TEXT,
)


def visible(page):
    """The names of the questions and headings that are on the screen."""
    return page.locator("[data-question]:visible").evaluate_all(
        "all => all.map((each) => each.dataset.question)"
    )


def next_page(page):
    page.get_by_role("button", name="Next").click()


@pytest.mark.plain
def test_each_section_is_a_page(page, live):
    opened(live.store, definition(*QUESTIONS))
    start(page, f"{live.url}/s/health")
    assert visible(page) == ["age"]
    expect(page.get_by_role("button", name="Back", exact=True)).to_be_hidden()
    # The page is not left before its question has an answer.
    next_page(page)
    assert visible(page) == ["age"]
    expect(page.get_by_text("Type a number.")).to_be_visible()
    page.get_by_role("textbox", name="Age?").fill("40")
    next_page(page)
    assert visible(page) == ["work", "paid", "happy"]
    expect(page.get_by_role("heading", name="Work", exact=True)).to_be_visible()
    assert page.evaluate("document.activeElement.dataset.question") == "work"
    # Several open questions of one page are listed.
    next_page(page)
    expect(page.locator("#open")).to_contain_text("2 questions still need an answer")
    page.get_by_role("radiogroup", name="Are you paid?").get_by_label("Yes").check()
    page.get_by_role("radiogroup", name="Are you happy there?").get_by_label("No").check()
    next_page(page)
    # A section without a heading is a page, too.
    assert visible(page)[-1:] == ["why"]
    expect(page.get_by_role("button", name="Next")).to_be_hidden()
    page.get_by_role("button", name="Back", exact=True).click()
    assert visible(page) == ["work", "paid", "happy"]
    next_page(page)
    page.get_by_role("button", name="Check my answers").click()
    expect(page.locator("#chosen")).to_contain_text("Are you happy there?")


def test_a_section_is_left_out_if_its_condition_does_not_hold(page, live):
    opened(live.store, definition(*QUESTIONS))
    start(page, f"{live.url}/s/health")
    page.get_by_role("textbox", name="Age?").fill("17")
    next_page(page)
    assert visible(page)[-1:] == ["why"]
    assert page.locator("#bar").evaluate("(bar) => [bar.value, bar.max]") == [3, 4]
    page.get_by_role("button", name="Check my answers").click()
    expect(page.locator("#chosen")).not_to_contain_text("paid")
    with page.expect_request("**/responses") as sent:
        page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    reports = json.loads(sent.value.post_data)["reports"]
    # Its questions report, too: "not asked" is an answer of the table.
    assert set(reports) == {"age", "paid", "happy"}
    assert reports["happy"] == "2"


def test_a_change_shows_one_question_and_then_those_that_are_new(page, live):
    opened(live.store, definition(*QUESTIONS))
    start(page, f"{live.url}/s/health")
    page.get_by_role("textbox", name="Age?").fill("17")
    next_page(page)
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Change: Age?").click()
    assert visible(page) == ["age"]
    expect(page.get_by_role("button", name="Back", exact=True)).to_be_hidden()
    page.get_by_role("textbox", name="Age?").fill("40")
    for label in ("Are you paid?", "Are you happy there?"):
        page.get_by_role("button", name="Check my answers").click()
        page.get_by_role("radiogroup", name=label).get_by_label("Yes").check()
    page.get_by_role("button", name="Check my answers").click()
    expect(page.locator("#chosen")).to_contain_text("Are you happy there?")
    # Back leads to the last page, as before the change.
    page.locator("#back").click()
    assert visible(page)[-1:] == ["why"]


def test_the_browsers_back_leads_to_the_page_before(page, live):
    opened(live.store, definition(*QUESTIONS))
    start(page, f"{live.url}/s/health")
    page.get_by_role("textbox", name="Age?").fill("40")
    next_page(page)
    page.go_back()
    assert visible(page) == ["age"]
    expect(page.get_by_role("textbox", name="Age?")).to_have_value("40")


def test_one_question_at_a_time_the_heading_stands_above_the_first(page, live):
    opened(live.store, definition(*QUESTIONS, layout="one_at_a_time"))
    start(page, f"{live.url}/s/health")
    page.get_by_role("textbox", name="Age?").fill("40")
    next_page(page)
    assert visible(page) == ["work", "paid"]
    page.get_by_label("Yes").first.check()
    next_page(page)
    assert visible(page) == ["happy"]


def test_the_language_changes_on_a_page_of_a_section(page, live):
    texts = {
        "title": "Sức khỏe",
        "questions": {
            "age": {"label": "Tuổi?"}, "work": {"label": "Việc làm", "hint": "Có lương."},
            "paid": {"label": "Có lương?"}, "happy": {"label": "Vui?"}, "why": {"label": "Gì nữa?"},
        },
    }  # fmt: skip
    opened(live.store, definition(*QUESTIONS, translations={"vi": texts}))
    start(page, f"{live.url}/s/health")
    page.get_by_role("textbox", name="Age?").fill("40")
    next_page(page)
    page.get_by_role("link", name="Tiếng Việt").click()
    expect(page.get_by_role("heading", name="Việc làm")).to_be_visible()
    assert visible(page) == ["work", "paid", "happy"]


def test_the_next_person_at_a_kiosk_begins_at_the_first_page(page, live):
    opened(live.store, definition(*QUESTIONS))
    page.goto(f"{live.url}/s/health#kiosk")
    begin(page)
    page.get_by_role("textbox", name="Age?").fill("17")
    next_page(page)
    send(page)
    page.get_by_role("button", name="Next person").click()
    begin(page)
    assert visible(page) == ["age"]
    expect(page.get_by_role("textbox", name="Age?")).to_have_value("")


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.slow
def test_a_page_of_a_section_fits_and_breaks_no_rule(page, live, width, scheme):
    opened(live.store, definition(*QUESTIONS))
    page.set_viewport_size({"width": width, "height": 700})
    page.emulate_media(color_scheme=scheme)
    start(page, f"{live.url}/s/health")
    page.get_by_role("textbox", name="Age?").fill("40")
    next_page(page)
    no_violations(page)
    assert not page.evaluate(TOO_WIDE)


def test_in_a_sampled_survey_only_pages_with_picked_questions_come(page, live):
    parts = [(section(f"page_{n}", f"Page {n}"), yes_no(n, label=f"{n}?")) for n in "abc"]
    questions = [each for part in parts for each in part]
    opened(live.store, definition(*questions, budget={"per_respondent": {"sample": 1}}))
    start(page, f"{live.url}/s/health")
    heading, name = visible(page)
    assert heading == f"page_{name}"
    assert page.locator("#bar").evaluate("(bar) => [bar.value, bar.max]") == [1, 2]
    page.get_by_label("Yes").and_(page.locator(":visible")).check()
    send(page)


SKIPPABLE = {"prefer_not_to_say": True, "optional": True}


@pytest.mark.parametrize("layout", ["all_on_one_page", "one_at_a_time"])
def test_a_skipped_question_counts_as_prefer_not_to_say(page, live, layout):
    opened(
        live.store,
        definition(
            yes_no("lonely", label="Are you lonely?", privacy="none") | SKIPPABLE,
            AGE | SKIPPABLE,
            yes_no() | SKIPPABLE,
            yes_no("shy", label="Are you shy?", privacy="none")
            | SKIPPABLE
            | {"relevant": {"lonely": ["prefer_not_to_say"]}},
            TEXT,
            layout=layout,
        ),
    )
    start(page, f"{live.url}/s/health")
    hint = "You may skip this question. It then counts as “Prefer not to say”."
    expect(page.get_by_text(hint).first).to_be_visible()
    assert page.locator("[aria-required]").count() == 0
    while page.locator("#next:visible").count():
        next_page(page)
    page.get_by_role("button", name="Check my answers").click()
    assert page.locator("#chosen dd:not(.change)").all_inner_texts() == [
        *["Prefer not to say"] * 4, "–",
    ]  # fmt: skip
    with page.expect_request("**/responses") as sent:
        page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    reports = json.loads(sent.value.post_data)["reports"]
    assert (reports["lonely"], reports["age"]) == ("2", "121")


def test_a_skipped_private_question_goes_through_the_table(page, live):
    """Each of the three reports is possible. The row of “prefer not to say” is [1, 1, 4] of 6: in
    300 draws, a report is missing with probability 3e-24. The mean of the last is 200 with a
    standard error of 8.2, and it is outside 149 to 251 once in 2 billion runs."""
    table = {"mechanism": "k_randomized_response", "odds": 4}
    opened(live.store, definition(yes_no() | SKIPPABLE | {"privacy": table}))
    start(page, f"{live.url}/s/health")
    counts = page.evaluate(
        """async () => {
          const [question] = questions.all;
          const counts = {};
          for (let time = 0; time < 300; time += 1) {
            const { smokes } = await questions.reports((_, draw) => draw());
            counts[smokes] = (counts[smokes] ?? 0) + 1;
          }
          return [question.declined, question.taken(true), counts];
        }"""
    )
    assert counts[:2] == [True, 2]
    assert set(counts[2]) == {"0", "1", "2"}
    assert 149 < counts[2]["2"] < 251


def test_a_number_that_is_typed_wrongly_is_not_skipped(page, live):
    opened(live.store, definition(AGE | SKIPPABLE, yes_no()))
    start(page, f"{live.url}/s/health")
    page.get_by_role("textbox", name="Age?").fill("old")
    page.get_by_label("Yes").check()
    page.get_by_role("button", name="Check my answers").click()
    expect(page.get_by_text("Type only a number, such as 120.")).to_be_visible()
