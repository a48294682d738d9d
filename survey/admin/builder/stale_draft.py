"""Forms of the builder whose draft was changed after they were opened.

Nothing is overwritten, and nothing that was typed is lost. The form comes back as it was sent. The
page says who changed the draft and when, leads to the other version in a new tab, and saves the
form as a copy.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from survey.admin.builder.form_to_definition import to_form_data
from survey.core.errors import UnknownSurvey
from survey.definition.survey import Survey, canonical_json
from survey.store import StoredSurvey
from survey.store.sql.audit_log import Act
from survey.web.extensions import store

# How the audit log begins what leaves a form out of date.
CHANGES = (
    *("saved the draft", "changed when", "opened the survey", "closed the survey"),
    *("archived the survey", "took the survey back", "deleted the draft", "deleted the survey"),
)
MAX_SEARCHED_ACTS = 1_000


@dataclass(frozen=True)
class StaleDraft:
    """What became of the draft of a form: the survey unless it was deleted, and the act in the
    audit log that changed it last."""

    theirs: StoredSurvey | None
    act: Act | None


def data_of(found: StoredSurvey) -> dict[str, Any]:
    """What the builder shows of a draft; its translations have a page of their own."""
    target = found.limits.target
    return to_form_data(found.survey) | {"respondents": "" if target is None else str(target)}


def fingerprint_seen(found: StoredSurvey) -> str:
    return sha256(canonical_json(data_of(found)).encode()).hexdigest()


def is_stale(seen: str | None, found: StoredSurvey, typed: Survey, target: int | None) -> bool:
    """Whether a form was made from another version of the draft than the one that is stored.

    One that says what is stored is in date, since a form may be sent twice.
    """
    return seen != fingerprint_seen(found) and (
        typed != found.survey or target != found.limits.target
    )


def find_stale_draft(slug: str) -> StaleDraft:
    """The draft that had this address, also under a new one."""
    renamed = f"saved the draft (from {slug})"
    act = next(
        (
            each
            for each in store().audit.acts(most=MAX_SEARCHED_ACTS)
            if each.action == renamed or (each.survey == slug and each.action.startswith(CHANGES))
        ),
        None,
    )
    try:
        return StaleDraft(store().surveys.by_slug(slug if act is None else act.survey), act)
    except UnknownSurvey:
        return StaleDraft(None, act)
