"""The endpoints of the API. All figures are of published responses at the time of the request."""

from typing import Any

from flask import Response, abort, current_app, g, request

from survey.api.blueprint import operation
from survey.central_dp.text import ledger_as_json as releases_as_json
from survey.definition.sub_surveys import sub_surveys_of
from survey.definition.survey import canonical_json
from survey.formats.csv_export import codebook, estimates_csv, results_as_json
from survey.formats.data_files import DATA_FILES, MAX_CELLS
from survey.server.clock import today
from survey.store import ListedSurvey, StoredSurvey
from survey.store.sql.saved_analyses import SavedAnalysis
from survey.web.access import within_reach
from survey.web.analyses.background import requested_result
from survey.web.analyses.kinds import ANALYSES
from survey.web.analyses.result import FILES, analysis_file
from survey.web.analyses.weights import estimates_name, weighted_if_requested
from survey.web.audit_log import append_act
from survey.web.central_dp_service import release_figures
from survey.web.exports.export_zip import export_zip
from survey.web.exports.saved_files import computed_in_time
from survey.web.extensions import store
from survey.web.published_results import (
    data_file_of,
    download,
    frozen_of,
    responses_of,
    results_of,
)

TOO_MANY = f"With more than {MAX_CELLS:,} cells, the reply has the status 409."
DOWNLOADS_KEY = "candor.taken_by_tokens"


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
        "arrived": 0 if found.state == "draft" else store().counts.number_of_responses(found.slug),
        "parts": [part.slug for part in sub_surveys_of(found.frozen.survey)]
        if found.frozen
        else [],
    }


def audit_download(file: Response, action: str, slug: str) -> Response:
    """Record that a token downloads this file, and return the file.

    The audit log gets one entry a day for each token, survey and file. Otherwise a script that
    reads a file every minute would hide all other entries. Raises StoreUnavailable (see
    `append_act`).
    """
    day, extensions = today(), current_app.extensions
    if day not in extensions.setdefault(DOWNLOADS_KEY, {}):
        extensions[DOWNLOADS_KEY] = {day: set()}  # Only today's downloads are remembered.
    downloads: set[tuple[str, ...]] = extensions[DOWNLOADS_KEY][day]
    label, account = g.token.label, g.token.account
    download = (account, label, slug, action)
    if download not in downloads:
        append_act(account, f"{action} with the API token {label}", slug, file)
        downloads.add(download)
    return file


@operation(
    "/surveys",
    "All surveys, newest first",
    "The surveys that the token’s account can read, including drafts.",
    schema="Surveys",
)
def surveys() -> Response:
    return json_reply(
        {"surveys": [summary(listed) for listed in within_reach(store().surveys.list_surveys())]}
    )


@operation(
    "/surveys/{slug}",
    "One survey: its questions and its privacy promise",
    "The definition. If the survey was opened, also the frozen document with every randomizer, "
    "which is public at `/s/SLUG.json`.",
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
    "/surveys/{slug}/responses.xlsx",
    "The published responses for Excel",
    f"A workbook with the responses and their labels. {TOO_MANY}",
    kind=DATA_FILES["xlsx"][1],
    drafts=False,
)
def excel_file(slug: str) -> Response:
    return data_file_reply(slug, "xlsx")


@operation(
    "/surveys/{slug}/responses.dta",
    "The published responses for Stata",
    f"The responses with labels and missing values, for Stata 15 and newer. {TOO_MANY}",
    kind=DATA_FILES["dta"][1],
    drafts=False,
)
def stata_file(slug: str) -> Response:
    return data_file_reply(slug, "dta")


@operation(
    "/surveys/{slug}/responses.sav",
    "The published responses for SPSS",
    f"The responses with labels and missing values, for SPSS. {TOO_MANY}",
    kind=DATA_FILES["sav"][1],
    drafts=False,
)
def spss_file(slug: str) -> Response:
    return data_file_reply(slug, "sav")


def data_file_reply(slug: str, kind: str) -> Response:
    file = data_file_of(store().surveys.by_slug(slug), kind)
    return audit_download(file, f"downloaded responses.{kind}", slug)


@operation(
    "/surveys/{slug}/estimates.json",
    "The estimates, with their uncertainty",
    "The reports and estimates of each question, unclipped, at full precision.",
    schema="Estimates",
    drafts=False,
    weighted=True,
)
def estimates_json(slug: str) -> Response:
    results = weighted_if_requested(request.args, results_of(store().surveys.by_slug(slug)))
    file = json_reply(results_as_json(results))
    return audit_download(file, f"downloaded {estimates_name(results, 'json')}", slug)


@operation(
    "/surveys/{slug}/estimates.csv",
    "The estimates as a table",
    "One row for each estimate of each question.",
    kind="text/csv",
    drafts=False,
    weighted=True,
)
def estimates(slug: str) -> Response:
    stored = store().surveys.by_slug(slug)
    results = weighted_if_requested(request.args, results_of(stored))
    name = estimates_name(results, "csv")
    file = download(estimates_csv(results), stored, name, "text/csv")
    return audit_download(file, f"downloaded {name}", slug)


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
    file = json_reply(releases_as_json(survey, store().releases.budget(slug), ledger))
    return audit_download(file, "downloaded releases.json", slug)


def analysis_reply(slug: str, name: str, kind: str) -> Response:
    """A file with the result of an analysis. Raises UnanswerableQuestion and StillComputing."""
    stored = store().surveys.by_slug(slug)
    if name not in ANALYSES:
        abort(404, f"There is no analysis {name!r}. There are: {', '.join(ANALYSES)}.")
    content = analysis_file(
        requested_result(ANALYSES[name], stored, request.args), stored, name, kind
    )
    file = download(content, stored, f"{name}.{kind}", FILES[kind])
    return audit_download(file, f"downloaded an analysis ({name}.{kind})", slug)


@operation(
    "/surveys/{slug}/analyses/{analysis}.json",
    "An analysis",
    "What the page of the analysis shows, at full precision.",
    schema="Analysis",
    drafts=False,
    of_an_analysis=True,
)
def analysis_json(slug: str, analysis: str) -> Response:
    return analysis_reply(slug, analysis, "json")


@operation(
    "/surveys/{slug}/analyses/{analysis}.csv",
    "An analysis as a table",
    "One row for each estimate or test of the analysis.",
    kind="text/csv",
    drafts=False,
    of_an_analysis=True,
)
def analysis_csv(slug: str, analysis: str) -> Response:
    return analysis_reply(slug, analysis, "csv")


@operation(
    "/surveys/{slug}/analyses/{analysis}.svg",
    "The chart of an analysis",
    "The chart, with a caption.",
    kind="image/svg+xml",
    drafts=False,
    of_an_analysis=True,
)
def analysis_svg(slug: str, analysis: str) -> Response:
    return analysis_reply(slug, analysis, "svg")


@operation(
    "/surveys/{slug}/saved-analyses",
    "The saved analyses",
    "The saved analyses, in the order of their names. A draft has none.",
    schema="SavedAnalyses",
)
def list_saved_analyses(slug: str) -> Response:
    listed = [
        {"number": each.number, "name": each.name, "analysis": each.analysis, "query": each.query}
        for each in store().saved_analyses.list_analyses(store().surveys.by_slug(slug).survey.slug)
    ]
    return json_reply({"saved_analyses": listed})


@operation(
    "/surveys/{slug}/saved-analyses/{number}.json",
    "A saved analysis",
    "A saved analysis, computed from the responses that are published now, at full precision.",
    schema="Analysis",
    drafts=False,
)
def saved_analysis(slug: str, number: str) -> Response:
    """The same file as in the ZIP. Raises UnanswerableQuestion and StillComputing."""
    stored = store().surveys.by_slug(slug)
    saved = saved_by_number(stored, number)
    result = computed_in_time(stored, saved)
    content = analysis_file(result, stored, saved.analysis, "json")
    file = download(content, stored, f"{saved.analysis}.json", FILES["json"])
    return audit_download(file, f"downloaded the saved analysis “{saved.name}”", slug)


def saved_by_number(stored: StoredSurvey, number: str) -> SavedAnalysis:
    slug = frozen_of(stored).survey.slug
    for saved in store().saved_analyses.list_analyses(slug):
        if str(saved.number) == number:
            return saved
    abort(404, f"Survey {slug!r} has no saved analysis {number!r}. Read the list of them.")


@operation(
    "/surveys/{slug}/export.zip",
    "All data in one file",
    "One ZIP: responses, also for Excel, Stata and SPSS, estimates, codebook, definition, and "
    "scripts for R and Python.",
    kind="application/zip",
    drafts=False,
)
def export(slug: str) -> Response:
    return audit_download(
        export_zip(store().surveys.by_slug(slug)), "downloaded all data (ZIP)", slug
    )
