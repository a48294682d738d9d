"""Results for whoever has a link: to read, and nothing else.

The argument: the token is 256 random bits and good for one survey's results page; no session is
made, no cookie set or read, and nothing is kept of the visit. It stands in the query of the
address, which no log of ours repeats, not even where a page fails. It is sent to no other site
(Referrer-Policy), and search engines are told to leave the page alone.
"""

from flask import Blueprint, Response, abort, make_response, render_template, request

from survey.definition.responses.invitation_codes import token_hash
from survey.definition.sub_surveys import part_kind, survey_parts
from survey.estimation.comprehension_results import understood
from survey.web.extensions import store
from survey.web.published_results import results_of

blueprint = Blueprint("shared", __name__)


@blueprint.get("/shared")
def results() -> Response:
    share = store().shares.shared(token_hash(request.args.get("token", "")))
    if share is None:
        abort(404, "This link leads nowhere: it was switched off, or a part of it is missing.")
    stored = store().surveys.by_slug(share.survey)
    visible_results, survey = results_of(stored).as_shown, stored.survey
    page = render_template(
        "respondent/results_by_link.html",
        found=stored,
        survey=survey,
        results=visible_results,
        parts={
            part_kind(part.slug): results_of(store().surveys.by_slug(part.slug)).as_shown
            for part in survey_parts(survey)
        },
        understood=understood,
    )
    response = make_response(page)
    response.headers["X-Robots-Tag"] = "noindex"
    return response
