"""Routes of the respondents' page.

These are the survey's page, its public document, and the addresses that say whether an invitation
is good, take responses, and withdraw them.

The argument: no route here reads or sets a cookie, logs, or keeps anything of a request but the
reports in its body, and that an invitation is spent. Asking about one keeps nothing at all, and
with 128 random bits there is no code to be found by asking. All of it is accepted from pages of
this site only, so that no other site can make visitors send: survey/server/http/posting_rule.py is
the one rule for that. What programs send, which are no browser, is bounded by intake.
"""

from flask import Blueprint, Response, abort, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from survey.core.errors import SpentInvitation, UnknownInvitation, UnknownSurvey
from survey.core.languages import LANGUAGES
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses import receipts
from survey.definition.responses.parse_response import (
    MAX_BODY_BYTES,
    MAX_INVITATION_BODY_BYTES,
    parse_invitation,
    parse_response,
)
from survey.definition.survey import canonical_json
from survey.server import record_responses
from survey.server.http.page_cache import note_source
from survey.server.http.posting_rule import posting_refusal
from survey.store import StoredSurvey
from survey.web.extensions import store
from survey.web.i18n import preferred
from survey.web.rendering import closed_page, respondent_page, withdraw_page

blueprint = Blueprint("respond", __name__)


def published_survey(slug: str) -> tuple[FrozenSurvey, str, str]:
    """A frozen survey with its state and origin; a draft is unknown to the public. What a page is
    made of besides has to be noted as well (survey/server/http/page_cache.py)."""
    stored, version = store().public.shown_survey(slug)
    frozen = frozen_for_page(stored, version)
    return frozen, stored.state, stored.origin


def frozen_for_page(found: StoredSurvey, version: bytes) -> FrozenSurvey:
    """The frozen survey that a page of this version is made from."""
    if found.frozen is None:  # the store gives no drafts here
        raise UnknownSurvey(f"There is no survey {found.survey.slug!r}.")
    note_source(version, found.frozen.survey.languages)
    return found.frozen


@blueprint.errorhandler(UnknownInvitation)
@blueprint.errorhandler(SpentInvitation)
def refuse_invitation(error: UnknownInvitation | SpentInvitation) -> ResponseReturnValue:
    return jsonify(error=str(error), reason=error.reason), error.status


@blueprint.get("/")
def home() -> str:
    note_source(b"", [*LANGUAGES])
    return render_template("respondent/home.html")


@blueprint.get("/s/<slug>")
def page(slug: str) -> ResponseReturnValue:
    frozen, state, origin = published_survey(slug)
    language = preferred(frozen.survey.languages)
    if state != "open":
        return closed_page(frozen, language, origin), 410
    return respondent_page(frozen, language, preview=False)


@blueprint.get("/s/<slug>.json")
def document(slug: str) -> Response:
    """The frozen definition, its tables and the fingerprint, for anyone to recompute, and whether
    the responses are real, loaded or simulated."""
    frozen, _, origin = published_survey(slug)
    content = canonical_json(frozen.document() | {"origin": origin})
    return Response(content, mimetype="application/json")


def posted_body(what: str, max_bytes: int) -> bytes:
    """What a page of this site sent; aborts with the sentence of posting_rule.py where it is not
    read."""
    refusal = posting_refusal(request.environ, what, max_bytes)
    if refusal is not None:
        abort(refusal.status, refusal.sentence)
    return request.get_data(cache=False)


@blueprint.post("/s/<slug>/invited")
def invited(slug: str) -> Response:
    """Whether an invitation is good, so that people are told before they answer. It decides
    nothing: when the response comes, the store looks again."""
    body = posted_body("Invitation", MAX_INVITATION_BODY_BYTES)
    frozen, _, _ = published_survey(slug)
    if not frozen.survey.fieldwork.invitations:
        abort(404, "This survey asks for no invitations.")
    store().invitations.check_invitation(slug, parse_invitation(body))
    return jsonify(status="good")


@blueprint.post("/s/<slug>/responses")
def receive(slug: str) -> ResponseReturnValue:
    body = posted_body("Response", MAX_BODY_BYTES)
    response = parse_response(body, record_responses.require_answerable(store(), slug))
    new = store().responses.add_response(slug, response)
    return jsonify(status="recorded"), 201 if new else 200


def with_receipts(slug: str) -> FrozenSurvey:
    """A survey from which respondents can withdraw, whether it is open or closed; aborts with 404
    where its designer did not turn that on."""
    frozen, _, _ = published_survey(slug)
    if not frozen.survey.fieldwork.receipts:
        abort(404, "This survey gives no receipts, so that nothing can be withdrawn from it.")
    return frozen


@blueprint.get("/s/<slug>/withdraw")
def withdrawing(slug: str) -> str:
    frozen = with_receipts(slug)
    return withdraw_page(frozen, preferred(frozen.survey.languages))


@blueprint.post("/s/<slug>/withdrawals")
def withdraw(slug: str) -> Response:
    body = posted_body("Withdrawal", receipts.MAX_BODY_BYTES)
    with_receipts(slug)
    if not store().responses.withdraw(slug, receipts.parse_withdrawal(body)):
        abort(
            404,
            "There is no response for this receipt. It was withdrawn before, or it never arrived.",
        )
    return jsonify(status="withdrawn")
