"""Erasure of classes that nobody ended: surveys in class mode whose last day is over.

The thread looks at the start of the server and after each midnight (UTC), because the last day is a
date. It uses the clock that follows a jump ahead only after a delay (survey/server/clock.py), so a
wrong clock does not erase a class at once.
"""

import time
from contextlib import AbstractContextManager
from datetime import date

from survey.server import logs
from survey.server.clock import today
from survey.server.periodic import LOOK_SECONDS, repeating
from survey.store import Store
from survey.store.sql.audit_log import Act

# The account in the audit log. No account can have this name, because names have no spaces.
BY_SERVER = "the server"


class ClassErasure:
    """Erases old classes once a day."""

    def __init__(self, store: Store):
        self.store = store
        self.looked: date | None = None

    def look(self) -> None:
        """Erase the classes that are over. Raises StoreUnavailable, and then looks again."""
        day = today()
        if day == self.looked:
            return
        for slug in self.store.lifecycle.end_old_classes(day):
            # Deleted rows are overwritten already. A compaction also removes them from the log.
            self.store.database.seal_due = True
            self.store.audit.record(
                Act(slug, BY_SERVER, "erased the class after its last day", int(time.time()))
            )
            logs.note("erased a class after its last day")
        self.looked = day


def erasing(
    erasure: ClassErasure, look_seconds: float = LOOK_SECONDS
) -> AbstractContextManager[None]:
    """During the block a thread erases old classes."""
    return repeating("erasing classes", erasure.look, look_seconds)
