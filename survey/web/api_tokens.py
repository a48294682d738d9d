"""Tokens, by which a program reads in a researcher's name.

The argument: a token is 256 random bits behind a fixed word, shown once, and stored as its SHA-256,
so a stolen database holds no token. It only reads, whatever the role of its account. It goes in a
header, never in an address, which logs and histories keep. It ends on its last day, when it is
revoked, and with the password or the account whose it is (the store sees to that). Nobody can
guess one; wrong ones are counted all the same, by a keyed hash of the address as at sign-in, and
only after they were looked at: so a good token is never refused for the sake of others.
"""

import re
import secrets
from datetime import timedelta

from limits import parse

from survey.core.errors import StateError
from survey.definition.responses.invitation_codes import token_hash
from survey.server.clock import today
from survey.store.sql.tokens import ApiToken
from survey.web.extensions import store
from survey.web.sign_in_limits import hashed_address, limiter

CANDOR_PREFIX = "candor_"  # so that people, and those who search for leaked tokens, see what it is
DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS = 90, 365
MAX_LABEL_CHARACTERS = 40
WRONG_TOKEN_LIMIT = parse("15 per 10 minutes")


def make_token(account: str, label: str, days: int) -> str:
    """A new token of this account, which nobody can look up later. Raises StateError."""
    label = " ".join(label.split())
    if not re.fullmatch(f"[^\\x00-\\x1f\\x7f]{{1,{MAX_LABEL_CHARACTERS}}}", label):
        raise StateError(f"Use 1 to {MAX_LABEL_CHARACTERS} characters for the name of a token.")
    if not 1 <= days <= MAX_TOKEN_DAYS:
        raise StateError(f"A token is valid for 1 to {MAX_TOKEN_DAYS} days.")
    token = CANDOR_PREFIX + secrets.token_urlsafe(32)
    created = today()
    new = ApiToken(account, label, created, created + timedelta(days))
    store().tokens.add_token(token_hash(token), new)
    return token


def valid_api_token(header: str) -> ApiToken | None:
    """The token of an Authorization header, if it is still good; that it is used today is noted."""
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token:
        return None
    hashed, day = token_hash(token.strip(" ")), today()
    stored = store().tokens.by_hash(hashed)
    if stored is None or stored.expires < day:
        return None
    if stored.used != day:
        store().tokens.touch_token(hashed, day)
    return stored


def too_many_wrong_ones() -> bool:
    """Count one more from this address; whether these are too many by now."""
    return not limiter.limiter.hit(WRONG_TOKEN_LIMIT, "tokens", hashed_address())
