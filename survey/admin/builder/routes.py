"""The builder: a draft is typed, compared with what is stored, and saved."""

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from flask import current_app, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm

from survey.admin.blueprint import blueprint
from survey.admin.builder.examples import examples
from survey.admin.builder.faults import Fault, check_builder_form
from survey.admin.builder.fields import (
    FIELDS,
    QUESTION_FIELDS,
    SURVEY_FIELDS,
    empty_question,
    question_form,
    survey_form,
)
from survey.admin.builder.form_to_definition import slug_from_form, to_form_data
from survey.admin.builder.live_preview import levels, preview_survey
from survey.admin.builder.merge import DraftDifference, draft_differences, merged
from survey.admin.builder.texts import parse_expected_respondents
from survey.core.errors import StateError, UnknownSurvey
from survey.definition.survey import Survey, canonical_json
from survey.definition.types import QUESTION_TYPES
from survey.store import EDITOR, StoredSurvey
from survey.web.audit_log import audit
from survey.web.auth import requires
from survey.web.extensions import privacy_limits, store

TAKE_PREFIX = "take-"
SAVED = "saved"  # the category of the message that says so, for static/admin/builder/drafts.js
SAVE, CLOSE = "save", "close"  # and go on here, or to the survey's page


@dataclass
class BuilderFeedback:
    """What the builder's page says beside the form."""

    faults: list[Fault] = field(default_factory=list)
    conflict: list[DraftDifference] = field(default_factory=list)
    notice: str = ""
    orphan: bool = False  # whether the draft is one no more


def edited(form: FlaskForm, found: StoredSurvey | None) -> ResponseReturnValue:
    """The builder: saves when the definition is sound.

    `found` is the draft that is edited, or None where it is a new one.
    """
    feedback = BuilderFeedback()
    action = request.form.get("do", "")
    if action == "mine":  # the draft may have changed once more since it was compared
        form["seen"].data, action = request.form.get("compared", ""), SAVE
    if action == "merge" and found is not None:
        form, feedback.notice = merging(form, found)
    elif form.validate_on_submit():
        survey, feedback.faults = check_builder_form(form.data, found.survey if found else None)
        feedback.faults += slug_taken_faults(form, feedback.faults, found)
        feedback.conflict = [] if feedback.faults else conflict(form, found)
        if survey is not None and not feedback.faults and not feedback.conflict:
            try:
                return saved(survey, form, found, stay=action != CLOSE)
            except StateError as error:  # taken, or opened, this very moment
                feedback.faults.append(Fault(None, "slug", str(error)))
    page = rendered(form, found, feedback)
    return page, 409 if feedback.conflict else 422 if feedback.faults else 200


def slug_taken_faults(
    form: FlaskForm, faults: list[Fault], found: StoredSurvey | None
) -> list[Fault]:
    """A fault where another survey has the address."""
    slug = slug_from_form(form.data)
    if any(fault.field == "slug" for fault in faults) or (found and found.survey.slug == slug):
        return []
    try:
        store().survey(slug)
    except UnknownSurvey:
        return []
    return [Fault(None, "slug", FIELDS["slug"].faults["taken"])]


def saved(
    survey: Survey, form: FlaskForm, found: StoredSurvey | None, *, stay: bool
) -> ResponseReturnValue:
    """Save, and go to the survey's page or back to the builder; raises StateError."""
    store().save_draft(survey, replacing=found.survey.slug if found else None)
    limits = store().survey(survey.slug).limits
    expected = parse_expected_respondents(form["respondents"].data)
    if limits.target != expected:
        store().set_limits(survey.slug, replace(limits, target=expected))
    if found is None:
        audit("made the survey", survey.slug)
    else:
        before = found.survey.slug
        renamed = "" if survey.slug == before else f" (from {before})"
        audit(f"saved the draft{renamed}", survey.slug)
    flash("Draft saved.", SAVED)
    return redirect(url_for("admin.edit" if stay else "admin.overview", slug=survey.slug))


def data_of(found: StoredSurvey) -> dict[str, Any]:
    """What the builder shows of a draft; its translations have a page of their own."""
    target = found.limits.target
    return to_form_data(found.survey) | {"respondents": "" if target is None else str(target)}


def fingerprint_seen(found: StoredSurvey) -> str:
    return sha256(canonical_json(data_of(found)).encode()).hexdigest()


def conflict(form: FlaskForm, found: StoredSurvey | None) -> list[DraftDifference]:
    """How the form differs from a draft that was changed since the form was made."""
    if found is None or form["seen"].data == fingerprint_seen(found):
        return []
    labels = {name: row.label for name, row in FIELDS.items()}
    return draft_differences(form.data, data_of(found), labels)


def merging(form: FlaskForm, found: StoredSurvey) -> tuple[FlaskForm, str]:
    """The form after the researcher chose, of each difference, which version is to hold."""
    chosen = {
        key.removeprefix(TAKE_PREFIX)
        for key, choice in request.form.items()
        if key.startswith(TAKE_PREFIX) and choice == "theirs"
    }
    data = merged(form.data, data_of(found), chosen)
    # the draft may have changed once more since the differences were shown
    data["seen"] = request.form.get("compared", "")
    notice = "Put together as you chose. Nothing is saved yet: look at it, then save."
    return survey_form(formdata=None, data=data), notice


def rendered(form: FlaskForm, found: StoredSurvey | None, shown: BuilderFeedback) -> str:
    types = {
        name: {"parts": kind.builder_parts, "goal": kind.usual_goal}
        for name, kind in QUESTION_TYPES.items()
    }
    before = found.survey if found else None
    outlook = preview_survey(form.data, privacy_limits(), before).as_json()
    return render_template(
        "admin/builder/builder.html",
        form=form,
        survey=before,
        shown=shown,
        survey_fields=SURVEY_FIELDS,
        question_fields=QUESTION_FIELDS,
        question_form=question_form()(prefix="questions-1000"),
        scripted={"questions": form.data["questions"], "types": types, "outlook": outlook},
        types=QUESTION_TYPES,
        levels=levels(),
        address=f"{current_app.config['CANDOR_URL']}/s/",
        compared=fingerprint_seen(found) if found and shown.conflict else "",
        examples={} if found else examples(),
    )


def orphaned(why: str) -> ResponseReturnValue:
    """What was typed into a draft that is one no more, to be saved as a new survey."""
    message = (
        f"{why} What you typed is below, and can be saved as a new survey: type another address."
    )
    feedback = BuilderFeedback(faults=[Fault(None, "slug", message)], orphan=True)
    return rendered(survey_form(), None, feedback), 409


@blueprint.route("/surveys/new", methods=["GET", "POST"])
@requires(EDITOR)
def new() -> ResponseReturnValue:
    return edited(survey_form(data={"questions": [empty_question()]}), None)


@blueprint.route("/surveys/<slug>/edit", methods=["GET", "POST"])
@requires(EDITOR)
def edit(slug: str) -> ResponseReturnValue:
    try:
        draft = store().survey(slug)
        if draft.state != "draft":
            raise StateError(f"Survey {slug!r} is {draft.state}; only a draft can be changed.")
    except (UnknownSurvey, StateError) as error:
        if request.method == "POST":  # deleted or opened meanwhile: what was typed comes back
            return orphaned(str(error))
        raise
    return edited(survey_form(data=data_of(draft) | {"seen": fingerprint_seen(draft)}), draft)
