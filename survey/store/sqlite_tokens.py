"""Tokens of the API in SQLite, only as hashes."""

import sqlite3
from datetime import date

from ..errors import StateError
from .connections import Connections
from .programs import ApiToken

MOST_TOKENS = 20  # of one account
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


class SQLiteTokens(Connections):
    """The part of the store that says who may ask the API."""

    def add_token(self, token_hash: bytes, token: ApiToken) -> None:
        try:
            with self.transaction() as db:
                if not db["accounts"].count_where("name = ?", [token.account]):
                    raise StateError(f"There is no account {token.account[:64]!r}.")
                if db["api_tokens"].count_where("account = ?", [token.account]) >= MOST_TOKENS:
                    raise StateError(
                        f"{token.account} has {MOST_TOKENS} tokens, as many as one may have. "
                        "Revoke one that is not needed any more."
                    )
                db.execute(
                    f"INSERT INTO api_tokens (token_hash, {COLUMNS}) VALUES (?, ?, ?, ?, ?, NULL)",
                    [token_hash, token.account, token.label, f"{token.made}", f"{token.expires}"],
                )
        except sqlite3.IntegrityError as error:
            raise StateError(
                f"{token.account} has a token {token.label!r} already; take another label."
            ) from error

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
            db.execute("DELETE FROM api_tokens WHERE account = ? AND label = ?", [account, label])
            return bool(db.execute("SELECT changes()").fetchone()[0])

    def delete_tokens(self, account: str) -> int:
        with self.transaction() as db:
            db.execute("DELETE FROM api_tokens WHERE account = ?", [account])
            return int(db.execute("SELECT changes()").fetchone()[0])
