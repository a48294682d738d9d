"""Group commit: one commit for many, answers after it, limits, and groups that stay independent."""

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from survey.core.errors import StoreUnavailable
from survey.server import group_commit as module
from survey.server.group_commit import MAX_GROUP_ITEMS, GroupCommitQueue, gathering

pytestmark = pytest.mark.fast


class Desk:
    """Items are numbers, and their answers are negative. The desk records how they were handled."""

    def __init__(self) -> None:
        self.gathered = GroupCommitQueue(self.work)
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.groups: list[list[int]] = []
        self.told: dict[int, int | Exception] = {}
        self.early = False
        self.free = threading.Event()
        self.free.set()

    def work(self, group: Sequence[int]) -> list[int]:
        assert self.free.wait(20)
        self.groups.append(list(group))
        self.early |= any(item in self.told for item in group)
        if 13 in group:
            raise ValueError("thirteen")
        if 99 in group:
            raise StoreUnavailable("gone")
        return [-item for item in group]

    def add(self, item: int) -> bool:
        """Queue it in the loop, like the front. Returns whether there is room."""

        async def queue() -> bool:
            future = self.gathered.add(item)
            if future is not None:
                future.add_done_callback(lambda done: self.told.update({item: done.result()}))
            return future is not None

        return asyncio.run_coroutine_threadsafe(queue(), self.loop).result(20)

    def leave(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def wait(self, n: int) -> None:
        end = time.monotonic() + 20
        while len(self.told) < n:
            assert time.monotonic() < end
            time.sleep(0.001)


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.leave()


def test_all_that_wait_are_done_together_and_told_after(desk: Desk) -> None:
    numbers = [n for n in range(250) if n not in (13, 99)]
    desk.free.clear()
    with gathering(desk.gathered):
        assert all(desk.add(n) for n in numbers)
        time.sleep(0.05)
        assert not desk.told  # Nobody gets an answer before the work is done.
        desk.free.set()
        desk.wait(len(numbers))
    assert desk.told == {n: -n for n in numbers}
    assert not desk.early
    assert [n for group in desk.groups for n in group] == numbers
    assert max(map(len, desk.groups)) <= MAX_GROUP_ITEMS
    assert len(desk.groups) <= 4


def test_one_alone_does_not_wait_for_others(desk: Desk) -> None:
    with gathering(desk.gathered):
        for number in range(5):
            assert desk.add(number)
            desk.wait(number + 1)
    assert desk.groups == [[0], [1], [2], [3], [4]]


def test_whoever_spoils_a_group_spoils_it_for_nobody_else(desk: Desk) -> None:
    for number in (11, 12, 13, 14):
        desk.add(number)
    with gathering(desk.gathered):
        desk.wait(4)
    assert isinstance(desk.told.pop(13), ValueError)
    assert desk.told == {11: -11, 12: -12, 14: -14}


def test_where_the_database_is_gone_all_that_wait_are_told_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_GROUP_ITEMS", 3)
    for number in (98, 99, 100, 101, 102):
        desk.add(number)
    with gathering(desk.gathered):
        desk.wait(5)
    assert desk.groups == [[98, 99, 100]]
    assert all(isinstance(told, StoreUnavailable) for told in desk.told.values())


def test_the_queue_has_an_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING_ITEMS", 10)
    assert [desk.add(n) for n in range(12)] == [True] * 10 + [False] * 2
    with gathering(desk.gathered):
        desk.wait(10)
        assert desk.add(12)
        desk.wait(11)


def test_what_is_left_at_the_end_is_done_and_nothing_is_taken_after(desk: Desk) -> None:
    numbers = list(range(150, 400))
    with gathering(desk.gathered):
        for number in numbers:
            desk.add(number)
    desk.wait(len(numbers))
    assert desk.told == {n: -n for n in numbers}
    assert not desk.add(1)
