"""The decision tree of one question by others, as a page and as a chart to download."""

from typing import Any

from flask import Response, abort, request

from survey.admin.analysis.request_form import analysis_route, columns_for, form_for
from survey.admin.blueprint import blueprint
from survey.admin.forms.analysis_forms import TreeForm
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.trees.tree_text import rules
from survey.analysis.trees.trees import build_decision_tree as grown
from survey.core.errors import UnanswerableQuestion
from survey.definition.sub_surveys import whole_of
from survey.store import ANALYST
from survey.web.audit_log import audit_file
from survey.web.charts.decision_tree import NARROW, WIDE, tree_chart, tree_svg
from survey.web.extensions import store
from survey.web.published_results import download


@analysis_route("/tree", "tree", "admin/analysis/tree.html", TreeForm)
def tree_context(
    form: TreeForm, columns: list[AnalysisColumn], design: SurveyDesign
) -> dict[str, Any]:
    grown_tree = grown(columns[0], columns[1:], design)
    pictures = [tree_chart(grown_tree, layout) for layout in (WIDE, NARROW)]
    return {"tree": grown_tree, "pictures": pictures, "rules": rules(grown_tree)}


@blueprint.get("/surveys/<slug>/analysis/tree.svg", role=ANALYST)
def tree_picture(slug: str) -> Response:
    """The chart of the page with the same query."""
    stored = store().surveys.by_slug(whole_of(slug))
    form = form_for(stored, TreeForm)
    if form is None or not request.args or not form.validate():
        abort(404, "There is no chart for this request.")
    try:
        columns, design = columns_for(stored, form)
        content = tree_svg(grown(columns[0], columns[1:], design))
    except UnanswerableQuestion as refusal:
        abort(404, str(refusal))
    file = download(content, stored, "tree.svg", "image/svg+xml")
    return audit_file(file, "downloaded a chart", slug)
