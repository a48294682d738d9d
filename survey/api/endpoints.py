"""The endpoints of the API. All figures are of published responses at the time of the request."""

from typing import Any

from flask import Response

from survey.api.audit import audit_download
from survey.api.blueprint import operation
from survey.central_dp.text import ledger_as_json as releases_as_json
from survey.definition.sub_surveys import survey_parts
from survey.definition.survey import canonical_json
from survey.formats.csv_export import codebook, estimates_csv, results_as_json
from survey.store import ListedSurvey
from survey.web.central_dp_service import release_figures
from survey.web.extensions import store
from survey.web.published_results import download, export_zip, frozen_of, responses_of, results_of


def json_reply(content: Any) -> Response:
    return Response(canonical_json(content) + "\n", mimetype="application/json")


def summary(found: ListedSurvey) -> dict[str, Any]:
    """A survey in the list. Only `arrived` changes with each response."""
    return {
        "slug": found.slug,
        "title": found.title,
        "state": found.state,
        "archived": found.archived,
        "origin": found.origin,
        "arrived": 0 if found.state == "draft" else store().counts.arrived(found.slug),
        "parts": [part.slug for part in survey_parts(found.frozen.survey)] if found.frozen else [],
    }


@operation(
    "/surveys",
    "All surveys, newest first",
    "A list of surveys, including drafts.",
    schema="Surveys",
)
def surveys() -> Response:
    return json_reply({"surveys": [summary(listed) for listed in store().surveys.listed()]})


@operation(
    "/surveys/{slug}",
    "One survey: its questions and its privacy promise",
    "The definition. If the survey was opened, also the frozen document with every table, which "
    "is public at `/s/SLUG.json`.",
    schema="Survey",
)
def survey(slug: str) -> Response:
    stored = store().surveys.by_slug(slug)
    document = None if stored.frozen is None else stored.frozen.document()
    about = {"definition": stored.survey.as_definition(), "document": document}
    return json_reply(summary(stored.as_listed) | about)


@operation(
    "/surveys/{slug}/responses.csv",
    "The published responses",
    "One row for each published response, in random order.",
    kind="text/csv",
    drafts=False,
)
def responses(slug: str) -> Response:
    stored = store().surveys.by_slug(slug)
    file = download(responses_of(stored), stored, "responses.csv", "text/csv")
    return audit_download(file, "downloaded responses.csv", slug)


@operation(
    "/surveys/{slug}/estimates.json",
    "The estimates, with their uncertainty",
    "The reports and estimates of each question, unclipped, at full precision.",
    schema="Estimates",
    drafts=False,
)
def estimates_json(slug: str) -> Response:
    file = json_reply(results_as_json(results_of(store().surveys.by_slug(slug))))
    return audit_download(file, "downloaded estimates.json", slug)


@operation(
    "/surveys/{slug}/estimates.csv",
    "The estimates as a table",
    "One row for each estimate of each question.",
    kind="text/csv",
    drafts=False,
)
def estimates(slug: str) -> Response:
    stored = store().surveys.by_slug(slug)
    file = download(estimates_csv(results_of(stored)), stored, "estimates.csv", "text/csv")
    return audit_download(file, "downloaded estimates.csv", slug)


@operation(
    "/surveys/{slug}/codebook.json",
    "The codebook of responses.csv",
    "Everything that a program needs to compute each estimate from responses.csv.",
    schema="Codebook",
    drafts=False,
)
def codebook_json(slug: str) -> Response:
    stored = store().surveys.by_slug(slug)
    book = canonical_json(codebook(results_of(stored)))
    file = download(book, stored, "codebook.json", "application/json")
    return audit_download(file, "downloaded codebook.json", slug)


@operation(
    "/surveys/{slug}/releases.json",
    "The central DP releases of non-private questions",
    "The central DP budget, the unspent part of it, and every central DP release with its values "
    "and their ranges.",
    schema="Releases",
    drafts=False,
)
def releases_json(slug: str) -> Response:
    survey = frozen_of(store().surveys.by_slug(slug)).survey
    ledger = [(each, release_figures(survey, each)) for each in store().releases.ledger(slug)]
    file = json_reply(releases_as_json(slug, store().releases.budget(slug), ledger))
    return audit_download(file, "downloaded releases.json", slug)


@operation(
    "/surveys/{slug}/export.zip",
    "All data in one file",
    "One ZIP: responses, estimates, codebook, definition, and scripts for R, Python and SPSS.",
    kind="application/zip",
    drafts=False,
)
def export(slug: str) -> Response:
    return audit_download(
        export_zip(store().surveys.by_slug(slug)), "downloaded all data (ZIP)", slug
    )
