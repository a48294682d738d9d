"""The validity of answers: bounds, a control question, a direct arm, a second table."""

from collections.abc import Callable
from typing import Any

from survey.admin.analysis.request_form import analysis_route
from survey.admin.blueprint import frozen_of
from survey.admin.forms.validity_form import SAYS, ValidityForm
from survey.analysis.columns.column_request import analysed
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.validity.checks import alike
from survey.analysis.validity.noncompliance import (
    NoncomplianceEstimate,
    bounded,
    denials,
    deviants,
    report_counts_and_table,
)
from survey.analysis.validity.validity import contrasted, controlled, require_arms, said_by
from survey.core.errors import UnanswerableQuestion
from survey.store import StoredSurvey
from survey.web.charts.denials import denials_chart
from survey.web.extensions import store

# The chart goes up to this share of denials, or up to the assumed one if it is larger.
MIN_CHART_DENIED_SHARE = 0.5


def result_or_refusal(check: Callable[[], Any]) -> dict[str, Any]:
    """The result of a check, or its refusal, which does not stop the other checks."""
    try:
        return {"found": check(), "refusal": ""}
    except UnanswerableQuestion as refusal:
        return {"found": None, "refusal": str(refusal)}


def others_than(found: StoredSurvey) -> list[StoredSurvey]:
    """The other surveys whose reports were not made in browsers, if this is such a survey."""
    if found.origin == "browser":
        return []
    return [
        each for each in store().surveys.all(drafts=False)
        if each.origin != "browser" and each.survey.slug != found.survey.slug
    ]  # fmt: skip


def prepare(form: ValidityForm, found: StoredSurvey) -> None:
    survey = frozen_of(found).survey
    form.offer_surveys(survey, [each.survey for each in others_than(found)])


def split_survey_deviants(form: ValidityForm, asked: AnalysisColumn) -> NoncomplianceEstimate:
    """The share of people who deviate, from the reports of this survey and another one."""
    slug, _, name = form.split.data.partition(":")
    survey = store().surveys.by_slug(slug).survey
    (other,), _ = analysed(survey, store().responses.rows(slug), [name])
    if not alike(asked, other):
        raise UnanswerableQuestion(
            f"{other.name} of survey {slug!r} and {asked.name} are different questions. Choose "
            "a survey that asked the same question."
        )
    return deviants(
        report_counts_and_table(asked), report_counts_and_table(other), SAYS[form.says.data]
    )


@analysis_route("/validity", "validity", "admin/analysis/validity.html", ValidityForm, prepare)
def validity_context(
    form: ValidityForm, columns: list[AnalysisColumn], design: SurveyDesign
) -> dict[str, Any]:
    asked, *rest = columns
    places = form.places
    sample = complete_case_sample([asked], design)
    reported_share = said_by(asked, sample, places["asked"])
    denied, false, random = form.erred
    bounds = bounded(reported_share, denied, false, random, asked.listed)
    moved = denials(bounds, asked.listed, max(MIN_CHART_DENIED_SHARE, denied))
    context: dict[str, Any] = {
        "asked": asked,
        "answer": asked.answers[places["asked"]],
        "n": sample.n,
        "left_out": len(asked.reports) - sample.n,
        "bounds": bounds,
        "denials": moved,
        "denials_chart": denials_chart(moved, bounds),
    }
    if form.control.data:
        control, control_share = rest[0], float(form.known.data) / 100
        context["control"] = result_or_refusal(
            lambda: controlled(
                asked, control, control_share, places["asked"], places["control"], design
            )
        )
    if form.direct.data:
        direct = rest[-1]

        def contrast() -> Any:
            require_arms(asked, direct)
            return contrasted(asked, direct, places["asked"], places["direct"], design=design)

        context["contrast"] = result_or_refusal(contrast)
    if form.split.data:
        context["deviants"] = result_or_refusal(lambda: split_survey_deviants(form, asked))
    return context
