"""Pages that say whom the results of a survey describe."""

import random
from html import unescape

import pytest

from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, opened, yes_no

COIN = {"mechanism": "coin_flip"}


@pytest.fixture
def asked(store):
    """Open a survey with a private and a non-private question, and 200 responses."""

    def opening(about):
        plain = yes_no("member", privacy="none", label="Are you a member?")
        opened(store, definition(yes_no(privacy=COIN), plain, results_about=about))
        r = random.Random(4)
        store.responses.add_all(
            ("health", Response(r.randbytes(16), (int(n % 5 > 1), int(n % 4 > 0))))
            for n in range(200)
        )

    return opening


def seen(researcher, path):
    reply = researcher.client.get(f"/admin/surveys/health/{path}")
    assert reply.status_code == 200
    return " ".join(unescape(reply.text).split())


def test_results_describe_the_respondents(asked, store, researcher):
    asked("respondents")
    page = seen(researcher, "results")
    assert "of these respondents would answer “Yes”" in page
    assert "25.0 % of these respondents answered “Yes”." in page
    assert "there is no random error, and no interval" in page
    assert "people like these respondents" not in page
    assert (
        "The interval at every look always describes people like the respondents, even if the "
        "other results describe another population."
    ) in page
    assert (
        "Standard errors and intervals include the error from the randomisation of the answers"
        in page
    )


def test_results_describe_a_population(asked, store, researcher):
    asked(1200)
    page = seen(researcher, "results")
    assert "of the population of 1,200 people would answer “Yes”" in page
    assert "finite population correction" in page
    weighted = seen(researcher, "results?by=member&total-yes=300&total-no=900")
    assert "of the population (weighted by “Are you a member?”) would answer" in weighted


def test_a_population_that_is_too_small_is_explained(asked, store, researcher):
    asked(150)
    page = seen(researcher, "results")
    assert "There are more responses than the 150 people in the population" in page
    assert "of people like these respondents would answer “Yes”" in page


def test_weighted_results_are_about_people_like_the_respondents(asked, store, researcher):
    asked("respondents")
    page = seen(researcher, "results?by=member&total-yes=50&total-no=50")
    assert "of the population (weighted by “Are you a member?”) would answer" in page


def test_analyses_say_that_they_are_about_people_like_the_respondents(asked, store, researcher):
    asked("respondents")
    page = seen(researcher, "analysis?rows=smokes&columns=member")
    assert "Analyses describe people like the respondents" in page


def test_the_public_page_follows(asked, store, researcher):
    asked("respondents")
    store.shares.publish("health", True)
    page = " ".join(unescape(researcher.client.get("/s/health/results").text).split())
    assert "the range contains the true number for the people who took part" in page


def test_the_plan_follows(store, researcher):
    store.surveys.save_draft(parse_survey(definition(results_about="respondents")))
    page = seen(researcher, "plan")
    assert "margins include only the error from the randomisation" in page
    assert "This plan assumes truthful answers." in page
    store.surveys.save_draft(parse_survey(definition(slug="small", results_about=300)))
    reply = unescape(researcher.client.get("/admin/surveys/small/plan").text)
    assert "The results describe a population of 300 people" in reply
    assert "This plan has more respondents than this population has people." in reply


def test_the_builder_shows_the_choice(store, researcher):
    store.surveys.save_draft(parse_survey(definition(results_about=340)))
    page = researcher.client.get("/admin/surveys/health/edit").text
    assert '<option selected value="population">' in page
    assert 'value="340"' in page
