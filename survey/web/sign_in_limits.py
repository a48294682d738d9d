"""How often somebody may guess at a password or a code.

The argument: each guess counts before it is looked at, or many at once would slip through. It
counts by name, so that many addresses do not help, and by a keyed hash of the address whose key is
forgotten with the process; of an IPv6 address the first 64 bits count, or one connection to a
provider would have 2^64 addresses to guess from. Counts are in memory only, and tell nobody later
who tried.
"""

import hmac
import secrets
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from flask import request
from flask_limiter import Limiter

from survey.server.http.flood_limit import network
from survey.web.auth import session_of_request

TRIES_BY_ADDRESS = "15 per 10 minutes"
TRIES_BY_NAME = "20 per 10 minutes"
TRIES_AT_CODES = "10 per hour"  # three of a million codes fit at a time

P = ParamSpec("P")
R = TypeVar("R")

address_key = secrets.token_bytes(32)  # in memory only: hashes mean nothing after a restart


def hashed_address() -> str:
    return hmac.new(address_key, network(request.remote_addr or ""), "sha256").hexdigest()


def guessed_name() -> str:
    return "name:" + request.form.get("name", "").strip().lower()[:64]


def session_throttle_key() -> str:
    """Of whom this session is, signed in or waiting; strangers are counted by their address."""
    own_session = session_of_request()
    return hashed_address() if own_session is None else f"name:{own_session.account.lower()}"


limiter = Limiter(hashed_address, storage_uri="steady://", headers_enabled=False)


def throttled(limit: str, **how: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Every try counts, before its password is looked at, or many at once would slip through."""
    sentence = "Too many attempts. Wait ten minutes, then try again."
    how = {"methods": ["POST"], "error_message": sentence} | how
    decorate = (limiter.shared_limit if "scope" in how else limiter.limit)(limit, **how)
    return cast(Callable[[Callable[P, R]], Callable[P, R]], decorate)


by_address = throttled(TRIES_BY_ADDRESS)
by_name = throttled(TRIES_BY_NAME, key_func=guessed_name)
by_own_name = throttled(TRIES_BY_NAME, key_func=session_throttle_key, scope="own password")
at_codes = throttled(
    TRIES_AT_CODES,
    key_func=session_throttle_key,
    scope="codes",
    error_message="Too many attempts. Wait an hour, then try again.",
)
