"""Files to take home."""

from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.definition.survey import canonical
from survey.formats.csv_export import codebook, estimates_csv
from survey.store import ANALYST
from survey.web.auth import requires
from survey.web.extensions import store
from survey.web.published_results import archive, download, responses_of, results_of


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
