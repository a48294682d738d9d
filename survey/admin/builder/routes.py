"""The builder, which edits and saves drafts."""

from dataclasses import dataclass, field, replace

from flask import current_app, flash, g, redirect, render_template, request, url_for
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
from survey.admin.builder.form_to_definition import slug_from_form
from survey.admin.builder.instruments import instrument_choices, instruments_as_json
from survey.admin.builder.live_preview import levels, preview_survey
from survey.admin.builder.stale_draft import (
    StaleDraft,
    data_of,
    find_stale_draft,
    fingerprint_seen,
    is_stale,
)
from survey.admin.builder.texts import parse_expected_respondents, parts_of_form
from survey.admin.surveys.archive import copy_as_draft
from survey.admin.surveys.import_export import random_slug, taken_slugs
from survey.admin.team.audit_log import utc_time_text
from survey.core.errors import StateError, UnknownSurvey
from survey.core.languages import LANGUAGES, language_name
from survey.core.translate import page_language, translate, translate_list
from survey.definition.choices import other_words, ways_words
from survey.definition.survey import Survey
from survey.definition.types import QUESTION_TYPES
from survey.store import EDITOR, StoredSurvey
from survey.store.stored import not_draft
from survey.web.access import create_draft, require_role
from survey.web.audit_log import audit
from survey.web.extensions import privacy_limits, store

# The category of the message after saving, which static/admin/builder/drafts.js looks for.
SAVED = "saved"
# Save and stay, save and go to the survey's page, or save as another draft.
SAVE = "save"
CLOSE = "close"
COPY = "save-copy"


@dataclass
class BuilderFeedback:
    """The messages on the builder's page."""

    faults: list[Fault] = field(default_factory=list)
    stale: StaleDraft | None = None


def answer_builder_form(form: FlaskForm, found: StoredSurvey | None) -> ResponseReturnValue:
    """Save a valid definition and redirect, or show the builder again with what is wrong.

    `found` is the draft, or None for a new one.
    """
    feedback = BuilderFeedback()
    action = request.form.get("do", "")
    if form.validate_on_submit():
        survey, feedback.faults = check_builder_form(form.data, found.survey if found else None)
        if action != COPY:
            feedback.faults += slug_taken_faults(form, feedback.faults, found)
        if survey is not None and not feedback.faults:
            target = parse_expected_respondents(form["respondents"].data)
            try:
                if action == COPY:
                    return save_as_copy(survey, target)
                if found is None or not is_stale(form["seen"].data, found, survey, target):
                    return save_and_redirect(survey, target, found, stay=action != CLOSE)
                feedback.stale = find_stale_draft(found.survey.slug)
            except (StateError, UnknownSurvey) as error:
                # Another request took the address, or opened or deleted the draft, in this moment.
                feedback.faults.append(Fault(None, "slug", str(error)))
    page = builder_page(form, found, feedback)
    return page, 409 if feedback.stale else 422 if feedback.faults else 200


def slug_taken_faults(
    form: FlaskForm, faults: list[Fault], found: StoredSurvey | None
) -> list[Fault]:
    """A fault if another survey has the address."""
    slug = slug_from_form(form.data)
    if any(fault.field == "slug" for fault in faults) or (found and found.survey.slug == slug):
        return []
    if slug not in taken_slugs():
        return []
    sentence = FIELDS["slug"].faults["taken"]
    return [Fault(None, "slug", translate(sentence))]


def save_and_redirect(
    survey: Survey, target: int | None, found: StoredSurvey | None, *, stay: bool
) -> ResponseReturnValue:
    """Save, and redirect to the survey's page or the builder. Raises StateError."""
    if found is None:
        create_draft(survey, g.account.name)
    else:
        store().surveys.save_draft(survey, replacing=found.survey.slug)
    limits = store().surveys.by_slug(survey.slug).limits
    if limits.target != target:
        store().lifecycle.set_limits(survey.slug, replace(limits, target=target))
    withdrawn: list[str] = []
    if found is None:
        audit("created the survey", survey.slug)
    else:
        before = found.survey.slug
        renamed = "" if survey.slug == before else f", and changed its address from {before}"
        audit(f"saved the draft{renamed}", survey.slug)
        withdrawn = [each for each in found.survey.translations if each in survey.not_offered]
    if withdrawn:
        names = translate_list([language_name(each) for each in withdrawn])
        message = translate(
            "Draft saved. The draft keeps the translations into %(languages)s.", languages=names
        )
    else:
        message = translate("Draft saved.")
    flash(message, SAVED)
    return redirect(url_for("admin.edit" if stay else "admin.overview", slug=survey.slug))


def save_as_copy(survey: Survey, target: int | None) -> ResponseReturnValue:
    """Save as a new draft, with another address and title if the address is taken."""
    if survey.slug in taken_slugs():
        survey = copy_as_draft(survey)
    return save_and_redirect(survey, target, None, stay=True)


def builder_page(form: FlaskForm, found: StoredSurvey | None, shown: BuilderFeedback) -> str:
    """The builder as HTML, with the form, the messages and all that its script needs."""
    types = {
        name: {"parts": parts_of_form(kind), "goal": kind.usual_goal}
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
        scripted={
            "questions": form.data["questions"],
            "types": types,
            "instruments": instruments_as_json(),
            "languages": {language: language_name(language) for language in LANGUAGES},
            "outlook": outlook,
            "other": {language: other_words(language) for language in LANGUAGES},
            "ways": {language: ways_words(language) for language in LANGUAGES},
        },
        types=QUESTION_TYPES,
        instruments=instrument_choices(),
        levels=levels(),
        address=f"{current_app.config['CANDOR_URL']}/s/",
        examples={} if found else examples(g.account.language),
        written=utc_time_text,
    )


@blueprint.route("/surveys/new", methods=["GET", "POST"], role=EDITOR)
def new() -> ResponseReturnValue:
    data = {
        "questions": [empty_question()],
        "slug": random_slug(),
        # Most researchers ask in the language that they read.
        "language": page_language.get(),
    }
    return answer_builder_form(survey_form(data=data), None)


@blueprint.route(
    "/surveys/<slug>/edit", methods=["GET", "POST"], role=EDITOR, checks_role_itself=True
)
def edit(slug: str) -> ResponseReturnValue:
    """The builder of a draft. It checks the role itself: a form is not lost if the draft was
    deleted in the meantime, and with it the account's role on it."""
    try:
        require_role(g.account, EDITOR, slug)
        draft = store().surveys.by_slug(slug)
        if draft.state != "draft":
            raise not_draft(slug, draft.state)
    except (UnknownSurvey, StateError):
        if request.method != "POST":
            raise
        require_role(g.account, EDITOR)
        if request.form.get("do") == COPY:
            return answer_builder_form(survey_form(), None)
        feedback = BuilderFeedback(stale=find_stale_draft(slug))
        return builder_page(survey_form(), None, feedback), 409
    # A form without the fingerprint of its version is stale.
    seen = "" if request.method == "POST" else fingerprint_seen(draft)
    return answer_builder_form(survey_form(data=data_of(draft) | {"seen": seen}), draft)
