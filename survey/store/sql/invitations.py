"""Invitations in SQL: hashes of codes, each used or unused.

A used invitation says nothing about its response. The two are in tables without rowids, each in the
order of its own random key, and no column connects them. One transaction touched both. This is
visible in the log and in the layout of the pages, until the file is compacted.
"""

from collections.abc import Iterable, Sequence

from survey.core.errors import StateError, SurveyClosed
from survey.definition.responses.admission import require_unspent
from survey.store.database import ConcurrentChange, Connection, Part, count


class Invitations(Part):
    """Invitations, each of which lets one person answer once."""

    def add_invitations(self, slug: str, hashes: Iterable[bytes]) -> None:
        """Issue invitations, given the hashes of their codes.

        survey/definition/responses/invitation_codes.py makes the codes. Raises StateError unless
        the survey is frozen and its responses come from browsers.
        """
        with self.database.transaction() as db:
            takes_them = "slug = ? AND document IS NOT NULL AND origin = 'browser'"
            if not count(db, "surveys", takes_them, [slug]):
                raise StateError(
                    "Survey '%(slug)s' is a draft, or it holds simulated or imported "
                    "responses. Issue invitations to a survey of real people.",
                    slug=slug,
                )
            db.executemany(
                "INSERT INTO invitations VALUES (?, ?, 0)", ([slug, each] for each in hashes)
            )

    def issued_and_spent(self, slug: str) -> tuple[int, int]:
        """The numbers of issued and of used invitations."""
        issued, spent = self.fetch_one(
            "SELECT count(*), coalesce(sum(spent), 0) FROM invitations WHERE survey = ?", slug
        )
        return issued, spent

    def check_invitation(self, slug: str, token_hash: bytes) -> None:
        """Check whether a new response with this invitation would be accepted now.

        Uses nothing, so another response may still arrive first. Raises SurveyClosed,
        UnknownInvitation and SpentInvitation, in the order of `add_response`.
        """
        with self.database.reading() as db:
            if not count(db, "surveys", "slug = ? AND state = 'open'", [slug]):
                raise SurveyClosed("This survey is closed; nothing was recorded.")
            require_unspent(self.spent_of(db, slug, [token_hash]).get(token_hash))

    def spent_of(
        self, db: Connection, slug: str, hashes: Sequence[bytes | None]
    ) -> dict[bytes | None, bool]:
        """Whether each of these invitations is used. Unknown invitations are left out."""
        places = ", ".join("?" * len(hashes))
        rows = db.execute(
            f"SELECT token_hash, spent FROM invitations WHERE survey = ?"
            f" AND token_hash IN ({places})",
            [slug, *hashes],
        ).fetchall()
        return {token_hash: bool(spent) for token_hash, spent in rows}

    def spend(self, db: Connection, slug: str, hashes: Iterable[bytes | None]) -> None:
        """Mark invitations as used, within the transaction of their responses.

        If that transaction fails, they stay unused. Raises ConcurrentChange if another transaction
        has used one of them in the meantime.
        """
        spending = [(slug, each) for each in sorted(each for each in hashes if each is not None)]
        spent = db.executemany(
            "UPDATE invitations SET spent = 1 WHERE survey = ? AND token_hash = ? AND spent = 0",
            spending,
        )
        if spent < len(spending):
            raise ConcurrentChange
