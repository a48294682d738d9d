"""Read-only results for anyone who has the link.

The argument: the token has 256 random bits and opens the results page of one survey only. The
page starts no session, sets and reads no cookie, and stores nothing about the visit. The token is
in the query of the address. No log of Candor contains it, not even if a page fails. Browsers send
it to no other site (Referrer-Policy), and a header tells search engines not to index the page.
"""

from flask import Blueprint, Response, abort, make_response, render_template, request

from survey.definition.responses.invitation_codes import token_hash
from survey.definition.sub_surveys import sub_survey_kind, sub_surveys_of
from survey.estimation.types.comprehension_results import comprehension_results
from survey.web.exports.written_texts import why_texts_are_unread
from survey.web.extensions import store
from survey.web.published_results import results_of

blueprint = Blueprint("shared", __name__)


@blueprint.get("/shared")
def results() -> Response:
    share = store().shares.find_shared(token_hash(request.args.get("token", "")))
    if share is None:
        abort(404, "This link does not work. It was switched off, or a part of it is missing.")
    stored = store().surveys.by_slug(share.survey)
    visible_results, survey = results_of(stored).as_shown, stored.survey
    page = render_template(
        "respondent/results_by_link.html",
        found=stored,
        survey=survey,
        results=visible_results,
        parts={
            sub_survey_kind(part.slug): results_of(store().surveys.by_slug(part.slug)).as_shown
            for part in sub_surveys_of(survey)
        },
        texts_unread=why_texts_are_unread(stored),
        comprehension_results=comprehension_results,
    )
    response = make_response(page)
    response.headers["X-Robots-Tag"] = "noindex"
    return response
