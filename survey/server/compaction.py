"""The server seals its database while it runs, so that a stolen file tells nothing recent.

Until it is sealed, the file lies in the order of arrival, and shows which invitation was spent
with which response. A seal rewrites the whole file, so it waits for a number of responses that
grows with the file: each response then pays for rewriting at most a hundred others, however many
there are. What is not sealed yet is at most that batch, and no member of it is alone; but at the
end of each day it is sealed however few they are, so that what was withdrawn is nowhere then. Days
are counted from the last seal, or from the end of a day without anybody: a seal that came as soon
as somebody did would tell the moment of a response that is alone.

A start seals as well, since a server that was killed left its log. A large database is served
first, and the thread seals it within seconds, or as soon as nobody reads it.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

from survey.core.errors import StoreUnavailable, UnknownSurvey
from survey.server import logs
from survey.server.clock import clock
from survey.server.periodic import LOOK_SECONDS, repeating
from survey.store import Store

PATIENCE_SECONDS = 1.0  # nobody who answers waits for a reader outside on the seal's behalf
MIN_UNSEALED_RESPONSES = 25
MIN_UNSEALED_SHARE = 0.01  # of all responses
MAX_UNSEALED_SECONDS = 24 * 60 * 60  # after which any number is enough


def due(store: Store, seconds: float = 0) -> bool:
    """Whether enough responses came since the last seal, which was so many seconds ago, or the
    store has to be sealed anyway; asks the database only if they could be enough."""
    if store.database.seal_due or (store.database.unsealed and seconds >= MAX_UNSEALED_SECONDS):
        return True
    if store.database.unsealed < MIN_UNSEALED_RESPONSES:
        return False
    total = 0
    for listed in store.surveys.listed():
        with suppress(UnknownSurvey):  # deleted since it was listed
            total += 0 if listed.state == "draft" else store.counts.arrived(listed.slug)
    return store.database.unsealed >= MIN_UNSEALED_SHARE * total


def begin_sealing(store: Store) -> None:
    """Seal the store before it is served; `sealing` does it where the store is so large that it is
    counted while it is served, and where the database is busy."""
    store.database.seal_due = True  # until it is sealed
    if store.counts.withheld:
        return
    try:
        store.seal()
    except StoreUnavailable as error:  # another server may be at work on it
        logs.warn("not sealed", why=logs.cause_of(error))


def look(store: Store, seconds: float = 0) -> bool:
    """Close the surveys whose last day is over, and seal if it is due; whether it was. Raises
    StoreUnavailable."""
    store.lifecycle.close_due(clock.of_days())
    if not due(store, seconds):
        return False
    store.seal(PATIENCE_SECONDS)
    return True


def sealing(
    store: Store,
    look_seconds: float = LOOK_SECONDS,
    told: Callable[[float], None] = lambda seconds: None,
) -> AbstractContextManager[None]:
    """A thread seals the store when it is due, for as long as the block lasts, and tells how many
    seconds that took. A seal that is cut off when the server stops leaves the old file or the new
    one, and nothing between."""
    sealed = time.monotonic()

    def again() -> None:
        nonlocal sealed
        began = time.monotonic()
        if look(store, began - sealed):
            sealed = time.monotonic()
            told(sealed - began)
        elif began - sealed >= MAX_UNSEALED_SECONDS:
            sealed = began

    return repeating("sealing", again, look_seconds)
