"""The log of researchers' acts in SQL, which triggers keep from being changed.

Nothing that a respondent does is ever recorded here. An act's moment could bound when responses
came only where their order of arrival shows, which is in the write-ahead log, until the next seal.
"""

from dataclasses import dataclass
from typing import Any

from survey.store.database import Part


@dataclass(frozen=True)
class Act:
    """Something a researcher did. `survey` is a slug, or empty where it concerns none; `moment` is
    in seconds since 1970; `number` counts up with each act, and is given by the store."""

    survey: str
    account: str
    action: str
    moment: int
    number: int = 0


class AuditLog(Part):
    """Who did what. Acts are only ever added."""

    def record(self, act: Act) -> None:
        self.change(
            "INSERT INTO acts (survey, account, action, moment) VALUES (?, ?, ?, ?)",
            *(act.survey, act.account, act.action, act.moment),
        )

    def acts(
        self,
        survey: str | None = None,
        account: str | None = None,
        before: int | None = None,
        most: int | None = None,
    ) -> list[Act]:
        """Acts with numbers below `before`, the latest first, `most` of them."""
        asked = {"survey = ?": survey, "account = ?": account, "number < ?": before}
        where = [clause for clause, value in asked.items() if value is not None]
        values: list[Any] = [value for value in asked.values() if value is not None]
        limit = "" if most is None else f" LIMIT {most:d}"
        rows = self.fetch_all(
            "SELECT survey, account, action, moment, number FROM acts"
            f" WHERE {' AND '.join(['TRUE', *where])} ORDER BY number DESC{limit}",
            *values,
        )
        return [Act(*row) for row in rows]

    def actors(self, survey: str | None = None) -> list[str]:
        """Who did any of these acts, in the order of their names."""
        where, values = ("", []) if survey is None else ("WHERE survey = ?", [survey])
        rows = self.fetch_all(
            f"SELECT DISTINCT account FROM acts {where} ORDER BY account", *values
        )
        return [name for (name,) in rows]
