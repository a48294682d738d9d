"""Roles on single surveys in the store: given, changed, and gone with account or survey."""

from datetime import date

import pytest

from survey.core.errors import StateError, UnknownSurvey
from survey.definition.survey import parse_survey
from survey.store import ANALYST, EDITOR, MEMBER, OWNER, Account
from survey.store.stored import History
from tests.support.definitions import definition, opened

pytestmark = pytest.mark.both_stores
DAY = date(2026, 11, 23)


@pytest.fixture
def accounts(store):
    for name, role in (("ada", OWNER), ("bob", MEMBER), ("eve", ANALYST)):
        store.accounts.add_account(Account(name=name, role=role, password_hash="hash"))
    return store.accounts


def roles(accounts, name="bob"):
    return dict(accounts.by_name(name).survey_roles)


def save(store, slug="health", **rest):
    store.surveys.save_draft(parse_survey(definition(slug=slug)), **rest)


def test_a_role_is_given_changed_and_removed(store, accounts):
    save(store)
    for role, kept in ((ANALYST, {"health": ANALYST}), (EDITOR, {"health": EDITOR}), (None, {})):
        accounts.set_survey_role("bob", "health", role)
        assert roles(accounts) == kept
        assert accounts.roles_on("health") == ({"bob": role} if role else {})
    with pytest.raises(UnknownSurvey):
        accounts.set_survey_role("bob", "other", ANALYST)
    with pytest.raises(StateError):
        accounts.set_survey_role("fay", "health", ANALYST)


def test_only_members_are_stored_as_members(store, accounts):
    assert {each.name: each.role for each in accounts.people()} == {
        "ada": OWNER, "bob": MEMBER, "eve": ANALYST,
    }  # fmt: skip
    for role in (EDITOR, MEMBER, OWNER, ANALYST):
        accounts.set_role("bob", role)
        assert accounts.by_name("bob").role == role
    accounts.add_person("fay", MEMBER, "token", 2**33)
    assert accounts.by_name("fay").role == MEMBER


def test_a_member_is_no_owner_who_can_sign_in(accounts):
    accounts.set_role("bob", OWNER)
    accounts.set_role("ada", MEMBER)
    with pytest.raises(StateError, match="last owner"):
        accounts.set_role("bob", MEMBER)


def test_roles_outlast_a_change_of_role_a_reset_and_a_password(store, accounts):
    save(store)
    accounts.set_survey_role("bob", "health", EDITOR)
    accounts.set_role("bob", ANALYST)
    accounts.set_role("bob", MEMBER)
    accounts.reset_account("bob", "token", 2**33)
    accounts.set_password("bob", "other")
    assert roles(accounts) == {"health": EDITOR}


def test_roles_end_with_the_account(store, accounts):
    save(store)
    accounts.set_survey_role("bob", "health", EDITOR)
    accounts.remove_account("bob")
    accounts.add_account(Account(name="bob", role=MEMBER, password_hash="hash"))
    assert roles(accounts) == {}
    assert accounts.roles_on("health") == {}


def test_roles_follow_a_new_address(store, accounts):
    save(store)
    accounts.set_survey_role("bob", "health", EDITOR)
    save(store, "wellbeing", replacing="health")
    save(store)
    assert roles(accounts) == {"wellbeing": EDITOR}


def test_roles_end_with_the_survey(store, accounts):
    save(store, "first")
    opened(store, definition(slug="second"), "closed")
    for slug in ("first", "second"):
        accounts.set_survey_role("bob", slug, ANALYST)
    store.deleted_drafts.delete_draft("first", date.today())
    assert roles(accounts) == {"second": ANALYST}
    store.lifecycle.delete_survey("second")
    assert roles(accounts) == {}


def test_who_creates_a_survey_becomes_its_editor_unless_the_role_is_higher(store, accounts):
    for name in ("ada", "bob", "eve", None, "command line"):
        save(store, f"of-{(name or 'nobody').replace(' ', '-')}", creator=name, created=DAY)
    assert roles(accounts) == {"of-bob": EDITOR}
    assert roles(accounts, "eve") == {"of-eve": EDITOR}
    assert roles(accounts, "ada") == {}
    assert store.surveys.by_slug("of-bob").history == History("bob", DAY)


def test_days_and_creator_stay_with_the_survey(store):
    save(store, creator="bob", created=DAY)
    save(store, "wellbeing", replacing="health")
    frozen = opened(store, definition(slug="open"))
    assert store.surveys.by_slug("wellbeing").history == History("bob", DAY)
    assert {each.slug: each.history for each in store.surveys.list_surveys()} == {
        "wellbeing": History("bob", DAY), "open": History(),
    }  # fmt: skip
    assert frozen.survey.slug == "open"
