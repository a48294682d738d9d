"""The server seals its database while it runs, so that a stolen file tells nothing recent.

Until it is sealed, the file lies in the order of arrival, and shows which invitation was spent
with which response. A seal rewrites the whole file, so it waits for a number of responses that
grows with the file: each response then pays for rewriting at most a hundred others, however many
there are. What is not sealed yet is at most that batch, and no member of it is alone.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import StoreUnavailable
from .figures import responses_behind
from .store import Store

LOOK_SECONDS = 5.0
LONGEST_SECONDS = 600.0  # between two tries where the database cannot be sealed
PATIENCE_SECONDS = 1.0  # nobody who answers waits for a reader outside on the seal's behalf
FEWEST = 25  # responses
SHARE = 0.01  # of all responses


def due(store: Store) -> bool:
    """Whether enough responses came since the last seal; asks the database only if they could be
    enough."""
    if store.unsealed < FEWEST:
        return False
    surveys = [found.survey for found in store.surveys()]
    total = sum(responses_behind(survey, store.counts(survey.slug)) for survey in surveys)
    return store.unsealed >= SHARE * total


def keep_sealing(store: Store, ending: threading.Event, look_seconds: float) -> None:
    """Seal whenever it is due, until `ending` is set. Where the database is in use or gone, try
    again, less and less often."""
    pause = look_seconds
    while not ending.wait(pause):
        try:
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
