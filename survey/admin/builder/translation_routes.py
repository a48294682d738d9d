"""The page that translates a draft's texts, each next to the original."""

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.builder.routes import CLOSE, SAVED
from survey.admin.builder.translations import (
    require_further,
    translated_survey,
    translation_groups,
    typed_texts,
)
from survey.admin.forms.survey_form import ActionForm
from survey.core.errors import DefinitionError, StateError, UnknownSurvey
from survey.core.translate import translate, translate_list
from survey.definition.frozen import fingerprint_of
from survey.definition.instruments.read_instruments import instruments_of
from survey.store import EDITOR
from survey.store.stored import not_draft
from survey.web.audit_log import audit
from survey.web.extensions import store


@blueprint.route(
    "/surveys/<slug>/translations/<language>",
    methods=["GET", "POST"],
    role=EDITOR,
    endpoint="translate",
)
def translate_draft(slug: str, language: str) -> ResponseReturnValue:
    stored = store().surveys.by_slug(slug)
    survey = stored.survey
    fault, changed = "", False
    if stored.state != "draft":
        fault = str(not_draft(slug, stored.state))
        if request.method != "POST":
            raise StateError(fault)
    try:
        require_further(survey, language)
    except DefinitionError as error:
        raise UnknownSurvey(str(error)) from error
    form = ActionForm()
    texts = dict(survey.translations[language])
    if request.method == "POST":
        texts = typed_texts(survey, request.form)
        changed = request.form.get("seen") != fingerprint_of(survey)
        if form.validate_on_submit() and not changed and not fault:
            try:
                after = translated_survey(survey, language, texts)
                store().surveys.save_draft(after, replacing=slug)
                audit(f"saved the translation into {language}", slug)
                flash(translate("Translation saved."), SAVED)
                if request.form.get("do") == CLOSE:
                    return redirect(url_for("admin.overview", slug=slug))
                return redirect(url_for("admin.translate", slug=slug, language=language))
            except DefinitionError as error:
                fault = translate(
                    "Translations, %(place)s: %(fault)s",
                    place=error.place.removeprefix("translations."),
                    fault=error.fault,
                )
    page = render_template(
        "admin/builder/translation.html",
        form=form,
        survey=survey,
        found=stored,
        language=language,
        groups=translation_groups(survey, language, texts, compared=changed),
        fingerprint=fingerprint_of(survey),
        fault=fault,
        changed=changed,
        instruments=[each.name for each in instruments_of(survey) if each.language != language],
        translate_list=translate_list,
    )
    return page, 409 if changed else 422 if fault else 200
