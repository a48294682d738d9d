"""How answers to one question depend on the answers to others."""

from typing import Any

from flask.typing import ResponseReturnValue

from ..analysis.equations import equations, odds_text
from ..analysis.regression import regress
from ..analysis.variables import Column, Design
from ..analysis_forms import RegressionForm
from ..auth import requires
from ..store import ANALYST
from .analysing import analysis_page
from .blueprint import blueprint


def regressed(form: RegressionForm, columns: list[Column], design: Design) -> dict[str, Any]:
    sampled = design if design.given else None
    model, errors = form.model.data or None, form.errors_of.data or None
    found = regress(columns[0], columns[1:], model, errors, sampled)
    return {
        "regression": found,
        "outcome": columns[0],
        "predictors": columns[1:],
        "equations": equations(found),
        "odds_text": odds_text,
    }


@blueprint.get("/surveys/<slug>/analysis/regression")
@requires(ANALYST)
def regression(slug: str) -> ResponseReturnValue:
    return analysis_page(slug, "admin/analysis_regression.html", RegressionForm, regressed)
