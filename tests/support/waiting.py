"""How tests wait for events in other threads and processes."""

import time
from collections.abc import Callable


def wait_until(true: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.002)
