"""The builder, the odds of a question that is being built, and the preview."""

import re

from flask import Response, flash, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ..auth import requires
from ..builder import (
    EMPTY_QUESTION,
    question_entry,
    rearranged,
    to_definition,
    to_form_data,
    worded,
)
from ..current import store
from ..definition import Survey, parse_survey
from ..errors import DefinitionError, StateError, SurveyError
from ..forms import SurveyForm
from ..frozen import fingerprint_of, freeze
from ..i18n import preferred
from ..pages import epsilon_text, respondent_page
from ..protection import per_hundred
from ..store import ANALYST, EDITOR
from .blueprint import blueprint


def edited(form: SurveyForm, replacing: Survey | None) -> ResponseReturnValue:
    """The builder: rearranges at a press, saves when the definition is sound."""
    faults: dict[int | None, str] = {}
    action = request.form.get("do", "")
    if action and action != "save":
        data = dict(form.data, questions=rearranged(form.data["questions"], action))
        form = SurveyForm(formdata=None, data=data)
    elif form.validate_on_submit():
        try:
            if replacing is not None and form.seen.data != fingerprint_of(replacing):
                raise StateError(
                    "This draft was changed in another tab or by somebody else meanwhile. Open it "
                    "anew in another tab, and take over there what you typed here."
                )
            survey = parse_survey(to_definition(form.data))
            store().save_draft(survey, replacing=replacing.slug if replacing else None)
            flash("Draft saved.")
            return redirect(url_for("admin.overview", slug=survey.slug))
        except DefinitionError as error:
            number, text = worded(error)
            faults[number] = text
        except StateError as error:
            faults[None] = str(error)
    page = render_template("admin/builder.html", form=form, faults=faults, survey=replacing)
    return page, 422 if faults else 200


@blueprint.route("/surveys/new", methods=["GET", "POST"])
@requires(EDITOR)
def new() -> ResponseReturnValue:
    form = SurveyForm(data={"questions": [EMPTY_QUESTION]})
    return edited(form, replacing=None)


@blueprint.route("/surveys/<slug>/edit", methods=["GET", "POST"])
@requires(EDITOR)
def edit(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    if found.state != "draft":
        raise StateError(f"Survey {slug!r} is {found.state}; only a draft can be changed.")
    return edited(
        SurveyForm(data=to_form_data(found.survey) | {"seen": fingerprint_of(found.survey)}),
        replacing=found.survey,
    )


@blueprint.get("/odds")
@requires(EDITOR)
def odds() -> Response:
    """The per-100 sentences for a question that is being built, as JSON."""
    args = request.args
    data = EMPTY_QUESTION | args.to_dict() | {"name": "q", "label": "?"}
    data |= {"relevant": "", "otherwise": ""}
    data["prefer_not_to_say"] = data["prefer_not_to_say"] == "true"
    questions = []
    try:
        entry = question_entry(data, 0)
        if args.get("relevant", "").strip() and not args.get("otherwise", "").strip():
            # "not asked" is an answer then; on what it depends makes no difference
            questions.append({"name": "p", "type": "yes_no", "label": "?", "privacy": "none"})
            entry["relevant"] = {"p": "yes"}
        questions.append(entry)
        survey = parse_survey(
            {
                "slug": "q",
                "title": "?",
                "language": args.get("language", "en"),
                "questions": questions,
            }
        )
        question = survey.questions[-1]
        freeze(survey)
    except DefinitionError as error:
        return jsonify(error=re.sub(r"Question \d+[,:] ", "", worded(error)[1], count=1))
    except SurveyError as error:
        return jsonify(error=str(error))
    if question.plain:
        return jsonify(sentences=["The answer is stored as given."], epsilon=None)
    return jsonify(sentences=per_hundred(question), epsilon=epsilon_text(question.epsilon))


@blueprint.get("/surveys/<slug>/preview")
@requires(ANALYST)
def preview(slug: str) -> str:
    found = store().survey(slug)
    frozen = found.frozen or freeze(found.survey, to_open=False)
    return respondent_page(frozen, preferred(found.survey.languages), preview=True)
