"""Erasure of classes that nobody ended, and of deleted drafts that can no longer come back.

A class is a survey in class mode, and its last day is over.

The thread looks at the start of the server and after each midnight (UTC), because the last day is a
date. It uses the clock that follows a jump ahead only after a delay (survey/server/clock.py), so a
wrong clock does not erase a class at once.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date

from survey.server import logs
from survey.server.clock import today
from survey.server.periodic import LOOK_SECONDS, repeating
from survey.store import Store


class ClassErasure:
    """Erases old classes once a day.

    `told` receives the slug of each class that was erased.
    """

    def __init__(self, store: Store, told: Callable[[str], None]):
        self.store, self.told = store, told
        self.looked: date | None = None

    def look(self) -> None:
        """Erase what is over. Raises StoreUnavailable, and then looks again."""
        day = today()
        if day == self.looked:
            return
        for slug in self.store.lifecycle.end_old_classes(day):
            # Deleted rows are overwritten already. A compaction also removes them from the log.
            self.store.database.compaction_due = True
            logs.note("erased a class after its last day")
            self.told(slug)
        if self.store.deleted_drafts.drop_old_drafts(day):
            self.store.database.compaction_due = True
        self.looked = day


def erasing(
    erasure: ClassErasure, look_seconds: float = LOOK_SECONDS
) -> AbstractContextManager[None]:
    """During the block a thread erases old classes."""
    return repeating("erasing classes", erasure.look, look_seconds)
