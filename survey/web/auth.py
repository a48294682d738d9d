"""Researchers' sign-in: sessions, second factors, time-outs.

The argument: the cookie contains a random 256-bit token. It is signed, and scripts cannot read it.
The database contains only its SHA-256, so neither a stolen database nor a stolen key gives a
session. Each sign-in makes a new token, which prevents session fixation. A session ends with
sign-out, after two idle hours, after twelve hours in total, and with every change of how the
account signs in.

With a second factor, the right password gives a session that only waits for the code, for five
minutes. So before that, nothing shows whether an account has a second factor. Guessing is limited
(sign_in_limits.py), and a failed guess takes the same time for existing and unknown names. Every
change of an account asks for the user's password again, so an open session is not enough to take
over an account. There is no default account: the first one is made with a link that is printed
once.
"""

import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeVar, cast

from flask import Flask, Request, current_app, flash, g, redirect, session, url_for
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import BadSignature
from werkzeug import Response as Redirect
from werkzeug.security import check_password_hash, generate_password_hash

from survey.core.errors import StoreUnavailable
from survey.core.translate import translate
from survey.definition.responses.invitation_codes import token_hash
from survey.server.clock import clock, is_good
from survey.store import Account, Session
from survey.web import second_factor
from survey.web.access import require_role
from survey.web.extensions import keys, store
from survey.web.i18n import use_language

IDLE_SECONDS = 2 * 60 * 60
MAX_SESSION_SECONDS = 12 * 60 * 60
WAITING_SECONDS = 5 * 60
# A link to choose a password works once, and for so long.
LINK_DAYS = 7
# Werkzeug's parameters are N = 2^15, r = 8, p = 1.
HASH = "scrypt"

P = ParamSpec("P")
R = TypeVar("R")


def hash_password(password: str) -> str:
    return generate_password_hash(password, method=HASH)


# A guess at an unknown name is compared with this, so that it takes the same time. It looks like a
# password hash, but is the hash of nothing. A real hash would add 0.1 s to each start.
nobody = f"{HASH}:32768:8:1${secrets.token_hex(8)}${secrets.token_hex(64)}"


def password_fits(name: str, password: str) -> bool:
    account = store().accounts.by_name(name)
    against = account.password_hash if account and account.password_hash else nobody
    return check_password_hash(against, password) and against != nobody


@dataclass(frozen=True)
class PasswordLink:
    """A link to choose a password, for the person, and the stored data. `expires` is in seconds
    since 1970. The token is in the query of the URL, which is not logged, and not sent as a
    referrer."""

    address: str
    token_hash: str
    expires: int


def new_link() -> PasswordLink:
    token = secrets.token_urlsafe(32)
    address = f"{current_app.config['CANDOR_ADMIN_URL']}/admin/join?token={token}"
    expires = clock.of_days() + LINK_DAYS * 24 * 60 * 60
    return PasswordLink(address, token_hash(token).hex(), expires)


def account_totp_key(name: str) -> str | None:
    """The key of an account's codes, or None if it has no second factor."""
    factor = store().factors.second_factor(name)
    if factor is None:
        return None
    return second_factor.derive_totp_key(keys().base, factor.salt)


def lacks_second_factor(name: str) -> bool:
    if not current_app.config["CANDOR_SECOND_FACTOR"]:
        return False
    factor = store().factors.second_factor(name)
    return factor is None or not factor.on


def code_fits(name: str, typed: str) -> bool:
    """Whether this is a current code or a recovery code of the account. A code works only once."""
    factor, key = store().factors.second_factor(name), account_totp_key(name)
    if factor is None or key is None or not factor.on:
        return False
    step = second_factor.step_of(key, typed, time.time())
    if step is not None:
        return store().factors.use_step(name, step)
    recovery = second_factor.recovery_hash(typed)
    return recovery is not None and store().factors.use_recovery_code(name, recovery)


def begin_session(name: str, waiting: bool = False) -> None:
    """Begin a session with a new token, and end an old session of this browser. A waiting session
    does not sign anyone in."""
    end_session()
    now = clock.of_ages()
    store().accounts.delete_sessions_before(now - MAX_SESSION_SECONDS, now - IDLE_SECONDS)
    token = secrets.token_urlsafe(32)
    store().accounts.add_session(
        token_hash(token).hex(), Session(name, created=now, seen=now, waiting=waiting)
    )
    session["token"] = token
    g.account = None if waiting else store().accounts.by_name(name)


def end_session() -> None:
    token = session.get("token")
    if isinstance(token, str):
        store().accounts.delete_session(token_hash(token).hex())
    session.clear()


def sign_in_alone(name: str) -> None:
    """End all other sessions of an account. This one gets a new token."""
    store().accounts.delete_sessions_of(name)
    begin_session(name)


def session_of_request() -> Session | None:
    token = session.get("token")
    return store().accounts.session(token_hash(token).hex()) if isinstance(token, str) else None


def waiting_for_code() -> str | None:
    """The account of a session with the right password that waits for the second factor."""
    waiting_session, now = session_of_request(), clock.of_ages()
    if (
        waiting_session is None
        or not waiting_session.waiting
        or not is_good(waiting_session.created, now, WAITING_SECONDS)
    ):
        return None
    return waiting_session.account


def current_account(*, counts_as_use: bool = True) -> Account | None:
    """The account of this request's session, if it is valid. The idle time restarts, unless a page
    made the request automatically."""
    token = session.get("token")
    if not isinstance(token, str):
        return None
    stored_session = store().accounts.session(token_hash(token).hex())
    now = clock.of_ages()
    if stored_session is not None and stored_session.waiting:
        return None
    if (
        stored_session is None
        or not is_good(stored_session.created, now, MAX_SESSION_SECONDS)
        or not is_good(stored_session.seen, now, IDLE_SECONDS)
    ):
        end_session()
        return None
    if counts_as_use and now - stored_session.seen > 60:
        # Researchers can still read if the disk is full.
        with suppress(StoreUnavailable):
            store().accounts.touch_session(token_hash(token).hex(), now)
    return store().accounts.by_name(stored_session.account)


def guard_view(
    view: Callable[P, R],
    role: str,
    *,
    before_second_factor: bool = False,
    counts_as_use: bool = True,
    checks_role_itself: bool = False,
) -> Callable[P, R | Redirect]:
    """Redirect visitors without a session to the sign-in page, and refuse accounts whose role on
    the survey `slug` is lower (see access.py). If the settings require a second factor, an account
    without one can open only the views marked `before_second_factor`."""

    @wraps(view)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R | Redirect:
        g.account = current_account(counts_as_use=counts_as_use)
        if g.account is None:
            return redirect(url_for("admin.sign_in"))
        use_language(g.account.language)
        if not checks_role_itself:
            require_role(g.account, role, cast(str | None, kwargs.get("slug")))
        if not before_second_factor and lacks_second_factor(g.account.name):
            flash(translate("This server requires a second factor. Set it up, then continue."))
            return redirect(url_for("admin.account"))
        return view(*args, **kwargs)

    # `may` and the tests of all routes read these.
    guarded.role = role  # type: ignore[attr-defined]
    guarded.checks_role_itself = checks_role_itself  # type: ignore[attr-defined]
    return guarded


class SessionCookieInterface(SecureCookieSessionInterface):
    """Flask's session interface, without a check of the signing time. The database has the age of a
    session. With the check, a cookie from a server whose clock is one second fast would fail on the
    other servers."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        serializer = self.get_signing_serializer(app)
        value = request.cookies.get(self.get_cookie_name(app))
        if serializer is None or not value:
            return self.session_class()
        try:
            return self.session_class(serializer.loads(value))
        except BadSignature:
            return self.session_class()


def init_app(app: Flask, *, https: bool, apart: bool) -> None:
    """Configure the session cookie. `apart`: the researcher's pages have their own host."""
    app.session_interface = SessionCookieInterface()
    name = "candor"
    # Browsers enforce the rules that these prefixes stand for.
    if https:
        name = ("__Host-" if apart else "__Secure-") + name
    app.config.update(
        SESSION_COOKIE_NAME=name,
        SESSION_COOKIE_SECURE=https,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        # The cookie is never sent to a respondent's page.
        SESSION_COOKIE_PATH="/" if apart else "/admin",
    )
