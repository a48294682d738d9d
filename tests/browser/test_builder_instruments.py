"""The builder in a real browser: instruments."""

import pytest
from playwright.sync_api import expect

from survey.definition.instruments.read_instruments import read_instruments
from tests.browser.looks import no_violations
from tests.support.builder_page import TOO_WIDE, draft, question, until_ready, words
from tests.support.definitions import yes_no

PHQ9 = read_instruments()["phq-9"]
LABELS = [PHQ9.lead_in, *(label for label, _ in PHQ9.items), "(page break)"]


def add(page, slug, result=0):
    """Add an instrument in the open fold."""
    page.get_by_label("Instrument", exact=True).select_option(value=slug)
    page.get_by_label("Result", exact=True).select_option(index=result)
    page.get_by_role("button", name="Add instrument").click()


@pytest.mark.parametrize("slug", read_instruments())
def test_an_instrument_is_added_and_saved_as_its_file_says(builder, live, slug):
    instrument = read_instruments()[slug]
    for result, name in enumerate(instrument.results()):
        address = f"draft-{result}"
        builder.goto(draft(live, yes_no("first"), slug=address))
        until_ready(builder)
        builder.get_by_text("Add an instrument").click()
        add(builder, slug, result)
        builder.get_by_role("button", name="Save and close").click()
        builder.get_by_role("heading", name="Pre-launch checklist").wait_for()
        saved = live.store.surveys.by_slug(address).survey.as_definition()["questions"][1:]
        assert saved == instrument.survey([name]).as_definition()["questions"]
        # Nothing but advice is left: an added instrument needs no correction.
        assert builder.locator("[data-check=unsent].failed").count() == 0


def test_undo_removes_all_questions_and_a_second_copy_has_new_names(builder, live):
    page = builder
    page.goto(draft(live, yes_no("phq9_1", label="A?")))
    until_ready(page)
    page.get_by_text("Add an instrument").click()
    add(page, "phq-9")
    page.get_by_text("PHQ-9 added.").wait_for()
    assert words(page) == ["A?", *LABELS, "PHQ-9 score of 10 or more"]
    # The focus is on the first added question.
    assert page.evaluate("document.activeElement.id") == "question-2-name"
    page.get_by_role("button", name="Undo").click()
    assert words(page) == ["A?"]
    page.get_by_role("button", name="Redo").click()
    add(page, "phq-9", 2)
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("heading", name="Pre-launch checklist").wait_for()
    survey = live.store.surveys.by_slug("health").survey
    names = [each.name for each in survey.questions]
    assert len(set(names)) == 1 + 2 * 12
    assert names[1:3] == ["phq9v2_page", "phq9v2_1"]
    assert names[12:15] == ["phq9v2_10_or_more", "phq9v3_page", "phq9v3_1"]
    score = survey.questions[-1].derived
    assert set(score["sum"]) == {f"phq9v3_{n}" for n in range(1, 10)}


def test_the_page_names_languages_without_a_validated_text(builder, live):
    page = builder
    page.goto(draft(live, yes_no("first"), translations={"th": {}}))
    until_ready(page)
    page.get_by_text("Add an instrument").click()
    warning = page.locator("[data-untranslated]")
    assert warning.inner_text().startswith("Candor has no validated text of AUDIT-C in: ไทย"), (
        warning.inner_text()
    )
    assert "Or remove the language." in warning.inner_text()
    sources = warning.get_by_role("link", name="Sources of the instruments")
    assert sources.get_attribute("href").endswith("/help/reference/instruments")
    page.locator("#languages [value=th]").uncheck()
    assert warning.is_hidden()
    page.locator("#language").select_option(value="vi")
    assert "Tiếng Việt" in warning.inner_text()
    page.locator("#language").select_option(value="en")
    page.locator("#languages [value=th]").check()
    add(page, "gad-2")
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("heading", name="Pre-launch checklist").wait_for()
    # The survey cannot open before someone has entered the validated texts.
    check = page.locator("[data-check=translated]")
    assert "Among them are published texts of GAD-2." in check.inner_text()
    assert "Or remove the language." in check.inner_text()
    check.get_by_role("link", name="More in the help").click()
    page.get_by_role("heading", name="GAD-2").wait_for()
    page.go_back()
    # The page of the translation says the same.
    check.get_by_role("link").first.click()
    notice = page.get_by_text("For GAD-2, enter the published and validated translation")
    assert notice.get_by_role("link", name="Sources of the instruments").is_visible()


@pytest.mark.plain
def test_an_instrument_replaces_the_empty_question_of_a_new_survey(builder, live):
    page = builder
    page.goto(f"{live.url}/admin/surveys/new")
    until_ready(page)
    page.get_by_text("Add an instrument").click()
    add(page, "phq-9")
    expect(page.locator("#said")).to_have_text("PHQ-9 added. The empty first question is removed.")
    assert words(page) == [*LABELS, "PHQ-9 score of 10 or more"]
    assert page.evaluate("document.activeElement.id") == "question-1-name"
    page.get_by_role("button", name="Undo").click()
    assert words(page) == ["(no text yet)"]
    assert page.evaluate("document.activeElement.id") == "question-1-name"
    # Every change of the question keeps it.
    page.get_by_label("Type", exact=True).select_option(value="number")
    add(page, "gad-2")
    expect(page.locator("#said")).to_have_text("GAD-2 added.")
    assert words(page)[0] == "(no text yet)"


@pytest.mark.parametrize("width", [375, 1280])
def test_the_terms_of_the_chosen_instrument_are_shown(builder, live, width):
    page = builder
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(draft(live, yes_no("first")))
    until_ready(page)
    page.get_by_text("Add an instrument").click()
    for instrument in read_instruments().values():
        page.get_by_label("Instrument", exact=True).select_option(value=instrument.slug)
        shown = page.locator("[data-about]:visible")
        assert shown.count() == 1
        assert instrument.terms in shown.inner_text()
        assert instrument.citation in shown.inner_text()
        assert not page.evaluate(TOO_WIDE)
    assert "Nobody sees the answers to it" in shown.inner_text()
    no_violations(page)


def test_an_instrument_is_added_by_keyboard_and_its_last_page_takes_other_questions(builder, live):
    page = builder
    page.goto(draft(live, yes_no("first")))
    until_ready(page)
    page.locator("#instruments summary").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Instrument", exact=True).focus()
    page.keyboard.type("GAD-2")
    page.get_by_role("button", name="Add instrument").focus()
    page.keyboard.press("Enter")
    page.get_by_text("GAD-2 added.").wait_for()
    # A question with other choices is not a row of the battery.
    page.get_by_role("button", name="Add question").click()
    question(page, 7).get_by_label("Question", exact=True).fill("Other?")
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("heading", name="Pre-launch checklist").wait_for()
    assert live.store.surveys.by_slug("health").survey.questions[-1].label == "Other?"
