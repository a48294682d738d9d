"""Intake: exactly a response to this survey, or a refusal that says why."""

import json

import pytest

from survey.definition import freeze, parse_survey
from survey.errors import MalformedResponse, StaleFingerprint, WrongReport
from survey.intake import parse_response
from tests.conftest import definition, yes_no

FROZEN = freeze(parse_survey(definition(yes_no(), yes_no("drinks", privacy="none"))))
ID = "0123456789abcdef0123456789abcdef"


def body(**change) -> bytes:
    content = {
        "id": ID,
        "fingerprint": FROZEN.fingerprint,
        "reports": {"smokes": 1, "drinks": 0},
        **change,
    }
    return json.dumps({k: v for k, v in content.items() if v is not ...}).encode()


def test_a_good_response_is_read():
    response = parse_response(body(), FROZEN)
    assert response.id == bytes.fromhex(ID)
    assert response.reports == (1, 0)


def test_the_order_of_members_does_not_matter():
    assert parse_response(body(reports={"drinks": 0, "smokes": 1}), FROZEN).reports == (1, 0)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (b"", "not a JSON object"),
        (b"\xff\xfe", "not a JSON object"),
        (b"\xef\xbb\xbf{}", "not a JSON object"),
        (b"[" * 60_000, "not a JSON object"),
        (b'{"id": ' + b"1" * 50_000 + b"}", "not a JSON object"),
        (b'{"id": 1, "id": 1, "fingerprint": 1, "reports": 1}', "not a JSON object"),
        (b"[]", "exactly the members"),
        (body(extra=1), "exactly the members"),
        (body(id=...), "exactly the members"),
        (body(id=ID.upper()), "32 hexadecimal"),
        (body(id=ID + "\n"), "32 hexadecimal"),
        (body(id=ID[:-1]), "32 hexadecimal"),
        (body(id=7), "32 hexadecimal"),
        (body(fingerprint=None), "fingerprint is a text"),
        (body(reports=[1, 0]), "reports is an object"),
    ],
)
def test_malformed_responses_are_refused(bad, words):
    with pytest.raises(MalformedResponse, match=words):
        parse_response(bad, FROZEN)


def test_another_version_of_the_survey_is_refused():
    with pytest.raises(StaleFingerprint, match="another version"):
        parse_response(body(fingerprint="0" * 64), FROZEN)


@pytest.mark.parametrize(
    ("reports", "question", "words"),
    [
        ({"smokes": 1}, "drinks", "is missing"),
        ({"smokes": 1, "drinks": 0, "eats": 1}, "eats", "no such question"),
        ({"smokes": 2, "drinks": 0}, "smokes", "from 0 to 1"),
        ({"smokes": -1, "drinks": 0}, "smokes", "from 0 to 1"),
        ({"smokes": True, "drinks": 0}, "smokes", "whole number"),
        ({"smokes": 1.0, "drinks": 0}, "smokes", "whole number"),
        ({"smokes": "1", "drinks": 0}, "smokes", "whole number"),
        ({"smokes": None, "drinks": 0}, "smokes", "whole number"),
        ({"smokes": 1, "drinks": 2}, "drinks", "from 0 to 1"),
    ],
)
def test_a_wrong_report_is_refused_naming_its_question(reports, question, words):
    with pytest.raises(WrongReport, match=words) as refused:
        parse_response(body(reports=reports), FROZEN)
    assert refused.value.question == question
    assert repr(question) in str(refused.value)
