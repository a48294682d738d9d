"""A share or a mean in each group, and how groups differ."""

from typing import Any

from flask.typing import ResponseReturnValue

from ..analysis.groups import compare
from ..analysis.variables import Column, Design
from ..analysis_forms import FIRST, GroupsForm
from ..auth import requires
from ..store import ANALYST
from .analysing import analysis_page
from .blueprint import blueprint


def compared(form: GroupsForm, columns: list[Column], design: Design) -> dict[str, Any]:
    outcome, group = columns
    reference = 0 if form.against.data == FIRST else None
    return {"comparison": compare(outcome, group, design, form.answer, reference)}


@blueprint.get("/surveys/<slug>/analysis/groups")
@requires(ANALYST)
def groups(slug: str) -> ResponseReturnValue:
    return analysis_page(slug, "admin/analysis_groups.html", GroupsForm, compared)
