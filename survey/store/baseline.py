"""The baseline of the schema, and databases from before it.

The baseline is the schema of Candor 0.1.0, as one step. Before there was a baseline, many steps
made the same schema. A database with all of these steps is recorded as the baseline. A database
with some of them is refused, and so is one with surveys in a format of that time.
"""

from collections.abc import Collection
from contextlib import suppress

from survey.core.errors import SettingsError, SurveyError
from survey.definition.frozen import FrozenSurvey
from survey.store.database import Connection

BASELINE = "baseline"
LAST_COMMIT_BEFORE = "4bc74fd2"


def older_fault(place: str) -> str:
    return (
        f"The last commit of Candor that reads {place} is {LAST_COMMIT_BEFORE}, because its format "
        "is older than Candor 0.1.0."
    )


def step_fault(
    recorded: Collection[str], known: Collection[str], before: Collection[str], place: str
) -> str | None:
    """Why this version cannot read a database with these recorded steps, or None if it can.

    Parameters
    ----------
    known : the steps of this version
    before : the steps that made the schema of the baseline
    place : the words for the database in the sentence
    """
    if not set(before).isdisjoint(recorded):
        return None if set(recorded) == set(before) else older_fault(place)
    unknown = sorted(set(recorded) - set(known))
    if not unknown:
        return None
    return (
        f"A newer version of Candor wrote {place} ({', '.join(unknown)[:100]}). Start that "
        "version, or restore an older backup."
    )


def prepare_baseline(db: Connection, place: str) -> None:
    """Prepare a database for the baseline that has all steps from before it.

    Raises SettingsError if a survey has a format from before the baseline, or is damaged.
    """
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
