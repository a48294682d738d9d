"""Values that are remembered, so that a page computes again only what has changed."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """The values that were used last, by their keys. A key contains all that its value depends on.

    It may be used from several threads. Two that need the same new value both compute it.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.lock = threading.Lock()
        self.values: OrderedDict[Hashable, Value] = OrderedDict()

    def of(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed if it is new."""
        with self.lock:
            if key in self.values:
                self.values.move_to_end(key)
                return self.values[key]
        value = compute()
        with self.lock:
            self.values[key] = value
            while len(self.values) > self.most:
                self.values.popitem(last=False)
        return value
