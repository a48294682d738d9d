"""Responses in SQL: recorded, waiting or counted in one transaction."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from survey.core.errors import StateError, SurveyError, UnknownSurvey
from survey.definition.report_formats import Stored
from survey.definition.responses.acceptance import AcceptanceState, Verdict
from survey.definition.responses.packed_columns import PackedColumns, reports_to
from survey.definition.responses.parse_response import Response
from survey.store.database import ConcurrentChange, Database
from survey.store.sql.invitations import SQLInvitations
from survey.store.sql.lifecycle import SQLLifecycle, refuse_part

EXPORT_PAGE_RESPONSES = 1_000  # responses read at once for an export


class SQLResponses(SQLLifecycle, SQLInvitations):
    """The part of the store that respondents fill."""

    def require_writable(self) -> None:
        with self.answering() as db:
            # changes nothing, and is refused all the same where nothing can be changed
            db.execute("DELETE FROM setup WHERE token_hash = ?", ["none"])

    def add_response(self, slug: str, response: Response) -> bool:
        [verdict] = self.add_all([(slug, response)])
        if isinstance(verdict, SurveyError):
            raise verdict
        return verdict

    def add_all(self, sent: Sequence[tuple[str, Response]]) -> list[Verdict]:
        return self.add_groups(sent)

    def add_groups(self, sent: Sequence[tuple[str, Response]], look: bool = True) -> list[Verdict]:
        """As `add_all`. Without a look at what is recorded already, raises ConcurrentChange where
        that could matter, and records nothing."""
        groups: dict[str, list[Response]] = {}
        for slug, response in sent:
            groups.setdefault(slug, []).append(response)
        with self.answering(*groups) as db:
            # in one order, so that no two transactions wait for each other
            verdicts = {
                slug: iter(self.add_group(db, slug, groups[slug], look)) for slug in sorted(groups)
            }
        return [next(verdicts[slug]) for slug, _ in sent]

    def add_group(
        self, db: Database, slug: str, group: list[Response], look: bool
    ) -> list[Verdict]:
        """Record responses to one survey, within a transaction."""
        try:
            stored_survey = self.find(db, slug)
            if stored_survey.frozen is None:
                raise UnknownSurvey(f"There is no survey {slug!r}.")
        except UnknownSurvey as error:
            return [error] * len(group)
        recorded_reports = self.known(db, slug, group) if look else {}
        door = AcceptanceState(recorded_reports, self.room(db, stored_survey))
        if stored_survey.survey.fieldwork.invitations:
            door.spent = self.spent_of(db, slug, [response.invitation for response in group])
        verdicts, new = door.admit_all(group)
        if not look and any(isinstance(verdict, SurveyError) for verdict in verdicts):
            raise ConcurrentChange  # what is recorded is told so, whatever else there is to say
        if new:
            new.sort(key=attrgetter("id"))  # nothing below tells who of a group came first
            places = ", ".join("?" * (1 + len(stored_survey.survey.fields)))
            added = db.executemany(
                f"INSERT INTO {self.response_table(slug)} VALUES ({places}) ON CONFLICT DO NOTHING",
                ((each.id, *each.reports) for each in new),
            )
            if added < len(new):
                raise ConcurrentChange
            if door.spent is not None:
                self.spend(db, slug, [response.invitation for response in new])
            self.take_in(db, stored_survey.frozen, new)
            self.end_at_cap(db, stored_survey)
            self.unsealed += len(new)
        return verdicts

    def known(
        self, db: Database, slug: str, group: list[Response]
    ) -> dict[bytes, tuple[Stored | None, ...]]:
        """The reports of those that are recorded, by id."""
        places = ", ".join("?" * len(group))
        rows = db.execute(
            f"SELECT * FROM {self.response_table(slug)} WHERE id IN ({places})",
            [response.id for response in group],
        ).fetchall()
        return {row[0]: tuple(row[1:]) for row in rows}

    def withdraw(self, slug: str, id: bytes) -> bool:
        table = self.response_table(slug)
        with self.answering(slug, alone=True) as db:
            stored_survey = self.find(db, slug)
            if stored_survey.frozen is None:
                raise UnknownSurvey(f"There is no survey {slug!r}.")
            row = db.execute(f"SELECT * FROM {table} WHERE id = ?", [id]).fetchone()
            if row is None:
                return False
            db.execute(f"DELETE FROM {table} WHERE id = ?", [id])
            waited = db.execute("DELETE FROM waiting WHERE survey = ? AND id = ?", [slug, id])
            if not waited.rowcount:  # released, and so counted
                self.add_to_counts(
                    db, stored_survey.frozen, [Response(id, tuple(row[1:]))], sign=-1
                )
            self.unsealed += 1
        self.forget()
        return True

    def add_batches(self, slug: str, batches: Iterable[list[Response]], origin: str) -> None:
        refuse_part(slug)
        with self.transaction(slug) as db:
            stored_survey = self.find(db, slug)
            if stored_survey.frozen is None:
                raise StateError(f"Survey {slug!r} is a draft; it holds no responses yet.")
            if stored_survey.state == "open":
                raise StateError(
                    f"Survey {slug!r} is open to respondents. Close it first, or import the "
                    "definition under another name."
                )
            empty = db.execute(f"SELECT 1 FROM {self.response_table(slug)}").fetchone() is None
            if stored_survey.origin != origin and not empty:
                raise StateError(
                    f"Survey {slug!r} holds {stored_survey.origin} responses; {origin} ones are "
                    "never mixed with them. Import the definition under another name."
                )
            # a survey with such responses stays closed: it takes none from browsers
            db.execute("UPDATE surveys SET origin = ? WHERE slug = ?", [origin, slug])
            places = ", ".join("?" * (len(stored_survey.survey.fields) + 1))
            for batch in batches:
                db.executemany(
                    f"INSERT INTO {self.response_table(slug)} VALUES ({places})",
                    ([response.id, *response.reports] for response in batch),
                )
                self.add_to_counts(db, stored_survey.frozen, batch)

    def responses(
        self, slug: str, packs: Sequence[PackedColumns] | None = None
    ) -> Iterator[tuple[Stored | None, ...]]:
        self.require_figures()  # at once, and not when the first is read
        return self.read_responses(slug, packs)

    def read_responses(
        self, slug: str, packs: Sequence[PackedColumns] | None
    ) -> Iterator[tuple[Stored | None, ...]]:
        # page by page, so that a slow download holds neither a connection nor a snapshot. What was
        # seen waiting once stays out to the end, and a page is read with what waits at that moment
        # left out: each row that is given was released, with all of its batch, before it was read
        page = (
            f"SELECT id, {'*' if packs is None else ', '.join(map(pack_expression, packs))}"
            f" FROM {self.response_table(slug)} WHERE id > ?"
            " AND id NOT IN (SELECT id FROM waiting WHERE survey = ?)"
            f" ORDER BY id LIMIT {EXPORT_PAGE_RESPONSES}"
        )
        before = 2 if packs is None else 1  # columns of the id
        last, left_out = b"", set[bytes]()
        while True:
            with self.reading() as db:
                if not last and self.isolates(db, slug, self.read_counts(db, slug)):
                    return
                waits = db.execute("SELECT id FROM waiting WHERE survey = ?", [slug]).fetchall()
                rows = db.execute(page, [last, slug]).fetchall()
            left_out.update(row[0] for row in waits)
            yield from [row[before:] for row in rows if row[0] not in left_out]
            if len(rows) < EXPORT_PAGE_RESPONSES:
                return
            last = rows[-1][0]


def pack_expression(pack: PackedColumns) -> str:
    """What reads a pack; each digit of the number is a report, the first the lowest."""
    if not pack.sizes:
        return f'"{pack.questions[0].name}"'
    terms, unit = [], 1
    for question, size in zip(pack.questions, pack.sizes, strict=True):
        reports = reports_to(question)
        report = (
            f'"{question.name}"' if size == reports else f'coalesce("{question.name}", {reports})'
        )
        terms.append(f"{unit} * {report}")
        unit *= size
    return " + ".join(terms)
