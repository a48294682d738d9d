"""Deleted drafts in SQL: they can come back for some days, and are then gone.

A draft has no responses. What is kept is its definition, who created it, and the roles on it. Its
simulation and its test responses are deleted at once.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from survey.core.errors import UnknownSurvey
from survey.definition.survey import Survey, canonical_json
from survey.store.database import Connection, Part, random_number
from survey.store.sql.surveys import Surveys, read_draft

# A deleted draft can come back for this many days.
KEPT_DAYS = 30


@dataclass(frozen=True, kw_only=True)
class DeletedDraft:
    """A draft that someone deleted.

    `number` is random and identifies it, because another survey may have its address now. `roles`
    are those of single accounts.
    """

    number: int
    survey: Survey
    deleted: date
    creator: str | None
    created: date | None
    roles: Mapping[str, str]

    @property
    def last_day(self) -> date:
        """The last day on which it can come back."""
        return self.deleted + timedelta(days=KEPT_DAYS)


@dataclass(eq=False)
class DeletedDrafts(Part):
    """The drafts that can come back."""

    surveys: Surveys

    def delete_draft(self, slug: str, day: date) -> None:
        """Delete a draft, and keep its definition. Raises StateError if it is not a draft."""
        with self.database.transaction(slug) as db:
            self.surveys.find_draft(db, slug)
            roles = dict(
                db.execute("SELECT account, role FROM survey_roles WHERE survey = ?", [slug])
            )
            db.execute(
                "INSERT INTO deleted_drafts"
                " (number, definition, tables, creator, created, deleted, roles)"
                " SELECT ?, definition, tables, creator, created, ?, ? FROM surveys WHERE slug = ?",
                [random_number(), f"{day}", canonical_json(roles), slug],
            )
            self.surveys.drop_draft(db, slug)
        self.database.forget()

    def list_deleted(self, day: date) -> list[DeletedDraft]:
        """The drafts that can come back on this day, the last deleted one first."""
        rows = self.fetch_all(
            "SELECT number, definition, tables, deleted, creator, created, roles"
            " FROM deleted_drafts"
            " WHERE deleted >= ? ORDER BY deleted DESC, number",
            f"{day - timedelta(days=KEPT_DAYS)}",
        )
        return [deleted_draft_of_row(row) for row in rows]

    def find_deleted(self, number: int, day: date) -> DeletedDraft:
        """The draft with this number. Raises UnknownSurvey if it can no longer come back."""
        found = next((each for each in self.list_deleted(day) if each.number == number), None)
        if found is None:
            raise no_deleted_draft()
        return found

    def restore_deleted(self, draft: DeletedDraft, slug: str) -> None:
        """Make it a draft again, with this address, and with the roles of accounts that exist.

        Raises StateError if the address is taken.
        """
        survey = replace(draft.survey, slug=slug)
        with self.database.transaction(slug) as db:
            self.surveys.add_draft(db, survey, draft.creator, draft.created)
            for account, role in draft.roles.items():
                db.execute(
                    "INSERT INTO survey_roles (account, survey, role)"
                    " SELECT name, ?, ? FROM accounts WHERE name = ?"
                    " ON CONFLICT (account, survey) DO UPDATE SET role = excluded.role",
                    [slug, role, account],
                )
            drop_row(db, draft.number)
        self.database.forget()

    def drop_deleted(self, number: int) -> None:
        """Delete it for good, if it is there."""
        with self.database.transaction() as db:
            drop_row(db, number)
        self.database.forget()

    def drop_old_drafts(self, day: date) -> int:
        """Delete those that can no longer come back. Returns how many there were."""
        before = f"{day - timedelta(days=KEPT_DAYS)}"
        with self.database.transaction() as db:
            gone = db.execute("DELETE FROM deleted_drafts WHERE deleted < ?", [before]).rowcount
        if gone:
            self.database.forget()
        return int(gone)


def no_deleted_draft() -> UnknownSurvey:
    return UnknownSurvey("There is no deleted draft that you can restore.")


def drop_row(db: Connection, number: int) -> None:
    db.execute("DELETE FROM deleted_drafts WHERE number = ?", [number])


def deleted_draft_of_row(row: tuple[Any, ...]) -> DeletedDraft:
    number, definition, tables, deleted, creator, created, roles = row
    return DeletedDraft(
        number=number,
        survey=read_draft(definition, tables),
        deleted=date.fromisoformat(deleted),
        creator=creator,
        created=None if created is None else date.fromisoformat(created),
        roles=json.loads(roles),
    )
