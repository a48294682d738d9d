"""New drafts that start from an example."""

from dataclasses import replace

from flask import flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.builder.templates import examples
from survey.admin.surveys.import_export import TakenSlugs
from survey.core.errors import UnknownSurvey
from survey.formats.definition_files import slug_with_suffix
from survey.store import EDITOR
from survey.web.audit_log import audit
from survey.web.auth import requires
from survey.web.extensions import store


@blueprint.post("/surveys/start")
@requires(EDITOR)
def start() -> ResponseReturnValue:
    example = examples().get(request.form.get("example", ""))
    if example is None:
        raise UnknownSurvey("There is no such example.")
    draft = replace(example, slug=slug_with_suffix(example.slug, TakenSlugs()))
    store().surveys.save_draft(draft)
    audit("made the survey from an example", draft.slug)
    flash("A draft was made from the example. Change whatever you like.")
    return redirect(url_for("admin.edit", slug=draft.slug))
