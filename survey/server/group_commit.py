"""Group commit: many responses share one transaction, and each is acknowledged after the commit.

A response is acknowledged once it is on the disk, and each commit waits for the disk. One thread
therefore takes all waiting items, at most `MAX_GROUP_ITEMS`, and processes them in one transaction.
Only then does it deliver the outcomes. After the first item it waits briefly for more. Items that
arrive during a commit form the next group anyway. The queue is bounded: when it is full, new
clients are asked to try again later.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from survey.core.errors import StoreUnavailable

# Items in one transaction.
MAX_GROUP_ITEMS = 100
# The time that the first item waits for others. A longer wait only slowed down all of them.
WINDOW_SECONDS = 0.0005
# Items in the queue. At 500 a second, the last of them waits for two seconds.
MAX_WAITING_ITEMS = 1_000

Item = TypeVar("Item")
ItemOutcome = TypeVar("ItemOutcome")


class GroupCommitQueue(Generic[Item, ItemOutcome]):
    """A queue whose items one thread processes in groups (`gathering` below).

    `work` receives a group and returns the outcome of each item, in the same order.
    """

    def __init__(self, work: Callable[[Sequence[Item]], Sequence[ItemOutcome]]):
        self.work = work
        self.waiting: deque[tuple[Item, asyncio.Future[ItemOutcome | Exception]]] = deque()
        self.news = threading.Event()
        self.ending = False

    @property
    def full(self) -> bool:
        return len(self.waiting) >= MAX_WAITING_ITEMS

    def add(self, item: Item) -> "asyncio.Future[ItemOutcome | Exception] | None":
        """Queue an item, and return a future for its outcome; None if the queue is full.

        Call it in the event loop of the server.
        """
        if self.full or self.ending:
            return None
        future = asyncio.get_running_loop().create_future()
        self.waiting.append((item, future))
        if not self.news.is_set():
            self.news.set()
        return future

    def run(self) -> None:
        """Process the waiting items until the end of the queue, then those that are left."""
        while True:
            self.news.wait()
            if len(self.waiting) < MAX_GROUP_ITEMS and not self.ending:
                time.sleep(WINDOW_SECONDS)
            self.news.clear()
            group = self.take_batch(MAX_GROUP_ITEMS)
            if self.waiting:
                self.news.set()
            if group:
                self.do(group)
            elif self.ending:
                return
            if self.ending:
                self.news.set()

    def take_batch(self, most: int) -> list[tuple[Item, "asyncio.Future[ItemOutcome | Exception]"]]:
        return [self.waiting.popleft() for _ in range(min(most, len(self.waiting)))]

    def do(self, group: list[tuple[Item, "asyncio.Future[ItemOutcome | Exception]"]]) -> None:
        outcomes: Sequence[ItemOutcome | Exception]
        try:
            outcomes = self.work([item for item, _ in group])
        except StoreUnavailable as error:
            # Fail all waiting items too: otherwise each group would wait for the database in turn.
            group += self.take_batch(MAX_WAITING_ITEMS)
            outcomes = [error] * len(group)
        except Exception as error:
            if len(group) > 1:  # One bad item must not fail the others, so each runs alone.
                for alone in group:
                    self.do([alone])
                return
            outcomes = [error]
        futures = [future for _, future in group]
        futures[0].get_loop().call_soon_threadsafe(resolve_futures, futures, outcomes)

    def end(self) -> None:
        self.ending = True
        self.news.set()


@contextmanager
def gathering(gathered: GroupCommitQueue[Item, ItemOutcome]) -> Iterator[None]:
    """During the block a thread processes the queue, and at its end the items that are left."""
    thread = threading.Thread(target=gathered.run, name="gathering", daemon=True)
    thread.start()
    try:
        yield
    finally:
        gathered.end()
        thread.join()


def resolve_futures(futures: Sequence["asyncio.Future[Any]"], outcomes: Sequence[Any]) -> None:
    """Set the outcomes of these futures. Call it in the event loop of the server."""
    for future, outcome in zip(futures, outcomes, strict=True):
        if not future.done():  # It is done if the server is stopping.
            future.set_result(outcome)
