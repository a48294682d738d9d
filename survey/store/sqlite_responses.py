"""Responses and counts in SQLite, kept up together."""

from collections import Counter
from collections.abc import Iterable, Iterator

from sqlite_utils import Database

from ..errors import ConflictingResponse, StateError, SurveyClosed, UnknownSurvey
from ..frozen import FrozenSurvey
from ..intake import Response
from ..reports import Stored
from .sqlite_invitations import SQLiteInvitations
from .sqlite_surveys import SQLiteSurveys, refuse_part, response_table

PAGE = 1_000  # responses read at once for an export


class SQLiteResponses(SQLiteSurveys, SQLiteInvitations):
    """The part of the store that respondents fill."""

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
