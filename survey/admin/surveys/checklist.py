"""The pre-launch checklist on the page of a draft, before the button that opens the survey."""

from typing import Any

from flask import request, url_for

from survey.admin.blueprint import blueprint, may
from survey.admin.builder.fields import OWN, PROTECTION_NAMES
from survey.admin.builder.texts import parse_expected_respondents, privacy_data
from survey.core.errors import DefinitionError
from survey.core.translate import translate, translate_number
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.planning.checklist import checks, opens, to_look_at
from survey.planning.privacy_checks import EXPECTED_RESPONDENTS
from survey.planning.privacy_text import per_hundred_for_researchers
from survey.planning.sample_size import MAX_RESPONDENTS
from survey.store import StoredSurvey
from survey.web.extensions import privacy_limits, store


def expected_sample_size(found: StoredSurvey) -> tuple[int | None, str]:
    """The target sample size, as just typed or as stored; and a message if it is not valid."""
    try:
        typed = parse_expected_respondents(request.values.get("expected"))
    except DefinitionError:
        most = translate_number(f"{MAX_RESPONDENTS:,}")
        return None, translate("Type a whole number from %(low)s to %(high)s.", low="1", high=most)
    return found.limits.target if typed is None else typed, ""


def earlier_waves(found: StoredSurvey) -> list[Any]:
    """All waves of the series, also those that the account does not reach: the check protects
    respondents, and tells only which questions of this survey another wave asked."""
    series = found.survey.fieldwork.series
    if series is None:
        return []
    return [
        other.survey
        for other in store().surveys.all(drafts=False)
        if other.survey.fieldwork.series == series
    ]


def checklist_of(found: StoredSurvey) -> dict[str, Any]:
    """The variables of templates/admin/surveys/_checklist.html."""
    expected, fault = expected_sample_size(found)
    listed = checks(found.survey, expected, earlier_waves(found), privacy_limits())
    typed = request.values.get("expected", "" if expected is None else str(expected))
    return {
        "checks": listed,
        "opens": opens(listed),
        "to_look_at": to_look_at(listed),
        "expected": typed,
        "fault": fault,
    }


def where(survey: Survey, place: str) -> str | None:
    """The address where an item of the checklist can be fixed, or None if this role cannot."""
    if place == EXPECTED_RESPONDENTS:
        return f"#{place}"
    if not may("admin.edit"):
        return None
    kind, _, name = place.partition(":")
    if kind == "translation":
        return url_for("admin.translate", slug=survey.slug, language=name)
    if kind == "question":
        names = [question.name for question in survey.questions]
        place = f"question-{names.index(name) + 1}"
    return url_for("admin.edit", slug=survey.slug, _anchor=place)


def protection_of(question: Question) -> str:
    """The protection of a question, in the builder's words."""
    privacy = question.as_definition().get("privacy", "none")
    chosen = privacy_data(privacy, question.kind)["privacy"]
    return translate(PROTECTION_NAMES.get(chosen, OWN))


@blueprint.app_context_processor
def for_the_page_of_a_draft() -> dict[str, Any]:
    return {
        "checklist_of": checklist_of,
        "where": where,
        "protection_of": protection_of,
        "per_hundred_for_researchers": per_hundred_for_researchers,
    }
