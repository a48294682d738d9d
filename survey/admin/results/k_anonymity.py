"""How many respondents are alone with their non-private answers: a page, and a notice."""

from collections.abc import Sequence

from flask import render_template, request
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, frozen_of
from survey.analysis.k_anonymity import (
    Answers,
    GroupSizes,
    count_groups,
    group_sizes,
    helpful_changes,
    single_answers,
)
from survey.definition.questions import Question
from survey.definition.responses.packed_columns import PackedColumns
from survey.definition.sub_surveys import whole_of
from survey.planning.privacy_checks import identifying_questions
from survey.store import ANALYST, StoredSurvey
from survey.web.extensions import store

# With more responses, the notice would slow down each page that shows it.
MAX_RESPONSES_FOR_NOTICE = 20_000
MAX_CHANGES_SHOWN = 8


def groups_of(found: StoredSurvey, questions: Sequence[Question]) -> dict[Answers, int]:
    """The published respondents with each combination of answers to these questions."""
    packs = [PackedColumns((question,)) for question in questions]
    return count_groups(store().responses.rows(found.survey.slug, packs))


@blueprint.get("/surveys/<slug>/results/alone", role=ANALYST)
def k_anonymity(slug: str) -> ResponseReturnValue:
    """The sizes of the groups with equal answers to the chosen questions, by default to all."""
    stored = store().surveys.by_slug(whole_of(slug))
    frozen_of(stored)
    questions = identifying_questions(stored.survey)
    names = set(request.args.getlist("question"))
    chosen = [each for each in questions if each.name in names] or list(questions)
    groups = groups_of(stored, chosen) if chosen else {}
    sizes = group_sizes(groups)
    combinations = groups if len(chosen) == len(questions) else groups_of(stored, questions)
    changes = helpful_changes(chosen, groups) if sizes.in_small_groups else ()
    return render_template(
        "admin/results/k_anonymity.html",
        tab="admin.results",
        found=stored,
        survey=stored.survey,
        questions=questions,
        chosen=chosen,
        sizes=sizes,
        changes=None if changes is None else changes[:MAX_CHANGES_SHOWN],
        single=single_answers(questions, {each.name for each in chosen}, combinations),
        has_texts=bool(stored.survey.text_fields),
    )


def notice_of(found: StoredSurvey) -> GroupSizes | None:
    """The groups for all non-private questions, for a notice; None if there are too many responses.

    It has no respondents if there is nothing to count, or if no respondent is a real person.
    """
    questions = identifying_questions(found.survey)
    if not questions or found.origin == "simulated" or found.frozen is None:
        return GroupSizes({})
    if store().counts.published_and_waiting(found.survey.slug)[0] > MAX_RESPONSES_FOR_NOTICE:
        return None
    return group_sizes(groups_of(found, questions))


@blueprint.app_context_processor
def for_notices() -> dict[str, object]:
    return {"alone_notice_of": notice_of}
