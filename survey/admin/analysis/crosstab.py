"""How answers to several questions go together."""

from typing import Any

from flask.typing import ResponseReturnValue

from survey.admin.analysis.request_form import analysis_page
from survey.admin.blueprint import blueprint
from survey.admin.forms.analysis_forms import OF_ALL, OF_COLUMN, OF_ROW, CrosstabForm
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.tables.association import RIGHT_WHEN
from survey.analysis.tables.crosstabs import crosstab
from survey.store import ANALYST
from survey.web.auth import requires


def crosstab_context(
    form: CrosstabForm, columns: list[AnalysisColumn], design: SurveyDesign
) -> dict[str, Any]:
    table = crosstab(columns, design)
    shares = {OF_ALL: table.cells, OF_ROW: table.of_row, OF_COLUMN: table.of_column}[form.of.data]
    return {
        "table": table,
        "percentages": shares,
        "unknown": any(each and each.low <= 0 and each.high >= 1 for each in shares),
        "right_when": RIGHT_WHEN,
    }


@blueprint.get("/surveys/<slug>/analysis")
@requires(ANALYST)
def analysis(slug: str) -> ResponseReturnValue:
    return analysis_page(slug, "admin/analysis/crosstab.html", CrosstabForm, crosstab_context)
