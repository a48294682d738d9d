"""Surveys in SQL: drafts and frozen documents, and room for responses.

Each survey has one wide table, a column for each question, keyed by the random id: ten times
smaller and three times faster to export than a row for each answer.
"""

import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from survey.core.errors import StateError, StoreUnavailable, SurveyError, UnknownSurvey
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.known_tables import KnownTables, read_tables, tables_of, write_tables
from survey.definition.sub_surveys import PRACTICE, REHEARSALS, part_slug, survey_parts
from survey.definition.survey import Survey, canonical_json, read_definition
from survey.definition.types import QUESTION_TYPES
from survey.store.database import Connection, Part, count
from survey.store.stored import Limits, ListedSurvey, StoredSurvey

COLUMNS = (
    "definition, tables, document, state, origin, archived, closed_before, cap, closes, target"
)
# tables with a column `survey`, whose rows go with it
ABOUT_A_SURVEY = (
    *("counts", "waiting", "invitations", "shares", "published", "pilots"),
    *("webhooks", "thresholds", "release_budgets", "releases", "designs"),
)
MAX_REMEMBERED_SURVEYS = 64

cached_frozen_survey = lru_cache(maxsize=64)(
    FrozenSurvey.from_json
)  # a document never changes, and every response needs it


@lru_cache(maxsize=16)
def read_draft(definition: str, tables: str | None) -> Survey:
    """A draft with the tables that are stored with it; only what is not there is calculated. One
    request may read the same draft several times."""
    return read_definition(definition, KnownTables(read_tables(tables), max_work=None))


def stored(row: tuple[Any, ...]) -> StoredSurvey:
    definition, tables, document, state, origin, archived, closed_before, *limits = row
    try:
        frozen = None if document is None else cached_frozen_survey(document)
    except (SurveyError, ValueError, TypeError, KeyError) as error:
        raise StoreUnavailable(f"A survey that is stored cannot be read: {error}") from error
    survey = read_draft(definition, tables) if frozen is None else frozen.survey
    return StoredSurvey(
        survey, state, origin, frozen, bool(archived), bool(closed_before), Limits(*limits)
    )


def listed_draft(
    definition: str, epsilon: str | None, state: str, origin: str, archived: int
) -> ListedSurvey:
    """A draft as lists have it; its definition was checked when it was saved."""
    content = json.loads(definition)
    fields = [each for each in content["questions"] if QUESTION_TYPES[each["type"]].asks]
    return ListedSurvey(
        content["slug"],
        content["title"],
        content["language"],
        state,
        origin,
        bool(archived),
        None if epsilon is None else float(epsilon),
        sum(each["privacy"] == "none" for each in fields),
        len(fields),
    )


@dataclass(eq=False)
class Surveys(Part):
    """What is asked. `remembered` has surveys of a database that says which version of a row it
    has (`row_version`), each with its version."""

    remembered: dict[str, tuple[str, StoredSurvey]] = field(default_factory=dict)

    def listed(self) -> list[ListedSurvey]:
        """All surveys but parts (survey/definition/sub_surveys.py), the newest first."""
        drafts = "SELECT number, definition, epsilon, state, origin, archived FROM surveys"
        with self.database.reading() as db:
            rows = db.execute(f"{drafts} WHERE document IS NULL").fetchall()
            frozen = db.execute(
                f"SELECT number, {COLUMNS} FROM surveys"
                " WHERE slug NOT LIKE '%.%' AND document IS NOT NULL"
            ).fetchall()
        survey_by_number = {number: listed_draft(*row) for number, *row in rows}
        survey_by_number |= {number: stored(tuple(row)).as_listed for number, *row in frozen}
        return [survey_by_number[number] for number in sorted(survey_by_number, reverse=True)]

    def all(self, *, drafts: bool = True) -> list[StoredSurvey]:
        """The same, each read whole, with or without the drafts."""
        frozen = "" if drafts else " AND document IS NOT NULL"
        rows = self.fetch_all(
            f"SELECT {COLUMNS} FROM surveys WHERE slug NOT LIKE '%.%'{frozen} ORDER BY number DESC"
        )
        return [stored(row) for row in rows]

    def by_slug(self, slug: str) -> StoredSurvey:
        """Raises UnknownSurvey."""
        with self.database.reading() as db:
            return self.find(db, slug)

    def find(self, db: Connection, slug: str) -> StoredSurvey:
        """As `by_slug`. Between two machines the texts of a survey take longer to fetch than a
        group of responses to write, so there they are fetched where their row has changed."""
        columns = self.database.row_version
        version, stored_survey = self.remembered.get(slug, (None, None))
        if stored_survey is not None:
            row = db.execute(f"SELECT {columns} FROM surveys WHERE slug = ?", [slug]).fetchone()
            if row == (version,):
                return stored_survey
        row = db.execute(
            f"SELECT {columns}, {COLUMNS} FROM surveys WHERE slug = ?", [slug]
        ).fetchone()
        if row is None:
            raise UnknownSurvey(f"There is no survey {slug[:63]!r}.")
        version, stored_survey = row[0], stored(row[1:])
        if version is not None:
            if len(self.remembered) >= MAX_REMEMBERED_SURVEYS:
                self.remembered.clear()
            self.remembered[slug] = version, stored_survey
        return stored_survey

    def find_draft(self, db: Connection, slug: str) -> StoredSurvey:
        stored_survey = self.find(db, slug)
        if stored_survey.state != "draft":
            raise StateError(
                f"Survey {slug!r} is {stored_survey.state}; only a draft can be changed."
            )
        return stored_survey

    def save_draft(self, survey: Survey, replacing: str | None = None) -> None:
        """Add a draft, or replace the one of that slug, and keep its randomizers with it. Raises
        StateError if the slug is taken or the replaced survey is no draft."""
        kept = (
            canonical_json(survey.as_definition()),
            write_tables(tables_of(survey.questions)),
            repr(survey.epsilon),
        )
        with self.database.transaction(*(() if replacing is None else (replacing,))) as db:
            changed = False
            if replacing is not None:
                changed = self.find_draft(db, replacing).survey != survey
            if survey.slug != replacing and count(db, "surveys", "slug = ?", [survey.slug]):
                raise StateError(f"There is a survey {survey.slug!r} already; take another name.")
            if replacing is None:
                db.execute(
                    "INSERT INTO surveys (slug, definition, tables, epsilon, state, origin)"
                    " VALUES (?, ?, ?, ?, 'draft', 'browser')",
                    [survey.slug, *kept],
                )
            else:
                db.execute(
                    "UPDATE surveys SET slug = ?, definition = ?, tables = ?, epsilon = ?"
                    " WHERE slug = ?",
                    [survey.slug, *kept, replacing],
                )
                if changed:
                    self.end_rehearsals(db, replacing, survey.slug)

    def end_rehearsals(self, db: Connection, slug: str, new_slug: str | None) -> None:
        """After a draft was changed, nobody practises on what it was; under another name, or none,
        it has no rehearsals at all."""
        if slug == new_slug:
            db.execute(
                "UPDATE surveys SET state = 'closed' WHERE slug = ?", [part_slug(PRACTICE, slug)]
            )
            return
        for kind in REHEARSALS:
            self.drop(db, part_slug(kind, slug))

    def delete_draft(self, slug: str) -> None:
        """Raises StateError if it is no draft."""
        with self.database.transaction(slug) as db:
            self.find_draft(db, slug)
            self.end_rehearsals(db, slug, None)
            db.execute("DELETE FROM surveys WHERE slug = ?", [slug])
        self.database.forget()

    def drop(self, db: Connection, slug: str) -> None:
        """Remove a frozen survey, if it is there, with all that was recorded in it."""
        # `secure_delete` overwrites the rows and the pages of what is dropped
        db.execute(f"DROP TABLE IF EXISTS {self.database.response_table(slug)}")
        for table in ABOUT_A_SURVEY:
            db.execute(f"DELETE FROM {table} WHERE survey = ?", [slug])
        db.execute("DELETE FROM surveys WHERE slug = ?", [slug])

    def freeze(self, frozen: FrozenSurvey, state: str) -> None:
        """Fix a draft's tables, make room for its responses, and do the same for its parts; the
        state is open or closed."""
        slug = frozen.survey.slug
        with self.database.transaction() as db:
            if self.find_draft(db, slug).survey != frozen.survey:
                raise StateError(f"Survey {slug!r} was changed meanwhile; look at it again.")
            db.execute(
                "UPDATE surveys SET document = ?, state = ?, tables = NULL, epsilon = NULL"
                " WHERE slug = ?",
                [frozen.to_json(), state, slug],
            )
            self.database.add_response_table(db, frozen.survey)
            for part in survey_parts(frozen.survey):
                # no need to ask whether it may open: its tables and texts are those of the whole
                document = freeze(part, frozen.limits, to_open=False).to_json()
                db.execute(
                    "INSERT INTO surveys (slug, definition, document, state, origin)"
                    " VALUES (?, ?, ?, ?, 'browser')",
                    [part.slug, canonical_json(part.as_definition()), document, state],
                )
                self.database.add_response_table(db, part)
