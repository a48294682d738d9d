"""The baseline of the schema, and databases from before it.

The baseline is the schema of Candor 0.1.0, as one step. Before there was a baseline, many steps
made the same schema. A database with all of these steps is recorded as the baseline. So is one
that lacks the last step alone, from when texts were published in batches. A database with fewer is
refused, and so is one with surveys in a format of that time.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress

from survey.core.errors import SettingsError, SurveyError
from survey.definition.frozen import FrozenSurvey
from survey.definition.sub_surveys import PRACTICE_TEXTS, TEXTS
from survey.store.database import Connection

BASELINE = "baseline"
LAST_COMMIT_BEFORE = "4bc74fd2"
# The last step, and what becomes of texts in batches: they are unread until the survey closes.
LAST_STEP = (
    "ALTER TABLE surveys ADD COLUMN texts_published {} NOT NULL DEFAULT 0",
    f"DELETE FROM waiting WHERE survey LIKE '%.{TEXTS}' OR survey LIKE '%.{PRACTICE_TEXTS}'",
    f"DELETE FROM counts WHERE survey LIKE '%.{PRACTICE_TEXTS}' OR survey IN"
    f" (SELECT slug FROM surveys WHERE slug LIKE '%.{TEXTS}' AND state = 'open')",
)
TEXTS_LEFT = (
    f"SELECT 1 FROM surveys WHERE slug LIKE '%.{TEXTS}' AND state = 'closed'"
    " AND slug IN (SELECT survey FROM waiting)"
)


def older_fault(place: str) -> str:
    return (
        f"The last commit of Candor that reads {place} is {LAST_COMMIT_BEFORE}, because its format "
        "is older than Candor 0.1.0."
    )


def step_fault(
    recorded: Collection[str], known: Collection[str], before: Sequence[str], place: str
) -> str | None:
    """Why this version cannot read a database with these recorded steps, or None if it can.

    Parameters
    ----------
    known : the steps of this version
    before : the steps that made the schema of the baseline, in order
    place : the words for the database in the sentence
    """
    if not set(before).isdisjoint(recorded):
        return None if is_complete(recorded, before) else older_fault(place)
    unknown = sorted(set(recorded) - set(known))
    if not unknown:
        return None
    return (
        f"A newer version of Candor wrote {place} ({', '.join(unknown)[:100]}). Start that "
        "version, or restore an older backup."
    )


def is_complete(recorded: Collection[str], before: Sequence[str]) -> bool:
    """Whether these are all steps from before the baseline, but perhaps the last one."""
    return set(recorded) in (set(before), set(before[:-1]))


def prepare_baseline(db: Connection, place: str, lacks_last_step: bool, integer: str) -> None:
    """Prepare a database for the baseline that has the steps from before it.

    `integer` is the database's type of whole numbers. Raises SettingsError if a survey has a format
    from before the baseline, is damaged, or was closed while texts waited for a batch.
    """
    if lacks_last_step:
        if db.execute(TEXTS_LEFT).fetchone():
            raise SettingsError(older_fault(place))
        for statement in LAST_STEP:
            db.execute(statement.format(integer))
    # Early commits stored counts of 0.
    db.execute("DELETE FROM counts WHERE responses = 0")
    for document, epsilon in db.execute("SELECT document, epsilon FROM surveys").fetchall():
        if not is_readable(document, epsilon):
            raise SettingsError(older_fault(place))


def is_readable(document: str | None, epsilon: str | None) -> bool:
    """Whether this version can read a frozen survey, or a draft, which has no document."""
    if document is None:
        return epsilon is not None
    with suppress(SurveyError, ValueError, TypeError, KeyError):
        FrozenSurvey.from_json(document)
        return True
    return False
