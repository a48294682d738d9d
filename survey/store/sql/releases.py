"""Releases in SQL: one transaction looks at what is left, spends, and keeps what was drawn."""

import json
from datetime import date
from typing import Any

from survey.central_dp.dp_request import Request
from survey.central_dp.ledger import CentralDPBudget, Release, check_change, require_within_budget
from survey.core.errors import StateError
from survey.core.exact_numbers import exact
from survey.core.number_grid import decimal_text
from survey.store.database import Database
from survey.store.sql.lifecycle import SQLLifecycle, refuse_part

COLUMNS = "number, request, responses, drawn, day"


def release_from(row: tuple[Any, ...]) -> Release:
    number, request, n, drawn, day = row
    parts = tuple(tuple(part) for part in json.loads(drawn))
    return Release(number, Request.from_json(request), n, parts, day)


class SQLReleases(SQLLifecycle):
    """The part of the store that keeps what was released, and what that cost."""

    def release_budget(self, slug: str) -> CentralDPBudget | None:
        with self.reading() as db:
            return self.find_budget(db, slug)

    def find_budget(self, db: Database, slug: str) -> CentralDPBudget | None:
        row = db.execute(
            "SELECT epsilon, delta, public FROM release_budgets WHERE survey = ?", [slug]
        ).fetchone()
        if row is None:
            return None
        return CentralDPBudget(exact(row[0], "epsilon"), exact(row[1], "delta"), bool(row[2]))

    def set_release_budget(self, slug: str, budget: CentralDPBudget) -> None:
        refuse_part(slug)
        with self.transaction() as db:
            if self.find(db, slug).frozen is None:
                raise StateError(f"Survey {slug!r} is a draft; open it first.")
            requests = [each.request for each in self.find_releases(db, slug)]
            check_change(self.find_budget(db, slug), budget, requests)
            losses = decimal_text(budget.epsilon), decimal_text(budget.delta)
            db.execute(
                "INSERT INTO release_budgets VALUES (?, ?, ?, 0) ON CONFLICT (survey)"
                " DO UPDATE SET epsilon = excluded.epsilon, delta = excluded.delta",
                [slug, *losses],
            )

    def publish_releases(self, slug: str, public: bool) -> None:
        with self.transaction() as db:
            db.execute(
                "UPDATE release_budgets SET public = ? WHERE survey = ?", [int(public), slug]
            )

    def releases(self, slug: str) -> list[Release]:
        with self.reading() as db:
            return self.find_releases(db, slug)

    def find_releases(self, db: Database, slug: str) -> list[Release]:
        rows = db.execute(
            f"SELECT {COLUMNS} FROM releases WHERE survey = ? ORDER BY number", [slug]
        ).fetchall()
        return [release_from(row) for row in rows]

    def find_release(self, slug: str, request: Request) -> Release | None:
        with self.reading() as db:
            return self.find_same(db, slug, request)

    def find_same(self, db: Database, slug: str, request: Request) -> Release | None:
        row = db.execute(
            f"SELECT {COLUMNS} FROM releases WHERE survey = ? AND request = ?",
            [slug, request.to_json()],
        ).fetchone()
        return None if row is None else release_from(row)

    def add_release(
        self, slug: str, request: Request, n: int, drawn: tuple[tuple[int, ...], ...], day: date
    ) -> Release:
        with self.transaction() as db:
            same = self.find_same(db, slug, request)
            if same is not None:
                return same
            if self.find(db, slug).state != "closed":
                raise StateError(
                    f"Survey {slug!r} is not closed; figures are released when its fieldwork is "
                    "over."
                )
            before = [each.request for each in self.find_releases(db, slug)]
            require_within_budget(self.find_budget(db, slug), request, before)
            [(number,)] = db.execute(
                "INSERT INTO releases (survey, request, responses, drawn, day)"
                " VALUES (?, ?, ?, ?, ?) RETURNING number",
                [slug, request.to_json(), n, json.dumps(drawn), day.isoformat()],
            ).fetchall()
            return Release(number, request, n, drawn, day.isoformat())
