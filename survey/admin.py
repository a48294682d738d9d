"""The researchers' side: sign in, build surveys, open and close them, read and take home results.

Every route but sign-in and setup is behind `login_required`; every change is a POST with a CSRF
token. tests/test_admin.py walks the table of routes and fails where one is not.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from flask import (
    Blueprint,
    Response,
    current_app,
    flash,
    g,
    jsonify,
    redirect,
    render_template,
    request,
    stream_with_context,
    url_for,
)
from flask.typing import ResponseReturnValue

from . import auth, invite
from .auth import login_required
from .builder import (
    EMPTY_QUESTION,
    question_entry,
    rearranged,
    to_definition,
    to_form_data,
    worded,
)
from .comprehension import understood
from .current import store
from .definition import Survey, canonical, parse_survey
from .errors import DefinitionError, StateError, StoreUnavailable, SurveyError
from .export import codebook, estimates_csv, responses_csv
from .figures import responses_behind, survey_results
from .forms import ActionForm, InvitationsForm, SetupForm, SignInForm, SurveyForm
from .frozen import FrozenSurvey, fingerprint_of, freeze
from .i18n import preferred
from .pages import epsilon_text, respondent_page
from .parts import kind_of, parts_of, whole_of
from .protection import best_number_of_questions, per_hundred, sampling_gain
from .results import Results
from .store import StoredSurvey

blueprint = Blueprint("admin", __name__, url_prefix="/admin")
blueprint.register_blueprint(invite.blueprint)


@blueprint.route("/setup", methods=["GET", "POST"])
@auth.by_address
def setup() -> ResponseReturnValue:
    """The one-time link of the first start; its token is in the query, which no log repeats."""
    hashed = auth.token_hash(request.args.get("token", ""))
    if not store().setup_token_is(hashed):
        return render_template("admin/setup.html", form=None), 401
    form = SetupForm()
    if form.validate_on_submit():
        password_hash = auth.hash_password(form.password.data)
        if not store().use_setup_token(hashed, form.name.data, password_hash):
            return render_template("admin/setup.html", form=None), 401
        auth.sign_in(form.name.data)
        return redirect(url_for("admin.surveys"))
    return render_template("admin/setup.html", form=form)


@blueprint.route("/sign-in", methods=["GET", "POST"])
@auth.by_address
@auth.by_name
def sign_in() -> ResponseReturnValue:
    form = SignInForm()
    if not form.validate_on_submit():
        return render_template("admin/sign_in.html", form=form, wrong=False)
    if not auth.password_fits(form.name.data, form.password.data):
        return render_template("admin/sign_in.html", form=form, wrong=True), 401
    auth.sign_in(form.name.data)
    return redirect(url_for("admin.surveys"))


@blueprint.post("/sign-out")
@login_required
def sign_out() -> ResponseReturnValue:
    auth.sign_out()
    return redirect(url_for("admin.sign_in"))


@blueprint.get("/")
@login_required
def surveys() -> ResponseReturnValue:
    listed = [
        (found, responses_behind(found.survey, store().counts(found.survey.slug)))
        for found in store().surveys()
    ]
    return render_template("admin/surveys.html", surveys=listed)


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
@login_required
def new() -> ResponseReturnValue:
    form = SurveyForm(data={"questions": [EMPTY_QUESTION]})
    return edited(form, replacing=None)


@blueprint.route("/surveys/<slug>/edit", methods=["GET", "POST"])
@login_required
def edit(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    if found.state != "draft":
        raise StateError(f"Survey {slug!r} is {found.state}; only a draft can be changed.")
    return edited(
        SurveyForm(data=to_form_data(found.survey) | {"seen": fingerprint_of(found.survey)}),
        replacing=found.survey,
    )


@blueprint.get("/odds")
@login_required
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


def frozen_of(found: StoredSurvey) -> FrozenSurvey:
    if found.frozen is None:
        raise StateError(f"Survey {found.survey.slug!r} is a draft; open it first.")
    return found.frozen


def results_of(found: StoredSurvey) -> Results:
    return survey_results(frozen_of(found), store().counts(found.survey.slug), found.origin)


@blueprint.get("/surveys/<slug>")
@login_required
def overview(slug: str) -> ResponseReturnValue:
    slug = whole_of(slug)
    found = store().survey(slug)
    results = results_of(found) if found.frozen else None
    parts = parts_of(found.survey) if found.frozen else ()
    link = current_app.config["CANDOR_URL"] + url_for("respond.page", slug=slug)
    return render_template(
        "admin/survey.html",
        found=found,
        survey=found.survey,
        fingerprint=fingerprint_of(found.survey),
        results=results,
        link=link,
        invited=store().invitations(slug) if found.survey.fieldwork.invitations else None,
        invitations_form=InvitationsForm(),
        parts={kind_of(part.slug): results_of(store().survey(part.slug)) for part in parts},
        understood=understood,
        gain=sampling_gain(found.survey),
        ask_of=best_number_of_questions(found.survey) if found.survey.private else 0,
    )


@blueprint.get("/surveys/<slug>/preview")
@login_required
def preview(slug: str) -> str:
    found = store().survey(slug)
    frozen = found.frozen or freeze(found.survey, to_open=False)
    return respondent_page(frozen, preferred(found.survey.languages), preview=True)


@blueprint.post("/surveys/<slug>/open")
@login_required
def open_survey(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    if found.frozen is None:
        if request.form.get("fingerprint") != fingerprint_of(found.survey):
            raise StateError("The draft was changed meanwhile. Look at it again, then open it.")
        store().freeze(freeze(found.survey), "open")
        flash("The survey is open. Its questions and tables are fixed now.")
    else:
        store().set_state(slug, "open")
        flash("The survey is open again.")
    return redirect(url_for("admin.overview", slug=slug))


@blueprint.post("/surveys/<slug>/close")
@login_required
def close_survey(slug: str) -> ResponseReturnValue:
    store().set_state(slug, "closed")
    flash("The survey is closed.")
    with suppress(StoreUnavailable):  # then the next closing or the next start seals it
        store().seal()
    return redirect(url_for("admin.overview", slug=slug))


@blueprint.post("/surveys/<slug>/delete")
@login_required
def delete_draft(slug: str) -> ResponseReturnValue:
    store().delete_draft(slug)
    flash("The draft is deleted.")
    return redirect(url_for("admin.surveys"))


def download(content: str | Iterator[str], found: StoredSurvey, name: str, kind: str) -> Response:
    mark = "" if found.origin == "browser" else f"{found.origin}-"
    filename = f"{found.survey.slug}-{mark}{name}"
    body = content if isinstance(content, str) else stream_with_context(content)
    response = Response(body, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


@blueprint.get("/surveys/<slug>/responses.csv")
@login_required
def responses(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    rows = responses_csv(frozen_of(found), store().responses(slug))
    return download(rows, found, "responses.csv", "text/csv")


@blueprint.get("/surveys/<slug>/estimates.csv")
@login_required
def estimates(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    return download(estimates_csv(results_of(found)), found, "estimates.csv", "text/csv")


@blueprint.get("/surveys/<slug>/codebook.json")
@login_required
def codebook_json(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    book = canonical(codebook(results_of(found)))
    return download(book, found, "codebook.json", "application/json")


@blueprint.app_context_processor
def for_every_page() -> dict[str, Any]:
    return {"action_form": ActionForm, "account": g.get("account")}
