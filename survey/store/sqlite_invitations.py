"""Invitations in SQLite: hashes of codes, each spent or not.

What is spent says nothing of the response that it was spent on: the two lie in tables without
rowids, each in the order of its own random key, and no column leads from one to the other. What
could still join them, that one transaction touched both, is in the log and in the layout of the
pages, and gone once the file is sealed.
"""

from collections.abc import Iterable

from sqlite_utils import Database

from ..errors import SpentInvitation, StateError, SurveyClosed, UnknownInvitation
from .connections import Connections


class SQLiteInvitations(Connections):
    """The part of the store that lets one person answer once."""

    def add_invitations(self, slug: str, hashes: Iterable[bytes]) -> None:
        with self.transaction() as db:
            takes_them = "slug = ? AND document IS NOT NULL AND origin = 'browser'"
            if not db["surveys"].count_where(takes_them, [slug]):
                raise StateError(
                    f"Survey {slug!r} is a draft, or holds no responses of real people; it has no "
                    "use for invitations."
                )
            db.conn.executemany(
                "INSERT INTO invitations VALUES (?, ?, 0)", ([slug, each] for each in hashes)
            )

    def invitations(self, slug: str) -> tuple[int, int]:
        with self.reading() as db:
            issued, spent = db.execute(
                "SELECT count(*), coalesce(sum(spent), 0) FROM invitations WHERE survey = ?", [slug]
            ).fetchone()
        return issued, spent

    def check_invitation(self, slug: str, token_hash: bytes) -> None:
        with self.reading() as db:
            if not db["surveys"].count_where("slug = ? AND state = 'open'", [slug]):
                raise SurveyClosed("This survey is closed; nothing was recorded.")
            self.find_unspent(db, slug, token_hash)

    def find_unspent(self, db: Database, slug: str, token_hash: bytes | None) -> None:
        """Raises UnknownInvitation, SpentInvitation."""
        row = db.execute(
            "SELECT spent FROM invitations WHERE survey = ? AND token_hash = ?", [slug, token_hash]
        ).fetchone()
        if row is None:
            raise UnknownInvitation(
                "This survey has no such invitation. Check the code; nothing was recorded."
            )
        if row[0]:
            raise SpentInvitation("This invitation was used before; nothing was recorded.")

    def spend(self, db: Database, slug: str, token_hash: bytes | None) -> None:
        """Within the transaction of a response: one that is refused later takes this back."""
        self.find_unspent(db, slug, token_hash)
        db.execute(
            "UPDATE invitations SET spent = 1 WHERE survey = ? AND token_hash = ?",
            [slug, token_hash],
        )
