"""Archive, unarchive, delete and duplicate surveys."""

from contextlib import suppress
from dataclasses import replace

from flask import flash, g, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, whole_survey
from survey.admin.forms.people_forms import EraseForm
from survey.admin.surveys.import_export import taken_slugs
from survey.core.errors import StoreUnavailable
from survey.core.languages import Words
from survey.core.translate import translate, translate_plural
from survey.definition.known_tables import KnownTables
from survey.definition.sub_surveys import sub_survey_kind, sub_surveys_of
from survey.definition.survey import MAX_TITLE_CHARACTERS, Survey, parse_survey
from survey.definition.translation import Path
from survey.formats.definition_files import slug_with_suffix
from survey.server.clock import today
from survey.store import EDITOR, MEMBER, ROLES
from survey.store.sql.deleted_drafts import DeletedDraft, no_deleted_draft
from survey.store.stored import not_closed
from survey.web import sign_in_limits
from survey.web.access import create_draft
from survey.web.audit_log import audit
from survey.web.extensions import store

TITLE: Path = ("title",)


@blueprint.post("/surveys/<slug>/archive", role=EDITOR)
def archive(slug: str) -> ResponseReturnValue:
    store().lifecycle.set_archived(slug, True)
    audit("archived the survey", slug)
    flash(translate("The survey is archived. To see it, click “Archived”."))
    return redirect(url_for("admin.surveys"))


@blueprint.post("/surveys/<slug>/restore", role=EDITOR)
def restore(slug: str) -> ResponseReturnValue:
    store().lifecycle.set_archived(slug, False)
    audit("unarchived the survey", slug)
    flash(translate("The survey is no longer archived. It is closed."))
    return redirect(url_for("admin.overview", slug=slug))


@blueprint.post("/surveys/<slug>/delete", role=EDITOR)
def delete_draft(slug: str) -> ResponseReturnValue:
    store().deleted_drafts.delete_draft(slug, today())
    audit("deleted the draft", slug)
    flash(translate("The draft is deleted. For 30 days, you can restore it below the list."))
    return redirect(url_for("admin.surveys"))


def deleted_draft(number: int) -> DeletedDraft:
    """A deleted draft on which this account has the role of an editor.

    Raises UnknownSurvey, also if the account may not know that it exists.
    """
    draft = store().deleted_drafts.find_deleted(number, today())
    if not may_restore(draft):
        raise no_deleted_draft()
    return draft


def may_restore(draft: DeletedDraft) -> bool:
    """Whether this account was an editor of the draft: of all surveys, or of this one."""
    everywhere = ROLES.index(g.account.role) >= ROLES.index(EDITOR)
    return everywhere or draft.roles.get(g.account.name) == EDITOR


@blueprint.post("/deleted/<int:number>/restore", role=MEMBER)
def restore_draft(number: int) -> ResponseReturnValue:
    """Make a deleted draft a draft again. 404 after 30 days, or without the role."""
    draft = deleted_draft(number)
    slug = slug_with_suffix(draft.survey.slug, taken_slugs())
    store().deleted_drafts.restore_deleted(draft, slug)
    audit("restored the draft", slug)
    if slug == draft.survey.slug:
        flash(translate("The draft is restored."))
    else:
        flash(
            translate(
                "The draft is restored. Its address is now %(slug)s, because the old one is taken.",
                slug=slug,
            )
        )
    return redirect(url_for("admin.overview", slug=slug))


@blueprint.post("/deleted/<int:number>/drop", role=MEMBER)
def delete_for_good(number: int) -> ResponseReturnValue:
    """Delete a deleted draft for good. 404 after 30 days, or without the role."""
    draft = deleted_draft(number)
    store().deleted_drafts.drop_deleted(number)
    audit("deleted the draft for good", draft.survey.slug)
    flash(translate("The draft is deleted for good."))
    return redirect(url_for("admin.surveys"))


@blueprint.route("/surveys/<slug>/erase", methods=["GET", "POST"], role=EDITOR)
@sign_in_limits.by_own_name
def erase(slug: str) -> ResponseReturnValue:
    """Delete a closed survey, after the user types its address and their own password."""
    stored = whole_survey(slug)
    if stored.state != "closed":
        raise not_closed(slug, stored.state)
    form = EraseForm()
    if form.validate_on_submit():
        if (form.address.data or "").strip() == slug:
            n = store().counts.number_of_responses(slug)
            store().lifecycle.delete_survey(slug)
            audit("deleted the survey", slug)
            # The data are deleted and overwritten already, so a failure here loses nothing.
            with suppress(StoreUnavailable):
                store().compact()
            flash(
                translate_plural(
                    "“%(title)s” is deleted, with %(n)s response.",
                    "“%(title)s” is deleted, with %(n)s responses.",
                    n,
                    title=stored.survey.title,
                )
            )
            return redirect(url_for("admin.surveys"))
        form.address.errors = [
            translate(
                "This is not the survey’s address. Type %(slug)s. Nothing was deleted.", slug=slug
            )
        ]
    page = render_template(
        "admin/surveys/erase.html",
        form=form,
        found=stored,
        survey=stored.survey,
        n=store().counts.number_of_responses(slug),
        parts={
            sub_survey_kind(part.slug): store().counts.number_of_responses(part.slug)
            for part in sub_surveys_of(stored.survey)
        },
        invited=store().invitations.issued_and_spent(slug),
    )
    return page, 422 if form.errors else 200


def copy_of(title: str, language: str) -> str:
    """The title of a copy, in the language of the title."""
    return Words(language).say("Copy of %(title)s", title=title)[:MAX_TITLE_CHARACTERS]


def copy_as_draft(survey: Survey) -> Survey:
    """The survey with a new address, and with titles that say that it is a copy."""
    return replace(
        survey,
        slug=slug_with_suffix(survey.slug, taken_slugs(), "-copy"),
        title=copy_of(survey.title, survey.language),
        translations={
            language: (
                dict(texts) | {TITLE: copy_of(texts[TITLE], language)} if TITLE in texts else texts
            )
            for language, texts in survey.translations.items()
        },
    )


@blueprint.post("/surveys/<slug>/copy", role=EDITOR)
def copy(slug: str) -> ResponseReturnValue:
    """Make a draft with the same questions, without responses and invitations."""
    stored = whole_survey(slug)
    draft = copy_as_draft(stored.survey)
    # A copy gets the tables that its mechanisms make today. A draft already has these tables.
    tables = KnownTables.of(stored.survey.questions if stored.state == "draft" else ())
    content = draft.as_definition()
    # A copy is for respondents, so its texts are stored apart from private answers.
    content.pop("texts_apart", None)
    create_draft(parse_survey(content, tables=tables), g.account.name)
    audit(f"duplicated the survey (from {slug})", draft.slug)
    flash(
        translate(
            "This is the copy, a draft with its own address. The original survey does not change."
        )
    )
    return redirect(url_for("admin.edit", slug=draft.slug))
