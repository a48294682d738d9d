"""How far the answers to questions rise and fall together."""

from string import ascii_uppercase
from typing import Any

from flask.typing import ResponseReturnValue

from ..analysis.correlations import correlations
from ..analysis.variables import Column, Design
from ..analysis_forms import CorrelationForm
from ..auth import requires
from ..store import ANALYST
from .analysing import analysis_page
from .blueprint import blueprint


def correlated(form: CorrelationForm, columns: list[Column], design: Design) -> dict[str, Any]:
    return {
        "correlations": correlations(columns, design, form.answers),
        "named": list(zip(ascii_uppercase, form.labels, strict=False)),
        "extras": any(column.extras for column in columns),
    }


@blueprint.get("/surveys/<slug>/analysis/correlation")
@requires(ANALYST)
def correlation(slug: str) -> ResponseReturnValue:
    return analysis_page(slug, "admin/analysis_correlation.html", CorrelationForm, correlated)
