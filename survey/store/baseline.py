"""The baseline of the schema: that of Candor 0.1.0, as one step.

The schemas of commits before it were never released. A database of such a commit is refused.
"""

from collections.abc import Collection

BASELINE = "0.1.0"


def step_fault(recorded: Collection[str], known: Collection[str], place: str) -> str | None:
    """Why this version cannot read a database with these recorded steps, or None if it can.

    Parameters
    ----------
    known : the steps of this version
    place : the words for the database in the sentence
    """
    if recorded and BASELINE not in recorded:
        return (
            f"An early commit wrote {place}. Only that commit reads it, because its format is "
            f"older than Candor {BASELINE}."
        )
    unknown = sorted(set(recorded) - set(known))
    if not unknown:
        return None
    return (
        f"A newer version of Candor wrote {place} ({', '.join(unknown)[:100]}). Start that "
        "version, or restore an older backup."
    )
