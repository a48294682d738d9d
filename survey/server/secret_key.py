"""The secret key, and its replacement without setting up second factors again.

The argument. Keys of second factors and secrets of webhooks are derived from one value
(survey/web/second_factor.py, survey/server/webhooks/messages.py). So this value, the base key, may
never change. It is the first secret key of the server. The operator can still replace the secret
key, because the base key is in the database, encrypted under the secret key with Fernet of the
library cryptography. MultiFernet decrypts with the present key or the previous one, and Fernet
detects if neither fits. The Fernet key is scrypt of the secret key and 16 random bytes, which are
new for each encryption. scrypt protects keys that a person made up. So a stolen database alone
still gives no second factor, and the old key can be deleted.

One case remains: anyone who has an old key and a database of any time has the base key. If somebody
may have both, reset the accounts and create the webhooks again.

Cookies that were signed with the previous key stay valid as long as that key is configured. A form
that was open during the change has to be opened again.
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
OTHER_KEY_ADVICE = (
    "Second factors and webhooks were set up under another secret key. Set "
    "CANDOR_SECRET_KEY_BEFORE to that key and start again. If it is lost, run "
    "`database rotate-key --lost`."
)


def derive_wrapping_key(key: str, salt: bytes) -> bytes:
    return hashlib.scrypt(key.encode(), salt=salt, dklen=32, **SCRYPT_COST)


def wrap_base_key(base: str, key: str) -> bytes:
    """The base key as it is stored: a salt, and the base key encrypted under `key`."""
    from cryptography.fernet import Fernet

    salt = secrets.token_bytes(BASE_KEY_SALT_BYTES)
    return salt + Fernet(urlsafe_b64encode(derive_wrapping_key(key, salt))).encrypt(base.encode())


def unwrap_base_key(stored: bytes, *keys: str) -> str | None:
    """The base key; None if none of these keys decrypts it."""
    from cryptography.fernet import Fernet, InvalidToken, MultiFernet

    salt, encrypted = stored[:BASE_KEY_SALT_BYTES], stored[BASE_KEY_SALT_BYTES:]
    ring = MultiFernet([Fernet(urlsafe_b64encode(derive_wrapping_key(key, salt))) for key in keys])
    with suppress(InvalidToken):
        return ring.decrypt(encrypted).decode()
    return None


class SecretKeys:
    """The secret key of this server, the previous key if it is known, and the base key.

    Parameters
    ----------
    file : the file of the key; None if the operator configures the key
    """

    def __init__(self, store: Store, key: str, before: str = "", file: Path | None = None):
        self.store, self.key, self.before, self.file = store, key, before, file

    @cached_property
    def base(self) -> str:
        """The key from which others are derived.

        It stays in memory, so that a server with the previous key continues when another server
        replaces the key. If the base key is lost, it is the present key, and second factors and
        webhooks must be set up again.
        """
        return self.find_base(self.store.factors.wrapped_key()) or self.key

    def find_base(self, stored: bytes | None) -> str:
        """The base key that one of the keys decrypts; "" if neither does."""
        if stored is None:
            return self.before or self.key
        return unwrap_base_key(stored, *filter(None, (self.key, self.before))) or ""

    def settle(self) -> bool:
        """Store the base key under the present key. False if no known key decrypts it."""
        stored = self.store.factors.wrapped_key()
        own = unwrap_base_key(stored, self.key) if stored else None
        base = own or self.find_base(stored)
        self.base = base or self.key
        if not base:
            return False
        if own:
            return True
        if not self.store.factors.keep_wrapped_key(stored, wrap_base_key(base, self.key)):
            return self.settle()  # Another server was faster.
        if stored:
            logs.note("secret key replaced")
        return True

    def give_up(self) -> None:
        """Start again with the present key as the base key. Raises StateError if no key is lost."""
        stored = self.store.factors.wrapped_key()
        if stored is None or self.find_base(stored):
            raise StateError(
                "The secret key fits the database, so no key is lost. Start the server as usual."
            )
        self.store.factors.keep_wrapped_key(stored, wrap_base_key(self.key, self.key))
        self.base = self.key

    def forget_file_before(self) -> None:
        """Delete the file of the previous key. Cookies need it only in memory."""
        if self.file is not None:
            self.file.with_name("secret_key_before").unlink(missing_ok=True)
