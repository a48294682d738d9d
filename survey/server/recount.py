"""The recount at the start of a server: count all responses, and compare the stored counts.

No wrong number is shown, although a large database is served before the recount ends:

* Before anything is served, SQLite checks the structure of its file. The server does not start on a
  damaged file.
* Up to `MAX_REPORTS` reports are counted before that, too. This takes little time, and the server
  does not start if a count is wrong.
* If there are more reports, a thread counts them while respondents are served. Until the end the
  store raises StoreUnavailable for every number and response: on pages, in files, in the API and in
  webhooks alike. It accepts responses meanwhile, and updates their counts as usual.
* A wrong count closes the store, so that nothing is read or written any more. Every request gets
  503, and so does `/readyz`. The log has the output of `database check`. The process continues,
  because a supervisor that started it again would make it accept responses again.
* While the database is not available, there is nothing to compare. The thread tries again, and
  numbers stay withheld.

No mark of a clean stop replaces the recount. A mark in the file would be in each copy of the file.
A mark in another file would not know what the disk has done to this one since.
"""

import time
from contextlib import AbstractContextManager, nullcontext

from survey.core.errors import DamagedStore, SettingsError, StoreUnavailable
from survey.server import logs
from survey.server.periodic import LOOK_SECONDS, WorkDone, repeating
from survey.store import Store

# The largest number that is counted before the server answers. It takes 0.15 s of processor time.
MAX_REPORTS = 500_000


def begin_recount(store: Store) -> None:
    """Check the store before it is served, and leave a long recount to `recount`.

    Raises SettingsError and StoreUnavailable.
    """
    if store.integrity.reports_to_check() <= MAX_REPORTS:
        store.integrity.require_sound()
    else:
        store.integrity.require_intact()
        store.counts.withheld = True


def recount(store: Store, again_seconds: float = LOOK_SECONDS) -> AbstractContextManager[None]:
    """During the block a thread counts what `begin_recount` left. An interruption is safe."""
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
