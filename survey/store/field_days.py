"""The days on which a survey was open, from what the store has: no response has a day."""

from datetime import UTC, date, datetime

from survey.formats.field_days import FieldDays
from survey.store.database import Connection
from survey.store.stored import StoredSurvey

OPENED = "opened the survey"
CLOSED = "closed the survey"


def read_field_days(db: Connection, found: StoredSurvey) -> FieldDays | None:
    """The first and the last opening day; None if the first is unknown or nobody was asked.

    A researcher closes a survey, which the audit log has, or its closing time does. The day stays
    unknown if the number of responses or their precision closed it, or may have closed it.
    """
    first, limits = found.history.opened, found.limits
    if first is None or found.origin != "browser":
        return None
    if found.state != "closed":
        return FieldDays(first, None)
    action, moment = db.execute(
        "SELECT action, moment FROM acts WHERE survey = ? AND action IN (?, ?)"
        " ORDER BY number DESC LIMIT 1",
        [found.survey.slug, OPENED, CLOSED],
    ).fetchone() or ("", 0)
    ends = [moment] if action == CLOSED else []
    by_responses = limits.cap is not None or found.survey.fieldwork.stop_at is not None
    if limits.closes is not None and not by_responses:
        ends.append(limits.closes - 1)
    # The wall clock may have been wrong at the opening.
    return FieldDays(first, max(first, day_of(min(ends))) if ends else None)


def day_of(moment: int) -> date:
    return datetime.fromtimestamp(moment, UTC).date()
