"""Periodic work in background threads of the server."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from survey.core.errors import StoreUnavailable
from survey.server import logs

LOOK_SECONDS = 5.0
# The maximum pause between two attempts while the database is not available.
MAX_PAUSE_SECONDS = 600.0


class WorkDone(Exception):
    """Raised by `look` when there is nothing left to do."""


def keep_on(look: Callable[[], None], ending: threading.Event, look_seconds: float) -> None:
    """Call `look` now and every few seconds, until `ending` is set.

    If the database is not available, or after an unexpected error, it tries again with longer and
    longer pauses.
    """
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
    """During the block a thread calls `look` every `look_seconds`.

    The thread is a daemon, and the server does not wait long for it when it stops. So an
    interruption at any point of `look` must be safe.
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
