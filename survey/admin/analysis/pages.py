"""The pages of the analyses that consist of a form and its result only."""

from string import ascii_uppercase
from typing import Any

from survey.admin.analysis.request_form import analysis_route
from survey.admin.forms.analysis_forms import (
    FIRST,
    OF_ALL,
    OF_COLUMN,
    OF_ROW,
    CorrelationForm,
    CrosstabForm,
    GroupsForm,
    RegressionForm,
)
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.groups import compare
from survey.analysis.regression.equations import equations, odds_ratio_text
from survey.analysis.regression.regression import regress
from survey.analysis.tables.association import RIGHT_WHEN
from survey.analysis.tables.correlation_matrix import correlations
from survey.analysis.tables.crosstabs import crosstab

Context = dict[str, Any]
Columns = list[AnalysisColumn]


@analysis_route("", "analysis", "admin/analysis/crosstab.html", CrosstabForm)
def crosstab_context(form: CrosstabForm, columns: Columns, design: SurveyDesign) -> Context:
    """How the answers to several questions are related."""
    table = crosstab(columns, design)
    shares = {OF_ALL: table.cells, OF_ROW: table.of_row, OF_COLUMN: table.of_column}[form.of.data]
    return {
        "table": table,
        "percentages": shares,
        "unknown": any(each and each.low <= 0 and each.high >= 1 for each in shares),
        "right_when": RIGHT_WHEN,
    }


@analysis_route("/groups", "groups", "admin/analysis/groups.html", GroupsForm)
def groups_context(form: GroupsForm, columns: Columns, design: SurveyDesign) -> Context:
    """A share or a mean in each group, and the differences between groups."""
    outcome, group = columns
    reference = 0 if form.against.data == FIRST else None
    return {"comparison": compare(outcome, group, design, form.answer, reference)}


@analysis_route("/correlation", "correlation", "admin/analysis/correlation.html", CorrelationForm)
def correlation_context(form: CorrelationForm, columns: Columns, design: SurveyDesign) -> Context:
    """How strongly the answers to questions are related."""
    return {
        "correlations": correlations(columns, design, form.answers),
        "named": list(zip(ascii_uppercase, form.labels, strict=False)),
        "extras": any(column.extras for column in columns),
    }


@analysis_route("/regression", "regression", "admin/analysis/regression.html", RegressionForm)
def regression_context(form: RegressionForm, columns: Columns, design: SurveyDesign) -> Context:
    """How answers to one question depend on the answers to others."""
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
