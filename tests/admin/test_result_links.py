"""The page of links to results: names, and who may share."""

import pytest

from survey.definition.survey import parse_survey
from tests.support.researchers import signed_in
from tests.support.shared_results import BOTH, get, made, open_filled

pytestmark = pytest.mark.both_stores


@pytest.fixture
def filled(store):
    return open_filled(store)


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


def test_a_link_wants_a_name(filled, researcher):
    reply = researcher.post("/admin/surveys/health/share", {"name": ""})
    assert reply.status_code == 422
    assert "Type a name" in reply.get_data(as_text=True)
    assert filled.shares.links("health") == []


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
