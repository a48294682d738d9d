"""The paper-and-coin page, for people without JavaScript: they toss real coins and send a form.

The argument: the form holds reports, which real coins made of the answers
(survey/definition/coin_rule.py). So the server, which sees the whole form, learns no more than
from a browser's reports. The page has no script. As for all respondents, no cookie is read or set,
and only the reports of a request are stored. Forms from pages of other sites are refused. The
response's id is drawn with the page, so that sending the form twice records it once. The responses
are a survey of their own (survey/definition/sub_surveys.py). Texts go to the part for the texts of
the whole survey, with an id that is drawn with the page too.
"""

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
from survey.definition.sub_surveys import PAPER_AND_COIN, sub_survey_slug
from survey.respondent.coin_form import (
    FINGERPRINT,
    ID,
    TEXTS_ID,
    CoinForm,
    new_form,
    read_coin_form,
)
from survey.respondent.routes import published_survey
from survey.respondent.types.number import DECLINED
from survey.server.http.page_cache import language_named
from survey.server.http.posting_rule import posting_refusal
from survey.web.extensions import store
from survey.web.i18n import preferred_language
from survey.web.rendering import closed_page, survey_page

blueprint = Blueprint("paper_and_coin", __name__)

# This is twice the size of 50 full texts in Thai. Forms encode a Thai letter in nine bytes.
MAX_FORM_BYTES = 1024 * 1024
FORM = "application/x-www-form-urlencoded"


def coin_survey(slug: str) -> tuple[FrozenSurvey, str, str]:
    """The survey of the paper-and-coin responses, its state, and the language of the page."""
    frozen, state, _ = published_survey(sub_survey_slug(PAPER_AND_COIN, slug))
    return frozen, state, preferred_language(frozen.survey.languages)


def form_page(slug: str, frozen: FrozenSurvey, language: str, sent: CoinForm, *, busy: bool) -> str:
    """The form, with the chosen answers and their errors."""
    return survey_page(
        "respondent/coin_form.html",
        frozen,
        language,
        action=url_for("paper_and_coin.receive", slug=slug, language=language),
        names={"id": ID, "texts_id": TEXTS_ID, "fingerprint": FINGERPRINT, "declined": DECLINED},
        fingerprint=frozen.fingerprint,
        sent=sent,
        busy=busy,
        tosses=tosses,
    )


def last_page(frozen: FrozenSurvey, language: str, outcome: str) -> str:
    """The last page for an outcome: recorded, before (with other choices), or stale."""
    return survey_page("respondent/coin_sent.html", frozen, language, outcome=outcome)


@blueprint.get("/s/<slug>/by-hand")
def form(slug: str) -> ResponseReturnValue:
    frozen, state, language = coin_survey(slug)
    if state != "open":
        return closed_page(frozen, language, "browser"), 410
    return form_page(slug, frozen, language, new_form(frozen.survey), busy=False)


@blueprint.get("/s/<slug>.by-hand")
def at_its_slug(slug: str) -> ResponseReturnValue:
    """Without this redirect, the address would show the page that randomises in the browser."""
    language = language_named(request) or None
    return redirect(url_for("paper_and_coin.form", slug=slug, language=language))


@blueprint.post("/s/<slug>/by-hand")
def receive(slug: str) -> ResponseReturnValue:
    frozen, state, language = coin_survey(slug)
    # Flask may write parts of a form of another type into a temporary file.
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
        store().responses.add_response(frozen.survey.slug, sent.response(frozen.survey))
    except SurveyClosed:
        return closed
    except ConflictingResponse:
        return last_page(frozen, language, "before"), 409
    except StoreUnavailable:
        # The form comes back with its answers, so people can send it again.
        again = make_response(form_page(slug, frozen, language, sent, busy=True), 503)
        again.headers["Retry-After"] = "5"
        return again
    return redirect(url_for("paper_and_coin.thanks", slug=slug, language=language), 303)


@blueprint.get("/s/<slug>/by-hand/thanks")
def thanks(slug: str) -> ResponseReturnValue:
    frozen, _, language = coin_survey(slug)
    return last_page(frozen, language, "recorded")
