"""What a program can read; each as it is at that moment, and all figures of what is released."""

from typing import Any

from flask import Response

from survey.api.blueprint import operation
from survey.central_dp.text import as_json as releases_as_json
from survey.definition.sub_surveys import parts_of
from survey.definition.survey import canonical
from survey.formats.csv_export import as_json, codebook, estimates_csv
from survey.store import ListedSurvey
from survey.web.central_dp_service import shown
from survey.web.extensions import store
from survey.web.published_results import archive, download, frozen_of, responses_of, results_of


def json_reply(content: Any) -> Response:
    return Response(canonical(content) + "\n", mimetype="application/json")


def summary(found: ListedSurvey) -> dict[str, Any]:
    """What the list says of a survey; `arrived` alone changes with each response."""
    return {
        "slug": found.slug,
        "title": found.title,
        "state": found.state,
        "archived": found.archived,
        "origin": found.origin,
        "arrived": 0 if found.state == "draft" else store().arrived(found.slug),
        "parts": [part.slug for part in parts_of(found.frozen.survey)] if found.frozen else [],
    }


@operation(
    "/surveys",
    "All surveys, the newest first",
    "A list of surveys, drafts among them; a part of a survey stands in its `parts`.",
    schema="Surveys",
)
def surveys() -> Response:
    return json_reply({"surveys": [summary(found) for found in store().listed()]})


@operation(
    "/surveys/{slug}",
    "One survey: what it asks, and what was promised",
    "The definition; and once the survey was opened, the frozen document with every table, "
    "which is also public at `/s/SLUG.json`.",
    schema="Survey",
)
def survey(slug: str) -> Response:
    found = store().survey(slug)
    document = None if found.frozen is None else found.frozen.document()
    about = {"definition": found.survey.as_definition(), "document": document}
    return json_reply(summary(found.listed) | about)


@operation(
    "/surveys/{slug}/responses.csv",
    "The released responses",
    "One row a response, in random order; read piece by piece.",
    kind="text/csv",
    drafts=False,
)
def responses(slug: str) -> Response:
    found = store().survey(slug)
    return download(responses_of(found), found, "responses.csv", "text/csv")


@operation(
    "/surveys/{slug}/estimates.json",
    "The estimates, with their uncertainty",
    "For each question its reports and estimates, unclipped, at full precision.",
    schema="Estimates",
    drafts=False,
)
def estimates_json(slug: str) -> Response:
    return json_reply(as_json(results_of(store().survey(slug))))


@operation(
    "/surveys/{slug}/estimates.csv",
    "The estimates as a table",
    "One row for each figure of each question.",
    kind="text/csv",
    drafts=False,
)
def estimates(slug: str) -> Response:
    found = store().survey(slug)
    return download(estimates_csv(results_of(found)), found, "estimates.csv", "text/csv")


@operation(
    "/surveys/{slug}/codebook.json",
    "What explains responses.csv",
    "All that is needed to recompute every figure from responses.csv.",
    schema="Codebook",
    drafts=False,
)
def codebook_json(slug: str) -> Response:
    found = store().survey(slug)
    book = canonical(codebook(results_of(found)))
    return download(book, found, "codebook.json", "application/json")


@operation(
    "/surveys/{slug}/releases.json",
    "What was released from plain questions",
    "The budget, what is left of it, and every release with its figures and their ranges.",
    schema="Releases",
    drafts=False,
)
def releases_json(slug: str) -> Response:
    survey = frozen_of(store().survey(slug)).survey
    ledger = [(each, shown(survey, each)) for each in store().releases(slug)]
    return json_reply(releases_as_json(slug, store().release_budget(slug), ledger))


@operation(
    "/surveys/{slug}/export.zip",
    "Everything to take home",
    "One ZIP: responses, estimates, codebook, definition, and scripts that make every estimate "
    "anew in R, Python and SPSS.",
    kind="application/zip",
    drafts=False,
)
def export(slug: str) -> Response:
    return archive(store().survey(slug))
