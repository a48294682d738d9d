"""Example surveys that a new draft can start from."""

from dataclasses import replace
from functools import cache

from flask import flash, g, redirect, request, url_for
from flask.typing import ResponseReturnValue

from survey import PROJECT_FOLDER
from survey.admin.blueprint import blueprint
from survey.admin.surveys.import_export import random_slug
from survey.core.errors import UnknownSurvey
from survey.core.translate import translate
from survey.definition.survey import Survey, read_definition
from survey.store import EDITOR
from survey.web.access import create_draft
from survey.web.audit_log import audit

FOLDER = PROJECT_FOLDER / "demo" / "examples"


@cache
def examples(language: str) -> dict[str, Survey]:
    """The example surveys by file name, sorted, in this language alone if they have it.

    A draft must not keep translations of texts that its researcher is going to change.
    """
    paths = sorted(FOLDER.glob("*.json"))
    surveys = {path.stem: read_definition(path.read_bytes()) for path in paths}
    return {
        name: replace(
            survey.in_language(language) if language in survey.languages else survey,
            translations={},
        )
        for name, survey in surveys.items()
    }


@blueprint.post("/surveys/start", role=EDITOR)
def start() -> ResponseReturnValue:
    example = examples(g.account.language).get(request.form.get("example", ""))
    if example is None:
        raise UnknownSurvey("There is no such example.")
    draft = replace(example, slug=random_slug())
    create_draft(draft, g.account.name)
    audit("created the survey from an example", draft.slug)
    flash(translate("Candor made a draft from the example. Edit it as you like."))
    return redirect(url_for("admin.edit", slug=draft.slug))
