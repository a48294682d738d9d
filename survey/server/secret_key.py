"""The secret key, and how it is replaced without anybody's second factor being set up anew.

The argument. Keys of second factors and secrets of webhooks are derived
(survey/web/second_factor.py, survey/server/webhooks/messages.py), so what they are derived from may
never change: call it the base. It is the first secret key that there was. The secret key itself may
be replaced, because the base lies in the database, encrypted under the secret key by Fernet of the
library cryptography. MultiFernet opens what is under the present key or under the one before, and
Fernet notices where it is under neither. Fernet's own key is scrypt of the secret key and 16 random
bytes that are drawn anew each time; scrypt is there for keys that a person made up. So it stays
true that a stolen database is no second factor, and the old key can be forgotten. What is not
mended: whoever has the old key and a database of any time has the base. If both may be with
somebody, reset the accounts and make the webhooks anew.

Cookies that were signed with the key before are good as long as that is given, too. A form that was
open meanwhile has to be opened again.
"""

import hashlib
import secrets
from base64 import urlsafe_b64encode
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from survey.core.errors import StateError
from survey.server import logs
from survey.store import Store

BASE_KEY_SALT_BYTES = 16
SCRYPT_COST = {"n": 2**14, "r": 8, "p": 1}
FERNET_START = b"gAAAA"  # of each token: the number of the format, and the zeros of its time
OTHER_KEY_ADVICE = (
    "Second factors and webhooks were set up under another secret key. Set "
    "CANDOR_SECRET_KEY_BEFORE to it and start again; if it is lost, run "
    "`database rotate-key --lost`."
)


def derive_wrapping_key(key: str, salt: bytes) -> bytes:
    return hashlib.scrypt(key.encode(), salt=salt, dklen=32, **SCRYPT_COST)


def wrap_base_key(base: str, key: str) -> bytes:
    """The base as it is stored: salt, and what only this key opens."""
    from cryptography.fernet import Fernet

    salt = secrets.token_bytes(BASE_KEY_SALT_BYTES)
    return salt + Fernet(urlsafe_b64encode(derive_wrapping_key(key, salt))).encrypt(base.encode())


def unwrap_base_key(stored: bytes, *keys: str) -> str | None:
    """The base; None where it is under none of these keys."""
    from cryptography.exceptions import InvalidTag
    from cryptography.fernet import Fernet, InvalidToken, MultiFernet
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    salt, encrypted = stored[:BASE_KEY_SALT_BYTES], stored[BASE_KEY_SALT_BYTES:]
    derived = [derive_wrapping_key(key, salt) for key in keys]
    with suppress(InvalidToken):
        ring = MultiFernet([Fernet(urlsafe_b64encode(each)) for each in derived])
        return ring.decrypt(encrypted).decode()
    # Until November 2026 it was stored under AES-GCM. Backups of that time still have it so, and
    # databases until the server starts on them.
    for each in derived:
        with suppress(InvalidTag):
            return AESGCM(each).decrypt(bytes(12), encrypted, None).decode()
    return None


class SecretKeys:
    """The secret key of this server, the one before it if that is known, and the base.

    Parameters
    ----------
    file : where the key is kept; None where the operator gives it
    """

    def __init__(self, store: Store, key: str, before: str = "", file: Path | None = None):
        self.store, self.key, self.before, self.file = store, key, before, file

    @cached_property
    def base(self) -> str:
        """What is derived from. It stays in memory, so that a server that goes on under the key
        before is not disturbed when another one replaces it. Where the key is lost, it is the key
        of now, and all is set up anew."""
        return self.find_base(self.store.factors.wrapped_key()) or self.key

    def find_base(self, stored: bytes | None) -> str:
        """What one of the keys opens; "" if none does."""
        if stored is None:
            return self.before or self.key
        return unwrap_base_key(stored, *filter(None, (self.key, self.before))) or ""

    def settle(self) -> bool:
        """Have the base stored under the key of now. False if it is under one that is not known."""
        stored = self.store.factors.wrapped_key()
        own = unwrap_base_key(stored, self.key) if stored else None
        base = own or self.find_base(stored)
        self.base = base or self.key
        if not base:
            return False
        if stored and own and stored.startswith(FERNET_START, BASE_KEY_SALT_BYTES):
            return True
        if not self.store.factors.keep_wrapped_key(stored, wrap_base_key(base, self.key)):
            return self.settle()  # another server was faster
        if stored and not own:
            logs.note("secret key replaced")
        return True

    def give_up(self) -> None:
        """Begin anew under the key of now. Raises StateError where nothing is lost."""
        stored = self.store.factors.wrapped_key()
        if stored is None or self.find_base(stored):
            raise StateError("The secret key fits what is in the database; nothing is lost.")
        self.store.factors.keep_wrapped_key(stored, wrap_base_key(self.key, self.key))
        self.base = self.key

    def forget_file_before(self) -> None:
        """The key before is needed no more, but for cookies, for which it is in memory."""
        if self.file is not None:
            self.file.with_name("secret_key_before").unlink(missing_ok=True)
