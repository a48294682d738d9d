"""The page with one level of protection for a whole draft."""

import re

from survey.definition.survey import parse_survey
from tests.support.definitions import definition, opened, yes_no

PAGE = "/admin/surveys/health/protection"


def save_draft(store, *names, privacy=None):
    questions = [yes_no(name, privacy or {"epsilon": 1}) for name in names]
    store.surveys.save_draft(parse_survey(definition(*questions, budget={"epsilon": 20})))


def text_of(reply):
    """The text of a page, without its tags."""
    assert reply.status_code == 200
    page = re.sub(r"<[^>]+>", "", reply.get_data(as_text=True))
    return re.sub(r"[\s\xa0]+", " ", page)


def test_each_level_says_what_respondents_read_and_what_it_costs(store, researcher):
    save_draft(store, *"abcdefghijkl")
    text = text_of(researcher.client.get(f"{PAGE}?n=2000"))
    assert "How well is each respondent protected?" in text
    assert "at most 75 with one mixed-up answer, and at most 90 with all." in text
    assert text.count("Each respondent reports on 2 of the 12 private questions") == 2
    assert "(for a mean, 5 % of its range), you need 9,220 respondents." in text
    assert "Expected margin with 2,000 respondents" in text


def test_a_level_becomes_the_protection_of_the_draft(store, researcher):
    save_draft(store, *"abc")
    researcher.post(f"{PAGE}/protected", form=PAGE)
    page = researcher.client.get("/admin/surveys/health")
    assert "The draft now has the level “Protected”." in text_of(page)
    survey = store.surveys.by_slug("health").survey
    assert (survey.budget.sample, survey.ratio_bound) == (2, 9)


def test_main_figures_stay_chosen(store, researcher):
    save_draft(store, *"abc")
    chosen = f"{PAGE}?n=500&main=a&main=b&main=nothing&crossed=y"
    page = researcher.client.get(chosen).get_data(as_text=True)
    for name, value in (("main", "a"), ("main", "b"), ("crossed", "y")):
        assert page.count(f'type="hidden" name="{name}" value="{value}"') == 3
    assert "nothing" not in page
    # No respondent would report on two of the three questions.
    data = {"n": "500", "main": ["a", "b"], "crossed": "y"}
    researcher.post(f"{PAGE}/strong", data, form=PAGE)
    assert store.surveys.by_slug("health").survey.budget.sample is None


def test_a_wrong_number_is_refused_and_the_default_used(store, researcher):
    save_draft(store, "a", "b")
    text = text_of(researcher.client.get(f"{PAGE}?n=0"))
    assert "Type a whole number from 1 to 10,000,000." in text
    assert "Expected margin with 500 respondents" in text


def test_what_has_no_level_says_so(store, researcher):
    save_draft(store, "a", privacy={"mechanism": "randomized_response", "odds": "9"})
    assert "so there is nothing to divide." in text_of(researcher.client.get(PAGE))
    researcher.post(f"{PAGE}/light", form="/admin/surveys/health")
    assert "Not changed: All private questions keep their protection" in text_of(
        researcher.client.get(PAGE)
    )
    # The box can be cleared.
    researcher.post(f"{PAGE}/light", {"n": "500"}, form="/admin/surveys/health")
    assert store.surveys.by_slug("health").survey.ratio_bound == 4
    assert researcher.post(f"{PAGE}/none", form="/admin/surveys/health").status_code == 422


def test_a_survey_without_private_questions_has_nothing_to_protect(store, researcher):
    save_draft(store, "a", privacy="none")
    assert "This survey has no private question." in text_of(researcher.client.get(PAGE))


def test_only_a_draft_has_this_page(store, researcher):
    opened(store, definition())
    assert researcher.client.get(PAGE).status_code == 409
