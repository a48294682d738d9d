"""Results for whoever has a link: to read, and nothing else.

The argument: the token in the address is 256 random bits and good for one survey's results page;
no session is made, no cookie set or read, and nothing is kept of the visit. It is sent to no other
site (Referrer-Policy), and search engines are told to leave the page alone.
"""

import hashlib

from flask import Blueprint, Response, abort, make_response, render_template

from .comprehension import understood
from .current import store
from .figures import survey_results
from .parts import kind_of, parts_of
from .results import Results

blueprint = Blueprint("shared", __name__)


def hash_of(token: str) -> bytes:
    """What is stored of a link's token: SHA-256, 32 bytes."""
    return hashlib.sha256(token.encode()).digest()


def results_of(slug: str) -> Results:
    found = store().survey(slug)
    if found.frozen is None:
        abort(404, "There is nothing at this address.")
    return survey_results(found.frozen, store().counts(slug), found.origin)


@blueprint.get("/shared/<token>")
def results(token: str) -> Response:
    share = store().shared(hash_of(token))
    if share is None:
        abort(404, "This link leads nowhere: it was switched off, or a part of it is missing.")
    shown = results_of(share.survey)
    survey = shown.frozen.survey
    page = render_template(
        "shared.html",
        found=store().survey(share.survey),
        survey=survey,
        results=shown,
        parts={kind_of(part.slug): results_of(part.slug) for part in parts_of(survey)},
        understood=understood,
    )
    response = make_response(page)
    response.headers["X-Robots-Tag"] = "noindex"
    return response
