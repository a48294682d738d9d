"""Second factors and failed tries in SQLite: no secret, and each code is good once."""

from collections.abc import Iterable

from ..errors import StateError
from .connections import Connections
from .people import SecondFactor

NOBODY = ""  # where tries with names that do not exist are counted


class SQLiteSecondFactors(Connections):
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
            if db["second_factors"].count_where("account = ? AND confirmed", [name]):
                raise StateError("The second factor is on already.")
            db.execute(
                "INSERT OR REPLACE INTO second_factors"
                " SELECT name, ?, 0, 0 FROM accounts WHERE name = ?",
                [salt, name],
            )

    def confirm_second_factor(self, name: str, step: int, code_hashes: Iterable[bytes]) -> None:
        with self.transaction() as db:
            db.execute(
                "UPDATE second_factors SET confirmed = 1, last_step = ?"
                " WHERE account = ? AND NOT confirmed",
                [step, name],
            )
            if db.execute("SELECT changes()").fetchone()[0] == 0:
                raise StateError("There is no second factor to turn on, or it is on already.")
            db.conn.executemany(
                "INSERT INTO recovery_codes VALUES (?, ?)", ([each, name] for each in code_hashes)
            )

    def end_second_factor(self, name: str) -> None:
        with self.transaction() as db:
            db.execute("DELETE FROM second_factors WHERE account = ?", [name])
            db.execute("DELETE FROM recovery_codes WHERE account = ?", [name])

    def use_step(self, name: str, step: int) -> bool:
        with self.transaction() as db:
            db.execute(
                "UPDATE second_factors SET last_step = ?"
                " WHERE account = ? AND confirmed AND last_step < ?",
                [step, name, step],
            )
            return bool(db.execute("SELECT changes()").fetchone()[0])

    def use_recovery_code(self, name: str, code_hash: bytes) -> bool:
        with self.transaction() as db:
            db.execute(
                "DELETE FROM recovery_codes WHERE account = ? AND code_hash = ?", [name, code_hash]
            )
            return bool(db.execute("SELECT changes()").fetchone()[0])

    def count_failed(self, name: str) -> None:
        # one row is written in any case, so that the time does not tell whether the name exists
        with self.transaction() as db:
            db.execute(
                "INSERT INTO failed_sign_ins"
                " VALUES (coalesce((SELECT name FROM accounts WHERE name = ?), ?), 1)"
                " ON CONFLICT (account) DO UPDATE SET tries = tries + 1",
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
