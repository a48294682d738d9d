"""Responses in SQL: recorded, and waiting or counted, in one transaction.

Texts that are stored apart are recorded in the same transaction, in the table of their sub-survey.
They have ids of their own, and each table is in the order of its ids. They never wait
(survey/store/sql/texts_apart.py). So once the database is compacted, nothing in it joins a text to
a response, as with invitations.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from survey.core.errors import (
    SpentInvitation,
    StateError,
    StoreUnavailable,
    SurveyError,
    UnknownSurvey,
)
from survey.definition.frozen import FrozenSurvey
from survey.definition.report_formats import Stored
from survey.definition.responses.admission import AdmissionState, Verdict
from survey.definition.responses.packed_columns import PackedColumns, reports_to
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import TEXTS, sub_survey_kind, texts_slug
from survey.store.database import ConcurrentChange, Connection, Part
from survey.store.sql.codes import delete_codings
from survey.store.sql.counts import Counts
from survey.store.sql.invitations import Invitations
from survey.store.sql.lifecycle import Lifecycle, refuse_sub_survey
from survey.store.sql.surveys import Surveys
from survey.store.sql.texts_apart import TextsApart
from survey.store.stored import never_mixed, unknown_survey

# Responses that an export reads at once.
EXPORT_PAGE_RESPONSES = 1_000
# Whether each attempt of a transaction first looks for recorded responses. Nearly all responses are
# new, and a look takes as long as recording them. So only the attempts after the first one look, in
# case another server interfered. A database that is not shared has one server and no interference.
LOOKS = (True,)
LOOKS_IN_SHARED = (False, *[True] * 5)


@dataclass(eq=False, kw_only=True)
class Responses(Part):
    """The responses of surveys."""

    surveys: Surveys
    counts: Counts
    texts: TextsApart
    invitations: Invitations
    lifecycle: Lifecycle

    def require_writable(self) -> None:
        """Raises StoreUnavailable if no response could be recorded now. Writes nothing."""
        self.database.require_room()
        with self.database.answering() as db:
            # This changes nothing, but it fails if the database does not accept changes.
            db.execute("DELETE FROM setup WHERE token_hash = ?", ["none"])

    def add_response(self, slug: str, response: Response) -> bool:
        """Record one response. When this returns, it is on the disk.

        The response waits until a batch is full. All waiting responses are then counted. If it is
        the last one that the survey's cap allows, the survey closes in the same transaction. If the
        survey requires an invitation, the same transaction marks it as used.

        Returns True for a new response, and False if the same id and reports were recorded before.
        Raises, in this order, ConflictingResponse for the same id with other reports, SurveyClosed,
        UnknownInvitation and SpentInvitation.
        """
        [verdict] = self.add_all([(slug, response)])
        if isinstance(verdict, SurveyError):
            raise verdict
        return verdict

    def add_all(self, sent: Sequence[tuple[str, Response]]) -> list[Verdict]:
        """Record at most a few hundred responses in one transaction.

        Each has the slug of its survey. When this returns, they are on the disk. Returns for each,
        in order, what `add_response` would return or raise if they were added one by one, and
        UnknownSurvey for an unknown survey.
        """
        verdicts = self.try_groups(sent)
        if self.database.shared:
            # Another server may have recorded this very response and used its invitation.
            again = [n for n, each in enumerate(verdicts) if isinstance(each, SpentInvitation)]
            if again:
                second = self.try_groups([sent[n] for n in again])
                for n, verdict in zip(again, second, strict=True):
                    verdicts[n] = verdict
            new: Counter[str] = Counter()
            for (slug, _), verdict in zip(sent, verdicts, strict=True):
                new[slug] += verdict is True
            for slug in sorted(new):
                # The responses are recorded, so the next one publishes the batch if this fails.
                with suppress(StoreUnavailable, UnknownSurvey):
                    self.counts.publish_full_batches(slug, new[slug])
        return verdicts

    def try_groups(self, sent: Sequence[tuple[str, Response]]) -> list[Verdict]:
        for look in LOOKS_IN_SHARED if self.database.shared else LOOKS:
            with suppress(ConcurrentChange):
                return self.add_groups(sent, look)
        raise StoreUnavailable("The database is busy. Try again in a moment.")

    def add_groups(self, sent: Sequence[tuple[str, Response]], look: bool) -> list[Verdict]:
        """Like `add_all`.

        If `look` is False, it does not look for recorded responses. It then raises ConcurrentChange
        if that could matter, and records nothing.
        """
        groups: dict[str, list[Response]] = {}
        for slug, response in sent:
            groups.setdefault(slug, []).append(response)
        with self.database.answering(*groups) as db:
            # One order for all, so that no two transactions wait for each other.
            verdicts = {
                slug: iter(self.add_group(db, slug, groups[slug], look)) for slug in sorted(groups)
            }
        return [next(verdicts[slug]) for slug, _ in sent]

    def add_group(
        self, db: Connection, slug: str, group: list[Response], look: bool
    ) -> list[Verdict]:
        """Record responses to one survey, within a transaction."""
        try:
            stored_survey = self.surveys.find(db, slug)
            if stored_survey.frozen is None:
                raise unknown_survey(slug)
        except UnknownSurvey as error:
            return [error] * len(group)
        recorded_reports = self.recorded_reports(db, slug, group) if look else {}
        door = AdmissionState(recorded_reports, self.lifecycle.room(db, stored_survey))
        texts = [response.texts for response in group if response.texts is not None]
        if texts and look:
            door.known_texts = self.recorded_reports(db, texts_slug(slug), texts)
        if stored_survey.survey.fieldwork.invitations:
            hashes = [response.invitation for response in group]
            door.spent = self.invitations.spent_of(db, slug, hashes)
        verdicts, new = door.admit_all(group)
        if not look and any(isinstance(verdict, SurveyError) for verdict in verdicts):
            raise ConcurrentChange  # A response that is recorded already takes precedence.
        if new:
            self.insert_new(db, stored_survey.frozen, new)
            self.counts.take_in(db, stored_survey.frozen, new)
            new_texts = [response.texts for response in new if response.texts is not None]
            if new_texts:
                self.insert_new(db, self.texts_of(db, slug), new_texts)
            if door.spent is not None:
                self.invitations.spend(db, slug, [response.invitation for response in new])
            self.lifecycle.end_at_cap(db, stored_survey)
            self.database.uncompacted += len(new)
        return verdicts

    def insert_new(self, db: Connection, frozen: FrozenSurvey, new: list[Response]) -> None:
        """Insert new responses, or their texts, within a transaction.

        Raises ConcurrentChange if another transaction has recorded one of them in the meantime.
        """
        new.sort(key=attrgetter("id"))  # The order of arrival ends here.
        if self.insert(db, frozen, new, " ON CONFLICT DO NOTHING") < len(new):
            raise ConcurrentChange

    def texts_of(self, db: Connection, slug: str) -> FrozenSurvey:
        """The part that stores the texts of a survey apart. Raises UnknownSurvey."""
        part = self.surveys.find(db, texts_slug(slug)).frozen
        if part is None:  # Parts are frozen from the start.
            raise unknown_survey(texts_slug(slug))
        return part

    def insert(
        self, db: Connection, frozen: FrozenSurvey, new: Iterable[Response], conflict: str = ""
    ) -> int:
        """Insert responses, and return the number of rows written."""
        table = self.database.response_table(frozen.survey.slug)
        places = ", ".join("?" * (1 + len(frozen.survey.fields)))
        rows = ((each.id, *each.reports) for each in new)
        return db.executemany(f"INSERT INTO {table} VALUES ({places}){conflict}", rows)

    def recorded_reports(
        self, db: Connection, slug: str, group: list[Response]
    ) -> dict[bytes, tuple[Stored | None, ...]]:
        """The reports of those responses that are recorded already, by id."""
        places = ", ".join("?" * len(group))
        rows = db.execute(
            f"SELECT * FROM {self.database.response_table(slug)} WHERE id IN ({places})",
            [response.id for response in group],
        ).fetchall()
        return {row[0]: tuple(row[1:]) for row in rows}

    def withdraw(self, slug: str, id: bytes, texts: bytes | None = None) -> bool:
        """Delete a response and subtract it from every count, so that no trace of it remains.

        If the survey stores texts apart, `texts` is their id, and they are deleted too. The
        invitation stays used. Returns False if there is no such response. Raises UnknownSurvey.
        """
        with self.database.answering(slug, alone=True) as db:
            frozen = self.surveys.find(db, slug).frozen
            if frozen is None:
                raise unknown_survey(slug)
            if not self.remove(db, frozen, id):
                return False
            if frozen.survey.texts_apart and texts is not None:
                self.texts.withdraw_texts(db, self.texts_of(db, slug), texts)
            self.database.uncompacted += 1
        self.database.forget()
        return True

    def remove(self, db: Connection, frozen: FrozenSurvey, id: bytes) -> bool:
        """Delete one response with its counts, within a transaction; False if there is none."""
        slug, table = frozen.survey.slug, self.database.response_table(frozen.survey.slug)
        row = db.execute(f"SELECT * FROM {table} WHERE id = ?", [id]).fetchone()
        if row is None:
            return False
        db.execute(f"DELETE FROM {table} WHERE id = ?", [id])
        delete_codings(db, frozen.survey, id)
        waited = db.execute("DELETE FROM waiting WHERE survey = ? AND id = ?", [slug, id])
        if not waited.rowcount:  # It was published, and so it was counted.
            self.counts.add_to_counts(db, frozen, [Response(id, tuple(row[1:]))], sign=-1)
        return True

    def add_batches(self, slug: str, batches: Iterable[list[Response]], origin: str) -> None:
        """Record responses from a file or a simulation in a closed survey, all or none.

        Raises StateError if the survey is not closed, or has responses of another origin.
        """
        refuse_sub_survey(slug)
        with self.database.transaction(slug) as db:
            stored_survey = self.surveys.find(db, slug)
            if stored_survey.frozen is None:
                raise StateError(
                    "Survey '%(slug)s' is a draft, which cannot hold responses. Freeze it first.",
                    slug=slug,
                )
            if stored_survey.state == "open":
                raise StateError(
                    "Survey '%(slug)s' is open to respondents. Close it first, or import the "
                    "definition under another name.",
                    slug=slug,
                )
            table = self.database.response_table(slug)
            empty = db.execute(f"SELECT 1 FROM {table}").fetchone() is None
            if stored_survey.origin != origin and not empty:
                raise never_mixed(slug, stored_survey.origin)
            # A survey with such responses accepts none from browsers, so it stays closed.
            db.execute("UPDATE surveys SET origin = ? WHERE slug = ?", [origin, slug])
            self.insert_batches(db, stored_survey.frozen, batches)

    def insert_batches(
        self, db: Connection, frozen: FrozenSurvey, batches: Iterable[list[Response]]
    ) -> None:
        """Insert responses that nobody sent, and count them at once."""
        for batch in batches:
            self.insert(db, frozen, batch)
            self.counts.add_to_counts(db, frozen, batch)

    def rows(
        self, slug: str, packs: Sequence[PackedColumns] | None = None
    ) -> Iterator[tuple[Stored | None, ...]]:
        """The reports of each published response, in the order of the random ids.

        It reads page by page. A response that is published in the meantime may or may not be
        included. With `packs`, each row has one value for each of these
        (survey/definition/responses/packed_columns.py).
        """
        # Check now, not when the caller reads the first row.
        self.counts.require_figures()
        if packs is None:
            return (row[1:] for row in self.read_responses(slug, "*"))
        return self.read_responses(slug, ", ".join(map(pack_expression, packs)))

    def rows_with_ids(self, slug: str) -> Iterator[tuple[bytes, tuple[Stored | None, ...]]]:
        """Like `rows`, each with its random id. Never show an id."""
        self.counts.require_figures()
        return ((row[0], tuple(row[1:])) for row in self.read_responses(slug, "*"))

    def read_responses(self, slug: str, columns: str) -> Iterator[tuple[Any, ...]]:
        # It reads page by page, so that a slow download holds neither a connection nor a snapshot.
        # A response that was seen waiting stays out to the end. Each page leaves out those that
        # wait at its moment. So each returned row was published, with its whole batch, before it
        # was read. The last id of a page is read first, because a page with all its ids takes a
        # third more time.
        table = self.database.response_table(slug)
        after = f"FROM {table} WHERE id > ?"
        ends = (
            f"SELECT id {after} ORDER BY id LIMIT 1 OFFSET {EXPORT_PAGE_RESPONSES - 1}",
            f"SELECT id {after} ORDER BY id DESC LIMIT 1",  # of the last page
        )
        page = (
            f"SELECT {columns} {after} AND id <= ?"
            " AND id NOT IN (SELECT id FROM waiting WHERE survey = ?)"
        )
        # Texts may become unread between two pages, so those of a page are read at one moment.
        texts = sub_survey_kind(slug) == TEXTS
        tables = ("surveys", "counts", "waiting", table)
        last, left_out = b"", set[bytes]()
        while True:
            with self.database.snapshot(*tables) if texts else self.database.reading() as db:
                counts = {} if last else self.counts.read_counts(db, slug)
                if self.counts.withholds(db, slug, counts):
                    return
                waits = db.execute("SELECT id FROM waiting WHERE survey = ?", [slug]).fetchall()
                left_out.update(row[0] for row in waits)
                found = (db.execute(end, [last]).fetchone() for end in ends)
                end = next((row[0] for row in found if row is not None), None)
                if end is None:
                    return
                waited = [id for id in left_out if last < id <= end]
                without = f" AND id NOT IN ({', '.join('?' * len(waited))})" if waited else ""
                query = f"{page}{without} ORDER BY id"
                rows = db.execute(query, [last, end, slug, *waited]).fetchall()
            yield from rows
            last = end


def pack_expression(pack: PackedColumns) -> str:
    """The SQL expression of a pack: a number whose digits are reports, the first one the lowest."""
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
