"""Intake: untrusted bytes become a response, or an error that says what is wrong with them.

The bytes come from anyone on the network. Nothing is repaired, clamped or guessed: what is not
exactly a response to this frozen survey is refused, since a tolerated oddity would be a channel
that distinguishes respondents.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .definition import FrozenSurvey
from .errors import MalformedResponse, StaleFingerprint, WrongReport

MAX_BODY = 64 * 1024  # bytes; 200 questions need about 15,000
RESPONSE_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Response:
    """One respondent's reports: a random id, and a column index for each question in order."""

    id: bytes
    reports: tuple[int, ...]


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON leaves open which of two equal keys counts; here neither does."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key is there twice")
    return members


def parse_response(body: bytes, frozen: FrozenSurvey) -> Response:
    """The response in a request's body.

    Parameters
    ----------
    body : bytes
        UTF-8 JSON `{"id": 32 hex digits, "fingerprint": ..., "reports": {name: index}}`.
    frozen : FrozenSurvey
        The survey that it answers.

    Raises
    ------
    MalformedResponse, StaleFingerprint, WrongReport
    """
    try:
        content = json.loads(body.decode("utf-8"), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise MalformedResponse("The body is not a JSON object in UTF-8.") from error
    if not isinstance(content, Mapping) or set(content) != {"id", "fingerprint", "reports"}:
        raise MalformedResponse("A response has exactly the members id, fingerprint and reports.")
    if not isinstance(content["id"], str) or not RESPONSE_ID.fullmatch(content["id"]):
        raise MalformedResponse("id is 32 hexadecimal digits (0-9, a-f).")
    if not isinstance(content["fingerprint"], str):
        raise MalformedResponse("fingerprint is a text.")
    if not isinstance(content["reports"], Mapping):
        raise MalformedResponse("reports is an object with a whole number for each question.")
    if content["fingerprint"] != frozen.fingerprint:
        raise StaleFingerprint(
            "This is for another version of the survey. Load the page again; nothing was recorded."
        )
    reports = content["reports"]
    questions = frozen.survey.questions
    for name in reports:
        if name not in {question.name for question in questions}:
            raise WrongReport(name[:63], "this survey has no such question.")
    for question in questions:
        if question.name not in reports:
            raise WrongReport(question.name, "its report is missing.")
        report = reports[question.name]
        if type(report) is not int or not 0 <= report < question.table.reports:
            raise WrongReport(
                question.name, f"a report is a whole number from 0 to {question.table.reports - 1}."
            )
    return Response(bytes.fromhex(content["id"]), tuple(reports[q.name] for q in questions))
