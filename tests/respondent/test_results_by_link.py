"""Results for others: for people with a link, and for everyone."""

import html
import re
from datetime import date
from hashlib import sha256

import numpy as np
import pytest

from survey.core.languages import LANGUAGES
from survey.core.scores import probabilities
from survey.definition.frozen import freeze
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.formats.citation import citation_of
from survey.store import Share
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked
from tests.support.researchers import signed_in

pytestmark = pytest.mark.both_stores

PLAIN = yes_no("plain", label="Do you own a dog?", privacy="none")
BOTH = definition(yes_no(), PLAIN)


@pytest.fixture
def filled(store):
    opened(store, BOTH)
    for number in range(8):
        store.responses.add_response("health", Response(number.to_bytes(16), (int(number > 5), 1)))
    return store


def get(client, path):
    reply = client.get(path)
    assert "Set-Cookie" not in reply.headers
    return reply, " ".join(reply.get_data(as_text=True).replace("\u00a0", " ").split())


def made(researcher, name="Colleague"):
    reply = researcher.post("/admin/surveys/health/share", {"name": name})
    assert reply.status_code == 200
    return re.search(
        r"https?://[^/]+(/shared\?token=[\w-]{43})</code>", reply.get_data(as_text=True)
    )[1]


# --- a link


def test_a_link_shows_all_results_and_nothing_to_press(filled, researcher, app):
    link = made(researcher)
    reply, page = get(app.test_client(), link)
    assert reply.status_code == 200
    assert reply.headers["X-Robots-Tag"] == "noindex"
    assert reply.headers["Referrer-Policy"] == "no-referrer"
    assert "Do you smoke?" in page
    assert "Do you own a dog?" in page
    assert re.search('data-answer="yes">.*?100.0 %', page)
    # The answers to a private question were entered, and then randomised.
    assert [page.count(f">{each}</th>") for each in ("Answer entered", "Answer given")] == [1, 1]
    assert "<form" not in page
    assert not re.search(r"(href|action|src)=\"/admin", page)


def test_the_page_of_a_link_has_one_language(filled, researcher, app):
    """Its own sentences are in English, so those that it shares with the results page are too."""
    link, client = made(researcher), app.test_client()
    english, vietnamese = (
        client.get(link, headers={"Accept-Language": each}).text for each in ("en", "vi")
    )
    assert english == vietnamese
    assert '<html lang="en">' in english


@pytest.mark.sqlite_only
def test_only_the_hash_of_a_link_is_stored_and_it_is_shown_once(filled, researcher, settings):
    token = made(researcher).rpartition("=")[2]
    assert filled.shares.shared(sha256(token.encode()).digest()) == Share("health", "Colleague", 1)
    filled.compact()
    with open(settings.database, "rb") as file:
        content = file.read()
    assert token.encode() not in content
    assert token_hash(token) in content
    page = researcher.client.get("/admin/surveys/health/share").get_data(as_text=True)
    assert token not in page
    assert "Colleague" in page


def test_two_links_of_one_survey_have_different_names(filled, researcher):
    made(researcher)
    reply = researcher.post("/admin/surveys/health/share", {"name": " Colleague "})
    assert reply.status_code == 422
    assert "Another link has this name. Type a different name." in reply.text
    assert [share.name for share in filled.shares.links("health")] == ["Colleague"]


def test_a_link_that_is_switched_off_leads_nowhere(filled, researcher, app):
    first, second = made(researcher), made(researcher, "Press")
    page = "/admin/surveys/health/share"
    assert researcher.post(f"{page}/1/delete", form=page).status_code == 302
    assert get(app.test_client(), first)[0].status_code == 404
    assert get(app.test_client(), second)[0].status_code == 200
    assert [share.name for share in filled.shares.links("health")] == ["Press"]


@pytest.mark.parametrize("token", ["x", "A" * 43, "", "%00", "../admin"])
def test_a_guessed_link_leads_nowhere(filled, app, token):
    assert get(app.test_client(), f"/shared?token={token}")[0].status_code == 404


def test_a_link_is_for_one_survey_and_gone_with_it(filled, researcher, app):
    link = made(researcher)
    filled.lifecycle.set_state("health", "closed")
    filled.lifecycle.delete_survey("health")
    assert get(app.test_client(), link)[0].status_code == 404
    # It does not return with another survey of that name.
    opened(filled, BOTH)
    assert get(app.test_client(), link)[0].status_code == 404


def test_a_page_that_fails_leaves_no_token_in_the_log(filled, researcher, app, caplog, monkeypatch):
    """Flask logs the path of a request that fails, but not its query."""
    link = made(researcher)
    app.testing = False
    monkeypatch.setattr(filled.counts, "by_question", lambda *_: 1 / 0)
    assert app.test_client().get(link).status_code == 500
    assert "/shared" in caplog.text
    assert link.rpartition("=")[2] not in caplog.text


def test_a_link_wants_a_name(filled, researcher):
    reply = researcher.post("/admin/surveys/health/share", {"name": ""})
    assert reply.status_code == 422
    assert "Type a name" in reply.get_data(as_text=True)
    assert filled.shares.links("health") == []


def test_how_to_reach_respondents_is_told_there_too(store, researcher):
    opened(store, definition(invitations=True))
    page = researcher.client.get("/admin/surveys/health/share").text
    assert 'data-copy="http://127.0.0.1:8000/s/health"' in page
    assert 'href="/admin/surveys/health/link.svg"' in page
    assert "0 invitations issued, 0 used." in page
    assert 'href="/admin/surveys/health#invitations"' in page
    assert 'id="invitations"' in researcher.client.get("/admin/surveys/health").text
    store.lifecycle.set_state("health", "closed")
    page = researcher.client.get("/admin/surveys/health/share").text
    assert "The survey is closed and accepts no responses." in page
    assert "link.svg" not in page


def test_drafts_have_nothing_to_share(store, researcher):
    store.surveys.save_draft(parse_survey(BOTH))
    assert researcher.client.get("/admin/surveys/health/share").status_code == 409
    token = researcher.token("/admin/surveys/health")
    for path in ("share", "publish"):
        reply = researcher.client.post(
            f"/admin/surveys/health/{path}",
            data={"csrf_token": token, "name": "x", "public": "yes"},
        )
        assert reply.status_code == 409


def test_an_analyst_cannot_share(filled, app):
    analyst = signed_in(app, "bob", "analyst")
    assert analyst.client.get("/admin/surveys/health/share").status_code == 403


def test_of_few_responses_a_shared_page_shows_no_estimate(store, researcher, client):
    opened(store, definition())
    for number in range(3):
        store.responses.add_response("health", Response(bytes([number]) * 16, (0,)))
    _, page = get(client, made(researcher))
    assert "3 responses are too few to show an estimate." in page
    assert "<svg" not in page
    assert "150" not in page


# --- everyone


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
