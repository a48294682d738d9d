"""Regular compaction of the database, so that a stolen file shows nothing recent.

Before compaction, the rows of the file lie in the order of arrival. They show which invitation was
used for which response. A compaction rewrites the whole file. So it waits for a number of responses
that grows with the file: each response pays for rewriting at most a hundred others, whatever the
size.

The part that is not compacted yet is at most that batch, and it never contains a single response
alone. There is one exception: at the end of each day any number of responses is enough, so that
withdrawn responses are then gone from the file. The day begins at the last compaction, or at the
end of a day without responses. If the first response started it, the compaction would show when
that response arrived.

A start of the server compacts as well, because a server that was killed left its log behind. A
large database is served first. The thread compacts it within seconds, or as soon as nobody reads
it.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

from survey.core.errors import StoreUnavailable, UnknownSurvey
from survey.server import logs
from survey.server.clock import clock
from survey.server.periodic import LOOK_SECONDS, repeating
from survey.store import Store

# A respondent should not wait because a compaction waits for another program that reads the file.
PATIENCE_SECONDS = 1.0
MIN_UNCOMPACTED_RESPONSES = 25
# A share of all responses.
MIN_UNCOMPACTED_SHARE = 0.01
# After this time, any number of responses is enough.
MAX_UNCOMPACTED_SECONDS = 24 * 60 * 60


def due(store: Store, seconds: float = 0) -> bool:
    """Whether the database must be compacted now, `seconds` after the last compaction.

    It must if enough responses arrived since then, or if the store requires it anyway. Reads the
    database only if there could be enough responses.
    """
    if store.database.compaction_due or (
        store.database.uncompacted and seconds >= MAX_UNCOMPACTED_SECONDS
    ):
        return True
    if store.database.uncompacted < MIN_UNCOMPACTED_RESPONSES:
        return False
    total = 0
    for listed in store.surveys.list_surveys():
        with suppress(UnknownSurvey):  # The survey may have been deleted since it was listed.
            total += 0 if listed.state == "draft" else store.counts.number_of_responses(listed.slug)
    return store.database.uncompacted >= MIN_UNCOMPACTED_SHARE * total


def begin_compacting(store: Store) -> None:
    """Compact the store before it is served.

    Leaves it to `compacting` if the store is so large that its responses are counted while it is
    served, or if the database is busy.
    """
    # It stays set until the compaction succeeds.
    store.database.compaction_due = True
    if store.counts.withheld:
        return
    try:
        store.compact()
    except StoreUnavailable as error:  # Another server may be using the database.
        logs.warn("not compacted", why=logs.cause_of(error))


def look(store: Store, seconds: float = 0) -> bool:
    """Close the surveys whose last day is over, and compact the database if that is due.

    Returns whether it was compacted. Raises StoreUnavailable.
    """
    store.lifecycle.close_due(clock.of_days())
    if not due(store, seconds):
        return False
    store.compact(PATIENCE_SECONDS)
    return True


def compacting(
    store: Store,
    look_seconds: float = LOOK_SECONDS,
    told: Callable[[float], None] = lambda seconds: None,
) -> AbstractContextManager[None]:
    """During the block a thread compacts the store when that is due.

    `told` receives the duration in seconds. A compaction that is interrupted when the server stops
    leaves either the old file or the new one, never a mixture.
    """
    compacted = time.monotonic()

    def again() -> None:
        nonlocal compacted
        began = time.monotonic()
        if look(store, began - compacted):
            compacted = time.monotonic()
            told(compacted - began)
        elif began - compacted >= MAX_UNCOMPACTED_SECONDS:
            compacted = began

    return repeating("compacting", again, look_seconds)
