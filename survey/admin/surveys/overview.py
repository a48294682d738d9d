"""The page of one survey, and its figures during the fieldwork."""

from typing import Any

from flask import Response, flash, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, link_of, results_of
from survey.admin.forms.survey_form import InvitationsForm, LimitsForm
from survey.core.errors import DefinitionError, StateError
from survey.core.translate import translate, translate_number
from survey.definition.certainty import epsilon_text
from survey.definition.frozen import fingerprint_of, needs_confirmation
from survey.definition.sub_surveys import PAPER_AND_COIN, sub_survey_slug, whole_of
from survey.estimation.progress import (
    FieldworkProgress,
    kept_back,
    on_closing,
    sentences,
    sentences_on_precision,
    so_far,
    texts_after_reopening,
)
from survey.planning.privacy_text import best_number_of_questions, sampling_gain_text
from survey.planning.sample_questions import (
    raised_loss_sentence,
    sample_questions,
    sampled_epsilon_text,
)
from survey.server import clock
from survey.store import ANALYST, EDITOR, StoredSurvey
from survey.store.stored import not_draft
from survey.web.audit_log import audit
from survey.web.demo import is_example
from survey.web.exports.written_texts import texts_may_be_read, why_texts_are_unread
from survey.web.extensions import store


def coming_to(found: StoredSurvey) -> FieldworkProgress:
    slug, limits = found.survey.slug, found.limits
    paper_and_coin = found.survey.fieldwork.by_hand and found.frozen is not None
    published, waiting = store().counts.published_and_waiting(slug)
    return FieldworkProgress(
        published=published,
        waiting=waiting,
        paper_and_coin=store().counts.arrived(sub_survey_slug(PAPER_AND_COIN, slug))
        if paper_and_coin
        else 0,
        aim=limits.target or limits.cap,
        most=not limits.target,
        isolated=found.isolates(published),
    )


def come_so_far(found: StoredSurvey) -> str:
    """How many responses are received and published; empty if the survey is closed and the results
    have all."""
    work = found.survey.fieldwork
    return so_far(coming_to(found), work, found.state, found.closed_before)


def live_figures(found: StoredSurvey, shown: int | None = None) -> dict[str, Any]:
    """The figures of the fieldwork, which the page shows and its script requests repeatedly.

    `shown` is the number of published responses that the page shows already. If it has not
    changed, the precision is left out, because it takes time to calculate.
    """
    coming = coming_to(found)
    texts = sentences(coming, found.survey.fieldwork)
    texts["closing"] = on_closing(coming, found.survey.fieldwork, found.closed_before)
    if coming.has_changed(shown):
        texts |= sentences_on_precision(results_of(found), coming.aim)
    return {
        "state": found.state,
        "people": coming.people,
        "released": coming.published,
        "aim": coming.aim,
        "texts": texts,
    }


def overview_page(
    slug: str,
    form: LimitsForm | None = None,
    *,
    not_looked: bool = False,
    not_confirmed: bool = False,
) -> str:
    """The page of a survey.

    `form` is a sent form with errors. `not_looked` says that the survey was not opened, because
    the box below the checklist was not ticked. `not_confirmed` says the same of the words to type.
    """
    stored = store().surveys.by_slug(whole_of(slug))
    slug, limits = stored.survey.slug, stored.limits
    last_day = None if limits.closes is None else clock.last_day(limits.closes)
    over = limits.closes is not None and limits.closes <= clock.now()
    coming = coming_to(stored)
    full = limits.cap is not None and coming.people >= limits.cap
    if form is None:
        form = LimitsForm(
            formdata=None,
            cap=None if full else limits.cap,
            last_day=None if over else last_day,
            target=limits.target,
        )
    return render_template(
        "admin/surveys/survey.html",
        found=stored,
        survey=stored.survey,
        fingerprint=fingerprint_of(stored.survey),
        coming=coming,
        texts_unread=why_texts_are_unread(stored),
        after_reopening=texts_after_reopening() if texts_may_be_read(stored) else "",
        kept_back=kept_back(coming, stored.survey.fieldwork, stored.closed_before),
        live=live_figures(stored) if stored.frozen else None,
        limits=limits,
        limits_form=form,
        not_looked=not_looked,
        not_confirmed=not_confirmed,
        must_confirm=stored.frozen is None and needs_confirmation(stored.survey),
        example=is_example(stored.survey),
        last_day=last_day,
        over=over,
        full=full,
        today=clock.today(),
        link=link_of(stored),
        invited=store().invitations.issued_and_spent(slug)
        if stored.survey.fieldwork.invitations
        else None,
        invitations_form=InvitationsForm(),
        gain=(gain := sampling_gain_text(stored.survey)),
        epsilon_each=sampled_epsilon_text(stored.survey) if gain else "",
        raised=raised_loss_sentence(stored.survey) if gain else "",
        ask_of=best_number_of_questions(stored.survey) if stored.survey.private else 0,
    )


@blueprint.get("/surveys/<slug>", role=ANALYST)
def overview(slug: str) -> ResponseReturnValue:
    return overview_page(slug)


@blueprint.get("/surveys/<slug>/monitor.json", role=ANALYST, counts_as_use=False)
def monitor(slug: str) -> Response:
    """The figures for a page that is open. These requests do not extend the session."""
    responses_shown = request.args.get("shown", type=int)
    return jsonify(live_figures(store().surveys.by_slug(whole_of(slug)), responses_shown))


@blueprint.post("/surveys/<slug>/sampling", role=EDITOR)
def apply_sampling(slug: str) -> ResponseReturnValue:
    """Apply the advice to ask each respondent only some of the private questions of a draft."""
    stored = store().surveys.by_slug(slug)
    if stored.state != "draft":
        raise not_draft(slug, stored.state)
    if not sampling_gain_text(stored.survey):
        raise StateError(translate("This draft has changed. Read the advice on its page again."))
    try:
        survey = sample_questions(stored.survey)
    except DefinitionError as error:
        flash(translate("Not changed: %(fault)s", fault=error))
        return redirect(url_for("admin.overview", slug=slug))
    store().surveys.save_draft(survey, replacing=slug)
    audit("set the number of private questions per respondent", slug)
    flash(
        translate(
            "Each respondent now reports on %(asked)s of the %(private)s private questions, with a "
            "total privacy loss of ε = %(epsilon)s.",
            asked=survey.budget.sample,
            private=len(survey.private),
            epsilon=translate_number(epsilon_text(survey.epsilon)),
        )
    )
    return redirect(url_for("admin.overview", slug=slug))
