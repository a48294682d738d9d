"""Researchers' accounts and sessions in SQLite. Tokens are stored only as hashes."""

import sqlite3

from sqlite_utils import Database

from ..errors import StateError
from . import Account, Session
from .connections import Connections


class SQLiteAccounts(Connections):
    """The part of the store that only researchers touch."""

    def add_account(self, account: Account) -> None:
        try:
            with self.transaction() as db:
                self.insert_account(db, account)
        except sqlite3.IntegrityError as error:
            raise StateError(f"There is an account {account.name!r} already.") from error

    def insert_account(self, db: Database, account: Account) -> None:
        db.execute(
            "INSERT INTO accounts (name, role, password_hash) VALUES (?, ?, ?)",
            [account.name, account.role, account.password_hash],
        )

    def account(self, name: str) -> Account | None:
        with self.reading() as db:
            row = db.execute(
                "SELECT name, role, password_hash FROM accounts WHERE name = ?", [name]
            ).fetchone()
        return None if row is None else Account(*row)

    def has_accounts(self) -> bool:
        with self.reading() as db:
            return bool(db["accounts"].count)

    def add_session(self, token_hash: str, session: Session) -> None:
        with self.transaction() as db:
            db.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?)",
                [token_hash, session.account, session.created, session.seen],
            )

    def session(self, token_hash: str) -> Session | None:
        with self.reading() as db:
            row = db.execute(
                "SELECT account, created, seen FROM sessions WHERE token_hash = ?", [token_hash]
            ).fetchone()
        return None if row is None else Session(*row)

    def touch_session(self, token_hash: str, seen: int) -> None:
        with self.transaction() as db:
            db.execute("UPDATE sessions SET seen = ? WHERE token_hash = ?", [seen, token_hash])

    def delete_session(self, token_hash: str) -> None:
        with self.transaction() as db:
            db.execute("DELETE FROM sessions WHERE token_hash = ?", [token_hash])

    def delete_sessions_before(self, created: int, seen: int) -> None:
        with self.transaction() as db:
            db.execute("DELETE FROM sessions WHERE created < ? OR seen < ?", [created, seen])

    def set_setup_token(self, token_hash: str) -> None:
        with self.transaction() as db:
            db.execute("DELETE FROM setup")
            db.execute("INSERT INTO setup VALUES (?)", [token_hash])

    def setup_token_is(self, token_hash: str) -> bool:
        with self.reading() as db:
            return bool(db["setup"].count_where("token_hash = ?", [token_hash]))

    def use_setup_token(self, token_hash: str, account: Account) -> bool:
        with self.transaction() as db:
            db.execute("DELETE FROM setup WHERE token_hash = ?", [token_hash])
            if db.execute("SELECT changes()").fetchone()[0] == 0 or db["accounts"].count:
                return False
            self.insert_account(db, account)
            return True
