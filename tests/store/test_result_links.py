"""Links to results in the store: only their hash is there, and they go with the survey."""

from hashlib import sha256

import pytest

from survey.definition.responses.invitation_codes import token_hash
from survey.store import Share
from tests.support.definitions import opened
from tests.support.shared_results import BOTH, get, made, open_filled

pytestmark = pytest.mark.both_stores


@pytest.fixture
def filled(store):
    return open_filled(store)


@pytest.mark.sqlite_only
def test_only_the_hash_of_a_link_is_stored_and_it_is_shown_once(filled, researcher, settings):
    token = made(researcher).rpartition("=")[2]
    assert filled.shares.find_shared(sha256(token.encode()).digest()) == Share(
        "health", "Colleague", 1
    )
    filled.compact()
    with open(settings.database, "rb") as file:
        content = file.read()
    assert token.encode() not in content
    assert token_hash(token) in content
    page = researcher.client.get("/admin/surveys/health/share").get_data(as_text=True)
    assert token not in page
    assert "Colleague" in page


def test_a_link_is_for_one_survey_and_gone_with_it(filled, researcher, app):
    link = made(researcher)
    filled.lifecycle.set_state("health", "closed")
    filled.lifecycle.delete_survey("health")
    assert get(app.test_client(), link)[0].status_code == 404
    # It does not return with another survey of that name.
    opened(filled, BOTH)
    assert get(app.test_client(), link)[0].status_code == 404
