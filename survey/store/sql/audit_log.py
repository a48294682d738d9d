"""The audit log in SQL. Triggers prevent any change of its entries.

It contains nothing that a respondent does. The time of an entry could narrow down when responses
arrived, but only where the order of arrival is visible: in the write-ahead log, until the next
compaction.
"""

from dataclasses import dataclass
from typing import Any

from survey.store.database import Part


@dataclass(frozen=True, kw_only=True)
class Act:
    """An action of a researcher.

    `survey` is a slug, or empty if the action concerns no survey. `moment` is in seconds since
    1970. The store numbers the actions upwards in `number`.
    """

    survey: str
    account: str
    action: str
    moment: int
    number: int = 0


class AuditLog(Part):
    """The actions of researchers. Entries are only ever added."""

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
        """At most `most` actions with numbers below `before`, the latest first."""
        asked = {"survey = ?": survey, "account = ?": account, "number < ?": before}
        where = [clause for clause, value in asked.items() if value is not None]
        values: list[Any] = [value for value in asked.values() if value is not None]
        limit = "" if most is None else f" LIMIT {most:d}"
        rows = self.fetch_all(
            "SELECT survey, account, action, moment, number FROM acts"
            f" WHERE {' AND '.join(['TRUE', *where])} ORDER BY number DESC{limit}",
            *values,
        )
        return [
            Act(survey=slug, account=account, action=action, moment=moment, number=number)
            for slug, account, action, moment, number in rows
        ]

    def actors(self, survey: str | None = None) -> list[str]:
        """The accounts behind these actions, ordered by name."""
        where, values = ("", []) if survey is None else ("WHERE survey = ?", [survey])
        rows = self.fetch_all(
            f"SELECT DISTINCT account FROM acts {where} ORDER BY account", *values
        )
        return [name for (name,) in rows]
