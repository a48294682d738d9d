"""Pages to read, search and code the texts that respondents wrote, and the file of coded texts.

Each account codes on its own and does not see the codes of others next to a text, so that the
agreement of two coders means something.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from urllib.parse import urlencode

from flask import Response, abort, flash, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, frozen_of, whole_survey
from survey.admin.forms.survey_form import CodeNameForm
from survey.core.errors import StateError
from survey.core.translate import translate, translate_plural
from survey.definition.questions import Question
from survey.definition.report_formats import parse_date
from survey.estimation.types.date_summary import DateSummary, summarise_dates
from survey.formats.coded_texts_csv import WrittenText, coded_texts_csv
from survey.store import ANALYST, StoredSurvey
from survey.store.sql.codes import NO_CODE
from survey.web.audit_log import audit, audit_file
from survey.web.exports.written_texts import (
    NOT_CODED,
    PAGE_TEXTS,
    TextFilter,
    stored_texts,
    summarise,
    text_sources,
    why_texts_are_unread,
)
from survey.web.extensions import store
from survey.web.published_results import download

MAX_NUMBER = 2**48
FILTERS = ("words", "question", "coder", "code")


def survey_with_texts(slug: str) -> StoredSurvey:
    """A survey that asks for texts. Aborts for another one."""
    found = whole_survey(slug)
    if not text_sources(frozen_of(found).survey):
        abort(404, translate("This survey has no text question."))
    return found


def text_questions(found: StoredSurvey) -> dict[str, Question]:
    """The text questions by name."""
    return {
        question.name: question
        for source in text_sources(found.survey)
        for question in source.text_fields
    }


@blueprint.get("/surveys/<slug>/texts", role=ANALYST)
def texts(slug: str) -> ResponseReturnValue:
    """One page of the texts that fit the filter."""
    found = survey_with_texts(slug)
    me = g.account.name
    codings = store().codes.codings(slug)
    wanted = TextFilter(
        words=request.args.get("words", ""),
        question=request.args.get("question", ""),
        code=request.args.get("code", ""),
        coder=request.args.get("coder") or me,
    )
    every = list(stored_texts(found))
    chosen = wanted.select(iter(every), codings)
    pages = max(1, -(-len(chosen) // PAGE_TEXTS))
    page = min(max(request.args.get("page", 1, type=int), 1), pages)
    start = (page - 1) * PAGE_TEXTS
    others = sorted({coder for each in codings.values() for coder in each} - {me})
    return render_template(
        "admin/results/texts.html",
        found=found,
        survey=found.survey,
        tab="admin.texts",
        wanted=wanted,
        me=me,
        others=others,
        codes=store().codes.code_list(slug),
        codings=codings,
        questions=text_questions(found),
        dates=date_summaries(every),
        shown=chosen[start : start + PAGE_TEXTS],
        start=start,
        matching=len(chosen),
        total=len(every),
        unread=why_texts_are_unread(found),
        page=page,
        pages=pages,
        address=page_address,
        NO_CODE=NO_CODE,
        NOT_CODED=NOT_CODED,
    )


def date_summaries(texts: Sequence[WrittenText]) -> list[tuple[str, DateSummary]]:
    """The label and the summary of each question that asks for a date and has one."""
    given = defaultdict[str, list[date]](list)
    labels: dict[str, str] = {}
    for text in texts:
        question = text.question
        if question.dates is not None:
            labels[question.name] = question.label
            given[question.name].append(parse_date(text.text))
    found = [(labels[name], summarise_dates(dates)) for name, dates in given.items()]
    return [(label, summary) for label, summary in found if summary is not None]


def page_address(page: int) -> str:
    """The address of another page of the texts that fit the same filter."""
    kept = {name: request.args.get(name, "") for name in FILTERS}
    query = {name: value for name, value in kept.items() if value}
    if page > 1:
        query["page"] = str(page)
    address = url_for("admin.texts", slug=(request.view_args or {})["slug"])
    return f"{address}?{urlencode(query)}" if query else address


@blueprint.post("/surveys/<slug>/texts", role=ANALYST)
def code_texts(slug: str) -> ResponseReturnValue:
    """Save the codes that the signed-in account gave to the texts of a page."""
    found = survey_with_texts(slug)
    existing = {text.key for text in stored_texts(found)}
    given = dict(codes_in_form(existing))
    changed = store().codes.set_codings(slug, g.account.name, given)
    if changed:
        audit(f"changed the codes of {changed} text{'' if changed == 1 else 's'}", slug)
    flash(
        translate_plural(
            "Saved the codes of %(n)s text.", "Saved the codes of %(n)s texts.", changed
        )
        if changed
        else translate("Saved. Nothing was changed.")
    )
    page = request.args.get("page", 1, type=int)
    # After saving, texts that are now coded leave the list of those that are not. So the next ones
    # are on the same page.
    if "next" in request.form and request.args.get("code") != NOT_CODED:
        page += 1
    return redirect(page_address(page))


def codes_in_form(existing: set[bytes]) -> Iterator[tuple[bytes, list[int]]]:
    """For each text of the form that still exists, the codes that are ticked."""
    for name in request.form.getlist("text"):
        try:
            key = bytes.fromhex(name)
        except ValueError:
            continue
        if key in existing:
            ticked = request.form.getlist(f"codes-{name}")
            yield key, [int(each) for each in ticked if each.isascii() and each.isdecimal()]


@blueprint.get("/surveys/<slug>/texts/codes", role=ANALYST)
def codes(slug: str) -> ResponseReturnValue:
    return codes_page(survey_with_texts(slug), CodeNameForm())


def codes_page(found: StoredSurvey, form: CodeNameForm, changed: int | None = None) -> str:
    """The code list with the agreement of coders. `changed` is the code that `form` renames."""
    slug = found.survey.slug
    listed = store().codes.code_list(slug)
    return render_template(
        "admin/results/codes.html",
        found=found,
        survey=found.survey,
        tab="admin.texts",
        form=form,
        changed=changed,
        codes=listed,
        summary=summarise(stored_texts(found), listed, store().codes.codings(slug)),
        NO_CODE=NO_CODE,
    )


@blueprint.post("/surveys/<slug>/texts/codes", role=ANALYST)
def add_code(slug: str) -> ResponseReturnValue:
    found = survey_with_texts(slug)
    form = CodeNameForm()
    if not form.validate():
        return codes_page(found, form), 422
    name = form.name.data.strip()
    try:
        store().codes.add_code(slug, name)
    except StateError as error:
        form.name.errors = [str(error)]
        return codes_page(found, form), 422
    audit(f"added the code “{name}”", slug)
    return redirect(url_for("admin.codes", slug=slug, _anchor="name"))


@blueprint.post(f"/surveys/<slug>/texts/codes/<int(max={MAX_NUMBER}):number>", role=ANALYST)
def rename_code(slug: str, number: int) -> ResponseReturnValue:
    found = survey_with_texts(slug)
    form = CodeNameForm()
    if not form.validate():
        return codes_page(found, form, number), 422
    name = form.name.data.strip()
    try:
        store().codes.rename_code(slug, number, name)
    except StateError as error:
        form.name.errors = [str(error)]
        return codes_page(found, form, number), 422
    audit(f"renamed a code to “{name}”", slug)
    flash(translate("The code is now “%(name)s”.", name=name))
    return redirect(url_for("admin.codes", slug=slug))


@blueprint.post(f"/surveys/<slug>/texts/codes/<int(max={MAX_NUMBER}):number>/delete", role=ANALYST)
def delete_code(slug: str, number: int) -> ResponseReturnValue:
    survey_with_texts(slug)
    names = {code.number: code.name for code in store().codes.code_list(slug)}
    store().codes.delete_code(slug, number)
    if number in names:
        audit(f"deleted the code “{names[number]}”", slug)
        flash(translate("The code “%(name)s” is deleted.", name=names[number]))
    return redirect(url_for("admin.codes", slug=slug))


@blueprint.get("/surveys/<slug>/texts/coded-texts.csv", role=ANALYST)
def coded_texts(slug: str) -> Response:
    """The texts with the codes of every coder."""
    found = survey_with_texts(slug)
    listed = [(code.number, code.name) for code in store().codes.code_list(slug)]
    content = coded_texts_csv(stored_texts(found), listed, store().codes.codings(slug))
    file = download(content, found, "coded-texts.csv", "text/csv")
    return audit_file(file, "downloaded coded-texts.csv", slug)
