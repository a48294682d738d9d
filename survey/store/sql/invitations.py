"""Invitations in SQL: hashes of codes, each spent or not.

What is spent says nothing of the response that it was spent on: the two lie in tables without
rowids, each in the order of its own random key, and no column leads from one to the other. What
could still join them, that one transaction touched both, is in the log and in the layout of the
pages, and gone once the file is sealed.
"""

from collections.abc import Iterable, Sequence

from survey.core.errors import StateError, SurveyClosed
from survey.definition.responses.acceptance import require_unspent
from survey.store.database import ConcurrentChange, Connection, Part, count


class Invitations(Part):
    """What lets one person answer once."""

    def add_invitations(self, slug: str, hashes: Iterable[bytes]) -> None:
        """Issue invitations by the hashes of their codes
        (survey/definition/responses/invitation_codes.py).

        Raises StateError unless it is a frozen survey whose responses come from browsers."""
        with self.database.transaction() as db:
            takes_them = "slug = ? AND document IS NOT NULL AND origin = 'browser'"
            if not count(db, "surveys", takes_them, [slug]):
                raise StateError(
                    f"Survey {slug!r} is a draft, or holds no responses of real people; it has no "
                    "use for invitations."
                )
            db.executemany(
                "INSERT INTO invitations VALUES (?, ?, 0)", ([slug, each] for each in hashes)
            )

    def issued_and_spent(self, slug: str) -> tuple[int, int]:
        """How many invitations were issued, and how many of them are spent."""
        issued, spent = self.fetch_one(
            "SELECT count(*), coalesce(sum(spent), 0) FROM invitations WHERE survey = ?", slug
        )
        return issued, spent

    def check_invitation(self, slug: str, token_hash: bytes) -> None:
        """Only look whether a new response with this invitation would be taken now; nothing is
        spent, and another one may come first.

        Raises, in the order of `add_response`, SurveyClosed, UnknownInvitation,
        SpentInvitation."""
        with self.database.reading() as db:
            if not count(db, "surveys", "slug = ? AND state = 'open'", [slug]):
                raise SurveyClosed("This survey is closed; nothing was recorded.")
            require_unspent(self.spent_of(db, slug, [token_hash]).get(token_hash))

    def spent_of(
        self, db: Connection, slug: str, hashes: Sequence[bytes | None]
    ) -> dict[bytes | None, bool]:
        """Whether each of these invitations is spent; those that there are not are left out."""
        places = ", ".join("?" * len(hashes))
        rows = db.execute(
            f"SELECT token_hash, spent FROM invitations WHERE survey = ?"
            f" AND token_hash IN ({places})",
            [slug, *hashes],
        ).fetchall()
        return {token_hash: bool(spent) for token_hash, spent in rows}

    def spend(self, db: Connection, slug: str, hashes: Iterable[bytes | None]) -> None:
        """Within the transaction of the responses: one that is refused later takes this back.
        Raises ConcurrentChange where another transaction has spent one of them meanwhile."""
        spending = [(slug, each) for each in sorted(each for each in hashes if each is not None)]
        spent = db.executemany(
            "UPDATE invitations SET spent = 1 WHERE survey = ? AND token_hash = ? AND spent = 0",
            spending,
        )
        if spent < len(spending):
            raise ConcurrentChange
