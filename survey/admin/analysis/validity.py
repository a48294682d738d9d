"""How far answers can be trusted: a control question, a direct arm, another table, bounds."""

from collections.abc import Callable
from typing import Any

from flask.typing import ResponseReturnValue

from survey.admin.analysis.request_form import analysis_page
from survey.admin.blueprint import blueprint, frozen_of
from survey.admin.forms.validity_form import SAYS, ValidityForm
from survey.analysis.columns.column_request import analysed
from survey.analysis.columns.sample_means import sample_of
from survey.analysis.columns.variables import Column, Design
from survey.analysis.validity.checks import alike
from survey.analysis.validity.noncompliance import Deviants, bounded, counted, denials, deviants
from survey.analysis.validity.validity import contrasted, controlled, require_arms, said_by
from survey.core.errors import UnanswerableQuestion
from survey.store import ANALYST, StoredSurvey
from survey.web.auth import requires
from survey.web.extensions import store

WIDEST = 0.5  # the part who denied up to which the picture goes, if no more are supposed


def tried(check: Callable[[], Any]) -> dict[str, Any]:
    """What a check found, or why it found nothing: one refusal leaves the others."""
    try:
        return {"found": check(), "refusal": ""}
    except UnanswerableQuestion as refusal:
        return {"found": None, "refusal": str(refusal)}


def others_than(found: StoredSurvey) -> list[StoredSurvey]:
    """The surveys whose reports people could have made as they liked, where this is one."""
    if found.origin == "browser":
        return []
    return [
        each for each in store().surveys(drafts=False)
        if each.origin != "browser" and each.survey.slug != found.survey.slug
    ]  # fmt: skip


def prepare(form: ValidityForm, found: StoredSurvey) -> None:
    survey = frozen_of(found).survey
    form.offer_surveys(survey, [each.survey for each in others_than(found)])


def split(form: ValidityForm, asked: Column) -> Deviants:
    """Who deviates, by the reports of this survey and of another."""
    slug, _, name = form.split.data.partition(":")
    survey = store().survey(slug).survey
    (other,), _ = analysed(survey, store().responses(slug), [name])
    if not alike(asked, other):
        raise UnanswerableQuestion(
            f"{other.name} of survey {slug!r} asks something else than {asked.name}."
        )
    return deviants(counted(asked), counted(other), SAYS[form.says.data])


def checked(form: ValidityForm, columns: list[Column], design: Design) -> dict[str, Any]:
    asked, *rest = columns
    places = form.places
    sample = sample_of([asked], design)
    said = said_by(asked, sample, places["asked"])
    denied, false, random = form.erred
    found = bounded(said, denied, false, random, asked.listed)
    shown: dict[str, Any] = {
        "asked": asked,
        "answer": asked.answers[places["asked"]],
        "n": sample.n,
        "left_out": len(asked.reports) - sample.n,
        "bounds": found,
        "denials": denials(found, asked.listed, max(WIDEST, denied)),
    }
    if form.control.data:
        control, known = rest[0], float(form.known.data) / 100
        shown["control"] = tried(
            lambda: controlled(asked, control, known, places["asked"], places["control"], design)
        )
    if form.direct.data:
        direct = rest[-1]

        def contrast() -> Any:
            require_arms(asked, direct)
            return contrasted(asked, direct, places["asked"], places["direct"], design=design)

        shown["contrast"] = tried(contrast)
    if form.split.data:
        shown["deviants"] = tried(lambda: split(form, asked))
    return shown


@blueprint.get("/surveys/<slug>/analysis/validity")
@requires(ANALYST)
def validity(slug: str) -> ResponseReturnValue:
    return analysis_page(slug, "admin/analysis/validity.html", ValidityForm, checked, prepare)
