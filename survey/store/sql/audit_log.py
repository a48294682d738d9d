"""The log of researchers' acts in SQL, which triggers keep from being changed.

Nothing that a respondent does is ever recorded here. An act's moment could bound when responses
came only where their order of arrival shows, which is in the write-ahead log, until the next seal.
"""

from typing import Any

from survey.store.database import Transactions
from survey.store.people import Act


class SQLActs(Transactions):
    """The part of the store that remembers who did what."""

    def record(self, act: Act) -> None:
        with self.transaction() as db:
            db.execute(
                "INSERT INTO acts (survey, account, action, moment) VALUES (?, ?, ?, ?)",
                [act.survey, act.account, act.action, act.moment],
            )

    def acts(
        self,
        survey: str | None = None,
        account: str | None = None,
        before: int | None = None,
        most: int | None = None,
    ) -> list[Act]:
        asked = {"survey = ?": survey, "account = ?": account, "number < ?": before}
        where = [clause for clause, value in asked.items() if value is not None]
        values: list[Any] = [value for value in asked.values() if value is not None]
        limit = "" if most is None else f" LIMIT {most:d}"
        with self.reading() as db:
            rows = db.execute(
                "SELECT survey, account, action, moment, number FROM acts"
                f" WHERE {' AND '.join(['TRUE', *where])} ORDER BY number DESC{limit}",
                values,
            ).fetchall()
        return [Act(*row) for row in rows]

    def actors(self, survey: str | None = None) -> list[str]:
        where = "" if survey is None else "WHERE survey = ?"
        with self.reading() as db:
            rows = db.execute(
                f"SELECT DISTINCT account FROM acts {where} ORDER BY account",
                [] if survey is None else [survey],
            ).fetchall()
        return [name for (name,) in rows]
