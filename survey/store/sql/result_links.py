"""Access to results for people other than researchers, in SQL: links, and public results."""

from dataclasses import dataclass

from survey.store.database import Part
from survey.store.sql.surveys import Surveys
from survey.store.stored import not_opened


@dataclass(frozen=True)
class Share:
    """A link to the results of a survey.

    `name` says who it is for. `number` is assigned by the store, and None before that.
    """

    survey: str
    name: str
    number: int | None = None


@dataclass(eq=False)
class Shares(Part):
    """The links to results, and the surveys with public results."""

    surveys: Surveys

    def add_share(self, share: Share, token_hash: bytes) -> None:
        """Add a link. Raises StateError for a draft."""
        with self.database.transaction() as db:
            if self.surveys.find(db, share.survey).frozen is None:
                raise not_opened(share.survey)
            db.execute(
                "INSERT INTO shares (survey, name, token_hash) VALUES (?, ?, ?)",
                [share.survey, share.name, token_hash],
            )

    def links(self, slug: str) -> list[Share]:
        """The links of a survey, oldest first."""
        select = "SELECT survey, name, number FROM shares WHERE survey = ? ORDER BY number"
        return [Share(*row) for row in self.fetch_all(select, slug)]

    def find_shared(self, token_hash: bytes) -> Share | None:
        """The link with this token; None if it was deleted."""
        select = "SELECT survey, name, number FROM shares WHERE token_hash = ?"
        row = self.fetch_one(select, token_hash)
        return None if row is None else Share(*row)

    def delete_share(self, slug: str, number: int) -> None:
        """Delete a link, if it exists. It stops working at once."""
        self.change("DELETE FROM shares WHERE survey = ? AND number = ?", slug, number)
        self.database.forget()

    def publish(self, slug: str, public: bool) -> None:
        """Show the estimates to everyone, or to researchers only. Raises StateError for a draft."""
        with self.database.transaction() as db:
            if self.surveys.find(db, slug).frozen is None:
                raise not_opened(slug)
            db.execute("DELETE FROM published WHERE survey = ?", [slug])
            if public:
                db.execute("INSERT INTO published VALUES (?)", [slug])

    def is_published(self, slug: str) -> bool:
        return self.fetch_one("SELECT 1 FROM published WHERE survey = ?", slug) is not None
