"""New drafts that start from an example."""

from dataclasses import replace

from flask import flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from ..auth import requires
from ..current import store
from ..errors import UnknownSurvey
from ..interchange import free_slug
from ..starting import examples
from ..store import EDITOR
from .blueprint import blueprint
from .interchange import Taken


@blueprint.post("/surveys/start")
@requires(EDITOR)
def start() -> ResponseReturnValue:
    found = examples().get(request.form.get("example", ""))
    if found is None:
        raise UnknownSurvey("There is no such example.")
    draft = replace(found, slug=free_slug(found.slug, Taken()))
    store().save_draft(draft)
    flash("A draft was made from the example. Change whatever you like.")
    return redirect(url_for("admin.edit", slug=draft.slug))
