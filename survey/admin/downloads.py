"""Files to take home."""

from collections.abc import Iterator

from flask import Response, stream_with_context
from flask.typing import ResponseReturnValue

from ..auth import requires
from ..current import store
from ..definition import canonical
from ..export import codebook, estimates_csv, responses_csv
from ..store import ANALYST, StoredSurvey
from .blueprint import blueprint, frozen_of, results_of


def download(content: str | Iterator[str], found: StoredSurvey, name: str, kind: str) -> Response:
    mark = "" if found.origin == "browser" else f"{found.origin}-"
    filename = f"{found.survey.slug}-{mark}{name}"
    body = content if isinstance(content, str) else stream_with_context(content)
    response = Response(body, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


@blueprint.get("/surveys/<slug>/responses.csv")
@requires(ANALYST)
def responses(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    rows = responses_csv(frozen_of(found), store().responses(slug))
    return download(rows, found, "responses.csv", "text/csv")


@blueprint.get("/surveys/<slug>/estimates.csv")
@requires(ANALYST)
def estimates(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    return download(estimates_csv(results_of(found)), found, "estimates.csv", "text/csv")


@blueprint.get("/surveys/<slug>/codebook.json")
@requires(ANALYST)
def codebook_json(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    book = canonical(codebook(results_of(found)))
    return download(book, found, "codebook.json", "application/json")
