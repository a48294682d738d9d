"""API tokens in SQL, stored only as hashes.

Triggers delete all tokens of an account in the same transaction that removes the account or changes
its password.
"""

from dataclasses import dataclass
from datetime import date
from typing import Any

from survey.core.errors import StateError
from survey.store.database import Part, count

MAX_TOKENS_PER_ACCOUNT = 20
COLUMNS = "account, label, made, expires, used"


@dataclass(frozen=True, kw_only=True)
class ApiToken:
    """An API token without the token itself, of which the store has only the SHA-256.

    Days are in UTC. The token is valid up to and including `expires`. `used` is the day of its last
    use, or None. No time is stored, and nothing about the requests.
    """

    account: str
    label: str
    made: date
    expires: date
    used: date | None = None


def token_of(row: tuple[Any, ...]) -> ApiToken:
    account, label, made, expires, used = row
    day = date.fromisoformat
    return ApiToken(
        account=account, label=label, made=day(made), expires=day(expires), used=used and day(used)
    )


class Tokens(Part):
    """The API tokens of accounts."""

    def add_token(self, token_hash: bytes, token: ApiToken) -> None:
        """Add a token.

        Raises StateError if there is no such account, if the account has a token with this label,
        or if it has `MAX_TOKENS_PER_ACCOUNT` tokens.
        """
        with self.database.transaction() as db:
            if not count(db, "accounts", "name = ?", [token.account]):
                raise StateError("There is no account %(name)s.", name=repr(token.account[:64]))
            if count(db, "api_tokens", "account = ?", [token.account]) >= MAX_TOKENS_PER_ACCOUNT:
                raise StateError(
                    "%(name)s has %(most)s tokens, which is the maximum. Revoke one that is no "
                    "longer needed.",
                    name=token.account,
                    most=MAX_TOKENS_PER_ACCOUNT,
                )
            added = db.execute(
                f"INSERT INTO api_tokens (token_hash, {COLUMNS}) VALUES (?, ?, ?, ?, ?, NULL)"
                " ON CONFLICT DO NOTHING",
                [token_hash, token.account, token.label, f"{token.made}", f"{token.expires}"],
            )
            if not added.rowcount:
                raise StateError(
                    "%(name)s already has a token %(label)s. Choose another name.",
                    name=token.account,
                    label=repr(token.label),
                )

    def by_hash(self, token_hash: bytes) -> ApiToken | None:
        """The token with this hash; None if it, or its account, does not exist."""
        row = self.fetch_one(
            f"SELECT {COLUMNS} FROM api_tokens WHERE token_hash = ?"
            " AND account IN (SELECT name FROM accounts)",
            token_hash,
        )
        return None if row is None else token_of(row)

    def of_account(self, account: str) -> list[ApiToken]:
        """The tokens of an account, ordered by label."""
        select = f"SELECT {COLUMNS} FROM api_tokens WHERE account = ? ORDER BY label"
        return [token_of(row) for row in self.fetch_all(select, account)]

    def touch_token(self, token_hash: bytes, used: date) -> None:
        self.change("UPDATE api_tokens SET used = ? WHERE token_hash = ?", f"{used}", token_hash)

    def delete_token(self, account: str, label: str) -> bool:
        """Delete a token, and return whether it existed."""
        delete = "DELETE FROM api_tokens WHERE account = ? AND label = ?"
        return bool(self.change(delete, account, label))

    def delete_tokens(self, account: str) -> int:
        """Delete all tokens of an account, and return their number."""
        return self.change("DELETE FROM api_tokens WHERE account = ?", account)
