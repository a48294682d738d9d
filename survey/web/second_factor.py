"""Codes from an app as a second factor (TOTP, RFC 6238), and recovery codes.

The argument. Someone who has learned a password does not have the key on the person's phone. A
stolen database must not contain this key either, so Candor does not store it. It derives the key
each time from the server's secret key and 16 random bytes in the database, which are not secret.
RFC 4226, section 7.5, recommends this ("deterministic generation") for the same reason, and RFC
6238 allows it (R6). The derivation is HMAC-SHA-256, a pseudo-random function, with its own label.
Encrypted random keys would not protect more: in both cases the database and the secret key together
give the second factor. If the secret key is replaced, the first one is still used for the
derivation (survey/server/secret_key.py).

A code works once: its time step must be later than all used ones. One database statement checks
and records this, so that two requests cannot both pass. One step before and after is also accepted,
because clocks differ. So three of a million codes are valid at a time, and `auth` allows ten
attempts per hour.

Each recovery code has 128 random bits. It is stored as SHA-256, which is enough for a secret that
cannot be guessed (ASVS 5.0, 6.5.2), and deleted when used. Recovery codes do not depend on the
secret key.
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
    """The key that the app and the server share, in base32: 32 letters and digits."""
    derived = hmac.digest(secret_key.encode(), LABEL + salt, "sha256")
    return b32encode(derived[:KEY_BYTES]).decode("ascii")


def step_of(key: str, typed: str, now: float) -> int | None:
    """The time step of this code: the current one, the one before or after; else None."""
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
    """The content of the QR code for the app: `otpauth://totp/...`."""
    totp = pyotp.TOTP(key, interval=STEP_SECONDS)
    return totp.provisioning_uri(name=name, issuer_name=f"Candor {host}")


def new_recovery_codes() -> list[str]:
    return [code_from(secrets.token_bytes(RANDOM_BYTES)) for _ in range(RECOVERY_CODES)]


def recovery_hash(typed: str) -> bytes | None:
    """The stored hash of a recovery code, or None if the text is not one."""
    try:
        return token_hash(canonical_code(typed))
    except MalformedResponse:
        return None
