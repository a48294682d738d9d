"""Researchers' accounts and sessions in SQL. Tokens are stored only as hashes."""

from collections.abc import Iterator
from contextlib import contextmanager

from survey.core.errors import StateError
from survey.store import OWNER, Account, Session
from survey.store.account_names import comparable
from survey.store.database import Database, Transactions, count
from survey.store.people import Person

NO_PASSWORD = ""  # fits nothing; of an account whose link was not used yet
OWNERS = "role = ? AND password_hash <> ?"
OF_ACCOUNTS = ("sessions", "links", "second_factors", "recovery_codes", "failed_sign_ins")


class SQLAccounts(Transactions):
    """The part of the store that only researchers touch."""

    def add_account(self, account: Account) -> None:
        with self.transaction() as db:
            self.insert_account(db, account)

    def insert_account(self, db: Database, account: Account) -> None:
        for (taken,) in db.execute("SELECT name FROM accounts").fetchall():
            if taken != account.name and comparable(taken) == comparable(account.name):
                raise StateError(
                    f"There is an account {taken!r} already. Choose a name that differs in more "
                    "than upper and lower case."
                )
        added = db.execute(
            "INSERT INTO accounts (name, role, password_hash) VALUES (?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            [account.name, account.role, account.password_hash],
        )
        if not added.rowcount:
            raise StateError(f"There is an account {account.name!r} already.")

    def account(self, name: str) -> Account | None:
        with self.reading() as db:
            row = db.execute(
                "SELECT name, role, password_hash FROM accounts WHERE name = ?", [name]
            ).fetchone()
        return None if row is None else Account(*row)

    def has_accounts(self) -> bool:
        with self.reading() as db:
            return bool(count(db, "accounts"))

    def add_session(self, token_hash: str, session: Session) -> None:
        with self.transaction() as db:
            db.execute(
                "INSERT INTO sessions SELECT ?, name, ?, ?, ? FROM accounts WHERE name = ?",
                [
                    *(token_hash, session.created, session.seen),
                    *(int(session.waiting), session.account),
                ],
            )

    def session(self, token_hash: str) -> Session | None:
        with self.reading() as db:
            row = db.execute(
                "SELECT account, created, seen, waiting FROM sessions WHERE token_hash = ?",
                [token_hash],
            ).fetchone()
        return None if row is None else Session(row[0], row[1], row[2], bool(row[3]))

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
            return bool(count(db, "setup", "token_hash = ?", [token_hash]))

    def use_setup_token(self, token_hash: str, account: Account) -> bool:
        with self.transaction() as db:
            spent = db.execute("DELETE FROM setup WHERE token_hash = ?", [token_hash])
            if not spent.rowcount or count(db, "accounts"):
                return False
            self.insert_account(db, account)
            return True

    def people(self) -> list[Person]:
        with self.reading() as db:
            rows = db.execute(
                "SELECT name, role, password_hash <> ?, coalesce(confirmed, 0), coalesce(tries, 0)"
                " FROM accounts LEFT JOIN second_factors ON second_factors.account = name"
                " LEFT JOIN failed_sign_ins ON failed_sign_ins.account = name ORDER BY name",
                [NO_PASSWORD],
            ).fetchall()
        return [
            Person(name, role, bool(joined), bool(on), failed)
            for name, role, joined, on, failed in rows
        ]

    def add_person(self, name: str, role: str, token_hash: str, expires: int) -> None:
        with self.transaction() as db:
            self.insert_account(db, Account(name, role, NO_PASSWORD))
            self.issue_link(db, name, token_hash, expires)

    def issue_link(self, db: Database, name: str, token_hash: str, expires: int) -> None:
        db.execute("DELETE FROM links WHERE account = ?", [name])
        db.execute("INSERT INTO links VALUES (?, ?, ?)", [token_hash, name, expires])

    def set_role(self, name: str, role: str) -> None:
        with self.changing(name) as db:
            db.execute("UPDATE accounts SET role = ? WHERE name = ?", [role, name])

    def remove_account(self, name: str) -> None:
        with self.changing(name) as db:
            db.execute("DELETE FROM accounts WHERE name = ?", [name])
            for table in OF_ACCOUNTS:
                db.execute(f"DELETE FROM {table} WHERE account = ?", [name])
        self.forget()

    def reset_account(
        self, name: str, token_hash: str, expires: int, even_the_last_owner: bool = False
    ) -> None:
        with self.changing(name, even_the_last_owner) as db:
            db.execute("UPDATE accounts SET password_hash = ? WHERE name = ?", [NO_PASSWORD, name])
            for table in OF_ACCOUNTS:
                db.execute(f"DELETE FROM {table} WHERE account = ?", [name])
            self.issue_link(db, name, token_hash, expires)
        self.forget()

    @contextmanager
    def changing(self, name: str, even_the_last_owner: bool = False) -> Iterator[Database]:
        """A transaction on one account that leaves an owner who can sign in, if there was one."""
        with self.transaction() as db:
            self.require_account(db, name)
            before = count(db, "accounts", OWNERS, [OWNER, NO_PASSWORD])
            yield db
            after = count(db, "accounts", OWNERS, [OWNER, NO_PASSWORD])
            if before and not after and not even_the_last_owner:
                raise StateError(
                    f"{name} is the last owner who can sign in. Make somebody else an owner first."
                )

    def require_account(self, db: Database, name: str) -> None:
        if not count(db, "accounts", "name = ?", [name]):
            raise StateError(f"There is no account {name[:64]!r}.")

    def link(self, token_hash: str, now: int) -> str | None:
        with self.reading() as db:
            return self.find_link(db, token_hash, now)

    def find_link(self, db: Database, token_hash: str, now: int) -> str | None:
        row = db.execute(
            "SELECT account FROM links WHERE token_hash = ? AND expires > ?", [token_hash, now]
        ).fetchone()
        return None if row is None else str(row[0])

    def use_link(self, token_hash: str, now: int, password_hash: str) -> str | None:
        with self.transaction() as db:
            name = self.find_link(db, token_hash, now)
            if name is not None:
                self.replace_password(db, name, password_hash)
        return name

    def set_password(self, name: str, password_hash: str) -> None:
        with self.transaction() as db:
            self.require_account(db, name)
            self.replace_password(db, name, password_hash)

    def replace_password(self, db: Database, name: str, password_hash: str) -> None:
        db.execute("UPDATE accounts SET password_hash = ? WHERE name = ?", [password_hash, name])
        for table in ("links", "sessions"):
            db.execute(f"DELETE FROM {table} WHERE account = ?", [name])

    def delete_sessions_of(self, name: str) -> None:
        with self.transaction() as db:
            db.execute("DELETE FROM sessions WHERE account = ?", [name])
