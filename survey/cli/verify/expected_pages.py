"""What this release replies, made from a survey's public document, to be compared.

The pages depend only on the frozen survey and the language, so any machine can render them. The
refusals are the replies to posted requests that no server records, whatever the survey is.
"""

import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask, jsonify

from survey.core.errors import SurveyClosed, SurveyError
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.parse_response import parse_invitation, parse_response
from survey.definition.responses.receipts import parse_withdrawal
from survey.server.record_responses import NOT_ANSWERED
from survey.web.rendering import closed_page, respondent_page, withdraw_page

# The logarithms of two machines may differ in the last digit.
EPSILON_TOLERANCE = 1e-12


def pages_of(
    app: Flask, frozen: FrozenSurvey, document: Mapping[str, Any], *, closed: bool
) -> dict[str, dict[str, bytes]]:
    """The survey's page and, if it has one, its page for withdrawals, by path and language."""

    def page(language: str) -> str:
        if closed:
            has_results = document.get("public_results") is True
            origin = str(document.get("origin"))
            return closed_page(frozen, language, origin, has_results=has_results)
        return respondent_page(frozen, language, preview=False)

    path = f"/s/{frozen.survey.slug}"
    makers: dict[str, Callable[[str], str]] = {path: page}
    if frozen.survey.fieldwork.receipts:
        makers[f"{path}/withdraw"] = lambda language: withdraw_page(frozen, language)
    with app.test_request_context(path):
        return {
            where: {
                language: as_stated(maker(language), frozen, document).encode()
                for language in frozen.survey.languages
            }
            for where, maker in makers.items()
        }


@dataclass(frozen=True)
class Refusal:
    """A posted body that every server refuses, and the status and content of its reply."""

    body: bytes
    status: int
    content: bytes


def refusals_of(
    app: Flask, frozen: FrozenSurvey, document: Mapping[str, Any]
) -> dict[str, Refusal]:
    """The refusals of the requests that the survey's page posts, by the end of their path."""

    def refused_response(body: bytes) -> None:
        if document.get("origin") != "browser":
            raise SurveyClosed(NOT_ANSWERED)
        parse_response(body, frozen)

    parsers: dict[str, tuple[bytes, Callable[[bytes], object]]] = {
        "/responses": (response_to_another_survey(frozen), refused_response)
    }
    if frozen.survey.fieldwork.invitations:
        parsers["/invited"] = b'{"invitation":""}', parse_invitation
    if frozen.survey.fieldwork.receipts:
        parsers["/withdrawals"] = b'{"receipt":""}', parse_withdrawal
    refusals = {}
    for end, (body, parse) in parsers.items():
        try:
            parse(body)
        except SurveyError as error:
            with app.app_context():
                reply = jsonify(error=str(error))
            refusals[end] = Refusal(body, error.status, reply.get_data())
    return refusals


def response_to_another_survey(frozen: FrozenSurvey) -> bytes:
    """A response like one to this survey, with a fingerprint that no survey has."""
    content: dict[str, Any] = {
        "id": secrets.token_hex(16),
        "fingerprint": "0" * 64,
        "reports": {question.name: "0" for question in frozen.survey.fields},
    }
    if frozen.survey.apart:
        reports = {question.name: "" for question in frozen.survey.apart}
        content["texts"] = {"id": secrets.token_hex(16), "reports": reports}
    if frozen.survey.fieldwork.invitations:
        content["invitation"] = "0" * 26
    return json.dumps(content, separators=(",", ":")).encode()


def as_stated(page: str, frozen: FrozenSurvey, document: Mapping[str, Any]) -> str:
    """The page with the values of epsilon from the document, if they are close to ours."""
    ours = frozen.document()
    pairs = [(ours["epsilon"], document.get("epsilon"))]
    for name, entry in ours["tables"].items():
        pairs.append((entry["epsilon"], document["tables"].get(name, {}).get("epsilon")))
    for computed, stated in pairs:
        if computed != stated and near(stated, computed):
            pattern = re.escape(f'"epsilon":{json.dumps(computed)}')
            page = re.sub(rf"{pattern}(?=[,}}])", f'"epsilon":{json.dumps(stated)}', page)
    return page


def near(stated: Any, computed: Any) -> bool:
    """Whether two numbers agree apart from rounding, or both are None."""
    if isinstance(stated, int | float) and isinstance(computed, int | float):
        return abs(stated - computed) <= EPSILON_TOLERANCE
    return stated is None and computed is None
