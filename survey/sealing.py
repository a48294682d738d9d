"""The server seals its database while it runs, so that a stolen file tells nothing recent.

Until it is sealed, the file lies in the order of arrival, and shows which invitation was spent
with which response. A seal rewrites the whole file, so it waits for a number of responses that
grows with the file: each response then pays for rewriting at most a hundred others, however many
there are. What is not sealed yet is at most that batch, and no member of it is alone.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import StoreUnavailable
from .store import Store

LOOK_SECONDS = 5.0
LONGEST_SECONDS = 600.0  # between two tries where the database cannot be sealed
PATIENCE_SECONDS = 1.0  # nobody who answers waits for a reader outside on the seal's behalf
FEWEST = 25  # responses
SHARE = 0.01  # of all responses


def due(store: Store) -> bool:
    """Whether enough responses came since the last seal, or a survey closed by itself; asks the
    database only if they could be enough."""
    if store.ended:
        return True
    if store.unsealed < FEWEST:
        return False
    total = sum(store.arrived(found.survey.slug) for found in store.surveys())
    return store.unsealed >= SHARE * total


def keep_sealing(store: Store, ending: threading.Event, look_seconds: float) -> None:
    """Close the surveys whose last day is over, and seal whenever it is due, until `ending` is set.
    Where the database is in use or gone, try again, less and less often."""
    pause = look_seconds
    while not ending.wait(pause):
        try:
            store.close_due(int(time.time()))
            if due(store):
                store.seal(PATIENCE_SECONDS)
            pause = look_seconds
        except StoreUnavailable:
            pause = min(2 * pause, LONGEST_SECONDS)


@contextmanager
def sealing(store: Store, look_seconds: float = LOOK_SECONDS) -> Iterator[None]:
    """A thread seals the store when it is due, for as long as the block lasts."""
    ending = threading.Event()
    # a daemon: a seal under way when the server is told to stop is not waited for very long, since
    # SQLite leaves the old file or the new one, and nothing between
    thread = threading.Thread(
        target=keep_sealing, args=[store, ending, look_seconds], name="sealing", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join(LOOK_SECONDS)
