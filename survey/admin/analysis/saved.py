"""Saved analyses of a survey: save, open, rename and delete."""

from flask import abort, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, frozen_of, whole_survey
from survey.admin.forms.survey_form import SavedAnalysisForm
from survey.core.errors import StateError
from survey.core.translate import translate
from survey.store import ANALYST, StoredSurvey
from survey.store.sql.saved_analyses import SavedAnalysis
from survey.web.analyses.kinds import ANALYSES
from survey.web.analyses.request import query_of, query_text
from survey.web.audit_log import audit
from survey.web.extensions import store

MAX_NUMBER = 2**48
MAX_QUERY_CHARACTERS = 8_000


def saved_analysis_address(saved: SavedAnalysis) -> str:
    """The address of the page that shows a saved analysis."""
    page = url_for("admin.analysis", slug=saved.survey, name=saved.analysis)
    return f"{page}?{saved.query}"


@blueprint.get("/surveys/<slug>/analysis/saved", role=ANALYST)
def saved_analyses(slug: str) -> ResponseReturnValue:
    return saved_page(whole_survey(slug), SavedAnalysisForm(formdata=None))


def saved_page(found: StoredSurvey, form: SavedAnalysisForm, renamed: int | None = None) -> str:
    """The list. `form` is a sent form with errors, which saves an analysis or renames `renamed`."""
    frozen_of(found)
    return render_template(
        "admin/analysis/saved.html",
        found=found,
        survey=found.survey,
        tab="admin.analysis",
        analyses=ANALYSES.values(),
        form=form,
        renamed=renamed,
        saved=store().saved_analyses.list_analyses(found.survey.slug),
        kinds=ANALYSES,
        saved_analysis_address=saved_analysis_address,
    )


@blueprint.post("/surveys/<slug>/analysis/saved", role=ANALYST)
def save_analysis(slug: str) -> ResponseReturnValue:
    """Save an analysis that its page showed."""
    found = whole_survey(slug)
    form = SavedAnalysisForm()
    kind = ANALYSES.get(form.analysis.data or "")
    query = query_of((form.query.data or "")[:MAX_QUERY_CHARACTERS])
    chosen = kind.form_of_query(found, query) if kind else None
    if kind is None or chosen is None or not chosen.validate():
        abort(
            422,
            translate(
                "The settings of this analysis are not valid. Open the analysis page, show the "
                "result, and save it there."
            ),
        )
    if not form.validate():
        return saved_page(found, form), 422
    name = form.name.data.strip()
    kept = query_text(query, chosen)
    try:
        store().saved_analyses.save(
            SavedAnalysis(survey=slug, name=name, analysis=kind.name, query=kept)
        )
    except StateError as error:
        form.name.errors = [str(error)]
        return saved_page(found, form), 422
    audit(f"saved the analysis “{name}”", slug)
    flash(translate("Saved as “%(name)s”.", name=name))
    return redirect(f"{url_for('admin.analysis', slug=slug, name=kind.name)}?{kept}")


@blueprint.post(f"/surveys/<slug>/analysis/saved/<int(max={MAX_NUMBER}):number>", role=ANALYST)
def rename_analysis(slug: str, number: int) -> ResponseReturnValue:
    found = whole_survey(slug)
    form = SavedAnalysisForm()
    if not form.validate():
        return saved_page(found, form, number), 422
    name = form.name.data.strip()
    try:
        store().saved_analyses.rename(slug, number, name)
    except StateError as error:
        form.name.errors = [str(error)]
        return saved_page(found, form, number), 422
    audit(f"renamed an analysis to “{name}”", slug)
    flash(translate("The analysis is now “%(name)s”.", name=name))
    return redirect(url_for("admin.saved_analyses", slug=slug))


@blueprint.post(
    f"/surveys/<slug>/analysis/saved/<int(max={MAX_NUMBER}):number>/delete", role=ANALYST
)
def delete_analysis(slug: str, number: int) -> ResponseReturnValue:
    names = {each.number: each.name for each in store().saved_analyses.list_analyses(slug)}
    store().saved_analyses.delete(slug, number)
    if number in names:
        audit(f"deleted the analysis “{names[number]}”", slug)
        flash(translate("The analysis “%(name)s” is deleted.", name=names[number]))
    return redirect(url_for("admin.saved_analyses", slug=slug))
