"""Requests of cached pages, for several test modules."""

import time

from tests.support.asgi_servers import Running
from tests.support.definitions import definition, yes_no

VIETNAMESE = {"title": "Sức khỏe", "questions": {"smokes": {"label": "Bạn có hút thuốc không?"}}}
CONTENT = definition(yes_no(), receipts=True, batch=5, translations={"vi": VIETNAMESE})


def settled(running: Running) -> None:
    """Wait until the pages that are made in advance are complete."""
    end = time.monotonic() + 60
    while running.front.pages.filling or running.front.pages.making:
        assert time.monotonic() < end
        time.sleep(0.01)
