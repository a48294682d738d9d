"""The page of one survey, and its figures during the fieldwork."""

from typing import Any

from flask import Response, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, link_of, results_of
from survey.admin.forms.survey_form import InvitationsForm, LimitsForm
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
from survey.server import clock
from survey.store import ANALYST, StoredSurvey
from survey.web.demo import is_example
from survey.web.exports.written_texts import texts_may_be_read, why_texts_are_unread
from survey.web.extensions import store


def progress_of(found: StoredSurvey) -> FieldworkProgress:
    """How many responses the survey has received, and how many it may or should receive."""
    slug, limits = found.survey.slug, found.limits
    paper_and_coin = found.survey.fieldwork.by_hand and found.frozen is not None
    published, waiting = store().counts.published_and_waiting(slug)
    return FieldworkProgress(
        published=published,
        waiting=waiting,
        paper_and_coin=store().counts.number_of_responses(sub_survey_slug(PAPER_AND_COIN, slug))
        if paper_and_coin
        else 0,
        aim=limits.target or limits.cap,
        most=not limits.target,
        isolated=found.isolates(published),
    )


def received_sentence(found: StoredSurvey) -> str:
    """How many responses are received and published; empty if the survey is closed and the results
    have all."""
    work = found.survey.fieldwork
    return so_far(progress_of(found), work, found.state, found.closed_before)


def live_figures(found: StoredSurvey, shown: int | None = None) -> dict[str, Any]:
    """The figures of the fieldwork, which the page shows and its script requests repeatedly.

    `shown` is the number of published responses that the page shows already. If it has not
    changed, the precision is left out, because it takes time to calculate.
    """
    coming = progress_of(found)
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
    coming = progress_of(stored)
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
    )


@blueprint.get("/surveys/<slug>", role=ANALYST)
def overview(slug: str) -> ResponseReturnValue:
    return overview_page(slug)


@blueprint.get("/surveys/<slug>/monitor.json", role=ANALYST, counts_as_use=False)
def monitor(slug: str) -> Response:
    """The figures for a page that is open. These requests do not extend the session."""
    responses_shown = request.args.get("shown", type=int)
    return jsonify(live_figures(store().surveys.by_slug(whole_of(slug)), responses_shown))
