"""The time, on a machine whose clock somebody may set while the server runs.

A wrong clock is corrected with a jump: by an hour if the time zone was wrong, or by years if the
machine starts without a battery. The monotonic clock never jumps, so it shows when the wall clock
does. Three rules follow:

* Expiry never gets later. `of_ages` is at least the monotonic time since the start, so setting the
  clock back cannot prolong a session or a link. Setting it ahead may end them early. The cost is
  another sign-in.
* An action on a date, such as closing a survey, cannot be undone if the clock was wrong. So
  `of_days` accepts a jump ahead only after it has lasted `DOUBT_SECONDS`. It accepts a jump back at
  once. A machine that was asleep seems to jump ahead as well, and waits.
* Rate limits over minutes (survey/server/http/rate_limiter.py) read only the monotonic clock.

Codes of second factors need the wall clock by definition. No code is accepted twice, because the
step of the last code only grows (survey/web/second_factor.py).
"""

import threading
import time
from datetime import UTC, date, datetime, timedelta

DOUBT_SECONDS = 600.0
# A smaller difference is accepted at once: a small correction, or another machine's clock.
SLACK_SECONDS = 60.0


def steady() -> float:
    """Seconds of the monotonic clock. They never go back, and their zero has no meaning."""
    return time.monotonic()


class Clock:
    """The wall clock and the monotonic clock, read together. Times are in seconds since 1970."""

    def __init__(self) -> None:
        self.start = self.believed = time.time() - steady()
        # The monotonic time at which the clock was first seen ahead of the believed time.
        self.doubted: float | None = None
        self.lock = threading.Lock()

    def of_ages(self) -> int:
        """The time to compare with an expiry date. It never runs behind the monotonic clock."""
        return int(max(time.time(), self.start + steady()))

    def of_days(self) -> int:
        """The time for actions at a chosen date. It follows a jump ahead only after a delay."""
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
    """Whether something that began at `begun` is at most `longest` seconds old.

    A start in the future is not accepted, apart from `SLACK_SECONDS`.
    """
    return begun - SLACK_SECONDS <= now <= begun + longest


def now() -> int:
    """Seconds since 1970, from a clock that does not follow a jump ahead at once."""
    return clock.of_days()


def today() -> date:
    """The current date in UTC."""
    return datetime.fromtimestamp(now(), UTC).date()


def in_ten_years() -> date:
    return today() + timedelta(days=3_652)


def end_of(day: date) -> int:
    """The end of a day in UTC, in seconds since 1970."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) + 24 * 60 * 60


def last_day(closes: int) -> date:
    """The last day, in UTC, on which the survey accepts responses. The inverse of `end_of`."""
    return (datetime.fromtimestamp(closes, UTC) - timedelta(seconds=1)).date()
