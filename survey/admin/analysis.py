"""How answers to several questions go together."""

from typing import Any

from flask.typing import ResponseReturnValue

from ..analysis.association import RIGHT_WHEN
from ..analysis.crosstabs import crosstab
from ..analysis.variables import Column, Design
from ..analysis_forms import OF_ALL, OF_COLUMN, OF_ROW, CrosstabForm
from ..auth import requires
from ..store import ANALYST
from .analysing import analysis_page
from .blueprint import blueprint


def tabulated(form: CrosstabForm, columns: list[Column], design: Design) -> dict[str, Any]:
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
    return analysis_page(slug, "admin/analysis.html", CrosstabForm, tabulated)
