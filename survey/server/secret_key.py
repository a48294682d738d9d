"""The secret key, and how it is replaced without anybody's second factor being set up anew.

The argument. Keys of second factors and secrets of webhooks are derived
(survey/web/second_factor.py, survey/server/webhooks/messages.py), so what they are derived from may
never change: call it the base. It is the first secret key that there was. The secret key itself may
be replaced, and the base then lies in the database, encrypted under the new one by AES-256-GCM,
which also tells whether the key is the right one. Its own key is scrypt of the secret key and 16
random bytes that are drawn anew each time, so that it encrypts one thing and the nonce may be
fixed; scrypt is there for keys that a person made up. So it stays true that a stolen database is no
second factor, and the old key can be forgotten. What is not mended: whoever has the old key and a
database of any time has the base. If both may be with somebody, reset the accounts and make the
webhooks anew.

Cookies that were signed with the key before are good as long as that is given, too. A form that was
open meanwhile has to be opened again.
"""

import hashlib
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from survey.core.errors import StateError
from survey.server import logs
from survey.store import Store

BASE_KEY_SALT_BYTES = 16  # bytes
SCRYPT_COST = {"n": 2**14, "r": 8, "p": 1}
NONCE = bytes(12)  # each key encrypts one thing
OTHER_KEY_ADVICE = (
    "Second factors and webhooks were set up under another secret key. Set "
    "CANDOR_SECRET_KEY_BEFORE to it and start again; if it is lost, run "
    "`database rotate-key --lost`."
)


def cipher(key: str, salt: bytes) -> "AESGCM":
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(hashlib.scrypt(key.encode(), salt=salt, dklen=32, **SCRYPT_COST))


def wrap_base_key(base: str, key: str) -> bytes:
    """The base as it is stored: salt, and what only this key opens."""
    salt = secrets.token_bytes(BASE_KEY_SALT_BYTES)
    return salt + cipher(key, salt).encrypt(NONCE, base.encode(), None)


def unwrap_base_key(stored: bytes, key: str) -> str | None:
    """The base; None where it is another key's."""
    from cryptography.exceptions import InvalidTag

    try:
        return (
            cipher(key, stored[:BASE_KEY_SALT_BYTES])
            .decrypt(NONCE, stored[BASE_KEY_SALT_BYTES:], None)
            .decode()
        )
    except InvalidTag:
        return None


class SecretKeys:
    """The secret key of this server, the one before it if that is known, and the base.

    Parameters
    ----------
    file : where the key is kept; None where the operator gives it
    """

    def __init__(self, store: Store, key: str, before: str = "", file: Path | None = None):
        self.store, self.key, self.before, self.file = store, key, before, file
        self.known: str | None = None

    @property
    def base(self) -> str:
        """What is derived from. It stays in memory, so that a server that goes on under the key
        before is not disturbed when another one replaces it."""
        if self.known is None:
            stored = self.store.factors.wrapped_key()
            self.known = self.found(stored) if stored else self.before or self.key
        return self.known or self.key  # under a key that is lost, all is set up anew

    def found(self, stored: bytes) -> str:
        """What one of the keys opens; "" if none does."""
        for key in filter(None, (self.key, self.before)):
            base = unwrap_base_key(stored, key)
            if base is not None:
                return base
        return ""

    def settle(self) -> bool:
        """Have the base stored under the key of now. False if it is under one that is not known."""
        while True:
            stored = self.store.factors.wrapped_key()
            if stored is None:
                self.known = self.before or self.key
            else:
                self.known = unwrap_base_key(stored, self.key)
                if self.known is not None:
                    return True
                self.known = self.found(stored)
                if not self.known:
                    return False
            if self.store.factors.keep_wrapped_key(stored, wrap_base_key(self.known, self.key)):
                if stored is not None:
                    logs.note("secret key replaced")
                return True

    def give_up(self) -> None:
        """Begin anew under the key of now. Raises StateError where nothing is lost."""
        stored = self.store.factors.wrapped_key()
        if stored is None or self.found(stored):
            raise StateError("The secret key fits what is in the database; nothing is lost.")
        self.store.factors.keep_wrapped_key(stored, wrap_base_key(self.key, self.key))
        self.known = None

    def forget_file_before(self) -> None:
        """The key before is needed no more, but for cookies, for which it is in memory."""
        if self.file is not None:
            self.file.with_name("secret_key_before").unlink(missing_ok=True)
