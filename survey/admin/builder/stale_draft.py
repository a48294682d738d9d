"""Builder forms whose draft was changed after they were opened.

Nothing is overwritten, and nothing that was typed is lost. The page shows the form as it was sent,
and who changed the draft and when. It links to the other version in a new tab, and can save the
form as a copy.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from flask import g

from survey.admin.builder.form_to_definition import to_form_data
from survey.core.errors import UnknownSurvey
from survey.definition.survey import Survey, canonical_json
from survey.store import EDITOR, StoredSurvey
from survey.store.sql.audit_log import Act
from survey.web.access import has_role, require_role
from survey.web.extensions import store

# The beginnings of the audit log entries after which a form is out of date.
CHANGES = (
    *("saved the draft", "changed the survey's limits", "opened the survey", "closed the survey"),
    *("archived the survey", "unarchived the survey", "deleted the draft", "deleted the survey"),
    *("protected questions of the draft", "set the number of private questions per respondent"),
    "chose the privacy loss of the class",
)
MAX_SEARCHED_ACTS = 1_000


@dataclass(frozen=True)
class StaleDraft:
    """The survey that a form's draft has become, or None if it was deleted; and the last entry of
    the audit log that changed it."""

    theirs: StoredSurvey | None
    act: Act | None


def data_of(found: StoredSurvey) -> dict[str, Any]:
    """The form's data for a draft, without its translations, which have their own page."""
    target = found.limits.target
    return to_form_data(found.survey) | {"respondents": "" if target is None else str(target)}


def fingerprint_seen(found: StoredSurvey) -> str:
    return sha256(canonical_json(data_of(found)).encode()).hexdigest()


def is_stale(seen: str | None, found: StoredSurvey, typed: Survey, target: int | None) -> bool:
    """Whether the form was made from another version of the draft than the stored one.

    A form that equals the stored draft is not stale, because a form may be sent twice.
    """
    return seen != fingerprint_seen(found) and (
        typed != found.survey or target != found.limits.target
    )


def find_stale_draft(slug: str) -> StaleDraft:
    """The draft that had this address, even if it has a new address now. Of a survey that the
    account does not reach, it tells nothing."""
    renamed = f"saved the draft, and changed its address from {slug}"
    act = next(
        (
            each
            for each in store().audit.acts(most=MAX_SEARCHED_ACTS)
            if has_role(g.account, EDITOR, each.survey)
            and (
                each.action == renamed or (each.survey == slug and each.action.startswith(CHANGES))
            )
        ),
        None,
    )
    address = slug if act is None else act.survey
    try:
        require_role(g.account, EDITOR, address)
        return StaleDraft(store().surveys.by_slug(address), act)
    except UnknownSurvey:
        return StaleDraft(None, act)
