"""The page of invitations: how many are made and used."""

import re

import pytest

from survey.definition.responses.invitation_codes import token_hash
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, opened
from tests.support.invitations import INVITED, codes, made, response

pytestmark = pytest.mark.both_stores


@pytest.mark.parametrize("count", [0, -1, 1_001, "many", ""])
def test_a_number_out_of_range_makes_none_and_says_so(store, researcher, count):
    opened(store, INVITED)
    reply = made(researcher, count)
    assert reply.status_code == 302
    page = researcher.client.get(reply.location).get_data(as_text=True)
    assert "Candor created no invitations. Type a number from 1 to 1,000." in page
    assert store.invitations.issued_and_spent("health") == (0, 0)


def test_the_page_counts_issued_and_used_and_says_what_is_kept(store, researcher):
    opened(store, INVITED)
    store.invitations.add_invitations("health", map(token_hash, codes(1_200)))
    for number, code in enumerate(codes(7)):
        store.responses.add_response("health", response(number, code))
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    shown = dict(re.findall(r"<dt>(Issued|Used)</dt><dd>([\d,]+)</dd>", page))
    assert shown == {"Issued": "1,200", "Used": "7"}
    text = " ".join(re.sub(r"<[^>]+>", "", page).split())
    assert "Candor shows its code only once and stores only a hash of it" in text
    assert "Distribute the invitations at random, so that not even you know who" in text
    assert "Candor sends no e-mail. For this, Candor would need the addresses" in text


def test_there_is_no_such_form_for_drafts_and_surveys_that_are_open_to_all(store, researcher):
    store.surveys.save_draft(parse_survey(INVITED))
    assert b"Create invitations" not in researcher.client.get("/admin/surveys/health").data
    assert made(researcher, 5).status_code == 409
    opened(store, definition(slug="free"))
    free = "/admin/surveys/free"
    assert b"Create invitations" not in researcher.client.get(free).data
    reply = researcher.post(f"{free}/invitations", {"count": 5}, form=free)
    assert reply.status_code == 409
    assert b"needs no invitations" in reply.data
    nowhere = researcher.post("/admin/surveys/nope/invitations", {"count": 5}, form=free)
    assert nowhere.status_code == 404
