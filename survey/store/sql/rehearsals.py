"""Simulations and test mode in SQL: stored like surveys, and deleted with one action.

In the code they are the pilot and the practice of a survey, together its rehearsals. Each has its
own table of responses, so that nothing of it can be mixed with the real ones.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from survey.core.errors import StateError
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import (
    PILOT,
    PILOT_ANSWERS,
    PRACTICE,
    sub_survey_kind,
    sub_survey_slug,
    whole_of,
)
from survey.definition.survey import canonical_json
from survey.store.database import Connection, Part
from survey.store.sql.responses import Responses
from survey.store.sql.surveys import COLUMNS, Surveys, survey_of_row
from survey.store.stored import StoredSurvey


@dataclass(eq=False)
class Rehearsals(Part):
    """The simulation and the test mode of surveys."""

    surveys: Surveys
    responses: Responses

    def by_kind(self, kind: str, slug: str) -> StoredSurvey | None:
        """The rehearsal of this kind (survey/definition/sub_surveys.py); None if there is none."""
        select = f"SELECT {COLUMNS} FROM surveys WHERE slug = ?"
        row = self.fetch_one(select, sub_survey_slug(kind, slug))
        return None if row is None else survey_of_row(row)

    def pilot_answers(self, slug: str) -> StoredSurvey | None:
        """The true answers of the respondents of a simulation; None if none are stored."""
        return self.by_kind(PILOT_ANSWERS, slug)

    def pilot_truth(self, slug: str) -> dict[str, Any] | None:
        """The assumed true values of a simulation, for `read_groups`; None if there are none."""
        select = "SELECT truth FROM pilots WHERE survey = ?"
        row = self.fetch_one(select, sub_survey_slug(PILOT, slug))
        return None if row is None else json.loads(row[0])

    def save_pilot(
        self,
        frozen: FrozenSurvey,
        truth: Mapping[str, Any],
        batches: Iterable[list[Response]],
        asked_directly: FrozenSurvey | None = None,
        answers: Iterable[list[Response]] = (),
    ) -> None:
        """Store simulated responses and their assumed true values, and replace earlier ones.

        Parameters
        ----------
        asked_directly : the same survey without randomisation (`pilot_answers_of`), or None
        answers : the true answers of the simulated respondents, as its responses

        Raises StateError if the survey holds loaded or simulated responses.
        """
        slug = frozen.survey.slug
        with self.database.transaction(slug) as db:
            self.replace_rehearsal(db, frozen, PILOT, "closed", "simulated")
            self.responses.insert_batches(db, frozen, batches)
            db.execute("INSERT INTO pilots VALUES (?, ?)", [slug, canonical_json(truth)])
            if asked_directly is not None:
                self.add_frozen(db, asked_directly, "closed", "simulated")
                self.responses.insert_batches(db, asked_directly, answers)

    def start_practice(self, frozen: FrozenSurvey) -> None:
        """Start test mode without responses; those of an earlier test are deleted.

        A change of the draft closes test mode. Raises StateError if the survey holds loaded or
        simulated responses.
        """
        with self.database.transaction(frozen.survey.slug) as db:
            self.replace_rehearsal(db, frozen, PRACTICE, "open", "browser")
        self.database.forget()

    def replace_rehearsal(
        self, db: Connection, frozen: FrozenSurvey, kind: str, state: str, origin: str
    ) -> None:
        """Create a rehearsal, and delete the one before it."""
        survey = frozen.survey
        if sub_survey_kind(survey.slug) != kind:
            raise StateError("'%(slug)s' is not a part of a survey for tests.", slug=survey.slug)
        if self.surveys.find(db, whole_of(survey.slug)).origin != "browser":
            raise StateError(
                "Survey '%(slug)s' holds simulated or imported responses. Test or simulate a "
                "survey of real people instead.",
                slug=whole_of(survey.slug),
            )
        self.surveys.drop_rehearsal(db, kind, whole_of(survey.slug))
        self.add_frozen(db, frozen, state, origin)
        self.surveys.add_parts(db, frozen, state)

    def add_frozen(self, db: Connection, frozen: FrozenSurvey, state: str, origin: str) -> None:
        survey = frozen.survey
        db.execute(
            "INSERT INTO surveys (slug, definition, document, state, origin)"
            " VALUES (?, ?, ?, ?, ?)",
            [survey.slug, canonical_json(survey.as_definition()), frozen.to_json(), state, origin],
        )
        self.database.add_response_table(db, survey)

    def delete_rehearsal(self, kind: str, slug: str) -> None:
        """Delete a rehearsal with all its data, if there is one."""
        with self.database.transaction(slug) as db:
            self.surveys.drop_rehearsal(db, kind, slug)
        self.database.forget()
