"""Who besides researchers may see a survey's results, in SQL: links, and everyone."""

from survey.core.errors import StateError
from survey.store import Share
from survey.store.database import count
from survey.store.sql.surveys import SQLSurveys


class SQLResultLinks(SQLSurveys):
    """The part of the store that opens results to others."""

    def add_share(self, share: Share, token_hash: bytes) -> None:
        with self.transaction() as db:
            if self.find(db, share.survey).frozen is None:
                raise StateError(f"Survey {share.survey!r} is a draft; it has no results to share.")
            db.execute(
                "INSERT INTO shares (survey, name, token_hash) VALUES (?, ?, ?)",
                [share.survey, share.name, token_hash],
            )

    def shares(self, slug: str) -> list[Share]:
        with self.reading() as db:
            rows = db.execute(
                "SELECT survey, name, number FROM shares WHERE survey = ? ORDER BY number", [slug]
            ).fetchall()
        return [Share(*row) for row in rows]

    def shared(self, token_hash: bytes) -> Share | None:
        with self.reading() as db:
            row = db.execute(
                "SELECT survey, name, number FROM shares WHERE token_hash = ?", [token_hash]
            ).fetchone()
        return None if row is None else Share(*row)

    def delete_share(self, slug: str, number: int) -> None:
        with self.transaction() as db:
            db.execute("DELETE FROM shares WHERE survey = ? AND number = ?", [slug, number])
        self.forget()

    def publish(self, slug: str, public: bool) -> None:
        with self.transaction() as db:
            if self.find(db, slug).frozen is None:
                raise StateError(f"Survey {slug!r} is a draft; it has no results to publish.")
            db.execute("DELETE FROM published WHERE survey = ?", [slug])
            if public:
                db.execute("INSERT INTO published VALUES (?)", [slug])

    def is_published(self, slug: str) -> bool:
        with self.reading() as db:
            return bool(count(db, "published", "survey = ?", [slug]))
