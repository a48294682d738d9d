"""Researchers' sign-in: sessions, time-outs, throttled guessing.

The argument: the cookie holds a random 256-bit token, signed, out of reach of scripts; the
database holds only its SHA-256, so neither a stolen database nor a stolen key is a session. A
new token is made at each sign-in (no fixation), and ended by sign-out, by two idle hours or by
twelve hours in all. Guessing is counted, in memory only, by name and by a keyed hash of the
address whose key is forgotten with the process; a failed guess takes as long whether or not the
name exists. There is no default account: the first is made through a link printed once.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from flask import Flask, g, redirect, request, session, url_for
from flask_limiter import Limiter
from werkzeug import Response as Redirect
from werkzeug.security import check_password_hash, generate_password_hash

from .current import store
from .errors import NotAllowed
from .store import ROLES, Account, Session

IDLE_SECONDS = 2 * 60 * 60
LONGEST_SECONDS = 12 * 60 * 60
MIN_PASSWORD, MAX_PASSWORD = 12, 1000  # characters
HASH = "scrypt"  # werkzeug's parameters: N = 2^15, r = 8, p = 1
TRIES_BY_ADDRESS = "15 per 10 minutes"
TRIES_BY_NAME = "20 per 10 minutes"

P = ParamSpec("P")
R = TypeVar("R")

address_key = secrets.token_bytes(32)  # in memory only: hashes mean nothing after a restart


def hashed_address() -> str:
    return hmac.new(address_key, (request.remote_addr or "").encode(), "sha256").hexdigest()


def guessed_name() -> str:
    return "name:" + request.form.get("name", "").strip().lower()[:64]


limiter = Limiter(hashed_address, storage_uri="memory://", headers_enabled=False)


def throttled(limit: str, **how: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Every try counts, before its password is looked at, or many at once would slip through."""
    sentence = "Too many tries to sign in. Wait ten minutes, then try again."
    decorate = limiter.limit(limit, methods=["POST"], error_message=sentence, **how)
    return cast(Callable[[Callable[P, R]], Callable[P, R]], decorate)


by_address = throttled(TRIES_BY_ADDRESS)
by_name = throttled(TRIES_BY_NAME, key_func=guessed_name)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def hash_password(password: str) -> str:
    return generate_password_hash(password, method=HASH)


# what a guess at an unknown name is compared with, so that it costs the same time
nobody = hash_password(secrets.token_hex(16))


def password_fits(name: str, password: str) -> bool:
    known = store().account(name)
    fits = check_password_hash(known.password_hash if known else nobody, password)
    return fits and known is not None


def sign_in(name: str) -> None:
    """Begin a session under a new token; an old one of this browser ends."""
    sign_out()
    now = int(time.time())
    store().delete_sessions_before(now - LONGEST_SECONDS, now - IDLE_SECONDS)
    token = secrets.token_urlsafe(32)
    store().add_session(token_hash(token), Session(name, created=now, seen=now))
    session["token"] = token


def sign_out() -> None:
    token = session.get("token")
    if token is not None:
        store().delete_session(token_hash(token))
    session.clear()


def current_account(*, counts_as_use: bool = True) -> Account | None:
    """Whose session this request carries, if it is still good; the idle clock starts anew, unless
    the request is one that a page makes by itself."""
    token = session.get("token")
    if not isinstance(token, str):
        return None
    found = store().session(token_hash(token))
    now = int(time.time())
    if found is None or now - found.created > LONGEST_SECONDS or now - found.seen > IDLE_SECONDS:
        sign_out()
        return None
    if counts_as_use and now - found.seen > 60:
        store().touch_session(token_hash(token), now)
    return store().account(found.account)


def requires(
    role: str, *, counts_as_use: bool = True
) -> Callable[[Callable[P, R]], Callable[P, R | Redirect]]:
    """Send whoever is not signed in to the sign-in page, and refuse who has a lesser role."""

    def decorate(view: Callable[P, R]) -> Callable[P, R | Redirect]:
        @wraps(view)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R | Redirect:
            g.account = current_account(counts_as_use=counts_as_use)
            if g.account is None:
                return redirect(url_for("admin.sign_in"))
            if ROLES.index(g.account.role) < ROLES.index(role):
                article = "an" if role[0] in "aeiou" else "a"
                raise NotAllowed(
                    f"This needs the role of {article} {role}; yours is {g.account.role}. "
                    "An owner can change that."
                )
            return view(*args, **kwargs)

        guarded.role = role  # type: ignore[attr-defined] # for the test that walks all routes
        return guarded

    return decorate


def init_app(app: Flask, *, https: bool) -> None:
    app.config.update(
        SESSION_COOKIE_NAME="__Secure-candor" if https else "candor",
        SESSION_COOKIE_SECURE=https,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_COOKIE_PATH="/admin",  # never sent along to a respondent's page
    )
    limiter.init_app(app)
