"""Group commit: what many ask for at once is done together, and each is answered after that.

A response is acknowledged once it is on the disk, and each commit waits for the disk. One thread
therefore takes all that has come, at most `MAX_GROUP_ITEMS` at once, has it done in one
transaction, and only then hands over what each is to be told. After the first it waits a moment for
more; what comes during a commit is the next group anyway. The queue is bounded: where it is full,
whoever comes is told to come again, and nothing grows.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from survey.core.errors import StoreUnavailable

MAX_GROUP_ITEMS = 100  # done together
WINDOW_SECONDS = 0.0005  # that the first waits for others; more only slowed them all down
MAX_WAITING_ITEMS = 1_000  # waiting; at 500 a second, what comes last waits for two seconds

Item = TypeVar("Item")
ItemOutcome = TypeVar("ItemOutcome")


class GroupCommitQueue(Generic[Item, ItemOutcome]):
    """A queue, and what is done with it in a thread of its own (`gathering` below).

    `work` is given a group and returns what to tell each of it, in order.
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
        """Queue it, in the server's loop, which can wait for what it is told; None where there is
        no room."""
        if self.full or self.ending:
            return None
        future = asyncio.get_running_loop().create_future()
        self.waiting.append((item, future))
        if not self.news.is_set():
            self.news.set()
        return future

    def run(self) -> None:
        """Do what waits, again and again, until the end; then what is left."""
        while True:
            self.news.wait()
            if len(self.waiting) < MAX_GROUP_ITEMS and not self.ending:
                time.sleep(WINDOW_SECONDS)
            self.news.clear()
            group = self.taken(MAX_GROUP_ITEMS)
            if self.waiting:
                self.news.set()
            if group:
                self.do(group)
            elif self.ending:
                return
            if self.ending:
                self.news.set()

    def taken(self, most: int) -> list[tuple[Item, "asyncio.Future[ItemOutcome | Exception]"]]:
        return [self.waiting.popleft() for _ in range(min(most, len(self.waiting)))]

    def do(self, group: list[tuple[Item, "asyncio.Future[ItemOutcome | Exception]"]]) -> None:
        outcomes: Sequence[ItemOutcome | Exception]
        try:
            outcomes = self.work([item for item, _ in group])
        except StoreUnavailable as error:
            # nobody waits for the database as often as there are groups before theirs
            group += self.taken(MAX_WAITING_ITEMS)
            outcomes = [error] * len(group)
        except Exception as error:
            if len(group) > 1:  # whoever spoiled it spoils it for nobody else
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
    """A thread does what is queued, for as long as the block lasts, and at its end what is left."""
    thread = threading.Thread(target=gathered.run, name="gathering", daemon=True)
    thread.start()
    try:
        yield
    finally:
        gathered.end()
        thread.join()


def resolve_futures(futures: Sequence["asyncio.Future[Any]"], outcomes: Sequence[Any]) -> None:
    """Give those who wait in the server's loop what they wait for. Called in that loop."""
    for future, outcome in zip(futures, outcomes, strict=True):
        if not future.done():  # else the server is being stopped
            future.set_result(outcome)
