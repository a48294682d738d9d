"""Surveys in SQL: drafts, frozen documents, and the tables of their responses.

Each survey has one wide table, with a column for each question and the random id as its key. It is
ten times smaller, and three times faster to export, than a table with a row for each answer.
"""

import json
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

from survey.core.errors import StateError, StoreUnavailable, SurveyError
from survey.definition.choices import NOT_SENT
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.known_tables import KnownTables, read_tables, tables_of, write_tables
from survey.definition.sub_surveys import (
    PILOT,
    PILOT_ANSWERS,
    PRACTICE,
    REHEARSALS,
    sub_survey_slug,
    sub_surveys_of,
    texts_slug,
)
from survey.definition.survey import Survey, canonical_json, read_definition
from survey.definition.types import QUESTION_TYPES
from survey.store.database import Connection, Part, count
from survey.store.stored import (
    History,
    Limits,
    ListedSurvey,
    StoredSurvey,
    not_draft,
    unknown_survey,
)

HISTORY = "creator, created, opened"
COLUMNS = (
    "definition, tables, document, state, origin, archived, closed_before, cap, closes, target,"
    f" {HISTORY}"
)
# Tables with a column `survey`. Deleting a survey deletes their rows.
ABOUT_A_SURVEY = (
    *("counts", "waiting", "invitations", "shares", "published", "pilots"),
    *("webhooks", "thresholds", "release_budgets", "releases", "designs"),
    *("saved_analyses", "codes", "coded_texts"),
    "survey_roles",
)
MAX_REMEMBERED_SURVEYS = 64

# A frozen document never changes, and every response needs it.
cached_frozen_survey = lru_cache(maxsize=64)(FrozenSurvey.from_json)


@lru_cache(maxsize=16)
def read_draft(definition: str, tables: str | None) -> Survey:
    """A draft with its stored tables. Only missing tables are calculated.

    It is cached, because one request may read the same draft several times.
    """
    return read_definition(definition, KnownTables(read_tables(tables), max_work=None))


def columns_of_draft(survey: Survey) -> tuple[str, str | None, str]:
    """The definition, the tables and ε of a draft, as the database has them."""
    return (
        canonical_json(survey.as_definition()),
        write_tables(tables_of(survey.questions)),
        repr(survey.epsilon),
    )


def refuse_taken_address(db: Connection, slug: str) -> None:
    """Raise StateError if there is a survey with this address."""
    if count(db, "surveys", "slug = ?", [slug]):
        raise StateError("There is already a survey '%(slug)s'. Choose another name.", slug=slug)


def history_of(creator: str | None, created: str | None, opened: str | None) -> History:
    days = [None if day is None else date.fromisoformat(day) for day in (created, opened)]
    return History(creator, *days)


def survey_of_row(row: tuple[Any, ...]) -> StoredSurvey:
    definition, tables, document, state, origin, archived, closed_before, *rest = row
    try:
        frozen = None if document is None else cached_frozen_survey(document)
    except (SurveyError, ValueError, TypeError, KeyError) as error:
        raise StoreUnavailable(f"A stored survey cannot be read: {error}") from error
    survey = read_draft(definition, tables) if frozen is None else frozen.survey
    return StoredSurvey(
        survey=survey,
        state=state,
        origin=origin,
        frozen=frozen,
        archived=bool(archived),
        closed_before=bool(closed_before),
        limits=Limits(*rest[:3]),
        history=history_of(*rest[3:]),
    )


def listed_draft(
    definition: str,
    epsilon: str,
    state: str,
    origin: str,
    archived: int,
    *history: str | None,
) -> ListedSurvey:
    """A draft for lists. Its definition was checked when it was saved."""
    content = json.loads(definition)
    fields = [
        each
        for each in content["questions"]
        if QUESTION_TYPES[each["type"]].asks
        and each["privacy"] != NOT_SENT
        and "random" not in each.get("derived", {})
    ]
    return ListedSurvey(
        slug=content["slug"],
        title=content["title"],
        language=content["language"],
        state=state,
        origin=origin,
        archived=bool(archived),
        epsilon=float(epsilon),
        non_private=sum(each["privacy"] == "none" for each in fields),
        fields=len(fields),
        history=history_of(*history),
    )


@dataclass(eq=False)
class Surveys(Part):
    """Drafts and frozen surveys.

    `remembered` caches surveys with the version of their row, if the database has row versions
    (`row_version`).
    """

    remembered: dict[str, tuple[str, StoredSurvey]] = field(default_factory=dict)

    def list_surveys(self) -> list[ListedSurvey]:
        """All surveys except sub-surveys (survey/definition/sub_surveys.py), newest first."""
        drafts = (
            f"SELECT number, definition, epsilon, state, origin, archived, {HISTORY} FROM surveys"
        )
        with self.database.reading() as db:
            rows = db.execute(f"{drafts} WHERE document IS NULL").fetchall()
            frozen = db.execute(
                f"SELECT number, {COLUMNS} FROM surveys"
                " WHERE slug NOT LIKE '%.%' AND document IS NOT NULL"
            ).fetchall()
        survey_by_number = {number: listed_draft(*row) for number, *row in rows}
        survey_by_number |= {number: survey_of_row(tuple(row)).as_listed for number, *row in frozen}
        return [survey_by_number[number] for number in sorted(survey_by_number, reverse=True)]

    def all(self, *, drafts: bool = True) -> list[StoredSurvey]:
        """The same surveys, each read completely, with or without drafts."""
        frozen = "" if drafts else " AND document IS NOT NULL"
        rows = self.fetch_all(
            f"SELECT {COLUMNS} FROM surveys WHERE slug NOT LIKE '%.%'{frozen} ORDER BY number DESC"
        )
        return [survey_of_row(row) for row in rows]

    def open_slugs(self) -> list[str]:
        """The open surveys, without sub-surveys."""
        rows = self.fetch_all(
            "SELECT slug FROM surveys WHERE state = 'open' AND slug NOT LIKE '%.%' ORDER BY slug"
        )
        return [slug for (slug,) in rows]

    def by_slug(self, slug: str) -> StoredSurvey:
        """The survey of this slug. Raises UnknownSurvey."""
        with self.database.reading() as db:
            return self.find(db, slug)

    def find(self, db: Connection, slug: str) -> StoredSurvey:
        """Like `by_slug`.

        Fetching the texts of a survey from another machine takes longer than writing a group of
        responses. So with row versions it fetches them only if the row has changed.
        """
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
            raise unknown_survey(slug)
        version, stored_survey = row[0], survey_of_row(row[1:])
        if version is not None:
            if len(self.remembered) >= MAX_REMEMBERED_SURVEYS:
                self.remembered.clear()
            self.remembered[slug] = version, stored_survey
        return stored_survey

    def find_draft(self, db: Connection, slug: str) -> StoredSurvey:
        stored_survey = self.find(db, slug)
        if stored_survey.state != "draft":
            raise not_draft(slug, stored_survey.state)
        return stored_survey

    def save_draft(
        self,
        survey: Survey,
        replacing: str | None = None,
        creator: str | None = None,
        created: date | None = None,
    ) -> None:
        """Add a draft with its randomizers, or replace the draft with the slug `replacing`.

        A new draft keeps its creator and the day. If the creator's account has the role of an
        editor on single surveys only, it also becomes an editor of this survey.

        Raises StateError if the new slug is taken, or if the survey to replace is not a draft.
        """
        with self.database.transaction(*(() if replacing is None else (replacing,))) as db:
            if replacing is None:
                self.add_draft(db, survey, creator, created)
                db.execute(
                    "INSERT INTO survey_roles (account, survey, role)"
                    " SELECT name, ?, 'editor' FROM accounts WHERE name = ? AND role = 'analyst'",
                    [survey.slug, creator],
                )
                return
            changed = self.find_draft(db, replacing).survey != survey
            if survey.slug != replacing:
                refuse_taken_address(db, survey.slug)
            db.execute(
                "UPDATE surveys SET slug = ?, definition = ?, tables = ?, epsilon = ?"
                " WHERE slug = ?",
                [survey.slug, *columns_of_draft(survey), replacing],
            )
            db.execute(
                "UPDATE survey_roles SET survey = ? WHERE survey = ?", [survey.slug, replacing]
            )
            if changed:
                self.end_rehearsals(db, replacing, survey.slug)

    def add_draft(
        self, db: Connection, survey: Survey, creator: str | None, created: date | None
    ) -> None:
        """Add a draft. Raises StateError if its address is taken."""
        refuse_taken_address(db, survey.slug)
        db.execute(
            "INSERT INTO surveys"
            " (slug, definition, tables, epsilon, state, origin, creator, created)"
            " VALUES (?, ?, ?, ?, 'draft', 'browser', ?, ?)",
            [survey.slug, *columns_of_draft(survey), creator, created and f"{created}"],
        )

    def end_rehearsals(self, db: Connection, slug: str, new_slug: str | None) -> None:
        """Close the test mode of a draft that was changed.

        If the draft was renamed or deleted, delete its rehearsals too.
        """
        if slug == new_slug:
            db.execute(
                "UPDATE surveys SET state = 'closed' WHERE slug = ?",
                [sub_survey_slug(PRACTICE, slug)],
            )
            return
        for kind in REHEARSALS:
            self.drop_rehearsal(db, kind, slug)

    def drop_draft(self, db: Connection, slug: str) -> None:
        """Delete a draft with its rehearsals."""
        self.end_rehearsals(db, slug, None)
        # Otherwise a later survey with the same address would have the same team.
        db.execute("DELETE FROM survey_roles WHERE survey = ?", [slug])
        db.execute("DELETE FROM surveys WHERE slug = ?", [slug])

    def drop(self, db: Connection, slug: str) -> None:
        """Delete a frozen survey with all its data, if it exists."""
        # `secure_delete` overwrites the deleted rows and pages.
        db.execute(f"DROP TABLE IF EXISTS {self.database.response_table(slug)}")
        for table in ABOUT_A_SURVEY:
            db.execute(f"DELETE FROM {table} WHERE survey = ?", [slug])
        db.execute("DELETE FROM surveys WHERE slug = ?", [slug])

    def drop_rehearsal(self, db: Connection, kind: str, slug: str) -> None:
        """Delete a rehearsal of a survey with all its data, if there is one."""
        rehearsal = sub_survey_slug(kind, slug)
        self.drop(db, rehearsal)
        if kind == PRACTICE:
            self.drop(db, texts_slug(rehearsal))
        if kind == PILOT:
            self.drop(db, sub_survey_slug(PILOT_ANSWERS, slug))

    def freeze(self, frozen: FrozenSurvey, state: str, opened: date | None = None) -> None:
        """Freeze a draft with its tables, and create the tables of its responses.

        Does the same for its sub-surveys. `state` is open or closed, and `opened` is the day if it
        is open. Raises StateError if the draft has changed since the caller read it.
        """
        slug = frozen.survey.slug
        with self.database.transaction() as db:
            if self.find_draft(db, slug).survey != frozen.survey:
                raise StateError(
                    "Someone has changed survey '%(slug)s' in the meantime. Check it again.",
                    slug=slug,
                )
            db.execute(
                "UPDATE surveys SET document = ?, state = ?, opened = ?, tables = NULL,"
                " epsilon = NULL WHERE slug = ?",
                [frozen.to_json(), state, opened and f"{opened}", slug],
            )
            self.database.add_response_table(db, frozen.survey)
            self.add_parts(db, frozen, state)

    def add_parts(self, db: Connection, frozen: FrozenSurvey, state: str) -> None:
        """Create the sub-surveys of a frozen survey, within a transaction."""
        for part in sub_surveys_of(frozen.survey):
            # The whole survey was checked, so its sub-surveys need no check of the limits.
            document = freeze(part, frozen.limits, to_open=False).to_json()
            db.execute(
                "INSERT INTO surveys (slug, definition, document, state, origin)"
                " VALUES (?, ?, ?, ?, 'browser')",
                [part.slug, canonical_json(part.as_definition()), document, state],
            )
            self.database.add_response_table(db, part)
