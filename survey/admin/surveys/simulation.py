"""Test a survey: a simulation, and test mode on the real page.

Both are stored as separate surveys (survey/definition/sub_surveys.py), so that their data never
become part of the responses of real people. Stored names, and the names of functions, call them
pilot and practice.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, link_of, results_of
from survey.core.errors import StateError, SurveyError, UnknownSurvey
from survey.core.translate import join_sentences, translate
from survey.definition.frozen import freeze, require_openable
from survey.definition.questions import Question
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import (
    PILOT,
    PRACTICE,
    REHEARSALS,
    pilot_answers_of,
    pilot_of,
    practice_of,
    texts_sub_survey,
    whole_of,
)
from survey.definition.survey import Survey
from survey.estimation.pilot_truth import (
    AssumedGroup,
    compare_with_truth,
    cut_off,
    follows_calculation,
)
from survey.formats.csv_import import read_groups
from survey.planning.pilot_form import (
    DEFAULT_SIMULATED_RESPONDENTS,
    MAX_GROUPS,
    TypedForm,
    asked_questions,
    earlier_groups,
    most_respondents,
    read_typed,
    typed_form,
    with_group,
    without_group,
)
from survey.planning.simulation import simulate_groups
from survey.store import ANALYST, EDITOR, StoredSurvey
from survey.web.audit_log import audit
from survey.web.extensions import privacy_limits, store
from survey.web.form_fields import without_grouping

# What the buttons do to the form of a simulation.
CHANGES: dict[str, Callable[[Survey, Mapping[str, str]], dict[str, str]]] = {
    "add": with_group,
    "remove": lambda _, form: without_group(form),
}
WHAT_IT_WOULD_BE = {PILOT: pilot_of, PRACTICE: practice_of}


def survey_to_simulate(slug: str) -> StoredSurvey:
    """The survey, if it can be tested. Raises StateError."""
    stored = store().surveys.by_slug(whole_of(slug))
    if stored.origin != "browser":
        raise StateError(
            "Survey '%(slug)s' contains simulated or imported responses, so you cannot test it.",
            slug=slug,
        )
    return stored


def no_rehearsal(kind: str, slug: str) -> UnknownSurvey:
    """The error for a simulation or a test mode that a survey does not have."""
    if kind == PRACTICE:
        return UnknownSurvey("Survey '%(slug)s' has no test responses.", slug=slug)
    return UnknownSurvey("Survey '%(slug)s' has no simulation.", slug=slug)


def is_outdated(found: StoredSurvey, kind: str, rehearsal: StoredSurvey | None) -> bool:
    """Whether the draft has changed since then."""
    return rehearsal is not None and rehearsal.survey != WHAT_IT_WOULD_BE[kind](found.survey)


def not_openable(found: StoredSurvey) -> str:
    """Why the survey cannot be opened, and so has no test mode; empty if it can."""
    try:
        require_openable(practice_of(found.survey), privacy_limits())
    except SurveyError as error:
        return str(error)
    return ""


def simulation_page(
    found: StoredSurvey, n: str, typed: TypedForm, fault: str = ""
) -> ResponseReturnValue:
    slug = found.survey.slug
    rehearsals = {kind: store().rehearsals.by_kind(kind, slug) for kind in REHEARSALS}
    practice = rehearsals[PRACTICE]
    wrong = bool(fault) or typed.wrong
    return (
        render_template(
            "admin/surveys/simulation.html",
            tab="admin.try_out",
            found=found,
            survey=found.survey,
            n=n,
            n_fault=fault,
            wrong=wrong,
            most=most_respondents(found.survey),
            typed=typed,
            has_arms=any(each.is_arm for each in found.survey.derived),
            may_add=len(typed.shares) < MAX_GROUPS,
            rehearsals=rehearsals,
            outdated={kind: is_outdated(found, kind, rehearsals[kind]) for kind in REHEARSALS},
            responses={
                kind: store().counts.number_of_responses(each.survey.slug)
                for kind, each in rehearsals.items()
                if each is not None
            },
            not_openable=not_openable(found),
            practice_link=link_of(practice) if practice else None,
        ),
        422 if wrong else 200,
    )


def without_faults(typed: TypedForm) -> TypedForm:
    """The form while someone still fills it in."""
    return TypedForm(typed.shares, tuple(replace(each, fault="") for each in typed.questions))


def cut_off_sentences(
    question: Question, content: Mapping[str, Any], groups: Sequence[AssumedGroup]
) -> str:
    """What the range did to the typed means of each group, as sentences."""
    sentences = []
    for number, ((_, answers), group) in enumerate(
        zip(earlier_groups(content), groups, strict=True), 1
    ):
        typed = answers.get(question.name)
        sentence = "" if typed is None else cut_off(question, typed, group.truth[question.name])
        if sentence and len(groups) > 1:
            sentence = translate("Group %(number)s: %(fault)s", number=number, fault=sentence)
        sentences.append(sentence)
    return join_sentences(*sentences)


@blueprint.get("/surveys/<slug>/try-out", role=ANALYST)
def try_out(slug: str) -> ResponseReturnValue:
    stored = survey_to_simulate(slug)
    pilot = store().rehearsals.by_kind(PILOT, stored.survey.slug)
    n = DEFAULT_SIMULATED_RESPONDENTS if pilot is None else results_of(pilot).n
    typed = typed_form(stored.survey, store().rehearsals.pilot_truth(stored.survey.slug))
    return simulation_page(stored, str(min(n, most_respondents(stored.survey))), typed)


@blueprint.post("/surveys/<slug>/try-out/pilot", role=EDITOR)
def simulate_pilot(slug: str) -> ResponseReturnValue:
    stored = survey_to_simulate(slug)
    survey, most = pilot_of(stored.survey), most_respondents(stored.survey)
    form: Mapping[str, str] = request.form
    asked = form.get("n", "").strip()
    if change := CHANGES.get(form.get("change", "")):
        _, typed = read_typed(survey, change(survey, form))
        return simulation_page(stored, asked, without_faults(typed))
    truth, typed = read_typed(survey, form)
    number = without_grouping(asked)
    n = int(number) if number.isascii() and number.isdigit() and len(number) < 9 else 0
    fault = ""
    if not 1 <= n <= most:
        fault = translate(
            "Type a number of respondents from 1 to %(most)s.",
            most=most,
        )
    if fault or typed.wrong:
        return simulation_page(stored, asked, typed, fault)
    # Draw the responses before the transaction begins, so that no respondent has to wait.
    reports: list[list[Response]] = []
    answers: list[list[Response]] = []
    for batch in simulate_groups(survey, read_groups(truth, survey), n, seed=None):
        for responses, rows in zip((reports, answers), batch, strict=True):
            responses.append([Response(secrets.token_bytes(16), row) for row in rows])
    # A survey that has only texts has no answers to compare with.
    directly = (
        freeze(pilot_answers_of(stored.survey), None, to_open=False) if survey.simulated else None
    )
    pilot = freeze(survey, privacy_limits(), to_open=False)
    store().rehearsals.save_pilot(pilot, truth, reports, directly, answers)
    audit("ran a simulation", slug)
    return redirect(url_for("admin.rehearsal_results", slug=stored.survey.slug, kind=PILOT))


@blueprint.post("/surveys/<slug>/try-out/practice", role=EDITOR)
def start_practice(slug: str) -> ResponseReturnValue:
    stored = survey_to_simulate(slug)
    store().rehearsals.start_practice(
        freeze(practice_of(stored.survey), privacy_limits(), confirmed=True)
    )
    audit("started test mode", slug)
    flash(translate("Test mode is on. Candor stores test responses separately from the survey."))
    return redirect(url_for("admin.try_out", slug=stored.survey.slug))


@blueprint.post("/surveys/<slug>/try-out/<kind>/delete", role=EDITOR)
def delete_rehearsal(slug: str, kind: str) -> ResponseReturnValue:
    stored = survey_to_simulate(slug)
    if kind not in REHEARSALS:
        raise no_rehearsal(kind, stored.survey.slug)
    store().rehearsals.delete_rehearsal(kind, stored.survey.slug)
    if kind == PILOT:
        audit("deleted the simulation", slug)
        flash(translate("Candor deleted the simulation."))
    else:
        audit("deleted the test responses", slug)
        flash(translate("Candor deleted the test responses. Test mode is off."))
    return redirect(url_for("admin.try_out", slug=stored.survey.slug))


@blueprint.get("/surveys/<slug>/try-out/<kind>", role=ANALYST)
def rehearsal_results(slug: str, kind: str) -> ResponseReturnValue:
    """The results of a simulation or of test mode, made as for the survey itself."""
    stored = survey_to_simulate(slug)
    rehearsal = store().rehearsals.by_kind(kind, stored.survey.slug) if kind in REHEARSALS else None
    if rehearsal is None:
        raise no_rehearsal(kind, stored.survey.slug)
    results, assumed, cut, calculated = results_of(rehearsal).as_shown, {}, {}, set()
    if kind == PILOT:
        typed = store().rehearsals.pilot_truth(stored.survey.slug) or {}
        groups = read_groups(typed, rehearsal.survey)
        answers = store().rehearsals.pilot_answers(stored.survey.slug)
        counts = store().counts.by_question(answers.survey.slug) if answers else {}
        assumed = compare_with_truth(results, groups, counts)
        calculated = {
            name
            for each in results.questions
            if follows_calculation(each.question, rehearsal.survey, groups)
            for name in (each.question.name, *(item.question.name for item in each.items))
        }
        cut = {
            question.name: cut_off_sentences(question, typed, groups)
            for question in asked_questions(rehearsal.survey)
        }
    part = texts_sub_survey(rehearsal.survey)
    texts = results_of(store().surveys.by_slug(part.slug)) if part else None
    figures = [figure for each in assumed.values() for figure in each]
    return render_template(
        "admin/surveys/rehearsal.html",
        tab="admin.try_out",
        found=stored,
        survey=stored.survey,
        kind=kind,
        rehearsal=rehearsal,
        outdated=is_outdated(stored, kind, rehearsal),
        results=results,
        texts=texts,
        assumed=assumed,
        cut=cut,
        calculated=calculated,
        picture_of=lambda survey, name: url_for("admin.picture", slug=survey, question=name),
        held=(sum(figure.held for figure in figures), len(figures)),
    )
