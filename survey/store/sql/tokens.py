"""Tokens of the API in SQL, only as hashes."""

from datetime import date

from survey.core.errors import StateError
from survey.store.database import Transactions, count
from survey.store.programs import ApiToken

MAX_TOKENS_PER_ACCOUNT = 20  # of one account
COLUMNS = "account, label, made, expires, used"


def token_of(row: tuple[str, str, str, str, str | None]) -> ApiToken:
    account, label, made, expires, used = row
    return ApiToken(
        account,
        label,
        date.fromisoformat(made),
        date.fromisoformat(expires),
        None if used is None else date.fromisoformat(used),
    )


class SQLTokens(Transactions):
    """The part of the store that says who may ask the API."""

    def add_token(self, token_hash: bytes, token: ApiToken) -> None:
        with self.transaction() as db:
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

    def token(self, token_hash: bytes) -> ApiToken | None:
        with self.reading() as db:
            row = db.execute(
                f"SELECT {COLUMNS} FROM api_tokens WHERE token_hash = ?"
                " AND account IN (SELECT name FROM accounts)",
                [token_hash],
            ).fetchone()
        return None if row is None else token_of(row)

    def tokens(self, account: str) -> list[ApiToken]:
        with self.reading() as db:
            rows = db.execute(
                f"SELECT {COLUMNS} FROM api_tokens WHERE account = ? ORDER BY label", [account]
            ).fetchall()
        return [token_of(row) for row in rows]

    def touch_token(self, token_hash: bytes, used: date) -> None:
        with self.transaction() as db:
            db.execute(
                "UPDATE api_tokens SET used = ? WHERE token_hash = ?", [f"{used}", token_hash]
            )

    def delete_token(self, account: str, label: str) -> bool:
        with self.transaction() as db:
            gone = db.execute(
                "DELETE FROM api_tokens WHERE account = ? AND label = ?", [account, label]
            )
            return bool(gone.rowcount)

    def delete_tokens(self, account: str) -> int:
        with self.transaction() as db:
            return db.execute("DELETE FROM api_tokens WHERE account = ?", [account]).rowcount
