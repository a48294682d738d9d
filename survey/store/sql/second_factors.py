"""Second factors and failed sign-ins in SQL. No secret is stored, and each code works once."""

from collections.abc import Iterable
from dataclasses import dataclass

from survey.core.errors import StateError
from survey.store.database import Part, count

# The account that counts sign-ins with unknown names.
NOBODY = ""


@dataclass(frozen=True)
class SecondFactor:
    """The data behind an account's codes (survey/web/second_factor.py).

    `salt` is 16 random bytes, which are not secret. `on` is False until the first correct code.
    `last_step` is the time step of the last code that was used.
    """

    salt: bytes
    on: bool
    last_step: int
    recovery_codes: int


class SecondFactors(Part):
    """The valid codes of accounts, and the numbers of failed sign-ins."""

    def second_factor(self, name: str) -> SecondFactor | None:
        row = self.fetch_one(
            "SELECT salt, confirmed, last_step,"
            " (SELECT count(*) FROM recovery_codes WHERE account = second_factors.account)"
            " FROM second_factors WHERE account = ?",
            name,
        )
        return None if row is None else SecondFactor(row[0], bool(row[1]), *row[2:])

    def begin_second_factor(self, name: str, salt: bytes) -> None:
        """Prepare a second factor that is not on yet. Raises StateError if one is on."""
        with self.database.transaction() as db:
            if count(db, "second_factors", "account = ? AND confirmed = 1", [name]):
                raise StateError("The second factor is already on. Turn it off first.")
            db.execute(
                "INSERT INTO second_factors SELECT name, ?, 0, 0 FROM accounts WHERE name = ?"
                " ON CONFLICT (account) DO UPDATE SET salt = excluded.salt, confirmed = 0,"
                " last_step = 0",
                [salt, name],
            )

    def confirm_second_factor(self, name: str, step: int, code_hashes: Iterable[bytes]) -> None:
        """Turn on the prepared second factor, with its recovery codes.

        Raises StateError if none is prepared, or if it is on.
        """
        with self.database.transaction() as db:
            turned = db.execute(
                "UPDATE second_factors SET confirmed = 1, last_step = ?"
                " WHERE account = ? AND confirmed = 0",
                [step, name],
            )
            if not turned.rowcount:
                raise StateError(
                    "There is no second factor to turn on, or it is already on. Reload the page."
                )
            db.executemany(
                "INSERT INTO recovery_codes VALUES (?, ?)", ([each, name] for each in code_hashes)
            )

    def end_second_factor(self, name: str) -> None:
        with self.database.transaction() as db:
            db.execute("DELETE FROM second_factors WHERE account = ?", [name])
            db.execute("DELETE FROM recovery_codes WHERE account = ?", [name])

    def use_step(self, name: str, step: int) -> bool:
        """Use the code of a time step; False unless it is later than all used steps."""
        spent = self.change(
            "UPDATE second_factors SET last_step = ?"
            " WHERE account = ? AND confirmed = 1 AND last_step < ?",
            *(step, name, step),
        )
        return bool(spent)

    def use_recovery_code(self, name: str, code_hash: bytes) -> bool:
        """Use a recovery code; False if the account has no such code."""
        delete = "DELETE FROM recovery_codes WHERE account = ? AND code_hash = ?"
        return bool(self.change(delete, name, code_hash))

    def wrapped_key(self) -> bytes | None:
        """The encrypted base key of survey/server/secret_key.py."""
        row = self.fetch_one("SELECT content FROM wrapped_key")
        return None if row is None else bytes(row[0])

    def keep_wrapped_key(self, before: bytes | None, content: bytes) -> bool:
        """Replace the base key if it still equals `before`, and return whether it did."""
        if before is None:
            insert = "INSERT INTO wrapped_key VALUES (1, ?) ON CONFLICT DO NOTHING"
            return bool(self.change(insert, content))
        update = "UPDATE wrapped_key SET content = ? WHERE content = ?"
        return bool(self.change(update, content, before))

    def count_failed(self, name: str) -> None:
        """Count a failed sign-in.

        It always writes one row, so that the time does not reveal whether the name exists.
        """
        self.change(
            "INSERT INTO failed_sign_ins"
            " VALUES (coalesce((SELECT name FROM accounts WHERE name = ?), ?), 1)"
            " ON CONFLICT (account) DO UPDATE SET tries = failed_sign_ins.tries + 1",
            *(name, NOBODY),
        )

    def take_failed(self, name: str) -> int:
        """The number of failed sign-ins since the last call. Resets the count."""
        select = "SELECT tries FROM failed_sign_ins WHERE account = ?"
        with self.database.transaction() as db:
            row = db.execute(select, [name]).fetchone()
            db.execute("DELETE FROM failed_sign_ins WHERE account = ?", [name])
        return 0 if row is None else int(row[0])

    def failed_elsewhere(self) -> int:
        """The number of failed sign-ins with unknown names."""
        row = self.fetch_one("SELECT tries FROM failed_sign_ins WHERE account = ?", NOBODY)
        return 0 if row is None else int(row[0])
