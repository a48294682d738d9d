"""The page with one level of protection for a whole draft."""

import re

from survey.definition.survey import parse_survey
from tests.support.definitions import definition, opened, yes_no

PAGE = "/admin/surveys/health/protection"
CHOICES = [{"name": f"c{n}", "label": f"Choice {n}"} for n in range(4)]


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


def test_each_estimate_has_a_row(store, researcher):
    scale = {"name": "mood", "type": "scale", "label": "Mood", "choices": CHOICES}
    boxes = {"name": "boxes", "type": "select_multiple", "label": "Boxes", "choices": CHOICES}
    numbers = [
        {"name": f"n{n}", "type": "number", "label": "How many?", "min": 0, "max": 9}
        for n in range(2)
    ]
    questions = [each | {"privacy": {"epsilon": 1}} for each in (scale, boxes, *numbers)]
    store.surveys.save_draft(parse_survey(definition(*questions, budget={"epsilon": 20})))
    # Only the scale has one choice, so no two questions have a cross-tabulation.
    chosen = "&".join(f"main={each['name']}" for each in questions)
    text = text_of(researcher.client.get(f"{PAGE}?n=500&crossed=y&{chosen}"))
    assert text.count("Use this level") == 3
    assert text.count("Mood (mean)") == 1
    assert text.count("How many? (mean)") == 2


def test_a_budget_below_a_level_is_kept_and_said(store, researcher):
    questions = [yes_no(name, {"epsilon": 0.5}) for name in "ab"]
    store.surveys.save_draft(parse_survey(definition(*questions, budget={"epsilon": 2})))
    text = text_of(researcher.client.get(PAGE))
    assert text.count("Use this level") == 1
    assert text.count("the budget") == 2
    researcher.post(f"{PAGE}/light", form=PAGE)
    assert "Not changed: " in text_of(researcher.client.get(PAGE))
    researcher.post(f"{PAGE}/strong", form=PAGE)
    assert store.surveys.by_slug("health").survey.budget.epsilon == 2


def test_real_coins_have_no_level(store, researcher):
    questions = [yes_no(name, {"mechanism": "coin_flip"}) for name in "ab"]
    by_hand = definition(*questions, budget={"epsilon": 20}, by_hand=True)
    store.surveys.save_draft(parse_survey(by_hand))
    text = text_of(researcher.client.get(PAGE))
    assert text.count("all private questions keep their coin flips") == 1


def test_a_population_can_be_too_small(store, researcher):
    questions = [yes_no(name, {"epsilon": 0.5}) for name in "abcdef"]
    small = definition(*questions, budget={"epsilon": 20}, results_about=300)
    store.surveys.save_draft(parse_survey(small))
    text = text_of(researcher.client.get(PAGE))
    assert text.count("is not possible, because the population has only 300 people.") == 3
