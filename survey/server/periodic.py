"""Work that a thread does again and again while the server runs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from survey.core.errors import StoreUnavailable
from survey.server import logs

LOOK_SECONDS = 5.0
MAX_PAUSE_SECONDS = 600.0  # between two tries where the database cannot be used


class WorkDone(Exception):
    """Raised by a look after which there is nothing left to do."""


def keep_on(look: Callable[[], None], ending: threading.Event, look_seconds: float) -> None:
    """Look now and every few seconds, until `ending` is set. Where the database is in use or gone,
    or on a fault that nobody foresaw, try again, less and less often."""
    pause = 0.0
    while not ending.wait(pause):
        try:
            look()
            pause = look_seconds
            continue
        except WorkDone:
            return
        except StoreUnavailable:
            pass
        except Exception as error:
            logs.fault(f"fault while {threading.current_thread().name}", error)
        pause = min(2 * max(pause, look_seconds), MAX_PAUSE_SECONDS)


@contextmanager
def repeating(
    name: str, look: Callable[[], None], look_seconds: float = LOOK_SECONDS
) -> Iterator[None]:
    """A thread looks again and again, for as long as the block lasts.

    It is a daemon, and not waited for very long when the server is told to stop: `look` must bear
    being cut off anywhere.
    """
    ending = threading.Event()
    thread = threading.Thread(
        target=keep_on, args=[look, ending, look_seconds], name=name, daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join(LOOK_SECONDS)
