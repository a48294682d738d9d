"""The builder: a draft is typed, rearranged, compared with what is stored, and saved."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from flask import flash, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue

from ..auth import requires
from ..builder import EMPTY_QUESTION, Fault, fault_of, to_form_data, to_survey
from ..conflicts import Difference, differences, merged
from ..current import store
from ..definition import Survey, canonical
from ..errors import DefinitionError, StateError, UnknownSurvey
from ..forms import TYPES, QuestionForm, SurveyForm
from ..outlook import levels, outlook_of, respondents_of
from ..rearranging import Rearranged, rearranged
from ..starting import examples
from ..store import EDITOR
from .blueprint import blueprint

MANY = 6  # questions; so many or more are folded at first
TAKE = "take-"
SAVED = "saved"  # the category of the message that says so, for static/admin/builder_drafts.js


@dataclass
class Shown:
    """What the builder's page says beside the form."""

    faults: list[Fault] = field(default_factory=list)
    conflict: list[Difference] = field(default_factory=list)
    change: Rearranged | None = None
    notice: str = ""
    orphan: bool = False  # whether the draft is one no more


def edited(form: SurveyForm, replacing: Survey | None) -> ResponseReturnValue:
    """The builder: rearranges at a press, saves when the definition is sound."""
    shown = Shown()
    action = request.form.get("do", "")
    if request.method == "POST":
        session["respondents"] = respondents_of(form.respondents.data)
    if action == "mine":  # the draft may have changed once more since it was compared
        form.seen.data, action = request.form.get("compared", ""), "save"
    if action == "merge" and replacing is not None:
        form, shown.notice = merging(form, replacing)
    elif action not in ("", "save", "stay"):
        shown.change = rearranged(
            form.data["questions"], action, form.kind.data or "yes_no", form.undo.data or ""
        )
        changed = {"questions": shown.change.questions, "undo": shown.change.undo}
        form = SurveyForm(formdata=None, data=form.data | changed)
    elif form.validate_on_submit():
        try:
            shown.conflict = conflict(form, replacing)
            if not shown.conflict:
                return saved(form, replacing, stay=action == "stay")
        except DefinitionError as error:
            shown.faults.append(fault_of(error))
        except StateError as error:
            shown.faults.append(Fault(None, "slug", str(error)))
    page = rendered(form, replacing, shown)
    return page, 409 if shown.conflict else 422 if shown.faults else 200


def saved(form: SurveyForm, replacing: Survey | None, *, stay: bool) -> ResponseReturnValue:
    """Save, and go to the survey's page or back to the builder; raises DefinitionError."""
    survey = to_survey(form.data, replacing)
    store().save_draft(survey, replacing=replacing.slug if replacing else None)
    flash("Draft saved.", SAVED)
    return redirect(url_for("admin.edit" if stay else "admin.overview", slug=survey.slug))


def fingerprint_seen(survey: Survey) -> str:
    """Of what the builder shows of a draft; its translations have a page of their own."""
    return sha256(canonical(to_form_data(survey)).encode()).hexdigest()


def conflict(form: SurveyForm, replacing: Survey | None) -> list[Difference]:
    """How the form differs from a draft that was changed since the form was made."""
    if replacing is None or form.seen.data == fingerprint_seen(replacing):
        return []
    fields = {each.short_name: each for each in (*form, *QuestionForm())}
    labels = {name: each.label.text.removesuffix(" (optional)") for name, each in fields.items()}
    return differences(form.data, to_form_data(replacing), labels)


def merging(form: SurveyForm, replacing: Survey) -> tuple[SurveyForm, str]:
    """The form after the researcher chose, of each difference, which version is to hold."""
    taken = {
        key.removeprefix(TAKE)
        for key, choice in request.form.items()
        if key.startswith(TAKE) and choice == "theirs"
    }
    data = merged(form.data, to_form_data(replacing), taken)
    # the draft may have changed once more since the differences were shown
    data["seen"] = request.form.get("compared", "")
    notice = "Put together as you chose. Nothing is saved yet: look at it, then save."
    return SurveyForm(formdata=None, data=data), notice


def rendered(form: SurveyForm, replacing: Survey | None, shown: Shown) -> str:
    for fault in shown.faults:
        at = form if fault.number is None else form.questions[fault.number].form
        if fault.field in at:
            at[fault.field].errors = [fault.text]
    total = len(form.questions)
    unfolded = set(range(total)) if total < MANY else set()
    unfolded |= {fault.number for fault in shown.faults if fault.number is not None}
    if shown.change is not None and shown.change.at is not None:
        unfolded.add(shown.change.at)
    return render_template(
        "admin/builder.html",
        form=form,
        survey=replacing,
        shown=shown,
        outlook=outlook_of(form.data),
        unfolded=unfolded,
        kinds={kind.value: kind.label for kind in TYPES},
        levels=levels(),
        blank=QuestionForm(prefix="questions-999", data=EMPTY_QUESTION),
        compared=fingerprint_seen(replacing) if replacing and shown.conflict else "",
        examples={} if replacing else examples(),
    )


def orphaned(why: str) -> ResponseReturnValue:
    """What was typed into a draft that is one no more, to be saved as a new survey."""
    said = f"{why} What you typed is below, and can be saved as a new survey: type another address."
    shown = Shown(faults=[Fault(None, "slug", said)], orphan=True)
    return rendered(SurveyForm(), None, shown), 409


def respondents() -> dict[str, Any]:
    """How many respondents the researcher expected last, in this session."""
    return {"respondents": str(respondents_of(str(session.get("respondents", ""))))}


@blueprint.route("/surveys/new", methods=["GET", "POST"])
@requires(EDITOR)
def new() -> ResponseReturnValue:
    return edited(SurveyForm(data={"questions": [EMPTY_QUESTION]} | respondents()), replacing=None)


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
    survey = found.survey
    data = to_form_data(survey) | {"seen": fingerprint_seen(survey)} | respondents()
    return edited(SurveyForm(data=data), replacing=survey)
