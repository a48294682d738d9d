"""The server seals its database while it runs, so that a stolen file tells nothing recent.

Until it is sealed, the file lies in the order of arrival, and shows which invitation was spent
with which response. A seal rewrites the whole file, so it waits for a number of responses that
grows with the file: each response then pays for rewriting at most a hundred others, however many
there are. What is not sealed yet is at most that batch, and no member of it is alone.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from .repeating import LOOK_SECONDS, repeating
from .store import Store

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


def look(store: Store, told: Callable[[float], None] = lambda seconds: None) -> None:
    """Close the surveys whose last day is over, and seal if it is due. `told` learns how many
    seconds that took. Raises StoreUnavailable."""
    store.close_due(int(time.time()))
    if due(store):
        began = time.perf_counter()
        store.seal(PATIENCE_SECONDS)
        told(time.perf_counter() - began)


def sealing(
    store: Store,
    look_seconds: float = LOOK_SECONDS,
    told: Callable[[float], None] = lambda seconds: None,
) -> AbstractContextManager[None]:
    """A thread seals the store when it is due, for as long as the block lasts. A seal that is cut
    off when the server stops leaves the old file or the new one, and nothing between."""
    return repeating("sealing", lambda: look(store, told), look_seconds)
