"""API tokens, with which a program reads on behalf of a researcher.

The argument: a token is 256 random bits after a fixed prefix. It is shown once, and stored as its
SHA-256, so a stolen database contains no token. It allows reading only, for every role. It is sent
in a header, never in a URL, which logs and browser histories keep. It ends on its last day, when it
is revoked, and when the password or the account changes (the store ensures this). Nobody can guess
a token. Wrong tokens are still counted, by a keyed hash of the IP address as at sign-in. They are
counted after the check, so wrong tokens of others never block a valid one.
"""

import re
import secrets
from datetime import timedelta

from survey.core.errors import StateError
from survey.definition.responses.invitation_codes import token_hash
from survey.server.clock import today
from survey.server.http.rate_limiter import RateLimit
from survey.store.sql.tokens import ApiToken
from survey.web.extensions import store
from survey.web.sign_in_limits import seconds_to_wait, sender_address

# The prefix lets people, and scanners for leaked secrets, recognise a token.
CANDOR_PREFIX = "candor_"
DEFAULT_TOKEN_DAYS = 90
MAX_TOKEN_DAYS = 365
MAX_LABEL_CHARACTERS = 40
WRONG_TOKENS = RateLimit("wrong tokens", 15, 10 * 60)


def make_token(account: str, label: str, days: int) -> str:
    """Make a token for this account. Nobody can look it up later. Raises StateError."""
    label = " ".join(label.split())
    if not re.fullmatch(f"[^\\x00-\\x1f\\x7f]{{1,{MAX_LABEL_CHARACTERS}}}", label):
        raise StateError(
            "Use 1 to %(n)s characters for the name of a token.", n=MAX_LABEL_CHARACTERS
        )
    if not 1 <= days <= MAX_TOKEN_DAYS:
        raise StateError("A token is valid for 1 to %(most)s days.", most=MAX_TOKEN_DAYS)
    token = CANDOR_PREFIX + secrets.token_urlsafe(32)
    created = today()
    new = ApiToken(account=account, label=label, made=created, expires=created + timedelta(days))
    store().tokens.add_token(token_hash(token), new)
    return token


def valid_api_token(header: str) -> ApiToken | None:
    """The token of an Authorization header, if it is valid. Records that it was used today."""
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


def count_wrong_token() -> int:
    """Count one more wrong token from this IP address. Returns how many seconds the program must
    wait, or 0 if there are not too many."""
    return seconds_to_wait(WRONG_TOKENS, sender_address())
