"""Routes of the preview: privacy and precision, and the page as respondents will see it.

A stored survey has the same preview.
"""

from flask import Response, g, jsonify, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.builder.faults import checked_questions
from survey.admin.builder.fields import survey_form
from survey.admin.builder.form_to_definition import to_survey
from survey.admin.builder.live_preview import preview_survey
from survey.core.errors import DefinitionError, SurveyError, TotalTooLarge
from survey.definition.frozen import freeze
from survey.definition.known_tables import KnownTables
from survey.definition.sub_surveys import whole_of
from survey.definition.survey import Survey
from survey.store import ANALYST, EDITOR
from survey.web.access import require_role
from survey.web.extensions import privacy_limits, store
from survey.web.i18n import preferred_language
from survey.web.rendering import respondent_page


@blueprint.post("/odds", role=EDITOR)
def preview_privacy() -> Response:
    """The preview of privacy and precision of a form, as JSON. Nothing is stored."""
    before = stored_draft(request.args.get("draft", ""))
    return jsonify(preview_survey(survey_form().data, privacy_limits(), before).as_json())


@blueprint.post("/preview", role=EDITOR)
def preview_typed() -> ResponseReturnValue:
    """The respondent's page of a form, with its complete questions."""
    data = dict(survey_form().data)
    before = stored_draft(request.args.get("draft", ""))
    tables = KnownTables.of(() if before is None else before.questions)
    questions = checked_questions(data, tables, worded=False)
    data["questions"] = [each.typed for each in questions if each.sound]
    data["title"] = (data["title"] or "").strip() or "…"
    data["slug"] = "preview"
    try:
        survey = to_survey(data, before, tables)
        language = request.form.get("preview_language", "")
        if language not in survey.languages:
            language = survey.language
        require_drawable(survey)
        return respondent_page(freeze(survey, None, to_open=False), language, preview=True)
    except (DefinitionError, TotalTooLarge) as error:
        faults = [fault.text for each in questions for fault in each.faults] or [str(error)]
        return render_template("admin/builder/no_preview.html", faults=faults), 422


def require_drawable(survey: Survey) -> None:
    """Raise TotalTooLarge if the browser could not draw the reports of a preview."""
    for question in survey.private:
        if question.table is not None:
            question.table.require_drawable()


def stored_draft(slug: str) -> Survey | None:
    """The edited draft, for its translations and tables; None if the account may not edit it."""
    try:
        require_role(g.account, EDITOR, slug)
        stored = store().surveys.by_slug(slug)
    except SurveyError:
        return None
    return stored.survey if stored.state == "draft" else None


@blueprint.get("/surveys/<slug>/preview", role=ANALYST)
def preview(slug: str) -> str:
    stored = store().surveys.by_slug(slug)
    require_drawable(stored.survey)
    frozen = stored.frozen or freeze(stored.survey, None, to_open=False)
    back = url_for("admin.overview", slug=whole_of(slug))
    return respondent_page(
        frozen, preferred_language(stored.survey.languages), preview=True, back=back
    )
