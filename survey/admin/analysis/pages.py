"""The pages of the analyses, each a form that is sent by GET with its result, and their files."""

import time
from typing import Any
from urllib.parse import urlencode

from flask import Response, abort, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.forms.survey_form import SavedAnalysisForm
from survey.admin.surveys.overview import received_sentence
from survey.analysis.true_answers import compare_with_true_answers
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import join_sentences, translate, translate_constant
from survey.definition.sub_surveys import PILOT, sub_survey_kind, whole_of
from survey.store import ANALYST, StoredSurvey
from survey.web.analyses.background import (
    MAX_TASK_SECONDS,
    REQUEST_SECONDS,
    RETRY_SECONDS,
    StillComputing,
    analysis_result,
    background_analyses,
    requested_result,
)
from survey.web.analyses.forms import AnalysisForm
from survey.web.analyses.kind import AnalysisKind
from survey.web.analyses.kinds import ANALYSES
from survey.web.analyses.request import query_text
from survey.web.analyses.result import FILES, AnalysisResult, analysis_citation, analysis_file
from survey.web.audit_log import audit, audit_file
from survey.web.extensions import store
from survey.web.published_results import download

# The analysis that the link "Analysis" leads to.
FIRST_PAGE = "crosstab"
# A parameter of the page that an analysis leads to if somebody has stopped it.
STOPPED = "stopped"


def saved_as(found: StoredSurvey, kind: AnalysisKind, form: AnalysisForm | None) -> list[str]:
    """The names under which the requested analysis is saved."""
    if form is None or not request.args:
        return []
    query = query_text(request.args, form)
    saved = store().saved_analyses.list_analyses(found.survey.slug)
    return [each.name for each in saved if (each.analysis, each.query) == (kind.name, query)]


def analysed_survey(slug: str) -> StoredSurvey:
    """The survey whose responses a page analyses: a whole survey, or its simulation."""
    return store().surveys.by_slug(slug if sub_survey_kind(slug) == PILOT else whole_of(slug))


def is_simulation(found: StoredSurvey) -> bool:
    return sub_survey_kind(found.survey.slug) == PILOT


def true_answers_of(
    found: StoredSurvey,
    kind: AnalysisKind,
    form: AnalysisForm,
    result: AnalysisResult,
    since: float,
) -> dict[str, Any]:
    """For a simulation, the same analysis of its true answers, as variables of the template.

    `since` as in `analysis_result`. Raises StillComputing.
    """
    answers = store().rehearsals.pilot_answers(whole_of(found.survey.slug))
    if not is_simulation(found) or answers is None:
        return {}
    try:
        true = analysis_result(kind, answers, form, since)
    except UnanswerableQuestion as refusal:
        return {"true_refusal": str(refusal)}
    return {
        "true_sentence": true.sentence,
        "true_figures": compare_with_true_answers(result.rows, true.rows),
    }


def require_analysis(there: bool) -> None:
    """End the request with status 404 unless its address is that of an analysis."""
    if not there:
        abort(
            404,
            translate(
                "This analysis does not exist. Open the analysis page, and use the links below "
                "the result."
            ),
        )


@blueprint.get("/surveys/<slug>/analysis", defaults={"name": FIRST_PAGE}, role=ANALYST)
@blueprint.get("/surveys/<slug>/analysis/<name>", role=ANALYST)
def analysis(slug: str, name: str) -> ResponseReturnValue:
    """The page of an analysis: its form and, with a query, its result or a refusal.

    While the result is not ready, a page says so, which loads itself again.
    """
    require_analysis(name in ANALYSES)
    kind = ANALYSES[name]
    stored, analysed = store().surveys.by_slug(whole_of(slug)), analysed_survey(slug)
    form = kind.form_of_query(analysed, request.args)
    context: dict[str, Any] = {}
    if form and request.args and STOPPED not in request.args and form.validate():
        since = time.thread_time()
        try:
            result = analysis_result(kind, analysed, form)
            title = translate_constant(kind.title)
            about_population = form.design.populations is not None
            citation = analysis_citation(
                result, analysed, title, form.design_sentence, about_population
            )
            context = {"result": result, "citation": citation}
            context |= true_answers_of(analysed, kind, form, result, since)
        except StillComputing as waiting:
            return waiting_page(stored, analysed, kind, waiting)
        except UnanswerableQuestion as refusal:
            published, _ = store().counts.published_and_waiting(analysed.survey.slug)
            so_far = "" if published else received_sentence(analysed)
            context = {"refusal": join_sentences(str(refusal), so_far)}
    return render_template(
        "admin/analysis/analysis.html",
        found=stored,
        survey=stored.survey,
        analysed=analysed,
        simulated=is_simulation(analysed),
        form=form,
        tab="admin.try_out" if is_simulation(analysed) else "admin.analysis",
        kind=kind,
        analyses=ANALYSES.values(),
        files=FILES,
        query=query_text(request.args, form) if form else "",
        saved_as=saved_as(stored, kind, form),
        save_form=SavedAnalysisForm(formdata=None),
        stopped=STOPPED in request.args,
        **context,
    )


def waiting_page(
    stored: StoredSurvey, analysed: StoredSurvey, kind: AnalysisKind, waiting: StillComputing
) -> Response:
    """The page in place of a result that is not ready, or of a file with it."""
    is_page = request.endpoint == "admin.analysis"
    page = render_template(
        "admin/analysis/calculating.html",
        found=stored,
        survey=stored.survey,
        analysed=analysed,
        simulated=is_simulation(analysed),
        tab="admin.try_out" if is_simulation(analysed) else "admin.analysis",
        kind=kind,
        analyses=ANALYSES.values(),
        task=waiting.task,
        is_page=is_page,
        query=urlencode([*request.args.items(multi=True)]),
        request_seconds=f"{REQUEST_SECONDS:g}",
        most_minutes=f"{MAX_TASK_SECONDS / 60:g}",
    )
    response = make_response(page, 202)
    if is_page:
        response.headers["Refresh"] = str(RETRY_SECONDS)
    return response


@blueprint.post("/surveys/<slug>/analysis/<name>/stop", role=ANALYST)
def stop_analysis(slug: str, name: str) -> ResponseReturnValue:
    """Stop an analysis in the background, and show its form."""
    require_analysis(name in ANALYSES)
    background_analyses().stop(slug, request.form.get("task", ""))
    audit("stopped the calculation of an analysis", slug)
    query = urlencode([*request.args.items(multi=True), (STOPPED, "yes")])
    return redirect(f"{url_for('admin.analysis', slug=slug, name=name)}?{query}")


@blueprint.get("/surveys/<slug>/analysis/<name>.<kind>", role=ANALYST)
def analysis_download(slug: str, name: str, kind: str) -> Response:
    """A file with the result of the page with the same query."""
    stored = analysed_survey(slug)
    require_analysis(name in ANALYSES and kind in FILES and bool(request.args))
    try:
        result = requested_result(ANALYSES[name], stored, request.args)
    except StillComputing as waiting:
        whole = store().surveys.by_slug(whole_of(slug))
        return waiting_page(whole, stored, ANALYSES[name], waiting)
    except UnanswerableQuestion as refusal:
        abort(404, str(refusal))
    content = analysis_file(result, stored, name, kind)
    file = download(content, stored, f"{name}.{kind}", FILES[kind])
    action = "downloaded a chart" if kind == "svg" else f"downloaded an analysis ({name}.{kind})"
    return audit_file(file, action, slug)
