"""Files that researchers download."""

from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.definition.survey import canonical_json
from survey.formats.csv_export import codebook, estimates_csv
from survey.store import ANALYST
from survey.web.audit_log import audit_file
from survey.web.extensions import store
from survey.web.published_results import download, export_zip, responses_of, results_of


@blueprint.get("/surveys/<slug>/export.zip", role=ANALYST)
def export(slug: str) -> ResponseReturnValue:
    return audit_file(export_zip(store().surveys.by_slug(slug)), "downloaded all data (ZIP)", slug)


@blueprint.get("/surveys/<slug>/responses.csv", role=ANALYST)
def responses(slug: str) -> ResponseReturnValue:
    stored = store().surveys.by_slug(slug)
    file = download(responses_of(stored), stored, "responses.csv", "text/csv")
    return audit_file(file, "downloaded responses.csv", slug)


@blueprint.get("/surveys/<slug>/estimates.csv", role=ANALYST)
def estimates(slug: str) -> ResponseReturnValue:
    stored = store().surveys.by_slug(slug)
    file = download(estimates_csv(results_of(stored)), stored, "estimates.csv", "text/csv")
    return audit_file(file, "downloaded estimates.csv", slug)


@blueprint.get("/surveys/<slug>/codebook.json", role=ANALYST)
def codebook_json(slug: str) -> ResponseReturnValue:
    stored = store().surveys.by_slug(slug)
    book = canonical_json(codebook(results_of(stored)))
    file = download(book, stored, "codebook.json", "application/json")
    return audit_file(file, "downloaded codebook.json", slug)
