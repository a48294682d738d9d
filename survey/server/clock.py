"""What time it is, where somebody may set the machine's clock while the server runs.

A clock that is wrong is put right with a jump: by an hour, where somebody had mistaken the zone, or
by years, where a machine starts without a battery. The other clock, which counts from anywhere and
never jumps, tells when that happens. What follows:

* What ends after so long, a session or a link, ends after so long: `of_ages` never says less than
  what has passed since the server started, so that a clock that is set back prolongs nothing. Set
  ahead, it may end things early, which costs signing in again.
* What happens on a day, such as the end of a survey, cannot be undone when the clock turns out to
  have been wrong. So `of_days` does not believe a jump ahead until it has lasted `DOUBT_SECONDS`;
  a jump back it believes at once. A machine that was asleep seems to jump as well, and waits.
* What is held back for minutes (survey/server/http/flood_limit.py, `MonotonicStorage` below) asks
the other clock alone.

Codes of second factors are the wall clock's by their nature; that none is good twice is kept by the
step of the last one, which only grows (survey/web/second_factor.py).
"""

import threading
import time
from datetime import UTC, date, datetime, timedelta

from limits.storage import Storage

DOUBT_SECONDS = 600.0
SLACK_SECONDS = 60.0  # by which a clock may be moved without a doubt, or differ from another's
PURGE_SECONDS = 60.0


def steady() -> float:
    """Seconds that never go back, of no meaning otherwise."""
    return time.monotonic()


class Clock:
    """Both clocks, read together. Moments are in seconds since 1970."""

    def __init__(self) -> None:
        self.start = self.believed = time.time() - steady()
        self.doubted: float | None = None  # since when the clock is ahead of what is believed
        self.lock = threading.Lock()

    def of_ages(self) -> int:
        """For what ends after so long."""
        return int(max(time.time(), self.start + steady()))

    def of_days(self) -> int:
        """For what happens at a moment that somebody chose."""
        with self.lock:
            now, passed = time.time(), steady()
            if now - passed <= self.believed + SLACK_SECONDS:
                self.believed, self.doubted = now - passed, None
            elif self.doubted is None:
                self.doubted = passed
            elif passed - self.doubted >= DOUBT_SECONDS:
                self.believed, self.doubted = now - passed, None
            return int(passed + self.believed)


clock = Clock()


def is_good(begun: int, now: int, longest: int) -> bool:
    """Whether what began then has not lasted longer; what has not begun yet is not good either."""
    return begun - SLACK_SECONDS <= now <= begun + longest


class MonotonicStorage(Storage):
    """Counts for Flask-Limiter, in memory. Its own forget by the machine's clock, and after a jump
    back would hold people up for as long as the jump was."""

    STORAGE_SCHEME = ["steady"]  # noqa: RUF012 # as the library wants it

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, **_: str):
        super().__init__(uri, wrap_exceptions=wrap_exceptions)
        self.lock = threading.Lock()
        self.counts: dict[str, tuple[float, int]] = {}  # until when, and how many
        self.next_purge = 0.0

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        now = steady()
        with self.lock:
            if now >= self.next_purge:
                self.counts = {k: v for k, v in self.counts.items() if v[0] > now}
                self.next_purge = now + PURGE_SECONDS
            until, count = self.counts.get(key, (0.0, 0))
            if until <= now:
                until, count = now + expiry, 0
            self.counts[key] = until, count + amount
            return count + amount

    def get(self, key: str) -> int:
        until, count = self.counts.get(key, (0.0, 0))
        return count if until > steady() else 0

    def get_expiry(self, key: str) -> float:
        until, _ = self.counts.get(key, (0.0, 0))
        return time.time() + max(0.0, until - steady())

    def check(self) -> bool:
        return True

    def reset(self) -> int | None:
        self.counts = {}
        return None

    def clear(self, key: str) -> None:
        self.counts.pop(key, None)


def now() -> int:
    """Seconds since 1970, by a clock that is not believed at once where it jumps ahead."""
    return clock.of_days()


def today() -> date:
    """The day it is in UTC."""
    return datetime.fromtimestamp(now(), UTC).date()


def in_ten_years() -> date:
    return today() + timedelta(days=3_652)


def end_of(day: date) -> int:
    """The moment at which a day ends in UTC, in seconds since 1970."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) + 24 * 60 * 60


def last_day(closes: int) -> date:
    """The inverse of `end_of`: the last day, in UTC, on which responses are taken."""
    return (datetime.fromtimestamp(closes, UTC) - timedelta(seconds=1)).date()
