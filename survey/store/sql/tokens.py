"""Tokens of the API in SQL, only as hashes.

All tokens of an account end in the very transaction that removes the account or changes its
password: triggers see to that, whoever does it and how.
"""

from dataclasses import dataclass
from datetime import date
from typing import Any

from survey.core.errors import StateError
from survey.store.database import Part, count

MAX_TOKENS_PER_ACCOUNT = 20  # of one account
COLUMNS = "account, label, made, expires, used"


@dataclass(frozen=True)
class ApiToken:
    """A token of the API, but for the token itself: the store has only its SHA-256.

    Days are in UTC. It is good up to and including `expires`; `used` is the day of its last use,
    or None. No moment is kept, and nothing of what was asked for.
    """

    account: str
    label: str
    made: date
    expires: date
    used: date | None = None


def token_of(row: tuple[Any, ...]) -> ApiToken:
    account, label, made, expires, used = row
    day = date.fromisoformat
    return ApiToken(account, label, day(made), day(expires), used and day(used))


class Tokens(Part):
    """Who may ask the API."""

    def add_token(self, token_hash: bytes, token: ApiToken) -> None:
        """Raises StateError where there is no such account, or it has a token of that label, or
        as many tokens as it may have."""
        with self.database.transaction() as db:
            if not count(db, "accounts", "name = ?", [token.account]):
                raise StateError(f"There is no account {token.account[:64]!r}.")
            if count(db, "api_tokens", "account = ?", [token.account]) >= MAX_TOKENS_PER_ACCOUNT:
                raise StateError(
                    f"{token.account} has {MAX_TOKENS_PER_ACCOUNT} tokens, as many as one may "
                    "have. Revoke one that is not needed any more."
                )
            added = db.execute(
                f"INSERT INTO api_tokens (token_hash, {COLUMNS}) VALUES (?, ?, ?, ?, ?, NULL)"
                " ON CONFLICT DO NOTHING",
                [token_hash, token.account, token.label, f"{token.made}", f"{token.expires}"],
            )
            if not added.rowcount:
                raise StateError(
                    f"{token.account} has a token {token.label!r} already; take another label."
                )

    def by_hash(self, token_hash: bytes) -> ApiToken | None:
        """None as well where its account is gone."""
        row = self.fetch_one(
            f"SELECT {COLUMNS} FROM api_tokens WHERE token_hash = ?"
            " AND account IN (SELECT name FROM accounts)",
            token_hash,
        )
        return None if row is None else token_of(row)

    def of_account(self, account: str) -> list[ApiToken]:
        """In the order of their labels."""
        select = f"SELECT {COLUMNS} FROM api_tokens WHERE account = ? ORDER BY label"
        return [token_of(row) for row in self.fetch_all(select, account)]

    def touch_token(self, token_hash: bytes, used: date) -> None:
        self.change("UPDATE api_tokens SET used = ? WHERE token_hash = ?", f"{used}", token_hash)

    def delete_token(self, account: str, label: str) -> bool:
        """Whether there was one."""
        delete = "DELETE FROM api_tokens WHERE account = ? AND label = ?"
        return bool(self.change(delete, account, label))

    def delete_tokens(self, account: str) -> int:
        """All of an account's; how many there were."""
        return self.change("DELETE FROM api_tokens WHERE account = ?", account)
