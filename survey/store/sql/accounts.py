"""Researchers' accounts, roles and sessions in SQL. Tokens are stored only as hashes.

If there is an owner who can sign in, at least one remains. The transaction that would remove the
last one refuses to do so. Unknown account names raise StateError.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from survey.core.errors import StateError
from survey.core.translate import later
from survey.store.account_names import comparable
from survey.store.database import Connection, Part, count
from survey.store.stored import unknown_survey

MEMBER = later("member")
ANALYST = later("analyst")
EDITOR = later("editor")
OWNER = later("owner")
# Each role includes the permissions of those before it.
ROLES = (MEMBER, ANALYST, EDITOR, OWNER)
# The roles that an account can have on a single survey.
SURVEY_ROLES = (ANALYST, EDITOR)
# The password hash of an account whose link was not used yet. No password matches it.
NO_PASSWORD = ""
OWNERS = "role = ? AND password_hash <> ?"
# For a member, the column `role` says analyst.
ROLE = f"CASE member WHEN 1 THEN '{MEMBER}' ELSE role END"
OF_ACCOUNTS = ("sessions", "links", "second_factors", "recovery_codes", "failed_sign_ins")


@dataclass(frozen=True, kw_only=True)
class Account:
    """A researcher's account.

    `role` is one of ROLES and holds for all surveys. An analyst reads and downloads results. An
    editor also builds, opens, closes and deletes surveys. An owner also manages accounts and roles.
    A member reaches only the surveys in `survey_roles`, which has a role for each of their slugs.
    The other accounts may have a higher role on some surveys there. `language` is that of the pages
    for this account, or "" for the one that the browser prefers.
    """

    name: str
    role: str
    password_hash: str
    survey_roles: Mapping[str, str] = field(default_factory=dict)
    language: str = ""

    def role_on(self, slug: str | None = None) -> str:
        """The role on one survey, which is never a sub-survey. Without a slug, the highest role on
        any survey, which decides about everything that concerns no survey yet."""
        single = self.survey_roles
        own = [*single.values()] if slug is None else [single.get(slug, MEMBER)]
        return ROLES[max(map(ROLES.index, [self.role, *own]))]


@dataclass(frozen=True)
class Session:
    """A researcher's session. Times are in seconds since 1970.

    While `waiting`, the password was correct, but the second factor is missing.
    """

    account: str
    created: int
    seen: int
    waiting: bool = False


@dataclass(frozen=True, kw_only=True)
class Person:
    """An account as others see it.

    `joined` is False until a password is set. `failed` is the number of failed sign-ins since the
    last successful one. `surveys` is the number of surveys on which it has a role of its own.
    """

    name: str
    role: str
    joined: bool
    second_factor: bool
    failed: int
    surveys: int


def role_columns(role: str) -> tuple[str, int]:
    """The values of the columns `role` and `member`."""
    return (ANALYST, 1) if role == MEMBER else (role, 0)


class Accounts(Part):
    """Accounts, their sessions, and the links to set a password."""

    def add_account(self, account: Account) -> None:
        """Add an account. Raises StateError if the name is taken."""
        with self.database.transaction() as db:
            self.insert_account(db, account)

    def insert_account(self, db: Connection, account: Account) -> None:
        for (taken,) in db.execute("SELECT name FROM accounts").fetchall():
            if taken != account.name and comparable(taken) == comparable(account.name):
                raise StateError(
                    "There is already an account %(name)s. Choose another name. Names that "
                    "differ only in upper and lower case count as the same name.",
                    name=repr(taken),
                )
        added = db.execute(
            "INSERT INTO accounts (name, role, member, password_hash) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            [account.name, *role_columns(account.role), account.password_hash],
        )
        if not added.rowcount:
            raise StateError(
                "There is already an account %(name)s. Choose another name.",
                name=repr(account.name),
            )

    def by_name(self, name: str) -> Account | None:
        with self.database.reading() as db:
            row = db.execute(
                f"SELECT name, {ROLE}, password_hash, language FROM accounts WHERE name = ?", [name]
            ).fetchone()
            single = db.execute(
                "SELECT survey, role FROM survey_roles WHERE account = ?", [name]
            ).fetchall()
        if row is None:
            return None
        stored_name, role, password_hash, language = row
        return Account(
            name=stored_name,
            role=role,
            password_hash=password_hash,
            survey_roles=dict(single),
            language=language,
        )

    def has_accounts(self) -> bool:
        return self.fetch_one("SELECT 1 FROM accounts LIMIT 1") is not None

    def add_session(self, token_hash: str, session: Session) -> None:
        """Add a session, unless the account is gone."""
        self.change(
            "INSERT INTO sessions SELECT ?, name, ?, ?, ? FROM accounts WHERE name = ?",
            *(token_hash, session.created, session.seen, int(session.waiting), session.account),
        )

    def session(self, token_hash: str) -> Session | None:
        row = self.fetch_one(
            "SELECT account, created, seen, waiting FROM sessions WHERE token_hash = ?", token_hash
        )
        return None if row is None else Session(row[0], row[1], row[2], bool(row[3]))

    def touch_session(self, token_hash: str, seen: int) -> None:
        self.change("UPDATE sessions SET seen = ? WHERE token_hash = ?", seen, token_hash)

    def delete_session(self, token_hash: str) -> None:
        self.change("DELETE FROM sessions WHERE token_hash = ?", token_hash)

    def delete_sessions_before(self, created: int, seen: int) -> None:
        """Delete sessions that were created or last used before these times."""
        self.change("DELETE FROM sessions WHERE created < ? OR seen < ?", created, seen)

    def delete_sessions_of(self, name: str) -> None:
        self.change("DELETE FROM sessions WHERE account = ?", name)

    def set_setup_token(self, token_hash: str) -> None:
        """Replace the one-time setup token."""
        with self.database.transaction() as db:
            db.execute("DELETE FROM setup")
            db.execute("INSERT INTO setup VALUES (?)", [token_hash])

    def setup_token_is(self, token_hash: str) -> bool:
        return self.fetch_one("SELECT 1 FROM setup WHERE token_hash = ?", token_hash) is not None

    def use_setup_token(self, token_hash: str, account: Account) -> bool:
        """Use the token to add the first account; False if the token is not valid."""
        with self.database.transaction() as db:
            spent = db.execute("DELETE FROM setup WHERE token_hash = ?", [token_hash])
            if not spent.rowcount or count(db, "accounts"):
                return False
            self.insert_account(db, account)
            return True

    def people(self) -> list[Person]:
        """All accounts, ordered by name."""
        rows = self.fetch_all(
            f"SELECT name, {ROLE}, password_hash <> ?, coalesce(confirmed, 0), coalesce(tries, 0),"
            " (SELECT count(*) FROM survey_roles WHERE survey_roles.account = name)"
            " FROM accounts LEFT JOIN second_factors ON second_factors.account = name"
            " LEFT JOIN failed_sign_ins ON failed_sign_ins.account = name ORDER BY name",
            NO_PASSWORD,
        )
        return [
            Person(
                name=name,
                role=role,
                joined=bool(joined),
                second_factor=bool(on),
                failed=failed,
                surveys=surveys,
            )
            for name, role, joined, on, failed, surveys in rows
        ]

    def add_person(self, name: str, role: str, token_hash: str, expires: int) -> None:
        """Add an account without a password, and a link to set one.

        Raises StateError if the name is taken.
        """
        with self.database.transaction() as db:
            self.insert_account(db, Account(name=name, role=role, password_hash=NO_PASSWORD))
            self.issue_link(db, name, token_hash, expires)

    def issue_link(self, db: Connection, name: str, token_hash: str, expires: int) -> None:
        db.execute("DELETE FROM links WHERE account = ?", [name])
        db.execute("INSERT INTO links VALUES (?, ?, ?)", [token_hash, name, expires])

    def set_role(self, name: str, role: str) -> None:
        """Change the role on all surveys. Roles on single surveys stay."""
        with self.changing(name) as db:
            db.execute(
                "UPDATE accounts SET role = ?, member = ? WHERE name = ?",
                [*role_columns(role), name],
            )

    def set_language(self, name: str, language: str) -> None:
        """Set the language of the pages; "" is the one that the browser prefers."""
        with self.database.transaction() as db:
            self.require_account(db, name)
            db.execute("UPDATE accounts SET language = ? WHERE name = ?", [language, name])

    def set_survey_role(self, name: str, slug: str, role: str | None) -> None:
        """Give an account a role on a single survey; with None, remove it.

        Raises StateError if there is no such account, and UnknownSurvey.
        """
        with self.database.transaction() as db:
            self.require_account(db, name)
            if not count(db, "surveys", "slug = ?", [slug]):
                raise unknown_survey(slug)
            db.execute("DELETE FROM survey_roles WHERE account = ? AND survey = ?", [name, slug])
            if role is not None:
                db.execute("INSERT INTO survey_roles VALUES (?, ?, ?)", [name, slug, role])

    def roles_on(self, slug: str) -> dict[str, str]:
        """The accounts with a role of their own on a single survey, with this role."""
        rows = self.fetch_all("SELECT account, role FROM survey_roles WHERE survey = ?", slug)
        return dict(rows)

    def remove_account(self, name: str) -> None:
        """Delete an account with its sessions, link and second factor. Its audit entries stay."""
        with self.changing(name) as db:
            db.execute("DELETE FROM accounts WHERE name = ?", [name])
            for table in OF_ACCOUNTS:
                db.execute(f"DELETE FROM {table} WHERE account = ?", [name])
        self.database.forget()

    def reset_account(
        self, name: str, token_hash: str, expires: int, even_the_last_owner: bool = False
    ) -> None:
        """Delete password, second factor and sessions, and issue a link to set a password."""
        with self.changing(name, even_the_last_owner) as db:
            db.execute("UPDATE accounts SET password_hash = ? WHERE name = ?", [NO_PASSWORD, name])
            for table in OF_ACCOUNTS:
                db.execute(f"DELETE FROM {table} WHERE account = ?", [name])
            self.issue_link(db, name, token_hash, expires)
        self.database.forget()

    @contextmanager
    def changing(self, name: str, even_the_last_owner: bool = False) -> Iterator[Connection]:
        """A transaction that changes one account, and keeps at least one owner who can sign in."""
        with self.database.transaction() as db:
            self.require_account(db, name)
            before = count(db, "accounts", OWNERS, [OWNER, NO_PASSWORD])
            yield db
            after = count(db, "accounts", OWNERS, [OWNER, NO_PASSWORD])
            if before and not after and not even_the_last_owner:
                raise StateError(
                    "%(name)s is the last owner who can sign in. Make somebody else an owner "
                    "first.",
                    name=name,
                )

    def require_account(self, db: Connection, name: str) -> None:
        if not count(db, "accounts", "name = ?", [name]):
            raise StateError("There is no account %(name)s.", name=repr(name[:64]))

    def link(self, token_hash: str, now: int) -> str | None:
        """The account that a link belongs to; None if the link was used or has expired."""
        with self.database.reading() as db:
            return self.find_link(db, token_hash, now)

    def find_link(self, db: Connection, token_hash: str, now: int) -> str | None:
        row = db.execute(
            "SELECT account FROM links WHERE token_hash = ? AND expires > ?", [token_hash, now]
        ).fetchone()
        return None if row is None else str(row[0])

    def use_link(self, token_hash: str, now: int, password_hash: str) -> str | None:
        """Use a link to set the password.

        Returns the name of the account, or None if the link is not valid.
        """
        with self.database.transaction() as db:
            name = self.find_link(db, token_hash, now)
            if name is not None:
                self.replace_password(db, name, password_hash)
        return name

    def set_password(self, name: str, password_hash: str) -> None:
        """Set the password, and delete all sessions of the account."""
        with self.database.transaction() as db:
            self.require_account(db, name)
            self.replace_password(db, name, password_hash)

    def replace_password(self, db: Connection, name: str, password_hash: str) -> None:
        db.execute("UPDATE accounts SET password_hash = ? WHERE name = ?", [password_hash, name])
        for table in ("links", "sessions"):
            db.execute(f"DELETE FROM {table} WHERE account = ?", [name])
