"""Routes of the respondents' page.

These are the survey's page and its public document, and the addresses that check an invitation,
take a response, and withdraw one.

The argument: no route here reads or sets a cookie, or writes a log. Of a request, only the reports
in its body are stored, and that an invitation is spent. Checking an invitation stores nothing, and
nobody can find a code of 128 random bits by trying. The routes accept requests only from pages of
this site, so that no other site can make its visitors send one; this rule is in
survey/server/http/posting_rule.py. Limits on intake bound what programs can send.
"""

from flask import Blueprint, Response, abort, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from survey.charts.mixing_picture import mixing_pictures
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
from survey.web.i18n import preferred_language
from survey.web.rendering import closed_page, respondent_page, withdraw_page

blueprint = Blueprint("respond", __name__)


def published_survey(slug: str) -> tuple[FrozenSurvey, str, str]:
    """A frozen survey with its state and origin. A draft is unknown to the public.

    A page with other sources must note them too (survey/server/http/page_cache.py).
    """
    frozen, state, origin, _ = survey_and_results(slug)
    return frozen, state, origin


def survey_and_results(slug: str) -> tuple[FrozenSurvey, str, str, bool]:
    """Like `published_survey`, with whether the survey has public results."""
    stored, has_results, version = store().public.shown_survey(slug)
    frozen = frozen_for_page(stored, version)
    return frozen, stored.state, stored.origin, has_results


def frozen_for_page(found: StoredSurvey, version: bytes) -> FrozenSurvey:
    """The frozen survey for a page, which is noted as a source of the page."""
    # The store returns no drafts here.
    if found.frozen is None:
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
    return render_template("respondent/home.html", pictures=mixing_pictures())


@blueprint.get("/blank")
def blank() -> str:
    """The empty page that stays in the browser's history after "Leave now"."""
    note_source(b"", [LANGUAGES[0]])
    return render_template("respondent/blank.html")


@blueprint.get("/s/<slug>")
def page(slug: str) -> ResponseReturnValue:
    frozen, state, origin, has_results = survey_and_results(slug)
    language = preferred_language(frozen.survey.languages)
    if state != "open":
        return closed_page(frozen, language, origin, has_results=has_results), 410
    return respondent_page(frozen, language, preview=False)


@blueprint.get("/s/<slug>.json")
def document(slug: str) -> Response:
    """The frozen definition, its tables and the fingerprint, so that anyone can recompute it.

    It also says whether the responses are real, loaded or simulated, and whether the results are
    public.
    """
    frozen, _, origin, has_results = survey_and_results(slug)
    more = {"origin": origin, "public_results": has_results}
    content = canonical_json(frozen.document() | more)
    return Response(content, mimetype="application/json")


def posted_body(what: str, max_bytes: int) -> bytes:
    """The body of a request from a page of this site; aborts if posting_rule.py refuses it."""
    refusal = posting_refusal(request.environ, what, max_bytes)
    if refusal is not None:
        abort(refusal.status, refusal.sentence)
    return request.get_data(cache=False)


@blueprint.post("/s/<slug>/invited")
def invited(slug: str) -> Response:
    """Whether an invitation is good, so that people know before they answer.

    This decides nothing: the store checks the invitation again when the response arrives.
    """
    body = posted_body("Invitation", MAX_INVITATION_BODY_BYTES)
    frozen, _, _ = published_survey(slug)
    if not frozen.survey.fieldwork.invitations:
        abort(404, "This survey has no invitations.")
    store().invitations.check_invitation(slug, parse_invitation(body))
    return jsonify(status="good")


@blueprint.post("/s/<slug>/responses")
def receive(slug: str) -> ResponseReturnValue:
    body = posted_body("Response", MAX_BODY_BYTES)
    response = parse_response(body, record_responses.require_answerable(store(), slug))
    new = store().responses.add_response(slug, response)
    return jsonify(status="recorded"), 201 if new else 200


def with_receipts(slug: str) -> FrozenSurvey:
    """An open or closed survey with receipts; aborts with 404 if the survey has none."""
    frozen, _, _ = published_survey(slug)
    if not frozen.survey.fieldwork.receipts:
        abort(404, "This survey gives no receipts, so responses cannot be withdrawn.")
    return frozen


@blueprint.get("/s/<slug>/withdraw")
def withdrawing(slug: str) -> str:
    frozen = with_receipts(slug)
    return withdraw_page(frozen, preferred_language(frozen.survey.languages))


@blueprint.post("/s/<slug>/withdrawals")
def withdraw(slug: str) -> Response:
    body = posted_body("Withdrawal", receipts.MAX_BODY_BYTES)
    with_receipts(slug)
    if not store().responses.withdraw(slug, *receipts.parse_withdrawal(body)):
        abort(
            404,
            "There is no response for this receipt. It was withdrawn before, or it never arrived.",
        )
    return jsonify(status="withdrawn")
