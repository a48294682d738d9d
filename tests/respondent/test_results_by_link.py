"""Results for people with a link."""

import re

import pytest

from survey.definition.responses.parse_response import Response
from tests.support.definitions import definition, opened
from tests.support.shared_results import get, made, open_filled

pytestmark = pytest.mark.both_stores


@pytest.fixture
def filled(store):
    return open_filled(store)


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


@pytest.mark.parametrize("token", ["x", "A" * 43, "", "%00", "../admin"])
def test_a_guessed_link_leads_nowhere(filled, app, token):
    assert get(app.test_client(), f"/shared?token={token}")[0].status_code == 404


def test_a_page_that_fails_leaves_no_token_in_the_log(filled, researcher, app, caplog, monkeypatch):
    """Flask logs the path of a request that fails, but not its query."""
    link = made(researcher)
    app.testing = False
    monkeypatch.setattr(filled.counts, "by_question", lambda *_: 1 / 0)
    assert app.test_client().get(link).status_code == 500
    assert "/shared" in caplog.text
    assert link.rpartition("=")[2] not in caplog.text


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


def test_of_few_responses_a_shared_page_shows_no_estimate(store, researcher, client):
    opened(store, definition())
    for number in range(3):
        store.responses.add_response("health", Response(bytes([number]) * 16, (0,)))
    _, page = get(client, made(researcher))
    assert "3 responses are too few to show an estimate." in page
    assert "<svg" not in page
    assert "150" not in page
