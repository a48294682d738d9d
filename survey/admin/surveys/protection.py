"""One protection level for all private questions of a draft."""

from dataclasses import dataclass, field, replace

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.forms.survey_form import ProtectionForm
from survey.core.errors import DefinitionError, UnanswerableQuestion
from survey.core.translate import translate, translate_constant
from survey.definition.survey import Survey
from survey.definition.survey_level import LEVEL_NAMES, SURVEY_LEVELS, SurveyProtection
from survey.planning.plan_text import figure_label, margin_text
from survey.planning.sample_size import PlannedFigure, PlanParameters, plan_figures
from survey.planning.survey_protection import (
    Division,
    chosen_by_hand,
    cross_tabulations,
    divide_protection,
    state_level,
)
from survey.store import ANALYST, EDITOR, StoredSurvey
from survey.store.stored import not_draft
from survey.web.audit_log import audit
from survey.web.extensions import store


@dataclass(frozen=True, kw_only=True)
class OfferedLevel:
    """A level with its division, or why there is none.

    `figures` are the planned figures, by the name of the question and the kind of the estimate.
    """

    key: str
    name: str
    division: Division | None = None
    refusal: str = ""
    figures: dict[tuple[str, str], PlannedFigure] = field(default_factory=dict)


def offered_level(survey: Survey, key: str, form: ProtectionForm, n: int) -> OfferedLevel:
    name = translate_constant(LEVEL_NAMES[key])
    try:
        division = division_of(survey, key, form)
    except (DefinitionError, UnanswerableQuestion) as refusal:
        return OfferedLevel(key=key, name=name, refusal=str(refusal))
    rows = plan_figures(division.survey, PlanParameters(n=n))
    figures = {(row.question.name, row.precision.kind): row for row in rows}
    return OfferedLevel(key=key, name=name, division=division, figures=figures)


def division_of(survey: Survey, level: str, form: ProtectionForm) -> Division:
    """The division that the form asks for, of which the survey is a valid definition.

    Raises UnanswerableQuestion without a division, and DefinitionError if it breaks another rule,
    such as the survey's privacy budget.
    """
    main = form.main.data or []
    crossed = cross_tabulations(survey, main) if form.crossed.data else ()
    figures = [*((name,) for name in main), *crossed]
    protection = SurveyProtection(level=level, main=tuple(figures), kept=tuple(form.kept.data))
    found = divide_protection(survey, SURVEY_LEVELS[level], figures, form.kept.data)
    return replace(found, survey=state_level(found.survey, protection))


def read_protection_form(survey: Survey) -> ProtectionForm:
    """The form as sent, or with its defaults. A name that cannot be chosen is left out."""
    form = ProtectionForm(request.values or None)
    form.kept.choices = [(each.name, each.label) for each in survey.private]
    stated = survey.protection
    if "n" not in request.values and stated is not None:
        form.kept.data = [*stated.kept]
        form.main.data = [each[0] for each in stated.main if len(each) == 1]
        form.crossed.data = any(len(each) > 1 for each in stated.main)
    elif "n" not in request.values:
        form.kept.data = [*chosen_by_hand(survey)]
    form.kept.data = [each.name for each in survey.private if each.name in (form.kept.data or ())]
    form.main.choices = [each for each in form.kept.choices if each[0] not in form.kept.data]
    form.main.data = [name for name, _ in form.main.choices if name in (form.main.data or ())]
    return form


def draft_of(slug: str) -> StoredSurvey:
    stored = store().surveys.by_slug(slug)
    if stored.state != "draft":
        raise not_draft(slug, stored.state)
    return stored


@blueprint.get("/surveys/<slug>/protection", role=ANALYST)
def protection(slug: str) -> ResponseReturnValue:
    """The levels of a draft, each with what it costs. 409 if the survey is not a draft."""
    stored = draft_of(slug)
    form = read_protection_form(stored.survey)
    if request.args:
        form.validate()
    n = form.n.default if form.n.errors else form.n.data
    return render_template(
        "admin/surveys/protection.html",
        found=stored,
        survey=stored.survey,
        form=form,
        n=n,
        levels=[offered_level(stored.survey, key, form, n) for key in SURVEY_LEVELS],
        figure_label=figure_label,
        margin_text=margin_text,
        tab="admin.plan",
    )


@blueprint.post("/surveys/<slug>/protection/<level>", role=EDITOR)
def apply_protection(slug: str, level: str) -> ResponseReturnValue:
    """Give the draft this level. 409 if it is not a draft, 422 without such a level."""
    stored = draft_of(slug)
    if level not in SURVEY_LEVELS:
        raise DefinitionError("", "There is no such level. Go back and choose one.")
    form = read_protection_form(stored.survey)
    try:
        survey = division_of(stored.survey, level, form).survey
    except (DefinitionError, UnanswerableQuestion) as error:
        flash(translate("Not changed: %(fault)s", fault=error))
        return redirect(url_for("admin.protection", slug=slug))
    store().surveys.save_draft(survey, replacing=slug)
    audit("set the protection of all questions", slug)
    name = translate_constant(LEVEL_NAMES[level])
    flash(translate("The draft now has the level “%(name)s”.", name=name))
    return redirect(url_for("admin.overview", slug=slug))
