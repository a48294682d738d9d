"""When a server starts, it counts all responses again, and compares with the counts that are kept.

The argument for why nothing wrong is shown, although a large database is served before the end:

* Before anything is served, SQLite looks through the structure of its file. A file that is damaged
  there is refused.
* Up to `MAX_REPORTS` reports are counted before, too. That is soon done, and a count that does not
  fit refuses the start.
* More reports than that are counted by a thread while respondents are served. Until the end the
  store gives nobody a figure or a response: StoreUnavailable, for pages, files, programs and
  webhooks alike. Responses are taken meanwhile, each with its counts, as they would be afterwards.
* A count that does not fit closes the store, so that nothing is read or written any more: every
  request gets 503, and so does `/readyz`. The log has what `database check` prints. The process
  goes on, since a supervisor that started it again would have it take responses again.
* While the database cannot be used, there is nothing to compare. The thread tries again, and
  figures stay withheld.

No mark of a clean stop spares the count. A mark in the file would be in each copy of the file, and
a mark in another file would not know what the disk has done to this one since.
"""

import time
from contextlib import AbstractContextManager, nullcontext

from survey.core.errors import DamagedStore, SettingsError, StoreUnavailable
from survey.server import logs
from survey.server.periodic import LOOK_SECONDS, WorkDone, repeating
from survey.store import Store

MAX_REPORTS = 500_000  # counted before the server answers: 0.15 s of processor time


def begin_recount(store: Store) -> None:
    """Check the store before it is served; what takes long is left to `recount`. Raises
    SettingsError, StoreUnavailable."""
    if store.integrity.reports_to_check() <= MAX_REPORTS:
        store.integrity.require_sound()
    else:
        store.integrity.require_intact()
        store.counts.withheld = True


def recount(store: Store, again_seconds: float = LOOK_SECONDS) -> AbstractContextManager[None]:
    """During the block a thread counts what `begin_recount` left. Being cut off changes nothing."""
    if not store.counts.withheld:
        return nullcontext()
    began = time.monotonic()

    def count_all() -> None:
        try:
            store.integrity.require_sound()
        except (SettingsError, DamagedStore) as error:
            logs.warn("database damaged", why=str(error))
            store.close()
        except StoreUnavailable as error:
            logs.warn("not counted again", why=logs.cause_of(error))
            raise
        else:
            store.counts.withheld = False
            logs.note("counted again", seconds=round(time.monotonic() - began, 3))
        raise WorkDone

    return repeating("counting again", count_all, again_seconds)
