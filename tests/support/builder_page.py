"""The builder's page in a browser: how tests open a draft, and find its questions."""

from survey.definition.survey import parse_survey
from tests.support.definitions import definition

TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def draft(live, *questions, **rest):
    """Store a draft with these questions. Returns the address of its builder."""
    survey = parse_survey(definition(*questions, **rest))
    live.store.surveys.save_draft(survey)
    return f"{live.url}/admin/surveys/{survey.slug}/edit"


def question(page, number):
    return page.locator(f"#question-{number}")


def until_ready(page):
    """Wait until the page's scripts have drawn the questions and allow saving."""
    page.locator("#builder [value=close]:enabled").wait_for()


def words(page):
    """The labels of the questions in order, as the folded lines show them."""
    until_ready(page)
    return page.locator("#list [data-label]").all_inner_texts()


def protect_by_hand(page):
    """Choose no level for the whole survey, so that each question has its own protection."""
    until_ready(page)
    page.get_by_label("How well is each respondent protected?").select_option("")
