"""How far the answers to questions rise and fall together."""

from string import ascii_uppercase
from typing import Any

from flask.typing import ResponseReturnValue

from survey.admin.analysis.request_form import analysis_page
from survey.admin.blueprint import blueprint
from survey.admin.forms.analysis_forms import CorrelationForm
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.tables.correlation_matrix import correlations
from survey.store import ANALYST
from survey.web.auth import requires


def correlation_context(
    form: CorrelationForm, columns: list[AnalysisColumn], design: SurveyDesign
) -> dict[str, Any]:
    return {
        "correlations": correlations(columns, design, form.answers),
        "named": list(zip(ascii_uppercase, form.labels, strict=False)),
        "extras": any(column.extras for column in columns),
    }


@blueprint.get("/surveys/<slug>/analysis/correlation")
@requires(ANALYST)
def correlation(slug: str) -> ResponseReturnValue:
    return analysis_page(
        slug, "admin/analysis/correlation.html", CorrelationForm, correlation_context
    )
