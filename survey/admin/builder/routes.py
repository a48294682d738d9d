"""The builder: a draft is typed, rearranged, compared with what is stored, and saved."""

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from flask import current_app, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.builder.faults import Fault, checked
from survey.admin.builder.form_to_definition import EMPTY_QUESTION, slug_of, to_form_data
from survey.admin.builder.labels import LABELS, SENTENCES
from survey.admin.builder.live_preview import levels, outlook_of
from survey.admin.builder.merge import Difference, differences, merged
from survey.admin.builder.reorder import Rearranged, rearranged
from survey.admin.builder.templates import examples
from survey.admin.builder.texts import expected_respondents, usual_goal
from survey.admin.forms.survey_form import TYPES, QuestionForm, SurveyForm
from survey.core.errors import StateError, UnknownSurvey
from survey.definition.survey import Survey, canonical
from survey.store import EDITOR, StoredSurvey
from survey.web.auth import requires
from survey.web.extensions import privacy_limits, store

MANY = 6  # questions; so many or more are folded at first
TAKE = "take-"
SAVED = "saved"  # the category of the message that says so, for static/admin/builder/drafts.js
SAVE, CLOSE = "save", "close"  # and go on here, or to the survey's page


@dataclass
class Shown:
    """What the builder's page says beside the form."""

    faults: list[Fault] = field(default_factory=list)
    conflict: list[Difference] = field(default_factory=list)
    change: Rearranged | None = None
    notice: str = ""
    orphan: bool = False  # whether the draft is one no more


def edited(form: SurveyForm, found: StoredSurvey | None) -> ResponseReturnValue:
    """The builder: rearranges at a press, saves when the definition is sound.

    `found` is the draft that is edited, or None where it is a new one.
    """
    shown = Shown()
    action = request.form.get("do", "")
    if action == "mine":  # the draft may have changed once more since it was compared
        form.seen.data, action = request.form.get("compared", ""), SAVE
    if action == "merge" and found is not None:
        form, shown.notice = merging(form, found)
    elif action not in ("", SAVE, CLOSE):
        shown.change = rearranged(
            form.data["questions"], action, form.kind.data or "yes_no", form.undo.data or ""
        )
        changed = {"questions": shown.change.questions, "undo": shown.change.undo}
        form = SurveyForm(formdata=None, data=form.data | changed)
    elif form.validate_on_submit():
        survey, shown.faults = checked(form.data, found.survey if found else None)
        shown.faults += taken(form, shown.faults, found)
        shown.conflict = [] if shown.faults else conflict(form, found)
        if survey is not None and not shown.faults and not shown.conflict:
            try:
                return saved(survey, form, found, stay=action != CLOSE)
            except StateError as error:  # taken, or opened, this very moment
                shown.faults.append(Fault(None, "slug", str(error)))
    elif form.is_submitted():
        shown.faults = unknown_choices(form)
    page = rendered(form, found, shown)
    return page, 409 if shown.conflict else 422 if shown.faults else 200


def taken(form: SurveyForm, faults: list[Fault], found: StoredSurvey | None) -> list[Fault]:
    """A fault where another survey has the address."""
    slug = slug_of(form.data)
    if any(fault.field == "slug" for fault in faults) or (found and found.survey.slug == slug):
        return []
    try:
        store().survey(slug)
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
    store().save_draft(survey, replacing=found.survey.slug if found else None)
    limits = store().survey(survey.slug).limits
    expected = expected_respondents(form.respondents.data)
    if limits.target != expected:
        store().set_limits(survey.slug, replace(limits, target=expected))
    flash("Draft saved.", SAVED)
    return redirect(url_for("admin.edit" if stay else "admin.overview", slug=survey.slug))


def data_of(found: StoredSurvey) -> dict[str, Any]:
    """What the builder shows of a draft; its translations have a page of their own."""
    target = found.limits.target
    return to_form_data(found.survey) | {"respondents": "" if target is None else str(target)}


def fingerprint_seen(found: StoredSurvey) -> str:
    return sha256(canonical(data_of(found)).encode()).hexdigest()


def conflict(form: SurveyForm, found: StoredSurvey | None) -> list[Difference]:
    """How the form differs from a draft that was changed since the form was made."""
    if found is None or form.seen.data == fingerprint_seen(found):
        return []
    return differences(form.data, data_of(found), LABELS)


def merging(form: SurveyForm, found: StoredSurvey) -> tuple[SurveyForm, str]:
    """The form after the researcher chose, of each difference, which version is to hold."""
    chosen = {
        key.removeprefix(TAKE)
        for key, choice in request.form.items()
        if key.startswith(TAKE) and choice == "theirs"
    }
    data = merged(form.data, data_of(found), chosen)
    # the draft may have changed once more since the differences were shown
    data["seen"] = request.form.get("compared", "")
    notice = "Put together as you chose. Nothing is saved yet: look at it, then save."
    return SurveyForm(formdata=None, data=data), notice


def rendered(form: SurveyForm, found: StoredSurvey | None, shown: Shown) -> str:
    said: dict[tuple[int | None, str], list[str]] = {}
    for fault in shown.faults:
        said.setdefault((fault.number, fault.field), []).append(fault.beside)
    for (number, name), sentences in said.items():
        at = form if number is None else form.questions[number].form
        at[name].errors = sentences
    if shown.faults:
        first = shown.faults[0]
        at = form if first.number is None else form.questions[first.number].form
        at[first.field].render_kw = {"autofocus": True}
    for each in form.questions:
        each.form.goal.data = each.form.goal.data or usual_goal(each.form.type.data)
    total = len(form.questions)
    unfolded = set(range(total)) if total < MANY else set()
    unfolded |= {fault.number for fault in shown.faults if fault.number is not None}
    if shown.change is not None and shown.change.at is not None:
        unfolded.add(shown.change.at)
    return render_template(
        "admin/builder/builder.html",
        form=form,
        survey=found.survey if found else None,
        shown=shown,
        outlook=outlook_of(form.data, privacy_limits(), found.survey if found else None),
        unfolded=unfolded,
        kinds={kind.value: kind.label for kind in TYPES},
        levels=levels(),
        blank=QuestionForm(prefix="questions-999", data=EMPTY_QUESTION),
        address=f"{current_app.config['CANDOR_URL']}/s/",
        compared=fingerprint_seen(found) if found and shown.conflict else "",
        examples={} if found else examples(),
    )


def orphaned(why: str) -> ResponseReturnValue:
    """What was typed into a draft that is one no more, to be saved as a new survey."""
    said = f"{why} What you typed is below, and can be saved as a new survey: type another address."
    shown = Shown(faults=[Fault(None, "slug", said)], orphan=True)
    return rendered(SurveyForm(), None, shown), 409


@blueprint.route("/surveys/new", methods=["GET", "POST"])
@requires(EDITOR)
def new() -> ResponseReturnValue:
    return edited(SurveyForm(data={"questions": [EMPTY_QUESTION]}), None)


@blueprint.route("/surveys/<slug>/edit", methods=["GET", "POST"])
@requires(EDITOR)
def edit(slug: str) -> ResponseReturnValue:
    try:
        found = store().survey(slug)
        if found.state != "draft":
            raise StateError(f"Survey {slug!r} is {found.state}; only a draft can be changed.")
    except (UnknownSurvey, StateError) as error:
        if request.method == "POST":  # deleted or opened meanwhile: what was typed comes back
            return orphaned(str(error))
        raise
    return edited(SurveyForm(data=data_of(found) | {"seen": fingerprint_seen(found)}), found)
