"""Rehearsals in SQL: pilots and practice, stored like surveys and deleted at a press.

Each has a table of responses of its own, so that nothing of it can come among the real ones.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from survey.core.errors import StateError
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import PILOT, PRACTICE, part_kind, part_slug, whole_of
from survey.definition.survey import canonical_json
from survey.store.database import Connection, Part
from survey.store.sql.responses import Responses
from survey.store.sql.surveys import COLUMNS, Surveys, stored
from survey.store.stored import StoredSurvey


@dataclass(eq=False)
class Rehearsals(Part):
    """What there is for trying a survey out."""

    surveys: Surveys
    responses: Responses

    def by_kind(self, kind: str, slug: str) -> StoredSurvey | None:
        """The pilot or the practice (survey/definition/sub_surveys.py) of a survey, if there is
        one."""
        select = f"SELECT {COLUMNS} FROM surveys WHERE slug = ?"
        row = self.fetch_one(select, part_slug(kind, slug))
        return None if row is None else stored(row)

    def pilot_truth(self, slug: str) -> dict[str, Any] | None:
        """What was assumed for the pilot of a survey, as `read_truth` reads it; None without."""
        select = "SELECT truth FROM pilots WHERE survey = ?"
        row = self.fetch_one(select, part_slug(PILOT, slug))
        return None if row is None else json.loads(row[0])

    def save_pilot(
        self, frozen: FrozenSurvey, truth: Mapping[str, Any], batches: Iterable[list[Response]]
    ) -> None:
        """Keep simulated respondents and what was assumed of them, instead of those before.

        Raises StateError where the survey holds no responses of real people."""
        slug = frozen.survey.slug
        with self.database.transaction(slug) as db:
            self.replace_rehearsal(db, frozen, PILOT, "closed", "simulated")
            self.responses.insert_batches(db, frozen, batches)
            db.execute("INSERT INTO pilots VALUES (?, ?)", [slug, canonical_json(truth)])

    def start_practice(self, frozen: FrozenSurvey) -> None:
        """Let people practise, from nothing: what was sent in practice before is deleted. Changing
        the draft closes it. Raises StateError where the survey holds no responses of real
        people."""
        with self.database.transaction(frozen.survey.slug) as db:
            self.replace_rehearsal(db, frozen, PRACTICE, "open", "browser")
        self.database.forget()

    def replace_rehearsal(
        self, db: Connection, frozen: FrozenSurvey, kind: str, state: str, origin: str
    ) -> None:
        """A new rehearsal in the place of the one that there may be."""
        survey = frozen.survey
        if part_kind(survey.slug) != kind:
            raise StateError(f"{survey.slug!r} is no {kind} of a survey.")
        if self.surveys.find(db, whole_of(survey.slug)).origin != "browser":
            raise StateError(
                f"Survey {whole_of(survey.slug)!r} holds no responses of real people; there is "
                "nothing to try out."
            )
        self.surveys.drop(db, survey.slug)
        db.execute(
            "INSERT INTO surveys (slug, definition, document, state, origin)"
            " VALUES (?, ?, ?, ?, ?)",
            [survey.slug, canonical_json(survey.as_definition()), frozen.to_json(), state, origin],
        )
        self.database.add_response_table(db, survey)

    def delete_rehearsal(self, kind: str, slug: str) -> None:
        """Remove the pilot or the practice of a survey with all that is in it, if there is one."""
        with self.database.transaction(slug) as db:
            self.surveys.drop(db, part_slug(kind, slug))
        self.database.forget()
