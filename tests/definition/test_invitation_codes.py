"""Invitations: the format of a code, its use in a response, and the command that makes them."""

import hashlib
import json
import re
import stat
import string
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.core.errors import MalformedResponse
from survey.definition.responses.invitation_codes import (
    canonical_code,
    code_from,
    code_in_groups,
    link,
    token_hash,
)
from survey.definition.responses.parse_response import Response, parse_response
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.invitations import INVITED, ONE, body, response, unpacked

pytestmark = pytest.mark.both_stores


CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


# --- the format of a code
@given(st.binary(min_size=16, max_size=16))
def test_a_code_is_26_characters_that_hold_all_128_bits(drawn):
    code = code_from(drawn)
    assert re.fullmatch(f"[0-7][{CROCKFORD}]{{25}}", code)
    # Independent of the code under test: Python parses base 32 with other digits.
    digits = (string.digits + string.ascii_uppercase)[:32]
    assert int(code.translate(str.maketrans(CROCKFORD, digits)), 32) == int.from_bytes(drawn)
    assert canonical_code(code) == code
    assert canonical_code(code_in_groups(code)) == code
    assert canonical_code(code_in_groups(code).lower().replace(" ", "-")) == code
    assert token_hash(code) == hashlib.sha256(code.encode()).digest()


@pytest.mark.parametrize(
    "typed",
    [
        "01ABCDEFGH1234567890JKMNPQ",
        "01abcdefgh1234567890jkmnpq",
        "OlABCDEFGHI23456789oJKMNPQ",
        "oi-ABCD EFGH-L234\u20115678–9O\u00a0JKMN—PQ\n",
        " 01AB CDEF GH12 3456 7890 JKMN PQ ",
    ],
)
def test_a_code_is_read_as_people_type_it(typed):
    assert canonical_code(typed) == "01ABCDEFGH1234567890JKMNPQ"


@check_each(
    "typed",
    ["", ONE[:-1], ONE + "0", ONE[:-1] + "U", ONE[:-1] + "!", "๐" * 26, ONE + ONE, "ß" * 13],
)
def test_what_is_no_code_is_refused(typed):
    with pytest.raises(MalformedResponse, match="26 letters and digits"):
        canonical_code(typed)


@pytest.mark.parametrize("n", [0, 15, 17, 32])
def test_a_code_is_made_of_16_bytes_and_no_other_number(n):
    with pytest.raises(ValueError, match="16 bytes"):
        code_from(bytes(n))


def test_a_link_has_the_code_in_its_fragment_and_nowhere_else():
    parts = urlsplit(link("https://survey.example.org", "health", ONE))
    assert parts.fragment == ONE
    assert parts._replace(fragment="").geturl() == "https://survey.example.org/s/health"


def parsed(frozen, content: dict) -> Response:
    return parse_response(json.dumps(content).encode(), frozen)


# --- the invitation in a response


def test_a_response_brings_an_invitation_where_one_is_asked_for_and_nowhere_else(store):
    invited, free = opened(store, INVITED), opened(store, definition(slug="free"))
    assert parsed(invited, body(invited)).invitation == token_hash(ONE)
    without = {key: value for key, value in body(free).items() if key != "invitation"}
    assert parsed(free, without).invitation is None
    with pytest.raises(MalformedResponse, match="members id, fingerprint and reports"):
        parsed(free, body(free))
    without["fingerprint"] = invited.fingerprint
    with pytest.raises(MalformedResponse, match="id, fingerprint, invitation and reports"):
        parsed(invited, without)


@pytest.mark.parametrize(
    "sent",
    [ONE.lower(), code_in_groups(ONE), ONE[:-1], ONE + "\n", "", None, 5, [ONE], {"code": ONE}],
)
def test_a_code_is_sent_in_its_canonical_form_only(store, sent):
    frozen = opened(store, INVITED)
    with pytest.raises(MalformedResponse):
        parsed(frozen, body(frozen, invitation=sent))


# --- the command


def test_the_command_writes_a_file_for_its_owner_alone(app, store, tmp_path):
    opened(store, INVITED)
    file = tmp_path / "invitations.zip"

    def run(*arguments: str):
        return app.test_cli_runner().invoke(args=["survey", "invite", *arguments])

    result = run("health", "25", "--output", str(file))
    assert (result.exit_code, result.output) == (0, f"health: 25 invitations made, in {file}\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(unpacked(file.read_bytes())) == 27
    assert store.invitations.issued_and_spent("health") == (25, 0)
    again = run("health", "25", "--output", str(file))
    assert again.exit_code == 1
    assert f"Cannot create {file}: File exists." in again.output
    for slug, count, words in (
        ("nope", "1", "There is no survey 'nope'"),
        ("health", "0", "0 is not in the range"),
        ("health", "1001", "1001 is not in the range"),
    ):
        other = tmp_path / "other.zip"
        result = run(slug, count, "--output", str(other))
        assert result.exit_code != 0
        assert words in result.output
        assert not other.exists()
    assert store.invitations.issued_and_spent("health") == (25, 0)


def test_non_private_questions_alone_may_have_invitations_too(store):
    opened(store, definition(yes_no(privacy="none"), invitations=True))
    store.invitations.add_invitations("health", [token_hash(ONE)])
    assert store.responses.add_response("health", response(1, ONE))
