"""Rate limits for guesses at a password or a code.

The argument: each guess is counted before it is checked, or many parallel guesses would pass. It is
counted by name, so that many IP addresses do not help. It is also counted by a keyed hash of the IP
address, whose key ends with the process. For IPv6 the first 64 bits count, because one connection
has 2^64 addresses. The counts are in memory only, so nobody can later see who tried.
"""

import hmac
import secrets
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from flask import request
from flask_limiter import Limiter

from survey.core.translate import translate
from survey.server.http.flood_limit import network
from survey.web.auth import session_of_request

TRIES_BY_ADDRESS = "15 per 10 minutes"
TRIES_BY_NAME = "20 per 10 minutes"
# Three of a million codes are valid at a time.
TRIES_AT_CODES = "10 per hour"

P = ParamSpec("P")
R = TypeVar("R")

# The key is in memory only, so hashes are meaningless after a restart.
address_key = secrets.token_bytes(32)


def hashed_address() -> str:
    return hmac.new(address_key, network(request.remote_addr or ""), "sha256").hexdigest()


def guessed_name() -> str:
    return "name:" + request.form.get("name", "").strip().lower()[:64]


def session_throttle_key() -> str:
    """The account of this session, signed in or waiting, or the hashed IP address without one."""
    own_session = session_of_request()
    return hashed_address() if own_session is None else f"name:{own_session.account.lower()}"


limiter = Limiter(hashed_address, storage_uri="steady://", headers_enabled=False)


def throttled(limit: str, **how: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that counts every attempt before its password is checked."""
    options: dict[str, Any] = {
        "methods": ["POST"],
        "error_message": lambda: translate("Too many attempts. Wait ten minutes, then try again."),
    } | how
    decorate = (limiter.shared_limit if "scope" in how else limiter.limit)(limit, **options)
    return cast(Callable[[Callable[P, R]], Callable[P, R]], decorate)


by_address = throttled(TRIES_BY_ADDRESS)
by_name = throttled(TRIES_BY_NAME, key_func=guessed_name)
by_own_name = throttled(TRIES_BY_NAME, key_func=session_throttle_key, scope="own password")
at_codes = throttled(
    TRIES_AT_CODES,
    key_func=session_throttle_key,
    scope="codes",
    error_message=lambda: translate("Too many attempts. Wait an hour, then try again."),
)
