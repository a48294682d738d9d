"""The decision tree of one question by others, as a page and as a picture to take home."""

from typing import Any

from flask import Response, abort, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from ..analysis.tree_picture import NARROW, WIDE, picture
from ..analysis.tree_words import rules
from ..analysis.trees import tree as grown
from ..analysis.variables import Column, Design
from ..analysis_forms import TreeForm
from ..auth import requires
from ..current import store
from ..errors import UnanswerableQuestion
from ..parts import whole_of
from ..released import download
from ..store import ANALYST
from .analysing import analysis_page, columns_for, form_for
from .blueprint import blueprint


def drawn(form: TreeForm, columns: list[Column], design: Design) -> dict[str, Any]:
    found = grown(columns[0], columns[1:], design)
    # every text in it is escaped where it is drawn; the page has the look
    pictures = [Markup(picture(found, "", layout)) for layout in (WIDE, NARROW)]  # noqa: S704
    return {"tree": found, "pictures": pictures, "rules": rules(found)}


@blueprint.get("/surveys/<slug>/analysis/tree")
@requires(ANALYST)
def tree(slug: str) -> ResponseReturnValue:
    return analysis_page(slug, "admin/analysis_tree.html", TreeForm, drawn)


@blueprint.get("/surveys/<slug>/analysis/tree.svg")
@requires(ANALYST)
def tree_picture(slug: str) -> Response:
    """The picture of the page with the same address."""
    found = store().survey(whole_of(slug))
    form = form_for(found, TreeForm)
    if form is None or not request.args or not form.validate():
        abort(404, "There is no picture of this.")
    try:
        columns, design = columns_for(found, form)
        content = picture(grown(columns[0], columns[1:], design))
    except UnanswerableQuestion as refusal:
        abort(404, str(refusal))
    return download(content, found, "tree.svg", "image/svg+xml")
