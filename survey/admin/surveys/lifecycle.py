"""Open, close and reopen surveys, and set the limits at which a survey closes automatically."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from flask import flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, whole_survey
from survey.admin.forms.survey_form import LimitsForm
from survey.admin.surveys.checklist import checklist_of, expected_sample_size
from survey.admin.surveys.overview import overview_page
from survey.core.errors import CapReached, StateError, StoreUnavailable
from survey.core.translate import translate
from survey.definition.certainty import HARDLY_PROTECTED
from survey.definition.frozen import fingerprint_of, freeze, needs_confirmation
from survey.server import clock
from survey.store import EDITOR, Limits, StoredSurvey
from survey.web.audit_log import audit
from survey.web.extensions import privacy_limits, store


def limits_of(form: LimitsForm) -> Limits | None:
    """The limits in the form, or None if it has errors, which it then shows."""
    if not form.validate():
        return None
    day = form.last_day.data
    if day is not None and not clock.today() <= day <= clock.in_ten_years():
        form.last_day.errors = [
            translate("Choose a day from today (UTC) to ten years from now, or none.")
        ]
        return None
    closes = None if day is None else clock.end_of(day)
    return Limits(form.cap.data, closes, form.target.data)


def save_limits(form: LimitsForm, save: Callable[[Limits], None]) -> bool:
    """Save the limits in the form. Return whether they were valid."""
    limits = limits_of(form)
    if limits is None:
        return False
    try:
        save(limits)
    except CapReached as error:
        form.cap.errors = [str(error)]
        return False
    return True


def keep_expected(found: StoredSurvey) -> None:
    """Store the target sample size of the checklist, unless it exceeds the maximum."""
    expected, fault = expected_sample_size(found)
    cap = found.limits.cap
    if expected is not None and not fault and (cap is None or expected <= cap):
        store().lifecycle.set_limits(found.survey.slug, replace(found.limits, target=expected))


@blueprint.post("/surveys/<slug>/limits", role=EDITOR)
def limit(slug: str) -> ResponseReturnValue:
    form = LimitsForm()
    stored = whole_survey(slug)
    if stored.state == "closed":
        raise StateError(
            "Survey '%(slug)s' is closed. Set its limits when you reopen it.", slug=slug
        )
    if not save_limits(form, partial(store().lifecycle.set_limits, slug)):
        return overview_page(slug, form), 422
    audit("changed the survey's limits", slug)
    flash(translate("Saved."))
    return redirect(url_for("admin.overview", slug=slug))


@blueprint.post("/surveys/<slug>/open", role=EDITOR)
def open_survey(slug: str) -> ResponseReturnValue:
    stored = whole_survey(slug)
    if stored.frozen is None:
        if request.form.get("fingerprint") != fingerprint_of(stored.survey):
            raise StateError("The draft has changed. Check it again, then open the survey.")
        if stored.limits.closes is not None and stored.limits.closes <= clock.now():
            raise StateError("The last day of this draft has passed. Set another one, or none.")
        listed = checklist_of(stored)
        if listed["opens"] and listed["to_look_at"] and request.form.get("looked") != "yes":
            return overview_page(slug, not_looked=True), 422
        confirmed = request.form.get("protection", "").strip().casefold()
        is_confirmed = confirmed in (
            HARDLY_PROTECTED.casefold(),
            translate(HARDLY_PROTECTED).casefold(),
        )
        if listed["opens"] and needs_confirmation(stored.survey) and not is_confirmed:
            return overview_page(slug, not_confirmed=True), 422
        keep_expected(stored)
        frozen = freeze(stored.survey, privacy_limits(), confirmed=is_confirmed)
        store().surveys.freeze(frozen, "open", clock.today())
        flash(
            translate(
                "The survey is open. Its questions are now fixed. Next, create and distribute "
                "invitations."
            )
            if stored.survey.fieldwork.invitations
            else translate("The survey is open. Its questions are now fixed. Next, share the link.")
        )
    else:
        # Reopening sets new limits, because the old ones may have closed the survey.
        form = LimitsForm()
        reopen = partial(store().lifecycle.set_state, slug, "open", privacy_limits())
        if not save_limits(form, reopen):
            return overview_page(slug, form), 422
        flash(translate("The survey is open again."))
    audit("opened the survey", slug)
    return redirect(url_for("admin.overview", slug=slug))


@blueprint.post("/surveys/<slug>/close", role=EDITOR)
def close_survey(slug: str) -> ResponseReturnValue:
    store().lifecycle.set_state(slug, "closed")
    audit("closed the survey", slug)
    flash(translate("The survey is closed."))
    # If this fails, the next closing or the next start compacts the database.
    with suppress(StoreUnavailable):
        store().compact()
    return redirect(url_for("admin.overview", slug=slug))
