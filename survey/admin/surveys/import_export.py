"""Import definitions from files, and download them as files."""

import secrets
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from flask import Response, flash, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.forms.survey_form import ImportForm
from survey.core.errors import DataFileError, DefinitionError
from survey.core.translate import translate, translate_plural
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.formats.definition_files import (
    MAX_DEFINITION_BYTES,
    read_survey,
    slug_with_suffix,
    survey_json,
    survey_xlsx,
)
from survey.formats.xlsx import XLSX
from survey.planning.protect import dependent_texts, protect, protectable, with_dependents
from survey.planning.sensitive import sensitive_words
from survey.store import ANALYST, EDITOR
from survey.store.stored import not_draft
from survey.web.access import create_draft
from survey.web.audit_log import audit, audit_file
from survey.web.extensions import store
from survey.web.published_results import attach_file

# No vowels, so that no word appears, and no characters that look alike.
SLUG_CHARACTERS = "bcdfghjkmnpqrstvwxz23456789"
SLUG_LENGTH = 8


def taken_slugs() -> set[str]:
    """The addresses of all surveys."""
    return {each.slug for each in store().surveys.list_surveys()}


def random_slug() -> str:
    """A free address for a new survey. It tells nothing about the subject to someone who reads a
    respondent's history."""
    slugs = iter(lambda: "".join(secrets.choice(SLUG_CHARACTERS) for _ in range(SLUG_LENGTH)), None)
    taken = taken_slugs()
    return next(slug for slug in slugs if slug not in taken)


@blueprint.route("/import", methods=["GET", "POST"], role=EDITOR)
def import_file() -> ResponseReturnValue:
    form = ImportForm()
    if not form.validate_on_submit():
        return import_page(form, 422 if form.is_submitted() else 200)
    try:
        imported = read_survey(form.file.data.read(MAX_DEFINITION_BYTES + 1))
    except (DataFileError, DefinitionError) as error:
        form.file.errors = [str(error)]
        return import_page(form, 422)
    survey, left_out = imported.survey, list(imported.left_out)
    slug = slug_with_suffix(survey.slug, taken_slugs())
    if slug != survey.slug:
        left_out.insert(
            0,
            translate(
                "The address “%(taken)s” is taken, so this draft has the address “%(slug)s”. You "
                "can change it until you open the survey.",
                taken=survey.slug,
                slug=slug,
            ),
        )
        survey = replace(survey, slug=slug)
    create_draft(survey, g.account.name)
    audit("imported the survey from a file", slug)
    if not left_out:
        flash(translate("Candor made a draft from the whole file. Nothing was left out."))
        return redirect(url_for("admin.overview", slug=slug))
    return import_page(
        form,
        200,
        survey=survey,
        left_out=left_out,
        unprotected=unprotected_questions(survey, imported.unprotected),
        conditional=[question for question in survey.questions if question.choice_conditions],
    )


@dataclass(frozen=True)
class UnprotectedQuestion:
    """A question of an imported survey for which the file has no protection.

    Attributes
    ----------
    words : the words that make it sound sensitive
    proposed : whether its protection is proposed, because it sounds sensitive, or because its
        condition depends on a question that does
    texts : the questions, mostly texts, that the survey loses with its protection
    """

    question: Question
    words: tuple[str, ...]
    proposed: bool
    texts: tuple[Question, ...]


def unprotected_questions(survey: Survey, names: Collection[str]) -> list[UnprotectedQuestion]:
    """The questions with these names that can be protected."""
    possible = [(question, sensitive_words(question)) for question in protectable(survey, names)]
    proposed = with_dependents(survey, [question.name for question, words in possible if words])
    return [
        UnprotectedQuestion(q, words, q.name in proposed, dependent_texts(survey, [q.name]))
        for q, words in possible
    ]


@blueprint.post("/surveys/<slug>/protect", role=EDITOR)
def protect_questions(slug: str) -> ResponseReturnValue:
    """Give questions of a draft medium protection."""
    names = request.form.getlist("all" if request.form.get("do") == "all" else "question")
    stored = store().surveys.by_slug(slug)
    if stored.state != "draft":
        raise not_draft(slug, stored.state)
    try:
        survey = protect(stored.survey, names)
    except DefinitionError as error:
        flash(translate("Not protected: %(error)s", error=error))
        return redirect(url_for("admin.edit", slug=slug))
    store().surveys.save_draft(survey, replacing=slug)
    audit("protected questions of the draft", slug)
    changed = len(survey.private) - len(stored.survey.private)
    kept = {question.name for question in survey.questions}
    removed = [each.label for each in stored.survey.questions if each.name not in kept]
    flash(
        translate_plural(
            "%(n)s question has medium protection now. You can change the protection of each "
            "question here.",
            "%(n)s questions have medium protection now. You can change the protection of each "
            "question here.",
            changed,
        )
    )
    if removed:
        flash(
            translate(
                "Deleted, because they would reveal private answers: %(texts)s.",
                texts=translate(", ").join(f"“{label}”" for label in removed),
            )
        )
    return redirect(url_for("admin.edit", slug=slug))


def import_page(form: ImportForm, status: int, **more: Any) -> ResponseReturnValue:
    return render_template("admin/surveys/import.html", form=form, **more), status


@blueprint.get("/surveys/<slug>/definition.json", role=ANALYST)
def definition_json(slug: str) -> Response:
    content = survey_json(store().surveys.by_slug(slug).survey)
    file = attach_file(content.encode(), f"{slug}.json", "application/json")
    return audit_file(file, "downloaded the definition", slug)


@blueprint.get("/surveys/<slug>/definition.xlsx", role=ANALYST)
def definition_xlsx(slug: str) -> Response:
    file = attach_file(survey_xlsx(store().surveys.by_slug(slug).survey), f"{slug}.xlsx", XLSX)
    return audit_file(file, "downloaded the definition", slug)
