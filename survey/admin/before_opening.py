"""The checklist that stands on the page of a draft, before the button that opens it."""

from typing import Any

from flask import request

from ..checklist import checks, opens
from ..current import store
from ..store import StoredSurvey
from .blueprint import blueprint

MOST_EXPECTED = 10_000_000


def expected_respondents(found: StoredSurvey) -> tuple[int | None, str]:
    """How many are expected: what was just typed, else the target; and what is wrong with it."""
    typed = request.args.get("expected", "").strip().replace(",", "").replace(" ", "")
    if not typed:
        return found.limits.target, ""
    if typed.isascii() and typed.isdigit() and 1 <= int(typed[:12]) <= MOST_EXPECTED:
        return int(typed[:12]), ""
    return None, f"Type a whole number from 1 to {MOST_EXPECTED:,}."


def earlier_waves(found: StoredSurvey) -> list[Any]:
    series = found.survey.fieldwork.series
    if series is None:
        return []
    return [
        other.survey
        for other in store().surveys()
        if other.frozen and other.survey.fieldwork.series == series
    ]


def checklist_of(found: StoredSurvey) -> dict[str, Any]:
    """What templates/admin/_checklist.html shows."""
    expected, fault = expected_respondents(found)
    listed = checks(found.survey, expected, earlier_waves(found))
    typed = request.args.get("expected", "" if expected is None else str(expected))
    return {"checks": listed, "opens": opens(listed), "expected": typed, "fault": fault}


@blueprint.app_context_processor
def for_the_page_of_a_draft() -> dict[str, Any]:
    return {"checklist_of": checklist_of}
