"""The page on which those without JavaScript take part: they toss real coins, and send a form.

The argument: what is sent is what the coins made of the answers (survey/definition/coin_rule.py),
so that this server, which sees all of the form, sees no more than it would of a browser's reports.
The form is the browser's own; no script has a part in it. As for all respondents, no cookie is read
or set and nothing of the request is kept but the reports; forms of other sites' pages are refused.
The response's id is drawn when the form is made, so that sending it twice records it once. The
responses are a survey of their own (survey/definition/sub_surveys.py).
"""

import secrets

from flask import Blueprint, abort, make_response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from survey.core.errors import (
    ConflictingResponse,
    MalformedResponse,
    StaleFingerprint,
    StoreUnavailable,
    SurveyClosed,
)
from survey.core.languages import Words
from survey.definition.coin_rule import tosses
from survey.definition.frozen import FrozenSurvey
from survey.definition.sub_surveys import BY_HAND, part_slug
from survey.respondent.coin_form import DECLINED, FINGERPRINT, ID, CoinForm, read_coin_form
from survey.respondent.routes import published_survey
from survey.server.http.posting_rule import posting_refusal
from survey.web.extensions import store
from survey.web.i18n import preferred
from survey.web.rendering import closed_page, survey_page

blueprint = Blueprint("by_hand", __name__)

MAX_FORM_BYTES = (
    1024 * 1024
)  # bytes; 50 full texts of nine bytes a letter, as forms write Thai, are half
FORM = "application/x-www-form-urlencoded"


def part_of(slug: str) -> tuple[FrozenSurvey, str, str]:
    """The part of a survey that is answered by hand, its state, and the language to speak."""
    frozen, state, _ = published_survey(part_slug(BY_HAND, slug))
    return frozen, state, preferred(frozen.survey.languages)


def form_page(slug: str, frozen: FrozenSurvey, language: str, sent: CoinForm, *, busy: bool) -> str:
    """The form, with what was chosen and what is wrong with it."""
    return survey_page(
        "respondent/coin_form.html",
        frozen,
        language,
        action=url_for("by_hand.receive", slug=slug, language=language),
        names={"id": ID, "fingerprint": FINGERPRINT, "declined": DECLINED},
        fingerprint=frozen.fingerprint,
        sent=sent,
        busy=busy,
        tosses=tosses,
    )


def last_page(frozen: FrozenSurvey, language: str, outcome: str) -> str:
    """What became of it: recorded, before (with other choices), or stale."""
    return survey_page("respondent/coin_sent.html", frozen, language, outcome=outcome)


@blueprint.get("/s/<slug>/by-hand")
def form(slug: str) -> ResponseReturnValue:
    frozen, state, language = part_of(slug)
    if state != "open":
        return closed_page(frozen, language, "browser"), 410
    return form_page(slug, frozen, language, CoinForm(secrets.token_hex(16)), busy=False)


@blueprint.get("/s/<slug>.by-hand")
def at_its_slug(slug: str) -> ResponseReturnValue:
    """What would otherwise be the page that mixes up answers in the browser."""
    language = request.args.get("language")
    return redirect(url_for("by_hand.form", slug=slug, language=language))


@blueprint.post("/s/<slug>/by-hand")
def receive(slug: str) -> ResponseReturnValue:
    frozen, state, language = part_of(slug)
    # parts of forms of another type may end up in a temporary file
    refusal = posting_refusal(request.environ, "Form", MAX_FORM_BYTES, FORM)
    if refusal is not None:
        abort(refusal.status)
    try:
        sent = read_coin_form(frozen, request.form.to_dict(flat=False), Words(language))
    except MalformedResponse:
        abort(400)
    except StaleFingerprint:
        return last_page(frozen, language, "stale"), 409
    closed = closed_page(frozen, language, "browser"), 410
    if sent.faults:
        if state != "open":
            return closed
        return form_page(slug, frozen, language, sent, busy=False), 422
    try:
        store().responses.add_response(frozen.survey.slug, sent.response)
    except SurveyClosed:
        return closed
    except ConflictingResponse:
        return last_page(frozen, language, "before"), 409
    except StoreUnavailable:  # nothing typed is lost: the form comes back to be sent again
        again = make_response(form_page(slug, frozen, language, sent, busy=True), 503)
        again.headers["Retry-After"] = "5"
        return again
    return redirect(url_for("by_hand.thanks", slug=slug, language=language), 303)


@blueprint.get("/s/<slug>/by-hand/thanks")
def thanks(slug: str) -> ResponseReturnValue:
    frozen, _, language = part_of(slug)
    return last_page(frozen, language, "recorded")
