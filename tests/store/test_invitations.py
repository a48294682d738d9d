"""Invitations in the store: each is good for one response, and the code is nowhere."""

import sqlite3
from contextlib import closing

import pytest

from survey.core.errors import SpentInvitation, StateError, SurveyClosed, UnknownInvitation
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, opened
from tests.support.invitations import INVITED, ONE, TWO, codes, open_invited, response
from tests.support.stores import disk_error

pytestmark = pytest.mark.both_stores


@pytest.fixture
def invited(store):
    return open_invited(store)


def test_an_invitation_is_good_for_one_response(invited):
    assert invited.invitations.issued_and_spent("health") == (2, 0)
    assert invited.responses.add_response("health", response(1, ONE)) is True
    assert invited.invitations.issued_and_spent("health") == (2, 1)
    with pytest.raises(SpentInvitation, match="used before; nothing was recorded"):
        invited.responses.add_response("health", response(2, ONE))
    assert invited.responses.add_response("health", response(3, TWO)) is True
    assert invited.invitations.issued_and_spent("health") == (2, 2)
    assert invited.counts.by_question("health") == {"smokes": {0: 2}}


@pytest.mark.parametrize("code", [codes(1, seed=2)[0], None])
def test_an_unknown_invitation_records_nothing(invited, code):
    with pytest.raises(UnknownInvitation, match="no such invitation"):
        invited.responses.add_response("health", response(1, code))
    assert invited.counts.by_question("health") == {}


def test_an_invitation_to_one_survey_is_unknown_to_another(invited):
    opened(invited, definition(invitations=True, slug="other"))
    with pytest.raises(UnknownInvitation):
        invited.responses.add_response("other", response(1, ONE))
    assert invited.invitations.issued_and_spent("health") == (2, 0)
    assert invited.invitations.issued_and_spent("other") == (0, 0)


def test_a_retry_is_acknowledged_whatever_became_of_its_invitation(invited):
    """A retry is acknowledged after its invitation is spent on this very response.

    This holds even if the survey is closed by then.
    """
    invited.responses.add_response("health", response(1, ONE))
    assert invited.responses.add_response("health", response(1, ONE)) is False
    assert (
        invited.responses.add_response("health", response(1, TWO)) is False
    )  # the response would not spend it
    invited.lifecycle.set_state("health", "closed")
    assert invited.responses.add_response("health", response(1, ONE)) is False
    assert invited.invitations.issued_and_spent("health") == (2, 1)
    with pytest.raises(SurveyClosed):
        invited.responses.add_response("health", response(2, TWO))
    with pytest.raises(SurveyClosed):
        invited.responses.add_response("health", response(2, ONE))  # the closing is reported first
    assert invited.invitations.issued_and_spent("health") == (2, 1)


@pytest.mark.sqlite_only
def test_a_fault_after_spending_gives_the_invitation_back(invited, monkeypatch):
    """One transaction spends the invitation and stores the response, so neither happens alone."""

    def broken(*arguments: object) -> None:
        raise disk_error(invited.database.path)

    with monkeypatch.context() as patch:
        patch.setattr(invited.counts, "add_to_counts", broken)
        with pytest.raises(Exception, match="disk I/O error"):
            invited.responses.add_response("health", response(1, ONE))
    assert invited.invitations.issued_and_spent("health") == (2, 0)
    assert invited.responses.add_response("health", response(1, ONE)) is True


@pytest.mark.sqlite_only
def test_the_code_itself_is_stored_nowhere(invited, settings):
    invited.responses.add_response("health", response(1, ONE))
    with closing(sqlite3.connect(settings.database)) as connection:
        dump = "\n".join(connection.iterdump())
    assert token_hash(ONE).hex().upper() in dump.upper()
    assert ONE not in dump.upper()
    assert ONE.encode().hex().upper() not in dump.upper()


@pytest.mark.parametrize("state", ["draft", "loaded", "unknown"])
def test_only_frozen_surveys_of_real_people_have_invitations(store, state):
    if state == "draft":
        store.surveys.save_draft(parse_survey(INVITED))
    elif state == "loaded":
        opened(store, INVITED, "closed")
        store.responses.add_batches("health", [[Response(bytes(16), (0,))]], "loaded")
    with pytest.raises(StateError, match="Issue invitations to a survey of real people"):
        store.invitations.add_invitations("health", [token_hash(ONE)])
    assert store.invitations.issued_and_spent("health") == (0, 0)
