"""Rate limits for guesses at a password or a code.

The argument: each guess is counted before it is checked, or many parallel guesses would pass. It is
counted by name, so that many IP addresses do not help. It is also counted by IP address. A guess
that the limit of the address refuses is not counted by name, so one address alone cannot block a
name. For IPv6 the first 64 bits count, because one connection has 2^64 addresses. The counts are in
memory only, under keyed hashes of the names and addresses, whose key ends with the process. So
nobody can later see who tried.
"""

import math
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from flask import request
from werkzeug.exceptions import TooManyRequests

from survey.core.translate import later, translate_constant
from survey.server import clock
from survey.server.http.rate_limiter import RateLimit, RateLimiter, network
from survey.web.auth import session_of_request

TEN_MINUTES = 10 * 60
HOUR = 60 * 60
TRIES_BY_ADDRESS = RateLimit("address", 15, TEN_MINUTES)
TRIES_BY_NAME = RateLimit("name", 20, TEN_MINUTES)
TRIES_AT_OWN_PASSWORD = RateLimit("own password", 20, TEN_MINUTES)
# Three of a million codes are valid at a time.
TRIES_AT_CODES = RateLimit("codes", 10, HOUR)
WAIT_TEN_MINUTES = later("Too many attempts. Wait ten minutes, then try again.")
WAIT_AN_HOUR = later("Too many attempts. Wait an hour, then try again.")

P = ParamSpec("P")
R = TypeVar("R")

limiter = RateLimiter()


def sender_address() -> bytes:
    return network(request.remote_addr or "")


def address_on_page() -> bytes:
    """The IP address, with the page: the setup, the links and the sign-in count separately."""
    return f"{request.endpoint} ".encode() + sender_address()


def guessed_name() -> bytes:
    return request.form.get("name", "").strip().lower()[:64].encode()


def own_name() -> bytes:
    """The account of this session, signed in or waiting, or the IP address without one."""
    own_session = session_of_request()
    if own_session is None:
        return b"address " + sender_address()
    return f"name {own_session.account.lower()}".encode()


def seconds_to_wait(limit: RateLimit, sender: bytes) -> int:
    """Count an attempt. Returns 0 if it is within the limit, else how long its sender must wait."""
    return math.ceil(limiter.seconds_to_wait(limit, sender, clock.steady()))


def rate_limited(
    limit: RateLimit, sender: Callable[[], bytes], sentence: str = WAIT_TEN_MINUTES
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator of views that counts each submitted form before anything in it is checked.

    `sentence` is a constant for `translate_constant`.
    """

    def decorate(view: Callable[P, R]) -> Callable[P, R]:
        @wraps(view)
        def counted(*args: P.args, **kwargs: P.kwargs) -> R:
            seconds = seconds_to_wait(limit, sender()) if request.method == "POST" else 0
            if seconds:
                raise TooManyRequests(translate_constant(sentence), retry_after=seconds)
            return view(*args, **kwargs)

        return counted

    return decorate


by_address = rate_limited(TRIES_BY_ADDRESS, address_on_page)
by_name = rate_limited(TRIES_BY_NAME, guessed_name)
by_own_name = rate_limited(TRIES_AT_OWN_PASSWORD, own_name)
at_codes = rate_limited(TRIES_AT_CODES, own_name, WAIT_AN_HOUR)
