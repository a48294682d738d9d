"""Central DP releases of non-private questions: the budget, the ledger, and new releases.

The argument: the pages show the cost and the accuracy of a release before it is drawn. Both follow
from public values only, so looking costs nothing. Only a POST request draws a release. The page
shows a release only after it is in the ledger (survey/web/central_dp_service.py).
"""

from datetime import date

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, frozen_of, whole_survey
from survey.admin.forms.release_forms import (
    BudgetForm,
    ReleaseForm,
    keep_fitting_fields,
    texts_of_form,
)
from survey.central_dp import text
from survey.central_dp.accuracy import accuracy_of, noise_outweighs_responses
from survey.central_dp.budget import Release, parse_release_budget, remaining_budget, total_loss
from survey.central_dp.chart import Picture
from survey.central_dp.dp_request import (
    STATISTICS,
    Statistic,
    available_statistics,
    has_bounds,
    question_of,
    read_request,
    tree_questions,
)
from survey.central_dp.figure_noise import common_noise
from survey.central_dp.text import releases_csv
from survey.core.errors import ReleaseError
from survey.core.number_grid import decimal_text
from survey.core.translate import translate, translate_number
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.server.clock import today
from survey.server.http.hosts import link_across
from survey.store import ANALYST, EDITOR, OWNER
from survey.web.audit_log import audit, audit_file
from survey.web.central_dp_service import (
    engine_fault,
    figures_and_picture,
    preview_release,
    release_figures,
    release_statistic,
)
from survey.web.extensions import store
from survey.web.published_results import download


@blueprint.get("/surveys/<slug>/releases", role=ANALYST)
def releases(slug: str) -> ResponseReturnValue:
    return releases_page(slug)


def releases_page(slug: str, form: BudgetForm | None = None) -> str:
    """The page of the releases. `form` is a sent form with errors."""
    stored = whole_survey(slug)
    survey = frozen_of(stored).survey
    budget, ledger = store().releases.budget(slug), store().releases.ledger(slug)
    if form is None:
        form = BudgetForm(formdata=None)
        if budget is not None:
            form.epsilon.data = decimal_text(budget.epsilon)
            form.delta.data = decimal_text(budget.delta)
    return render_template(
        "admin/results/dp_releases.html",
        found=stored,
        survey=survey,
        budget=budget,
        left=remaining_budget(budget, [each.request for each in ledger]) if budget else None,
        spent=float(total_loss(each.request for each in ledger)[0]),
        ledger=[
            (
                *(each, *figures_and_picture(survey, each)),
                accuracy_of(survey, each.request, each.n),
                noise_outweighs_responses(survey, each.request, each.n),
                common_noise(survey, each.request, each.n),
            )
            for each in ledger
        ],
        questions=[
            (
                each,
                [
                    s
                    for s in available_statistics(each)
                    if s != Statistic.TREE or tree_questions(survey, each.name)
                ],
            )
            for each in survey.fields
            if available_statistics(each)
        ],
        names=STATISTICS,
        words=text,
        question_of=question_of,
        decimal_text=decimal_text,
        date=date.fromisoformat,
        form=form,
        engine_missing=engine_fault(),
        public=link_across("public.results", slug=slug),
    )


@blueprint.post("/surveys/<slug>/releases/budget", role=OWNER)
def set_release_budget(slug: str) -> ResponseReturnValue:
    whole_survey(slug)
    form = BudgetForm()
    if not form.validate():
        return releases_page(slug, form), 422
    try:
        budget = parse_release_budget(form.epsilon.data or "", form.delta.data or "0")
        store().releases.set_budget(slug, budget)
    except ReleaseError as error:
        form[error.field].errors = [str(error)]
        return releases_page(slug, form), 422
    epsilon, delta = decimal_text(budget.epsilon), decimal_text(budget.delta)
    audit(f"set the DP budget to ε = {epsilon}, δ = {delta}", slug)
    flash(
        translate(
            "The budget is ε = %(epsilon)s and δ = %(delta)s.",
            epsilon=translate_number(epsilon),
            delta=translate_number(delta),
        )
    )
    return redirect(url_for("admin.releases", slug=slug))


@blueprint.post("/surveys/<slug>/releases/public", role=EDITOR)
def publish_releases(slug: str) -> ResponseReturnValue:
    whole_survey(slug)
    public = request.form.get("public") == "yes"
    store().releases.publish_releases(slug, public)
    audit(f"{'published' if public else 'unpublished'} the DP releases", slug)
    flash(
        translate("The DP releases are public now.")
        if public
        else translate("The DP releases are no longer public.")
    )
    return redirect(url_for("admin.releases", slug=slug))


@blueprint.get("/surveys/<slug>/releases/new", role=ANALYST)
def new_release(slug: str) -> ResponseReturnValue:
    """The form for one statistic. With an ε, it also shows the cost."""
    stored = whole_survey(slug)
    survey = frozen_of(stored).survey
    question = question_of(survey, request.args.get("question", ""))
    statistic = request.args.get("statistic", "")
    if statistic not in available_statistics(question):
        raise ReleaseError(
            "statistic",
            "'%(question)s' has no such statistic. Go back and choose one.",
            question=question.name,
        )
    form = keep_fitting_fields(ReleaseForm(request.args), survey, question, statistic)
    asked, fault = None, ""
    if "epsilon" in request.args:
        try:
            wanted = read_request(survey, texts_of_form(form, question.name, statistic))
            asked = preview_release(slug, wanted)
        except ReleaseError as error:
            if error.field in form:
                form[error.field].errors = [str(error)]
            else:
                fault = str(error)
    else:
        form.epsilon.data = "0.5"
        if "high" in form and question.grid is not None:
            form.low.data, form.high.data = question.grid[0], question.grid[question.grid.size - 1]
        if "bins" in form:
            form.bins.data = "10"
    budget = store().releases.budget(slug)
    bounded, curve = has_bounds(question, statistic), statistic == Statistic.CURVE
    return render_template(
        "admin/results/new_dp_release.html",
        found=stored,
        survey=survey,
        question=question,
        statistic=statistic,
        name=STATISTICS[statistic],
        bounded=bounded,
        curve=curve,
        curves=curves_of(slug, survey, question) if bounded and not curve else [],
        form=form,
        engine_missing=engine_fault(),
        asked=asked,
        fault=fault,
        left=remaining_budget(budget, store().releases.requests(slug)) if budget else None,
        words=text,
        decimal_text=decimal_text,
        date=date.fromisoformat,
    )


def curves_of(
    slug: str, survey: Survey, question: Question
) -> list[tuple[Release, Picture | None]]:
    """The released curves of clipped sums for this question, to choose a bound."""
    return [
        (each, figures_and_picture(survey, each)[1])
        for each in store().releases.ledger(slug)
        if (each.request.question, each.request.statistic) == (question.name, Statistic.CURVE)
    ]


@blueprint.post("/surveys/<slug>/releases", role=EDITOR)
def draw_release(slug: str) -> ResponseReturnValue:
    stored = whole_survey(slug)
    survey = frozen_of(stored).survey
    wanted = read_request(survey, request.form)
    before = store().releases.find_release(slug, wanted)
    released = release_statistic(slug, wanted, today())
    if before is None:
        audit(text.release_log_text(survey, wanted), slug)
        flash(translate("The DP release is in the ledger. Reading it again costs nothing."))
    else:
        flash(translate("This release was already in the ledger, so it cost nothing."))
    return redirect(url_for("admin.releases", slug=slug) + f"#release-{released.number}")


@blueprint.get("/surveys/<slug>/releases.csv", role=ANALYST)
def releases_file(slug: str) -> ResponseReturnValue:
    stored = whole_survey(slug)
    survey = frozen_of(stored).survey
    rows = releases_csv(
        survey, [(each, release_figures(survey, each)) for each in store().releases.ledger(slug)]
    )
    file = download(rows, stored, "releases.csv", "text/csv")
    return audit_file(file, "downloaded releases.csv", slug)
