"""Saved analyses: saved below a result, opened again, renamed and deleted."""

import re
from urllib.parse import parse_qsl

import pytest
from flask import Flask

from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.store import ANALYST, Store
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import Researcher, signed_in

PAGE = "/admin/surveys/health/analysis"
SAVED = f"{PAGE}/saved"
QUERY = "measure=smokes%3A0&group=region"


@pytest.fixture
def ada(app: Flask, store: Store) -> Researcher:
    """An analyst, and a survey with 60 responses."""
    choices = [{"name": name, "label": name.upper()} for name in "ns"]
    region = {
        "name": "region", "type": "select_one", "label": "Where?", "privacy": "none",
        "choices": choices,
    }  # fmt: skip
    opened(store, definition(yes_no(), region), "closed")
    rows = [Response(bytes([k]) * 16, (k % 2, k % 3 // 2)) for k in range(60)]
    store.responses.add_batches("health", [rows], "loaded")
    return signed_in(app, role=ANALYST)


def fields(page: str) -> dict[str, str]:
    """The hidden fields of the form that saves."""
    return {
        name: re.search(rf'name="{name}" value="([^"]*)"', page)[1].replace("&amp;", "&")
        for name in ("analysis", "query")
    }


def test_an_analysis_is_saved_and_opened_again(ada: Researcher, store: Store) -> None:
    page = ada.client.get(f"{PAGE}/groups?{QUERY}").get_data(as_text=True)
    given = fields(page)
    assert given == {"analysis": "groups", "query": QUERY}
    reply = ada.post(SAVED, given | {"name": " By region "}, form=f"{PAGE}/groups?{QUERY}")
    assert reply.headers["Location"] == f"{PAGE}/groups?{QUERY}"
    [saved] = store.saved_analyses.list_analyses("health")
    assert (saved.name, saved.analysis, saved.query) == ("By region", "groups", QUERY)
    again = ada.client.get(reply.headers["Location"]).get_data(as_text=True)
    assert "Saved as “By region”." in again
    assert "Data: published responses to the survey “Health”, n = 60." in again
    assert 'id="save-name"' not in again
    listed = ada.client.get(SAVED).get_data(as_text=True)
    address = re.search(r'<th scope="row"><a href="([^"]+)">By region</a>', listed)[1]
    shown = ada.client.get(address.replace("&amp;", "&")).get_data(as_text=True)
    assert (
        re.search(r'id="finding">([^<]+)', shown)[1] == re.search(r'id="finding">([^<]+)', page)[1]
    )


def test_only_the_choices_of_the_form_are_saved(ada: Researcher, store: Store) -> None:
    """A link may carry anything, such as names that `url_for` understands."""
    query = f"{QUERY}&slug=other&_external=1&_scheme=javascript&utm=x"
    reply = ada.client.get(f"{PAGE}/groups?{query}")
    assert reply.status_code == 200
    page = reply.get_data(as_text=True)
    assert "javascript" not in page
    assert fields(page)["query"] == QUERY
    ada.post(SAVED, {"analysis": "groups", "query": query, "name": "a"}, form=SAVED_FORM)
    assert [each.query for each in store.saved_analyses.list_analyses("health")] == [QUERY]


SAVED_FORM = f"{PAGE}/groups?{QUERY}"


@pytest.mark.parametrize(
    ("analysis", "query"),
    [
        ("nothing", QUERY),
        ("groups", "measure=smokes:0&group=unknown"),
        ("correlation", "questions=smokes:0"),
        ("", ""),
    ],
)
def test_what_is_no_analysis_is_not_saved(
    ada: Researcher, store: Store, analysis: str, query: str
) -> None:
    given = {"analysis": analysis, "query": query, "name": "a"}
    reply = ada.post(SAVED, given, form=SAVED_FORM)
    assert reply.status_code == 422
    assert "The settings of this analysis are not valid." in reply.get_data(as_text=True)
    assert store.saved_analyses.list_analyses("health") == []


def test_a_name_that_is_missing_or_taken_is_typed_again(ada: Researcher, store: Store) -> None:
    given = {"analysis": "groups", "query": QUERY}
    ada.post(SAVED, given | {"name": "a"}, form=SAVED_FORM)
    other = {"analysis": "correlation", "query": "questions=smokes%3A0&questions=region%3A0"}
    form = f"{PAGE}/correlation?{other['query']}"
    for name, message in (
        ("", "Type a name."),
        ("a", "There is already an analysis “a”. Type a different name."),
    ):
        reply = ada.post(SAVED, other | {"name": name}, form=form)
        assert reply.status_code == 422
        page = reply.get_data(as_text=True)
        assert message in page
        # The page keeps what to save.
        assert "questions=smokes%3A0" in page
    ada.post(SAVED, other | {"name": "b"}, form=form)
    assert [each.analysis for each in store.saved_analyses.list_analyses("health")] == [
        "groups",
        "correlation",
    ]
    assert (
        dict(parse_qsl(store.saved_analyses.list_analyses("health")[1].query))["questions"]
        == "region:0"
    )


def test_an_analysis_is_renamed_and_deleted(ada: Researcher, store: Store) -> None:
    for name, query in (("a", QUERY), ("b", "measure=smokes%3A1&group=region")):
        given = {"analysis": "groups", "query": query, "name": name}
        ada.post(SAVED, given, form=f"{PAGE}/groups?{query}")
    first, second = store.saved_analyses.list_analyses("health")
    reply = ada.post(f"{SAVED}/{first.number}", {"name": "b"}, form=SAVED)
    assert reply.status_code == 422
    assert reply.get_data(as_text=True).count("There is already an analysis “b”.") == 1
    ada.post(f"{SAVED}/{first.number}", {"name": "c"}, form=SAVED)
    assert [each.name for each in store.saved_analyses.list_analyses("health")] == ["b", "c"]
    ada.post(f"{SAVED}/{second.number}/delete", form=SAVED)
    page = ada.client.get(SAVED).get_data(as_text=True)
    assert "The analysis “b” is deleted." in page
    assert [each.name for each in store.saved_analyses.list_analyses("health")] == ["c"]


def test_a_draft_has_no_saved_analyses(app: Flask, store: Store, ada: Researcher) -> None:
    store.surveys.save_draft(parse_survey(definition(slug="later")))
    assert ada.client.get("/admin/surveys/later/analysis/saved").status_code == 409
