"""Parse untrusted bytes into a response or an invitation, or raise an error with the fault.

The bytes may come from anyone on the network. Nothing is repaired, clamped or guessed. Everything
that is not exactly a response to this frozen survey is refused, because a tolerated difference
would be a channel that distinguishes respondents.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from survey.core.errors import MalformedResponse, StaleFingerprint, WrongReport
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.responses.invitation_codes import canonical_code, token_hash
from survey.definition.responses.offered_choices import require_offered

# 50 texts of full length and 150 questions of 100 boxes need about 170,000 bytes.
MAX_BODY_BYTES = 256 * 1024
# A code needs 44 bytes.
MAX_INVITATION_BODY_BYTES = 1_024
RESPONSE_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Response:
    """One respondent's reports: a random id, and the stored report to each question in order.

    A report is None if the random sample does not include the question. `invitation` is the hash of
    the invitation code, or None if the survey needs none. The store marks it as spent and never
    keeps it with the response. `texts` is a response to the part of the survey that stores texts
    apart (survey/definition/sub_surveys.py), or None. It has an id of its own, and the store keeps
    nothing that joins the two.
    """

    id: bytes
    reports: tuple[Stored | None, ...]
    invitation: bytes | None = None
    texts: "Response | None" = None


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members as a dict. Refuses equal keys, because JSON does not define which one counts."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key is there twice")
    return members


def read_json(body: bytes) -> Any:
    """Parse UTF-8 JSON. Raises MalformedResponse."""
    try:
        return json.loads(body.decode("utf-8"), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise MalformedResponse("The body is not a JSON object in UTF-8.") from error


def parse_response(body: bytes, frozen: FrozenSurvey) -> Response:
    """Parse the response in a request body.

    Parameters
    ----------
    body : bytes
        UTF-8 JSON `{"id": 32 hex digits, "fingerprint": ..., "reports": {name: text}}`, and
        `"invitation": its code` if and only if the survey requires invitations. If and only if the
        survey stores texts apart, `"texts": {"id": 32 other hex digits, "reports": {name: text}}`.
    frozen : FrozenSurvey
        The survey that the response answers.

    Raises
    ------
    MalformedResponse, StaleFingerprint, WrongReport
    """
    content = read_json(body)
    invited, apart = frozen.survey.fieldwork.invitations, frozen.survey.apart
    optional = [*(["invitation"] if invited else []), *(["texts"] if apart else [])]
    require_members(content, ["id", "fingerprint", *optional, "reports"], "A response")
    id = parse_id(content["id"])
    if not isinstance(content["fingerprint"], str):
        raise MalformedResponse("fingerprint is a text.")
    if content["fingerprint"] != frozen.fingerprint:
        raise StaleFingerprint(
            "This is for another version of the survey. Load the page again; nothing was recorded."
        )
    questions = frozen.survey.fields
    stored = parse_reports(content["reports"], frozen, questions)
    if any(question.choice_conditions for question in questions):
        require_offered(questions, stored)
    sample = frozen.survey.budget.sample
    if sample is not None:
        private = [report for q, report in zip(questions, stored, strict=True) if not q.non_private]
        if len(private) - private.count(None) != sample:
            raise MalformedResponse(f"A response reports on exactly {sample} private questions.")
    texts = None
    if apart:
        require_members(content["texts"], ["id", "reports"], "texts")
        texts_id = parse_id(content["texts"]["id"])
        if texts_id == id:  # Equal ids would join what is stored apart.
            raise MalformedResponse("texts has another id than the response.")
        texts = Response(texts_id, parse_reports(content["texts"]["reports"], frozen, apart))
    invitation = invitation_hash(content["invitation"]) if invited else None
    return Response(id, stored, invitation, texts)


def require_members(content: Any, members: Sequence[str], what: str) -> None:
    """Require a JSON object with exactly these members. Raises MalformedResponse."""
    if not isinstance(content, Mapping) or set(content) != set(members):
        listed = f"{', '.join(members[:-1])} and {members[-1]}"
        raise MalformedResponse(f"{what} has exactly the members {listed}.")


def parse_id(value: Any) -> bytes:
    """The id of a response. Raises MalformedResponse."""
    if not isinstance(value, str) or not RESPONSE_ID.fullmatch(value):
        raise MalformedResponse("id is 32 hexadecimal digits (0-9, a-f).")
    return bytes.fromhex(value)


def parse_reports(
    reports: Any, frozen: FrozenSurvey, questions: Sequence[Question]
) -> tuple[Stored | None, ...]:
    """The stored report to each of these questions, in order.

    Raises MalformedResponse and WrongReport.
    """
    if not isinstance(reports, Mapping):
        raise MalformedResponse("reports is an object with a text for each question.")
    names = {question.name for question in questions}
    for name in reports:
        if name not in names:
            raise WrongReport(name[:63], "this survey has no such question.")
    return tuple(stored_report(frozen, question, reports) for question in questions)


def invitation_hash(code: Any) -> bytes:
    """The hash of an invitation code. Only its canonical form is accepted."""
    if not isinstance(code, str) or canonical_code(code) != code:
        raise MalformedResponse("invitation is a code of 26 capital letters and digits.")
    return token_hash(code)


def parse_invitation(body: bytes) -> bytes:
    """The hash of the code in a request about an invitation.

    The body is UTF-8 JSON, `{"invitation": its code}`. Raises MalformedResponse.
    """
    content = read_json(body)
    if not isinstance(content, Mapping) or set(content) != {"invitation"}:
        raise MalformedResponse("A question about an invitation has exactly the member invitation.")
    return invitation_hash(content["invitation"])


def stored_report(
    frozen: FrozenSurvey, question: Question, reports: Mapping[str, Any]
) -> Stored | None:
    """The stored report to one question, or None if it is not in the random sample."""
    form = question.form
    if question.name not in reports:
        raise WrongReport(question.name, "its report is missing.")
    report = reports[question.name]
    if not isinstance(report, str):
        raise WrongReport(question.name, "a report is a text.")
    if form.width and report == "-" * form.width and not frozen.survey.always_reported(question):
        return None
    try:
        return form.read(report)
    except ValueError as error:
        raise WrongReport(question.name, str(error)) from error
