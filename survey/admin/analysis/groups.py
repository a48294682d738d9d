"""A share or a mean in each group, and how groups differ."""

from typing import Any

from flask.typing import ResponseReturnValue

from survey.admin.analysis.request_form import analysis_page
from survey.admin.blueprint import blueprint
from survey.admin.forms.analysis_forms import FIRST, GroupsForm
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.groups import compare
from survey.store import ANALYST
from survey.web.auth import requires


def groups_context(
    form: GroupsForm, columns: list[AnalysisColumn], design: SurveyDesign
) -> dict[str, Any]:
    outcome, group = columns
    reference = 0 if form.against.data == FIRST else None
    return {"comparison": compare(outcome, group, design, form.answer, reference)}


@blueprint.get("/surveys/<slug>/analysis/groups")
@requires(ANALYST)
def groups(slug: str) -> ResponseReturnValue:
    return analysis_page(slug, "admin/analysis/groups.html", GroupsForm, groups_context)
