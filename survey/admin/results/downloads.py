"""Files that researchers download."""

from flask import request
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.definition.sub_surveys import (
    COMPREHENSION,
    PAPER_AND_COIN,
    PILOT,
    PRACTICE,
    PRACTICE_TEXTS,
    TEXTS,
    sub_survey_kind,
)
from survey.definition.survey import canonical_json
from survey.formats.csv_export import codebook, estimates_csv
from survey.store import ANALYST
from survey.web.analyses.weights import estimates_name, weighted_if_requested
from survey.web.audit_log import audit_file
from survey.web.exports.export_zip import export_zip
from survey.web.extensions import store
from survey.web.published_results import data_file_of, download, responses_of, results_of

PART_NAMES = {
    PAPER_AND_COIN: " of paper-and-coin mode",
    COMPREHENSION: " of the comprehension test",
    PILOT: " of the simulation",
    PRACTICE: " of test mode",
    PRACTICE_TEXTS: " of test mode",
}


@blueprint.get("/surveys/<slug>/export.zip", role=ANALYST)
def export(slug: str) -> ResponseReturnValue:
    return audit_file(export_zip(store().surveys.by_slug(slug)), "downloaded all data (ZIP)", slug)


@blueprint.get("/surveys/<slug>/responses.csv", role=ANALYST)
def responses(slug: str) -> ResponseReturnValue:
    stored = store().surveys.by_slug(slug)
    file = download(responses_of(stored), stored, "responses.csv", "text/csv")
    return audit_file(file, download_entry("responses.csv", slug), slug)


@blueprint.get("/surveys/<slug>/responses.<any(xlsx, dta, sav):kind>", role=ANALYST)
def data_file(slug: str, kind: str) -> ResponseReturnValue:
    """The responses for Excel, Stata or SPSS. Raises StateError if there are too many."""
    file = data_file_of(store().surveys.by_slug(slug), kind)
    return audit_file(file, download_entry(f"responses.{kind}", slug), slug)


@blueprint.get("/surveys/<slug>/estimates.csv", role=ANALYST)
def estimates(slug: str) -> ResponseReturnValue:
    """The estimates, with the weights that the query has as on the results page."""
    stored = store().surveys.by_slug(slug)
    results = weighted_if_requested(request.args, results_of(stored))
    name = estimates_name(results, "csv")
    file = download(estimates_csv(results), stored, name, "text/csv")
    return audit_file(file, download_entry(name, slug), slug)


@blueprint.get("/surveys/<slug>/codebook.json", role=ANALYST)
def codebook_json(slug: str) -> ResponseReturnValue:
    stored = store().surveys.by_slug(slug)
    book = canonical_json(codebook(results_of(stored)))
    file = download(book, stored, "codebook.json", "application/json")
    return audit_file(file, download_entry("codebook.json", slug), slug)


def download_entry(name: str, slug: str) -> str:
    """The entry in the audit log, which names the part of the survey in the file."""
    kind = sub_survey_kind(slug)
    if kind in (TEXTS, PRACTICE_TEXTS) and name == "responses.csv":
        name = "texts.csv"
    return f"downloaded {name}{PART_NAMES.get(kind, '')}"
