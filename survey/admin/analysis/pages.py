"""The pages of the analyses, each a form that is sent by GET with its result, and their files."""

from typing import Any

from flask import Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.forms.survey_form import SavedAnalysisForm
from survey.admin.surveys.overview import come_so_far
from survey.analysis.true_answers import compare_with_true_answers
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import join_sentences, translate, translate_constant
from survey.definition.sub_surveys import PILOT, part_kind, whole_of
from survey.store import ANALYST, StoredSurvey
from survey.web.analyses.forms import AnalysisForm
from survey.web.analyses.kinds import ANALYSES, AnalysisKind
from survey.web.analyses.request import columns_for, query_text
from survey.web.analyses.result import FILES, AnalysisResult, analysis_citation, analysis_file
from survey.web.audit_log import audit_file
from survey.web.extensions import store
from survey.web.published_results import download

# The first analysis is the page that the link "Analysis" leads to.
FIRST_PAGE = "analysis"
TEMPLATES = {
    "crosstab": "admin/analysis/crosstab.html",
    "groups": "admin/analysis/groups.html",
    "change": "admin/analysis/change.html",
    "correlation": "admin/analysis/correlation.html",
    "regression": "admin/analysis/regression.html",
    "tree": "admin/analysis/tree.html",
    "crosswise": "admin/analysis/crosswise.html",
    "list": "admin/analysis/list.html",
    "validity": "admin/analysis/validity.html",
}


def endpoint_of(kind: AnalysisKind) -> str:
    return f"admin.{FIRST_PAGE if kind.name == 'crosstab' else kind.name}"


PAGES = tuple((endpoint_of(kind), kind.title) for kind in ANALYSES.values())


def saved_as(found: StoredSurvey, kind: AnalysisKind, form: AnalysisForm | None) -> list[str]:
    """The names under which the requested analysis is saved."""
    if form is None or not request.args:
        return []
    query = query_text(request.args, form)
    saved = store().saved_analyses.saved(found.survey.slug)
    return [each.name for each in saved if (each.analysis, each.query) == (kind.name, query)]


def analysed_survey(slug: str) -> StoredSurvey:
    """The survey whose responses a page analyses: a whole survey, or its simulation."""
    return store().surveys.by_slug(slug if part_kind(slug) == PILOT else whole_of(slug))


def is_simulation(found: StoredSurvey) -> bool:
    return part_kind(found.survey.slug) == PILOT


def true_answers_of(
    found: StoredSurvey, kind: AnalysisKind, form: AnalysisForm, result: AnalysisResult
) -> dict[str, Any]:
    """For a simulation, the same analysis of its true answers, as variables of the template."""
    answers = store().rehearsals.pilot_answers(whole_of(found.survey.slug))
    if not is_simulation(found) or answers is None:
        return {}
    try:
        true = kind.run(form, *columns_for(answers, form))
    except UnanswerableQuestion as refusal:
        return {"true_refusal": str(refusal)}
    return {
        "true_sentence": true.sentence,
        "true_figures": compare_with_true_answers(result.rows, true.rows),
    }


def add_page(kind: AnalysisKind) -> None:
    """Register the page of an analysis. It shows a refusal as a sentence."""
    endpoint = endpoint_of(kind).removeprefix("admin.")
    path = "" if endpoint == FIRST_PAGE else f"/{kind.name}"

    @blueprint.get(f"/surveys/<slug>/analysis{path}", endpoint=endpoint, role=ANALYST)
    def page(slug: str) -> ResponseReturnValue:
        stored, analysed = store().surveys.by_slug(whole_of(slug)), analysed_survey(slug)
        form = kind.requested(analysed, request.args)
        context: dict[str, Any] = {}
        if form and request.args and form.validate():
            try:
                result = kind.run(form, *columns_for(analysed, form))
                design = form.design.sentence if form.design.given else ""
                title = translate_constant(kind.title)
                about_population = form.design.populations is not None
                citation = analysis_citation(result, analysed, title, design, about_population)
                context = {"result": result, "citation": citation}
                context |= true_answers_of(analysed, kind, form, result)
            except UnanswerableQuestion as refusal:
                released, _ = store().counts.released_and_waiting(analysed.survey.slug)
                waiting = "" if released else come_so_far(analysed)
                context = {"refusal": join_sentences(str(refusal), waiting)}
        return render_template(
            TEMPLATES[kind.name],
            found=stored,
            survey=stored.survey,
            analysed=analysed,
            simulated=is_simulation(analysed),
            form=form,
            lacking=kind.form.lacking,
            tab="admin.try_out" if is_simulation(analysed) else "admin.analysis",
            kind=kind,
            analyses=PAGES,
            files=FILES,
            query=query_text(request.args, form) if form else "",
            saved_as=saved_as(stored, kind, form),
            save_form=SavedAnalysisForm(formdata=None),
            **context,
        )


for each in ANALYSES.values():
    add_page(each)


@blueprint.get("/surveys/<slug>/analysis/<name>.<kind>", role=ANALYST)
def analysis_download(slug: str, name: str, kind: str) -> Response:
    """A file with the result of the page with the same query."""
    stored = analysed_survey(slug)
    if name not in ANALYSES or kind not in FILES or not request.args:
        abort(
            404,
            translate(
                "This analysis does not exist. Open the analysis page, and use the links below "
                "the result."
            ),
        )
    try:
        result = ANALYSES[name].result(stored, request.args)
    except UnanswerableQuestion as refusal:
        abort(404, str(refusal))
    content = analysis_file(result, stored, name, kind)
    file = download(content, stored, f"{name}.{kind}", FILES[kind])
    action = "downloaded a chart" if kind == "svg" else f"downloaded an analysis ({name}.{kind})"
    return audit_file(file, action, slug)
