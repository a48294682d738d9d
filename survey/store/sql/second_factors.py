"""Second factors and failed tries in SQL: no secret, and each code is good once."""

from collections.abc import Iterable

from survey.core.errors import StateError
from survey.store.database import Transactions, count
from survey.store.people import SecondFactor

NOBODY = ""  # where tries with names that do not exist are counted


class SQLSecondFactors(Transactions):
    """The part of the store that says which codes are still good."""

    def second_factor(self, name: str) -> SecondFactor | None:
        with self.reading() as db:
            row = db.execute(
                "SELECT salt, confirmed, last_step,"
                " (SELECT count(*) FROM recovery_codes WHERE account = second_factors.account)"
                " FROM second_factors WHERE account = ?",
                [name],
            ).fetchone()
        return None if row is None else SecondFactor(row[0], bool(row[1]), *row[2:])

    def begin_second_factor(self, name: str, salt: bytes) -> None:
        with self.transaction() as db:
            if count(db, "second_factors", "account = ? AND confirmed = 1", [name]):
                raise StateError("The second factor is on already.")
            db.execute(
                "INSERT INTO second_factors SELECT name, ?, 0, 0 FROM accounts WHERE name = ?"
                " ON CONFLICT (account) DO UPDATE SET salt = excluded.salt, confirmed = 0,"
                " last_step = 0",
                [salt, name],
            )

    def confirm_second_factor(self, name: str, step: int, code_hashes: Iterable[bytes]) -> None:
        with self.transaction() as db:
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
        with self.transaction() as db:
            db.execute("DELETE FROM second_factors WHERE account = ?", [name])
            db.execute("DELETE FROM recovery_codes WHERE account = ?", [name])

    def use_step(self, name: str, step: int) -> bool:
        with self.transaction() as db:
            spent = db.execute(
                "UPDATE second_factors SET last_step = ?"
                " WHERE account = ? AND confirmed = 1 AND last_step < ?",
                [step, name, step],
            )
            return bool(spent.rowcount)

    def use_recovery_code(self, name: str, code_hash: bytes) -> bool:
        with self.transaction() as db:
            spent = db.execute(
                "DELETE FROM recovery_codes WHERE account = ? AND code_hash = ?", [name, code_hash]
            )
            return bool(spent.rowcount)

    def wrapped_key(self) -> bytes | None:
        with self.reading() as db:
            row = db.execute("SELECT content FROM wrapped_key").fetchone()
        return None if row is None else bytes(row[0])

    def keep_wrapped_key(self, before: bytes | None, content: bytes) -> bool:
        with self.transaction() as db:
            if before is None:
                kept = db.execute(
                    "INSERT INTO wrapped_key VALUES (1, ?) ON CONFLICT DO NOTHING", [content]
                )
            else:
                kept = db.execute(
                    "UPDATE wrapped_key SET content = ? WHERE content = ?", [content, before]
                )
            return bool(kept.rowcount)

    def count_failed(self, name: str) -> None:
        # one row is written in any case, so that the time does not tell whether the name exists
        with self.transaction() as db:
            db.execute(
                "INSERT INTO failed_sign_ins"
                " VALUES (coalesce((SELECT name FROM accounts WHERE name = ?), ?), 1)"
                " ON CONFLICT (account) DO UPDATE SET tries = failed_sign_ins.tries + 1",
                [name, NOBODY],
            )

    def take_failed(self, name: str) -> int:
        with self.transaction() as db:
            row = db.execute(
                "SELECT tries FROM failed_sign_ins WHERE account = ?", [name]
            ).fetchone()
            db.execute("DELETE FROM failed_sign_ins WHERE account = ?", [name])
        return 0 if row is None else int(row[0])

    def failed_elsewhere(self) -> int:
        with self.reading() as db:
            row = db.execute(
                "SELECT tries FROM failed_sign_ins WHERE account = ?", [NOBODY]
            ).fetchone()
        return 0 if row is None else int(row[0])
