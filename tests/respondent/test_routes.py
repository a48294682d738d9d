"""Posted responses: invitations, and requests about a code before the questions."""

import json
import sqlite3
from contextlib import closing, nullcontext

import pytest

from survey.core.errors import MalformedResponse, SpentInvitation, SurveyClosed, UnknownInvitation
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import MAX_INVITATION_BODY_BYTES, parse_invitation
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, opened
from tests.support.invitations import INVITED, ONE, TWO, body, codes, open_invited, response

pytestmark = pytest.mark.both_stores


@pytest.fixture
def invited(store):
    return open_invited(store)


PATH = "/s/health/responses"


def test_the_replies_tell_the_two_refusals_apart_from_all_others(client, invited):
    frozen = invited.surveys.by_slug("health").frozen
    replies = [
        client.post(PATH, json=body(frozen)),
        client.post(PATH, json=body(frozen)),
        client.post(PATH, json=body(frozen, id="cd" * 16)),
        client.post(PATH, json=body(frozen, id="cd" * 16, invitation="0" * 26)),
        client.post(PATH, json=body(frozen, id="cd" * 16, invitation="o")),
        client.post(PATH, json=body(frozen), headers={"Sec-Fetch-Site": "cross-site"}),
    ]
    assert [(each.status_code, each.get_json().get("reason")) for each in replies] == [
        (201, None),
        (200, None),
        (403, "spent_invitation"),
        (403, "unknown_invitation"),
        (400, None),
        (403, None),
    ]
    for each in replies:
        assert ONE not in each.get_data(as_text=True)


DOOR = "/s/health/invited"
UNKNOWN = codes(1, seed=2)[0]
FORMS = [
    ({"invitation": ONE}, 200, None),
    ({"invitation": UNKNOWN}, 403, "unknown_invitation"),
    ({"invitation": ONE.lower()}, 400, None),
    ({"invitation": ONE[:-1]}, 400, None),
    ({"invitation": [ONE]}, 400, None),
    ({"invitation": None}, 400, None),
    ({"invitation": ONE, "smokes": "yes"}, 400, None),
    ({"code": ONE}, 400, None),
    ([ONE], 400, None),
    (ONE, 400, None),
]


def asked(client, content: object = None, slug: str = "health", **headers: str):
    return client.post(
        f"/s/{slug}/invited",
        json={"invitation": ONE} if content is None else content,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


def test_the_hash_of_the_code_is_what_is_asked_about():
    assert parse_invitation(json.dumps({"invitation": ONE}).encode()) == token_hash(ONE)
    twice = f'{{"invitation": "{ONE}", "invitation": "{ONE}"}}'
    for content in (b"", b"{", b"\xff", twice.encode(), b"[" * 1_000):
        with pytest.raises(MalformedResponse, match="not a JSON object"):
            parse_invitation(content)


@pytest.mark.parametrize(("content", "status", "reason"), FORMS)
def test_asking_about_a_code_says_whether_it_is_good(client, invited, content, status, reason):
    reply = asked(client, content)
    assert (reply.status_code, reply.get_json().get("reason")) == (status, reason)
    assert ONE not in reply.get_data(as_text=True).upper()
    if status == 200:
        assert reply.get_json() == {"status": "good"}


@pytest.mark.sqlite_only
def test_a_code_is_good_until_it_is_spent_and_asking_spends_nothing(client, invited, settings):
    """Requests change no byte of the database file, however many there are."""

    def content() -> str:
        with closing(sqlite3.connect(settings.database)) as connection:
            return "\n".join(connection.iterdump())

    before, uncompacted = content(), invited.database.uncompacted
    for _ in range(3):
        assert asked(client).status_code == 200
        assert asked(client, {"invitation": UNKNOWN}).status_code == 403
    assert (content(), invited.database.uncompacted) == (before, uncompacted)
    assert invited.invitations.issued_and_spent("health") == (2, 0)
    assert invited.responses.add_response("health", response(1, ONE)) is True
    reply = asked(client)
    assert (reply.status_code, reply.get_json()["reason"]) == (403, "spent_invitation")
    assert asked(client, {"invitation": TWO}).status_code == 200


@pytest.mark.parametrize(
    ("state", "code", "refusal"),
    [
        ("open", TWO, None),
        ("open", ONE, SpentInvitation),
        ("open", UNKNOWN, UnknownInvitation),
        ("closed", TWO, SurveyClosed),
        ("closed", ONE, SurveyClosed),  # the closing is reported first
        ("closed", UNKNOWN, SurveyClosed),
    ],
)
def test_the_check_refuses_what_a_response_would_be_refused_for(invited, state, code, refusal):
    invited.responses.add_response("health", response(1, ONE))
    invited.lifecycle.set_state("health", state)
    for do in (
        lambda: invited.invitations.check_invitation("health", token_hash(code)),
        lambda: invited.responses.add_response("health", response(2, code)),
    ):
        with pytest.raises(refusal) if refusal else nullcontext():
            do()


def test_an_invitation_to_one_survey_is_not_good_for_another(client, invited):
    opened(invited, definition(invitations=True, slug="other"))
    assert asked(client, slug="other").get_json()["reason"] == "unknown_invitation"


def test_a_closed_survey_says_so_whatever_the_code(client, invited):
    invited.lifecycle.set_state("health", "closed")
    for code in (ONE, UNKNOWN):
        reply = asked(client, {"invitation": code})
        assert (reply.status_code, [*reply.get_json()]) == (410, ["error"])


@pytest.mark.parametrize("slug", ["free", "draft", "nowhere"])
def test_only_surveys_with_invitations_can_be_asked(client, invited, slug):
    opened(invited, definition(slug="free"))
    invited.surveys.save_draft(parse_survey(INVITED | {"slug": "draft"}))
    reply = asked(client, slug=slug)
    assert (reply.status_code, reply.mimetype) == (404, "application/json")


def test_no_other_site_can_make_visitors_ask(client, invited):
    assert asked(client, Sec_Fetch_Site="cross-site").status_code == 403
    reply = asked(client, Origin="https://elsewhere.example")
    assert (reply.status_code, [*reply.get_json()]) == (403, ["error"])
    assert asked(client, Sec_Fetch_Site="same-origin").status_code == 200
    assert asked(client, Origin="http://localhost").status_code == 200


def test_asking_takes_a_short_json_body_and_nothing_else(client, invited):
    good = json.dumps({"invitation": ONE}).encode()
    longest = good + b" " * (MAX_INVITATION_BODY_BYTES - len(good))

    def status(content: bytes, kind: str = "application/json", **headers: str) -> int:
        return client.post(DOOR, data=content, content_type=kind, headers=headers).status_code

    assert status(longest) == 200
    assert status(longest + b" ") == 413
    assert status(good, "text/plain") == 415
    assert status(good, **{"Content-Encoding": "gzip"}) == 415
    assert client.post(DOOR, content_type="application/json").status_code == 400
    reply = client.get(DOOR)
    assert (reply.status_code, reply.mimetype) == (405, "application/json")
    assert invited.invitations.issued_and_spent("health") == (2, 0)
