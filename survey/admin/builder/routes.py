"""The builder: a draft is typed, rearranged, compared with what is stored, and saved."""

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from flask import current_app, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.builder.faults import Fault, check_builder_form
from survey.admin.builder.form_to_definition import EMPTY_QUESTION, slug_from_form, to_form_data
from survey.admin.builder.labels import LABELS, SENTENCES
from survey.admin.builder.live_preview import levels, preview_survey
from survey.admin.builder.merge import DraftDifference, draft_differences, merged
from survey.admin.builder.reorder import ReorderResult, rearranged
from survey.admin.builder.templates import examples
from survey.admin.builder.texts import parse_expected_respondents, type_in_form
from survey.admin.forms.survey_form import QuestionForm, SurveyForm
from survey.core.errors import StateError, UnknownSurvey
from survey.definition.survey import Survey, canonical_json
from survey.definition.types import QUESTION_TYPES
from survey.store import EDITOR, StoredSurvey
from survey.web.audit_log import audit
from survey.web.auth import requires
from survey.web.extensions import privacy_limits, store

MIN_FOLDED_QUESTIONS = 6  # questions; so many or more are folded at first
TAKE_PREFIX = "take-"
SAVED = "saved"  # the category of the message that says so, for static/admin/builder/drafts.js
SAVE, CLOSE = "save", "close"  # and go on here, or to the survey's page


@dataclass
class BuilderFeedback:
    """What the builder's page says beside the form."""

    faults: list[Fault] = field(default_factory=list)
    conflict: list[DraftDifference] = field(default_factory=list)
    change: ReorderResult | None = None
    notice: str = ""
    orphan: bool = False  # whether the draft is one no more


def edited(form: SurveyForm, found: StoredSurvey | None) -> ResponseReturnValue:
    """The builder: rearranges at a press, saves when the definition is sound.

    `found` is the draft that is edited, or None where it is a new one.
    """
    feedback = BuilderFeedback()
    action = request.form.get("do", "")
    if action == "mine":  # the draft may have changed once more since it was compared
        form.seen.data, action = request.form.get("compared", ""), SAVE
    if action == "merge" and found is not None:
        form, feedback.notice = merging(form, found)
    elif action not in ("", SAVE, CLOSE):
        feedback.change = rearranged(
            form.data["questions"], action, form.kind.data or "yes_no", form.undo.data or ""
        )
        changed = {"questions": feedback.change.questions, "undo": feedback.change.undo}
        form = SurveyForm(formdata=None, data=form.data | changed)
    elif form.validate_on_submit():
        survey, feedback.faults = check_builder_form(form.data, found.survey if found else None)
        feedback.faults += slug_taken_faults(form, feedback.faults, found)
        feedback.conflict = [] if feedback.faults else conflict(form, found)
        if survey is not None and not feedback.faults and not feedback.conflict:
            try:
                return saved(survey, form, found, stay=action != CLOSE)
            except StateError as error:  # taken, or opened, this very moment
                feedback.faults.append(Fault(None, "slug", str(error)))
    elif form.is_submitted():
        feedback.faults = unknown_choices(form)
    page = rendered(form, found, feedback)
    return page, 409 if feedback.conflict else 422 if feedback.faults else 200


def slug_taken_faults(
    form: SurveyForm, faults: list[Fault], found: StoredSurvey | None
) -> list[Fault]:
    """A fault where another survey has the address."""
    slug = slug_from_form(form.data)
    if any(fault.field == "slug" for fault in faults) or (found and found.survey.slug == slug):
        return []
    try:
        store().surveys.by_slug(slug)
    except UnknownSurvey:
        return []
    return [Fault(None, "slug", SENTENCES["slug", "taken"])]


def unknown_choices(form: SurveyForm) -> list[Fault]:
    """What no menu of the page offers."""
    parts = [(None, form), *((number, each.form) for number, each in enumerate(form.questions))]
    return [
        Fault(number, each.short_name, SENTENCES["type", ""])
        for number, part in parts
        for each in part
        if each.errors and each.short_name in LABELS and each.short_name != "questions"
    ]


def saved(
    survey: Survey, form: SurveyForm, found: StoredSurvey | None, *, stay: bool
) -> ResponseReturnValue:
    """Save, and go to the survey's page or back to the builder; raises StateError."""
    store().surveys.save_draft(survey, replacing=found.survey.slug if found else None)
    limits = store().surveys.by_slug(survey.slug).limits
    expected = parse_expected_respondents(form.respondents.data)
    if limits.target != expected:
        store().lifecycle.set_limits(survey.slug, replace(limits, target=expected))
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


def conflict(form: SurveyForm, found: StoredSurvey | None) -> list[DraftDifference]:
    """How the form differs from a draft that was changed since the form was made."""
    if found is None or form.seen.data == fingerprint_seen(found):
        return []
    return draft_differences(form.data, data_of(found), LABELS)


def merging(form: SurveyForm, found: StoredSurvey) -> tuple[SurveyForm, str]:
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
    return SurveyForm(formdata=None, data=data), notice


def rendered(form: SurveyForm, found: StoredSurvey | None, shown: BuilderFeedback) -> str:
    sentences_by_field: dict[tuple[int | None, str], list[str]] = {}
    for fault in shown.faults:
        sentences_by_field.setdefault((fault.number, fault.field), []).append(fault.beside)
    for (number, name), sentences in sentences_by_field.items():
        at = form if number is None else form.questions[number].form
        at[name].errors = sentences
    if shown.faults:
        first = shown.faults[0]
        at = form if first.number is None else form.questions[first.number].form
        at[first.field].render_kw = {"autofocus": True}
    for each in form.questions:
        each.form.goal.data = each.form.goal.data or type_in_form(each.form.data).usual_goal
    total = len(form.questions)
    unfolded = set(range(total)) if total < MIN_FOLDED_QUESTIONS else set()
    unfolded |= {fault.number for fault in shown.faults if fault.number is not None}
    if shown.change is not None and shown.change.at is not None:
        unfolded.add(shown.change.at)
    return render_template(
        "admin/builder/builder.html",
        form=form,
        survey=found.survey if found else None,
        shown=shown,
        outlook=preview_survey(form.data, privacy_limits(), found.survey if found else None),
        unfolded=unfolded,
        types=QUESTION_TYPES,
        levels=levels(),
        blank=QuestionForm(prefix="questions-999", data=EMPTY_QUESTION),
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
    return rendered(SurveyForm(), None, feedback), 409


@blueprint.route("/surveys/new", methods=["GET", "POST"])
@requires(EDITOR)
def new() -> ResponseReturnValue:
    return edited(SurveyForm(data={"questions": [EMPTY_QUESTION]}), None)


@blueprint.route("/surveys/<slug>/edit", methods=["GET", "POST"])
@requires(EDITOR)
def edit(slug: str) -> ResponseReturnValue:
    try:
        draft = store().surveys.by_slug(slug)
        if draft.state != "draft":
            raise StateError(f"Survey {slug!r} is {draft.state}; only a draft can be changed.")
    except (UnknownSurvey, StateError) as error:
        if request.method == "POST":  # deleted or opened meanwhile: what was typed comes back
            return orphaned(str(error))
        raise
    return edited(SurveyForm(data=data_of(draft) | {"seen": fingerprint_seen(draft)}), draft)
