"""Second factors and failed tries in SQL: no secret, and each code is good once."""

from collections.abc import Iterable
from dataclasses import dataclass

from survey.core.errors import StateError
from survey.store.database import Part, count

NOBODY = ""  # where tries with names that do not exist are counted


@dataclass(frozen=True)
class SecondFactor:
    """What the codes of an account are made from (survey/web/second_factor.py): 16 random bytes, no
    secret. `on` is False until the first code was right; `last_step` is the last time step whose
    code was used."""

    salt: bytes
    on: bool
    last_step: int
    recovery_codes: int


class SecondFactors(Part):
    """Which codes are still good, and how many tries to sign in failed."""

    def second_factor(self, name: str) -> SecondFactor | None:
        row = self.fetch_one(
            "SELECT salt, confirmed, last_step,"
            " (SELECT count(*) FROM recovery_codes WHERE account = second_factors.account)"
            " FROM second_factors WHERE account = ?",
            name,
        )
        return None if row is None else SecondFactor(row[0], bool(row[1]), *row[2:])

    def begin_second_factor(self, name: str, salt: bytes) -> None:
        """Prepare one that is not on yet. Raises StateError if one is on."""
        with self.database.transaction() as db:
            if count(db, "second_factors", "account = ? AND confirmed = 1", [name]):
                raise StateError("The second factor is on already.")
            db.execute(
                "INSERT INTO second_factors SELECT name, ?, 0, 0 FROM accounts WHERE name = ?"
                " ON CONFLICT (account) DO UPDATE SET salt = excluded.salt, confirmed = 0,"
                " last_step = 0",
                [salt, name],
            )

    def confirm_second_factor(self, name: str, step: int, code_hashes: Iterable[bytes]) -> None:
        """Turn the prepared one on, with its recovery codes. Raises StateError if there is none,
        or if it is on."""
        with self.database.transaction() as db:
            turned = db.execute(
                "UPDATE second_factors SET confirmed = 1, last_step = ?"
                " WHERE account = ? AND confirmed = 0",
                [step, name],
            )
            if not turned.rowcount:
                raise StateError("There is no second factor to turn on, or it is on already.")
            db.executemany(
                "INSERT INTO recovery_codes VALUES (?, ?)", ([each, name] for each in code_hashes)
            )

    def end_second_factor(self, name: str) -> None:
        with self.database.transaction() as db:
            db.execute("DELETE FROM second_factors WHERE account = ?", [name])
            db.execute("DELETE FROM recovery_codes WHERE account = ?", [name])

    def use_step(self, name: str, step: int) -> bool:
        """Spend the code of a time step; False unless it is later than all that were used."""
        spent = self.change(
            "UPDATE second_factors SET last_step = ?"
            " WHERE account = ? AND confirmed = 1 AND last_step < ?",
            *(step, name, step),
        )
        return bool(spent)

    def use_recovery_code(self, name: str, code_hash: bytes) -> bool:
        """Spend a recovery code; False if the account has no such code."""
        delete = "DELETE FROM recovery_codes WHERE account = ? AND code_hash = ?"
        return bool(self.change(delete, name, code_hash))

    def wrapped_key(self) -> bytes | None:
        """What survey/server/secret_key.py keeps."""
        row = self.fetch_one("SELECT content FROM wrapped_key")
        return None if row is None else bytes(row[0])

    def keep_wrapped_key(self, before: bytes | None, content: bytes) -> bool:
        """Replace it, if it still is what it was before; whether it was."""
        if before is None:
            insert = "INSERT INTO wrapped_key VALUES (1, ?) ON CONFLICT DO NOTHING"
            return bool(self.change(insert, content))
        update = "UPDATE wrapped_key SET content = ? WHERE content = ?"
        return bool(self.change(update, content, before))

    def count_failed(self, name: str) -> None:
        """Count a failed try to sign in. One row is written in any case, so that the time does not
        tell whether the name exists."""
        self.change(
            "INSERT INTO failed_sign_ins"
            " VALUES (coalesce((SELECT name FROM accounts WHERE name = ?), ?), 1)"
            " ON CONFLICT (account) DO UPDATE SET tries = failed_sign_ins.tries + 1",
            *(name, NOBODY),
        )

    def take_failed(self, name: str) -> int:
        """How many tries failed since this was last asked; the count starts anew."""
        select = "SELECT tries FROM failed_sign_ins WHERE account = ?"
        with self.database.transaction() as db:
            row = db.execute(select, [name]).fetchone()
            db.execute("DELETE FROM failed_sign_ins WHERE account = ?", [name])
        return 0 if row is None else int(row[0])

    def failed_elsewhere(self) -> int:
        """How many tries named no account."""
        row = self.fetch_one("SELECT tries FROM failed_sign_ins WHERE account = ?", NOBODY)
        return 0 if row is None else int(row[0])
