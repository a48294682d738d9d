"""How answers to one question depend on the answers to others."""

from typing import Any

from flask.typing import ResponseReturnValue

from survey.admin.analysis.request_form import analysis_page
from survey.admin.blueprint import blueprint
from survey.admin.forms.analysis_forms import RegressionForm
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.regression.equations import equations, odds_ratio_text
from survey.analysis.regression.regression import regress
from survey.store import ANALYST
from survey.web.auth import requires


def regression_context(
    form: RegressionForm, columns: list[AnalysisColumn], design: SurveyDesign
) -> dict[str, Any]:
    sampled = design if design.given else None
    model, errors = form.model.data or None, form.errors_of.data or None
    fit = regress(columns[0], columns[1:], model, errors, sampled)
    return {
        "regression": fit,
        "outcome": columns[0],
        "predictors": columns[1:],
        "equations": equations(fit),
        "odds_text": odds_ratio_text,
    }


@blueprint.get("/surveys/<slug>/analysis/regression")
@requires(ANALYST)
def regression(slug: str) -> ResponseReturnValue:
    return analysis_page(slug, "admin/analysis/regression.html", RegressionForm, regression_context)
