"""Codes from an app as a second factor (TOTP, RFC 6238), and recovery codes.

The argument. Whoever has learnt a password still lacks what is on the person's phone. A stolen
database must not hold that as well, so no key is stored: it is derived, each time it is needed,
from the server's secret key and 16 random bytes that stand in the database, which are no secret.
RFC 4226, section 7.5, names this way ("deterministic generation") for that reason, and RFC 6238
allows it (R6). HMAC-SHA-256 under a label of its own is the derivation: a pseudo-random function
used as such. Encrypting random keys would protect no more: in both cases database and secret key
together are the second factor. When the secret key is replaced, what it was at first stays what is
derived from (survey/server/secret_key.py).

A code is good once: its time step has to be later than all used before, which one statement of
the database checks and records, so that two at once cannot both pass. One step before and after
is let through, for clocks that differ: three codes of a million at a time, and `auth` lets ten
tries an hour through.

Recovery codes are 128 random bits each, stored as SHA-256, which is enough for what cannot be
guessed (ASVS 5.0, 6.5.2), and deleted when used. They do not depend on the secret key.
"""

import hmac
import re
import secrets
from base64 import b32encode

import pyotp

from survey.core.errors import MalformedResponse
from survey.definition.responses.invitation_codes import (
    RANDOM_BYTES,
    canonical_code,
    code_from,
    token_hash,
)

LABEL = b"candor second factor\0"
KEY_BYTES = 20  # 160 bits, as RFC 4226 recommends
SALT_BYTES = 16
STEP_SECONDS = 30
RECOVERY_CODES = 10
CODE = re.compile("[0-9]{6}")


def new_salt() -> bytes:
    return secrets.token_bytes(SALT_BYTES)


def derive_totp_key(secret_key: str, salt: bytes) -> str:
    """The key that app and server share, in base32: 32 letters and digits."""
    derived = hmac.digest(secret_key.encode(), LABEL + salt, "sha256")
    return b32encode(derived[:KEY_BYTES]).decode("ascii")


def step_of(key: str, typed: str, now: float) -> int | None:
    """The time step whose code this is: that of `now`, the one before or after; else None."""
    code = re.sub(r"\s", "", typed)
    if not CODE.fullmatch(code):
        return None
    current = int(now) // STEP_SECONDS
    totp = pyotp.TOTP(key, interval=STEP_SECONDS)
    fitting = [
        step
        for step in (current - 1, current, current + 1)
        if hmac.compare_digest(totp.at(step * STEP_SECONDS), code)
    ]
    return max(fitting, default=None)


def app_address(key: str, name: str, host: str) -> str:
    """What the QR code tells an app: `otpauth://totp/...`."""
    totp = pyotp.TOTP(key, interval=STEP_SECONDS)
    return totp.provisioning_uri(name=name, issuer_name=f"Candor {host}")


def new_recovery_codes() -> list[str]:
    return [code_from(secrets.token_bytes(RANDOM_BYTES)) for _ in range(RECOVERY_CODES)]


def recovery_hash(typed: str) -> bytes | None:
    """What is stored of a recovery code; None if it does not look like one."""
    try:
        return token_hash(canonical_code(typed))
    except MalformedResponse:
        return None
