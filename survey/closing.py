"""Surveys close when their last day is over, to the second: each request looks first.

The store knows no clock; it is told here what time it is. Where nobody asks, the thread that seals
the database looks every few seconds (survey/sealing.py).
"""

from datetime import UTC, date, datetime, timedelta

from flask import Flask, request

from .clock import clock
from .current import store

# where it makes a difference
BLUEPRINTS = {"respond", "by_hand", "admin", "shared", "public", "api"}


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


def init_app(app: Flask) -> None:
    @app.before_request
    def close_what_is_due() -> None:
        if request.blueprint in BLUEPRINTS:
            store().close_due(now())
