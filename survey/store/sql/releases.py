"""Central DP releases in SQL: one transaction checks the budget, spends, and stores the values."""

import json
from dataclasses import dataclass
from datetime import date
from typing import Any

from survey.central_dp.budget import (
    CentralDPBudget,
    Release,
    RunningLoss,
    check_change,
    require_within_budget,
)
from survey.central_dp.dp_request import Request
from survey.core.errors import StateError
from survey.core.exact_numbers import exact
from survey.core.number_grid import decimal_text
from survey.store.database import Connection, Part
from survey.store.sql.lifecycle import refuse_sub_survey
from survey.store.sql.surveys import Surveys
from survey.store.stored import not_opened

COLUMNS = "number, request, responses, drawn, day"


def release_from(row: tuple[Any, ...]) -> Release:
    number, request, n, drawn, day = row
    parts = tuple(tuple(part) for part in json.loads(drawn))
    return Release(number=number, request=Request.from_json(request), n=n, drawn=parts, day=day)


@dataclass(eq=False)
class Releases(Part):
    """A privacy budget and a ledger of central DP releases for each survey."""

    surveys: Surveys

    def budget(self, slug: str) -> CentralDPBudget | None:
        """The budget of a survey; None if it was never set."""
        with self.database.reading() as db:
            return self.find_budget(db, slug)

    def find_budget(self, db: Connection, slug: str) -> CentralDPBudget | None:
        row = db.execute(
            "SELECT epsilon, delta, public FROM release_budgets WHERE survey = ?", [slug]
        ).fetchone()
        if row is None:
            return None
        return CentralDPBudget(exact(row[0], "epsilon"), exact(row[1], "delta"), bool(row[2]))

    def set_budget(self, slug: str, budget: CentralDPBudget) -> None:
        """Set the budget. Whether releases are public does not change.

        Raises ReleaseError if the budget is below what is spent, or if it grows after the first
        release. Raises StateError for a draft or a sub-survey.
        """
        refuse_sub_survey(slug)
        with self.database.transaction() as db:
            if self.surveys.find(db, slug).frozen is None:
                raise not_opened(slug)
            requests = [each.request for each in self.find_releases(db, slug)]
            check_change(self.find_budget(db, slug), budget, requests)
            losses = decimal_text(budget.epsilon), decimal_text(budget.delta)
            db.execute(
                "INSERT INTO release_budgets VALUES (?, ?, ?, 0) ON CONFLICT (survey)"
                " DO UPDATE SET epsilon = excluded.epsilon, delta = excluded.delta",
                [slug, *losses],
            )

    def publish_releases(self, slug: str, public: bool) -> None:
        """Show releases to everyone, or to researchers only. Without a budget, nothing happens."""
        self.change("UPDATE release_budgets SET public = ? WHERE survey = ?", int(public), slug)

    def ledger(self, slug: str) -> list[Release]:
        """All releases of a survey, oldest first."""
        with self.database.reading() as db:
            return self.find_releases(db, slug)

    def requests(self, slug: str) -> list[Request]:
        """The requests of all releases of a survey."""
        return [each.request for each in self.ledger(slug)]

    def find_releases(self, db: Connection, slug: str) -> list[Release]:
        rows = db.execute(
            f"SELECT {COLUMNS} FROM releases WHERE survey = ? ORDER BY number", [slug]
        ).fetchall()
        return [release_from(row) for row in rows]

    def find_release(self, slug: str, request: Request) -> Release | None:
        """The release for exactly this request; None if there is none."""
        with self.database.reading() as db:
            return self.find_same(db, slug, request)

    def find_same(self, db: Connection, slug: str, request: Request) -> Release | None:
        row = db.execute(
            f"SELECT {COLUMNS} FROM releases WHERE survey = ? AND request = ?",
            [slug, request.to_json()],
        ).fetchone()
        return None if row is None else release_from(row)

    def add_release(
        self, slug: str, request: Request, n: int, drawn: tuple[tuple[int, ...], ...], day: date
    ) -> Release:
        """Spend the budget, store the drawn values and return the release, all on the disk.

        If the same request was released before, it returns that release and spends nothing. The
        caller must then discard the drawn values. Only the returned release may be shown.
        Raises OverBudget, with what is left, and StateError unless the survey is closed.
        """
        with self.database.transaction() as db:
            same = self.find_same(db, slug, request)
            if same is not None:
                return same
            if self.surveys.find(db, slug).state != "closed":
                raise StateError(
                    "Survey '%(slug)s' is not closed. DP releases need a closed survey.", slug=slug
                )
            before = RunningLoss(each.request for each in self.find_releases(db, slug))
            require_within_budget(self.find_budget(db, slug), request, before)
            [(number,)] = db.execute(
                "INSERT INTO releases (survey, request, responses, drawn, day)"
                " VALUES (?, ?, ?, ?, ?) RETURNING number",
                [slug, request.to_json(), n, json.dumps(drawn), day.isoformat()],
            ).fetchall()
            return Release(number=number, request=request, n=n, drawn=drawn, day=day.isoformat())
