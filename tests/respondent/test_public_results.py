"""The public page of results: only while it is switched on, and in the languages of the survey."""

import html
import re
from datetime import date

import numpy as np
import pytest

from survey.core.languages import LANGUAGES
from survey.core.scores import probabilities
from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.formats.citation import citation_of
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked
from tests.support.shared_results import BOTH, get, made, open_filled

pytestmark = pytest.mark.both_stores


@pytest.fixture
def filled(store):
    return open_filled(store)


def publish(researcher, public="yes"):
    path = "/admin/surveys/health"
    return researcher.post(f"{path}/publish", {"public": public}, form=f"{path}/share")


def test_results_are_public_only_while_they_are_switched_on(filled, researcher, client):
    assert get(client, "/s/health/results")[0].status_code == 404
    publish(researcher)
    assert get(client, "/s/health/results")[0].status_code == 200
    publish(researcher, "no")
    assert get(client, "/s/health/results")[0].status_code == 404


def test_everyone_sees_estimates_of_private_questions_alone(filled, researcher, client):
    publish(researcher)
    _, page = get(client, "/s/health/results")
    assert "Do you smoke?" in page
    assert "dog" not in page
    assert "Questions whose answers are stored as given, not mixed up, are not shown here." in page
    # 6 of 8 reports are Yes, and the estimate is 2P - 1/2, with a standard error of 33 points.
    assert re.search(r'<data value="1\.0\d*">100 %</data>', page)
    assert ">0 %</data>" in page
    assert "From 8 responses" in page


def test_the_public_page_speaks_the_surveys_languages(store, researcher, client):
    translated = {
        "title": "Sức khỏe",
        "questions": {"smokes": {"label": "Bạn có hút thuốc không?"}},
    }
    opened(store, definition(translations={"vi": translated}))
    publish(researcher)
    for number in range(5):
        _, page = get(client, "/s/health/results?language=vi")
        assert ">150" not in page
        few = '<p data-remark="too_few_responses">Có quá ít lượt trả lời để ước lượng.'
        assert (few in page) == (number > 0)
        store.responses.add_response("health", Response(number.to_bytes(16), (0,)))
    _, page = get(client, "/s/health/results?language=vi")
    assert "too_few_responses" not in page
    # The interval of five responses is wider than half of the range.
    assert "Có quá ít câu trả lời để kết luận." in page
    assert '<html lang="vi">' in page
    assert "Kết quả: Sức khỏe" in page
    assert "Bạn có hút thuốc không?" in page
    assert ">150" in page
    assert ">−50" in page
    assert "Hãy xem khoảng." in page


def test_the_public_page_stays_the_same_until_a_batch_is_full(store, researcher, client):
    opened(store, BOTH | {"batch": 25})
    publish(researcher)
    pages = []
    for number in range(51):
        pages.append(get(client, "/s/health/results")[1])
        store.responses.add_response("health", Response(number.to_bytes(16), (number % 2, 1)))
    assert "There are no results yet." in pages[0]
    assert len(set(pages[:25])) == len(set(pages[25:50])) == 1
    assert len(set(pages)) == 3


def test_simulated_responses_are_said_to_be_so(store, researcher, client):
    opened(store, BOTH, "closed")
    store.responses.add_batches("health", [[Response(bytes(16), (0, 1))]], "simulated")
    publish(researcher)
    assert "Nobody was asked" in get(client, "/s/health/results")[1]
    token = made(researcher)
    assert "Nobody was asked" in get(client, token)[1]


def test_a_question_with_a_condition_is_about_those_asked(store, researcher, client):
    """600 reports: 40 % Yes, 20 % No, 40 % "not asked", so 2 of 3 of those asked answer Yes."""
    then = yes_no("then", {"epsilon": 3}) | {"label": "Every day?", "relevant": {"smokes": "yes"}}
    opened(store, definition(yes_no(), then))
    for number in range(600):
        report = (0, (0, 0, 1, 2, 2)[number % 5])
        store.responses.add_response("health", Response(number.to_bytes(16), report))
    publish(researcher)
    _, page = get(client, "/s/health/results")
    assert "Only some people were asked this question: an estimated" in page
    assert ">Not asked" not in page
    shown = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "of those asked would answer “Yes”" in shown
    rows = re.findall(r'<tr data-asked="(\w+)">', shown)
    assert rows == ["yes", "no"]
    assert '<tr data-answer="not_asked">' in shown


def test_half_of_the_people_have_at_most_the_median(store, researcher, client):
    """600 people with evenly spread answers, so half has at most about 50."""
    hours = asked("hours", "number", {"goal": "quantiles", "epsilon": 4}, min=0, max=100, step=5)
    survey = opened(store, definition(hours)).survey
    table = survey.private[0].table
    expected = np.full(21, 1 / 21) @ probabilities(table)
    reports = np.repeat(np.arange(table.reports), np.round(600 * expected).astype(int))
    for number, report in enumerate(reports):
        store.responses.add_response("health", Response(number.to_bytes(16), (int(report),)))
    publish(researcher)
    _, page = get(client, "/s/health/results")
    found = re.search(r"Half has at most: <strong>(\d+)</strong>\s+\(range (\d+) to (\d+)\)", page)
    value, low, high = map(int, found.groups())
    assert 30 <= low < value < high <= 70
    assert value == pytest.approx(50, abs=5)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_public_page_says_how_to_cite_its_questions(store, researcher, client, language):
    translations = {
        each: {
            "title": f"Title {each}",
            "asked_by": "Institute of Surveys",
            "questions": {name: {"label": f"{name} {each}?"} for name in ("smokes", "plain")},
        }
        for each in LANGUAGES[1:]
    }
    opened(store, BOTH | {"asked_by": "Institute of Surveys", "translations": translations})
    for number in range(8):
        store.responses.add_response("health", Response(number.to_bytes(16), (int(number > 5), 1)))
    publish(researcher)
    page = html.unescape(client.get(f"/s/health/results?language={language}").text)
    results = survey_results(
        store.surveys.by_slug("health").frozen, store.counts.by_question("health"), "browser"
    )
    address = "http://127.0.0.1:8000/s/health/results"
    citation = citation_of(results, language, address=address, private_only=True)
    [sentence] = citation.sentences
    for part in (sentence, citation.methods, citation.apa, citation.bibtex):
        assert part in page
    assert "Institute of Surveys. (n.d.)." in citation.apa
    assert address in citation.apa
    if language != "en":
        assert f"Title {language}" in citation.apa
        assert f"smokes {language}?" in sentence


def test_the_public_page_says_who_was_asked_and_on_which_days(store, researcher, client):
    content = definition(recruitment="All 500 members", batch=1)
    store.surveys.save_draft(parse_survey(content))
    store.surveys.freeze(freeze(parse_survey(content)), "open", date(2026, 3, 30))
    for number in range(8):
        store.responses.add_response("health", Response(number.to_bytes(16), (int(number > 5),)))
    publish(researcher)
    page = html.unescape(client.get("/s/health/results").text)
    days = "The survey opened on 30 March 2026 (UTC)."
    who = "respondents were selected: “All 500 members”."
    assert page.count(days) == page.count(who) == 2  # above the results and in the methods
    shown = html.unescape(researcher.client.get("/admin/surveys/health/results").text)
    assert days in shown
    assert who in shown
