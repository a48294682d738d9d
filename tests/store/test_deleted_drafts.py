"""Deleted drafts: they come back as they were for 30 days, and are then gone."""

from datetime import date, timedelta

import pytest

from survey.core.errors import StateError, UnknownSurvey
from survey.definition.survey import parse_survey
from survey.store import ANALYST, EDITOR, MEMBER, Account
from survey.store.sql.deleted_drafts import KEPT_DAYS
from tests.support.definitions import definition, opened
from tests.support.every_type import EVERY_TYPE

pytestmark = [pytest.mark.both_stores]
DAY = date(2026, 11, 3)
LAST = DAY + timedelta(days=KEPT_DAYS)


@pytest.fixture
def deleted(store):
    """A draft that ada created, and on which bob has a role, deleted on DAY."""
    for name in ("bob", "eve"):
        store.accounts.add_account(Account(name=name, role=MEMBER, password_hash="x"))
    survey = parse_survey(EVERY_TYPE | {"slug": "health"})
    store.surveys.save_draft(survey, creator="ada", created=date(2026, 11, 1))
    store.accounts.set_survey_role("bob", "health", EDITOR)
    store.accounts.set_survey_role("eve", "health", ANALYST)
    store.deleted_drafts.delete_draft("health", DAY)
    return survey


def test_a_draft_comes_back_as_it_was(store, deleted):
    assert store.surveys.all() == []
    assert dict(store.accounts.by_name("bob").survey_roles) == {}
    [draft] = store.deleted_drafts.list_deleted(LAST)
    assert draft.last_day == LAST
    assert draft.survey == deleted
    store.deleted_drafts.restore_deleted(draft, "health")
    found = store.surveys.by_slug("health")
    assert (found.survey, found.state) == (deleted, "draft")
    assert (found.history.creator, found.history.created) == ("ada", date(2026, 11, 1))
    assert dict(store.accounts.by_name("bob").survey_roles) == {"health": EDITOR}
    assert dict(store.accounts.by_name("eve").survey_roles) == {"health": ANALYST}
    assert store.deleted_drafts.list_deleted(DAY) == []


def test_a_new_account_of_the_same_name_gets_no_role(store, deleted):
    store.accounts.remove_account("bob")
    store.accounts.add_account(Account(name="bob", role=MEMBER, password_hash="x"))
    [draft] = store.deleted_drafts.list_deleted(DAY)
    assert dict(draft.roles) == {"eve": ANALYST}
    store.deleted_drafts.restore_deleted(draft, "health")
    assert dict(store.accounts.by_name("bob").survey_roles) == {}


def test_a_draft_whose_address_is_taken_stays_deleted_until_it_has_another(store, deleted):
    opened(store, definition())
    [draft] = store.deleted_drafts.list_deleted(DAY)
    with pytest.raises(StateError, match="already a survey"):
        store.deleted_drafts.restore_deleted(draft, "health")
    assert store.deleted_drafts.find_deleted(draft.number, DAY) == draft
    store.deleted_drafts.restore_deleted(draft, "health-2")
    assert store.surveys.by_slug("health-2").survey.questions == deleted.questions


def test_after_its_last_day_a_draft_is_gone(store, deleted):
    [draft] = store.deleted_drafts.list_deleted(LAST)
    after = LAST + timedelta(days=1)
    assert store.deleted_drafts.list_deleted(after) == []
    with pytest.raises(UnknownSurvey):
        store.deleted_drafts.find_deleted(draft.number, after)
    assert store.deleted_drafts.drop_old_drafts(LAST) == 0
    assert store.deleted_drafts.drop_old_drafts(after) == 1
    assert store.deleted_drafts.list_deleted(DAY) == []


def test_a_draft_is_deleted_for_good_at_once(store, deleted):
    [draft] = store.deleted_drafts.list_deleted(DAY)
    store.deleted_drafts.drop_deleted(draft.number)
    store.deleted_drafts.drop_deleted(draft.number)
    assert store.deleted_drafts.list_deleted(DAY) == []
    with pytest.raises(UnknownSurvey):
        store.deleted_drafts.find_deleted(draft.number, DAY)


def test_two_drafts_with_one_address_both_come_back(store, deleted):
    store.surveys.save_draft(parse_survey(definition(title="Second")))
    store.deleted_drafts.delete_draft("health", DAY + timedelta(days=1))
    second, first = store.deleted_drafts.list_deleted(LAST)
    assert (second.survey.title, first.survey) == ("Second", deleted)
    store.deleted_drafts.restore_deleted(first, "health")
    store.deleted_drafts.restore_deleted(second, "health-2")
    assert len(store.surveys.all()) == 2
