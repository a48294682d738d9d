"""Deleted drafts on the list of surveys: who can restore them, and how."""

from datetime import timedelta

import pytest

from survey.definition.survey import parse_survey
from survey.server.clock import today
from survey.store import ANALYST, EDITOR, MEMBER
from tests.support.definitions import definition, opened
from tests.support.researchers import signed_in

pytestmark = pytest.mark.fast


@pytest.fixture
def number(store, researcher):
    """The number of a draft that the researcher deleted on its page."""
    store.surveys.save_draft(parse_survey(definition(title="Fragile")))
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "For 30 days, you can restore the draft" in page
    researcher.post("/admin/surveys/health/delete", {}, form="/admin/surveys/health")
    [draft] = store.deleted_drafts.list_deleted(today())
    return draft.number


def listed(researcher):
    return researcher.client.get("/admin/").get_data(as_text=True)


def test_a_deleted_draft_is_restored_from_below_the_list(store, researcher, number):
    page = listed(researcher)
    assert "1 deleted draft" in page
    assert "Fragile" in page
    response = researcher.post(f"/admin/deleted/{number}/restore", {}, form="/admin/")
    assert response.headers["Location"].endswith("/admin/surveys/health")
    assert store.surveys.by_slug("health").survey.title == "Fragile"
    assert "deleted draft" not in listed(researcher)
    assert researcher.post(f"/admin/deleted/{number}/drop", {}, form="/admin/").status_code == 404


def test_a_taken_address_gets_a_number(store, researcher, number):
    opened(store, definition(title="Other"))
    researcher.post(f"/admin/deleted/{number}/restore", {}, form="/admin/")
    page = researcher.client.get("/admin/surveys/health-2").get_data(as_text=True)
    assert "Its address is now health-2, because the old one is taken." in page
    assert store.surveys.by_slug("health-2").survey.title == "Fragile"


def test_a_draft_that_is_deleted_for_good_is_gone(store, researcher, number):
    researcher.post(f"/admin/deleted/{number}/drop", {}, form="/admin/")
    assert store.deleted_drafts.list_deleted(today()) == []
    assert "Fragile" not in listed(researcher)


def test_after_30_days_nothing_is_left(store, researcher, number):
    store.deleted_drafts.drop_old_drafts(today() + timedelta(days=31))
    assert "Fragile" not in listed(researcher)
    response = researcher.post(f"/admin/deleted/{number}/restore", {}, form="/admin/")
    assert response.status_code == 404


@pytest.mark.parametrize(
    ("role", "single", "reached"),
    [
        (EDITOR, None, True),
        (ANALYST, None, False),
        (ANALYST, EDITOR, True),
        (MEMBER, ANALYST, False),
        (MEMBER, EDITOR, True),
    ],
)
def test_who_could_delete_it_can_restore_it(app, store, role, single, reached):
    """A new survey with the old address gives no right to the deleted draft."""
    bob = signed_in(app, "bob", role)
    store.surveys.save_draft(parse_survey(definition(title="Fragile")))
    if single:
        store.accounts.set_survey_role("bob", "health", single)
    store.deleted_drafts.delete_draft("health", today())
    store.surveys.save_draft(parse_survey(definition(title="New one")))
    store.accounts.set_survey_role("bob", "health", EDITOR)
    assert ("Fragile" in listed(bob)) is reached
    [draft] = store.deleted_drafts.list_deleted(today())
    for act in ("restore", "drop"):
        response = bob.post(f"/admin/deleted/{draft.number}/{act}", {}, form="/admin/")
        assert response.status_code == (302 if reached else 404)
        if reached:
            break
