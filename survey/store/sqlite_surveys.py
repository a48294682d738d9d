"""Surveys, responses and counts in SQLite.

Each survey has one wide table, a column for each question, keyed by the random id: ten times
smaller and three times faster to export than a row for each answer.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from sqlite_utils import Database

from ..definition import Survey, canonical, read_definition
from ..errors import ConflictingResponse, StateError, SurveyClosed, UnknownSurvey
from ..frozen import FrozenSurvey, freeze, require_openable, thaw
from ..intake import Response
from ..parts import is_part, parts_of, whole_of
from ..questions import Question
from ..reports import Stored
from . import StoredSurvey
from .sqlite_invitations import SQLiteInvitations

PAGE = 1_000  # responses read at once for an export
COLUMNS = "definition, document, state, origin"

thaw_once = lru_cache(maxsize=64)(thaw)  # a document never changes, and every response needs it


def response_table(slug: str) -> str:
    """The quoted name of a survey's response table; slugs hold no underscore, so none collide."""
    return f'"responses_{slug.replace("-", "_")}"'


def column(survey: Survey, question: Question) -> str:
    """The column of a question; NULL is for those whom chance did not have report on it."""
    always = " NOT NULL" if survey.always_reported(question) else ""
    return f'"{question.name}" {question.form.column_type}{always}'


def stored(row: tuple[Any, ...]) -> StoredSurvey:
    definition, document, state, origin = row
    frozen = None if document is None else thaw_once(document)
    survey = read_definition(definition) if frozen is None else frozen.survey
    return StoredSurvey(survey, state, origin, frozen)


def refuse_part(slug: str) -> None:
    if is_part(slug):
        raise StateError(
            f"{slug!r} is a part of survey {whole_of(slug)!r}, which opens and closes with it and "
            "holds what people answered there, nothing else."
        )


class SQLiteSurveys(SQLiteInvitations):
    """The part of the store that respondents and researchers share."""

    def surveys(self) -> list[StoredSurvey]:
        with self.reading() as db:
            rows = db.execute(
                f"SELECT {COLUMNS} FROM surveys WHERE instr(slug, '.') = 0 ORDER BY number DESC"
            ).fetchall()
        return [stored(row) for row in rows]

    def survey(self, slug: str) -> StoredSurvey:
        with self.reading() as db:
            return self.find(db, slug)

    def find(self, db: Database, slug: str) -> StoredSurvey:
        row = db.execute(f"SELECT {COLUMNS} FROM surveys WHERE slug = ?", [slug]).fetchone()
        if row is None:
            raise UnknownSurvey(f"There is no survey {slug[:63]!r}.")
        return stored(row)

    def find_draft(self, db: Database, slug: str) -> StoredSurvey:
        found = self.find(db, slug)
        if found.state != "draft":
            raise StateError(f"Survey {slug!r} is {found.state}; only a draft can be changed.")
        return found

    def save_draft(self, survey: Survey, replacing: str | None = None) -> None:
        definition = canonical(survey.as_definition())
        with self.transaction() as db:
            if replacing is not None:
                self.find_draft(db, replacing)
            if survey.slug != replacing and db["surveys"].count_where("slug = ?", [survey.slug]):
                raise StateError(f"There is a survey {survey.slug!r} already; take another name.")
            if replacing is None:
                db.execute(
                    "INSERT INTO surveys (slug, definition, state, origin)"
                    " VALUES (?, ?, 'draft', 'browser')",
                    [survey.slug, definition],
                )
            else:
                db.execute(
                    "UPDATE surveys SET slug = ?, definition = ? WHERE slug = ?",
                    [survey.slug, definition, replacing],
                )

    def delete_draft(self, slug: str) -> None:
        with self.transaction() as db:
            self.find_draft(db, slug)
            db.execute("DELETE FROM surveys WHERE slug = ?", [slug])

    def freeze(self, frozen: FrozenSurvey, state: str) -> None:
        slug = frozen.survey.slug
        with self.transaction() as db:
            if self.find_draft(db, slug).survey != frozen.survey:
                raise StateError(f"Survey {slug!r} was changed meanwhile; look at it again.")
            db.execute(
                "UPDATE surveys SET document = ?, state = ? WHERE slug = ?",
                [frozen.to_json(), state, slug],
            )
            self.add_response_table(db, frozen.survey)
            for part in parts_of(frozen.survey):
                # no need to ask whether it may open: its tables and texts are those of the whole
                document = freeze(part, to_open=False).to_json()
                db.execute(
                    "INSERT INTO surveys (slug, definition, document, state, origin)"
                    " VALUES (?, ?, ?, ?, 'browser')",
                    [part.slug, canonical(part.as_definition()), document, state],
                )
                self.add_response_table(db, part)

    def add_response_table(self, db: Database, survey: Survey) -> None:
        columns = ", ".join(column(survey, question) for question in survey.fields)
        # sqlite-utils makes no WITHOUT ROWID tables; a rowid would be the order of arrival
        db.execute(
            f"CREATE TABLE {response_table(survey.slug)}"
            f" (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16), {columns})"
            " STRICT, WITHOUT ROWID"
        )

    def set_state(self, slug: str, state: str) -> None:
        refuse_part(slug)
        with self.transaction() as db:
            found = self.find(db, slug)
            if found.frozen is None:
                raise StateError(f"Survey {slug!r} is a draft; open it first.")
            if state == "open":
                if found.origin != "browser":
                    raise StateError(
                        f"Survey {slug!r} holds {found.origin} responses; real ones are never "
                        "mixed with them. Import the definition under another name."
                    )
                require_openable(found.survey)
            for each in (slug, *(part.slug for part in parts_of(found.survey))):
                db.execute("UPDATE surveys SET state = ? WHERE slug = ?", [state, each])

    def add_response(self, slug: str, response: Response) -> bool:
        table = response_table(slug)
        places = ", ".join("?" * (len(response.reports) + 1))
        with self.transaction() as db:
            found = self.find(db, slug)
            if found.frozen is None:
                raise UnknownSurvey(f"There is no survey {slug!r}.")
            known = db.execute(f"SELECT * FROM {table} WHERE id = ?", [response.id]).fetchone()
            if known is not None:
                if tuple(known[1:]) != response.reports:
                    raise ConflictingResponse(
                        "This response was recorded before with other reports; the first stays."
                    )
                return False
            if found.state != "open":
                raise SurveyClosed("This survey is closed; nothing was recorded.")
            if found.survey.fieldwork.invitations:
                self.spend(db, slug, response.invitation)
            db.execute(f"INSERT INTO {table} VALUES ({places})", [response.id, *response.reports])
            self.add_to_counts(db, found.frozen, [response])
            self.unsealed += 1
            return True

    def withdraw(self, slug: str, id: bytes) -> bool:
        table = response_table(slug)
        with self.transaction() as db:
            found = self.find(db, slug)
            if found.frozen is None:
                raise UnknownSurvey(f"There is no survey {slug!r}.")
            row = db.execute(f"SELECT * FROM {table} WHERE id = ?", [id]).fetchone()
            if row is None:
                return False
            db.execute(f"DELETE FROM {table} WHERE id = ?", [id])
            self.add_to_counts(db, found.frozen, [Response(id, tuple(row[1:]))], sign=-1)
            self.unsealed += 1
        self.forget()
        return True

    def add_batches(self, slug: str, batches: Iterable[list[Response]], origin: str) -> None:
        refuse_part(slug)
        with self.transaction() as db:
            found = self.find(db, slug)
            if found.frozen is None:
                raise StateError(f"Survey {slug!r} is a draft; it holds no responses yet.")
            if found.state == "open":
                raise StateError(
                    f"Survey {slug!r} is open to respondents. Close it first, or import the "
                    "definition under another name."
                )
            empty = db.execute(f"SELECT 1 FROM {response_table(slug)}").fetchone() is None
            if found.origin != origin and not empty:
                raise StateError(
                    f"Survey {slug!r} holds {found.origin} responses; {origin} ones are never "
                    "mixed with them. Import the definition under another name."
                )
            # a survey with such responses stays closed: it takes none from browsers
            db.execute("UPDATE surveys SET origin = ? WHERE slug = ?", [origin, slug])
            places = ", ".join("?" * (len(found.survey.fields) + 1))
            for batch in batches:
                db.conn.executemany(
                    f"INSERT INTO {response_table(slug)} VALUES ({places})",
                    ([response.id, *response.reports] for response in batch),
                )
                self.add_to_counts(db, found.frozen, batch)

    def add_to_counts(
        self, db: Database, frozen: FrozenSurvey, batch: list[Response], sign: int = 1
    ) -> None:
        """Count these responses, or with a sign of -1 take them out of the counts again."""
        for place, question in enumerate(frozen.survey.fields):
            stored = (response.reports[place] for response in batch)
            codes = Counter(
                code
                for report in stored
                if report is not None
                for code in question.form.codes(report)
            )
            for code, times in codes.items():
                db.execute(
                    "INSERT INTO counts VALUES (?, ?, ?, ?) ON CONFLICT (survey, question, report)"
                    " DO UPDATE SET responses = responses + excluded.responses",
                    [frozen.survey.slug, question.name, code, sign * times],
                )
        if sign < 0:  # a code that nobody reports any more is as one that never came
            db.execute(
                "DELETE FROM counts WHERE survey = ? AND responses = 0", [frozen.survey.slug]
            )

    def counts(self, slug: str) -> dict[str, dict[int, int]]:
        counts: dict[str, dict[int, int]] = {}
        with self.reading() as db:
            rows = db.execute(
                "SELECT question, report, responses FROM counts WHERE survey = ?", [slug]
            )
            for question, code, responses in rows:
                counts.setdefault(question, {})[code] = responses
        return counts

    def responses(self, slug: str) -> Iterator[tuple[Stored | None, ...]]:
        # page by page, so that a slow download holds neither a connection nor a snapshot
        page = f"SELECT * FROM {response_table(slug)} WHERE id > ? ORDER BY id LIMIT {PAGE}"
        last = b""
        while True:
            with self.reading() as db:
                rows = db.execute(page, [last]).fetchall()
            for row in rows:
                yield tuple(row[1:])
            if len(rows) < PAGE:
                return
            last = rows[-1][0]
