"""Functions that the pages of analyses share: each is a form, sent by GET, and its result."""

from collections.abc import Callable
from typing import Any

from flask import render_template, request
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, frozen_of
from survey.admin.forms.analysis_forms import AnalysisForm
from survey.admin.surveys.overview import come_so_far
from survey.analysis.columns.available import analysable_variables
from survey.analysis.columns.column_request import analysed
from survey.analysis.columns.design_file import DesignFile, read_design_file
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.core.errors import UnanswerableQuestion
from survey.definition.sub_surveys import whole_of
from survey.definition.survey import Survey
from survey.store import ANALYST, StoredSurvey
from survey.web.extensions import store

PAGES = (
    ("admin.analysis", "Cross-tabulation"),
    ("admin.groups", "Groups"),
    ("admin.correlation", "Correlation"),
    ("admin.regression", "Regression"),
    ("admin.tree", "Decision tree"),
    ("admin.validity", "Validity"),
)
Analyse = Callable[[Any, list[AnalysisColumn], SurveyDesign], dict[str, Any]]
Prepare = Callable[[Any, StoredSurvey], None]


def columns_for(
    found: StoredSurvey, form: AnalysisForm
) -> tuple[list[AnalysisColumn], SurveyDesign]:
    """The columns and the design that a form requests, from the published responses.

    Raises UnanswerableQuestion.
    """
    wanted = form.wanted
    survey = frozen_of(found).survey
    labels = {each.name: each.label for each in analysable_variables(survey)}
    twice = [labels[name] for place, name in enumerate(wanted) if name in wanted[:place]]
    if twice:
        raise UnanswerableQuestion(f"“{twice[0]}” is chosen twice. Choose different questions.")
    rows = store().responses.rows(survey.slug)
    return analysed(survey, rows, wanted, form.design, kept_file(survey))


def kept_file(survey: Survey) -> DesignFile | None:
    """The survey's design file, or None."""
    content = store().designs.content(survey.slug)
    return None if content is None else read_design_file(content.encode(), survey)


def form_for(found: StoredSurvey, kind: type[AnalysisForm]) -> AnalysisForm | None:
    """The form with the questions of a survey, or None if it has too few."""
    survey = frozen_of(found).survey
    if len({each.question.name for each in kind.usable(survey)}) < kind.fewest:
        return None
    form = kind(request.args or None)
    form.offer(survey)
    file = kept_file(survey)
    if file is not None:
        form.offer_file(file)
    return form


def analysis_route(
    path: str, endpoint: str, template: str, kind: type[AnalysisForm],
    prepare: Prepare | None = None,
) -> Callable[[Analyse], Analyse]:  # fmt: skip
    """Register a page for a function that analyses the columns requested in the form.

    The function returns the variables of the template. The page shows a refusal as a sentence.
    `prepare` adds choices to the form that come from other surveys.
    """

    def register(analyse: Analyse) -> Analyse:
        @blueprint.get(f"/surveys/<slug>/analysis{path}", endpoint=endpoint, role=ANALYST)
        def page(slug: str) -> ResponseReturnValue:
            stored = store().surveys.by_slug(whole_of(slug))
            form = form_for(stored, kind)
            if form and prepare:
                prepare(form, stored)
            context: dict[str, Any] = {}
            if form and request.args and form.validate():
                try:
                    context = analyse(form, *columns_for(stored, form)) | {"analysed": True}
                except UnanswerableQuestion as refusal:
                    released, _ = store().counts.released_and_waiting(stored.survey.slug)
                    waiting = "" if released else come_so_far(stored)
                    context["refusal"] = f"{refusal} {waiting}".strip()
            return render_template(
                template,
                found=stored,
                survey=stored.survey,
                form=form,
                lacking=kind.lacking,
                tab="admin.analysis",
                analyses=PAGES,
                **context,
            )

        return analyse

    return register
