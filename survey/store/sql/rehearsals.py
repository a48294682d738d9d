"""Rehearsals in SQL: pilots and practice, stored like surveys and deleted at a press.

Each has a table of responses of its own, so that nothing of it can come among the real ones.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from survey.core.errors import StateError
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import PILOT, PRACTICE, part_kind, part_slug, whole_of
from survey.definition.survey import canonical_json
from survey.store import StoredSurvey
from survey.store.database import Database
from survey.store.sql.responses import SQLResponses
from survey.store.sql.surveys import COLUMNS, stored


class SQLRehearsals(SQLResponses):
    """The part of the store for trying a survey out."""

    def rehearsal(self, kind: str, slug: str) -> StoredSurvey | None:
        with self.reading() as db:
            row = db.execute(
                f"SELECT {COLUMNS} FROM surveys WHERE slug = ?", [part_slug(kind, slug)]
            ).fetchone()
        return None if row is None else stored(row)

    def pilot_truth(self, slug: str) -> dict[str, Any] | None:
        with self.reading() as db:
            row = db.execute(
                "SELECT truth FROM pilots WHERE survey = ?", [part_slug(PILOT, slug)]
            ).fetchone()
        return None if row is None else json.loads(row[0])

    def save_pilot(
        self, frozen: FrozenSurvey, truth: Mapping[str, Any], batches: Iterable[list[Response]]
    ) -> None:
        slug = frozen.survey.slug
        places = ", ".join("?" * (len(frozen.survey.fields) + 1))
        with self.transaction(slug) as db:
            self.replace(db, frozen, PILOT, "closed", "simulated")
            for batch in batches:
                db.executemany(
                    f"INSERT INTO {self.response_table(slug)} VALUES ({places})",
                    ([response.id, *response.reports] for response in batch),
                )
                self.add_to_counts(db, frozen, batch)
            db.execute("INSERT INTO pilots VALUES (?, ?)", [slug, canonical_json(truth)])

    def start_practice(self, frozen: FrozenSurvey) -> None:
        with self.transaction(frozen.survey.slug) as db:
            self.replace(db, frozen, PRACTICE, "open", "browser")
        self.forget()

    def replace(
        self, db: Database, frozen: FrozenSurvey, kind: str, state: str, origin: str
    ) -> None:
        """A new rehearsal in the place of the one that there may be."""
        survey = frozen.survey
        if part_kind(survey.slug) != kind:
            raise StateError(f"{survey.slug!r} is no {kind} of a survey.")
        if self.find(db, whole_of(survey.slug)).origin != "browser":
            raise StateError(
                f"Survey {whole_of(survey.slug)!r} holds no responses of real people; there is "
                "nothing to try out."
            )
        self.drop(db, survey.slug)
        db.execute(
            "INSERT INTO surveys (slug, definition, document, state, origin)"
            " VALUES (?, ?, ?, ?, ?)",
            [survey.slug, canonical_json(survey.as_definition()), frozen.to_json(), state, origin],
        )
        self.add_response_table(db, survey)

    def delete_rehearsal(self, kind: str, slug: str) -> None:
        with self.transaction(slug) as db:
            self.drop(db, part_slug(kind, slug))
        self.forget()
