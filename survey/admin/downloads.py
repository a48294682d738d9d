"""Files to take home."""

from flask.typing import ResponseReturnValue

from ..auth import requires
from ..current import store
from ..definition import canonical
from ..export import codebook, estimates_csv
from ..released import archive, download, responses_of, results_of
from ..store import ANALYST
from .blueprint import blueprint


@blueprint.get("/surveys/<slug>/export.zip")
@requires(ANALYST)
def export(slug: str) -> ResponseReturnValue:
    return archive(store().survey(slug))


@blueprint.get("/surveys/<slug>/responses.csv")
@requires(ANALYST)
def responses(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    return download(responses_of(found), found, "responses.csv", "text/csv")


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
