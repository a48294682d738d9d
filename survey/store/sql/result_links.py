"""Who besides researchers may see a survey's results, in SQL: links, and everyone."""

from dataclasses import dataclass

from survey.core.errors import StateError
from survey.store.database import Part
from survey.store.sql.surveys import Surveys


@dataclass(frozen=True)
class Share:
    """A link by which others read a survey's results; `name` says for whom it is. `number` is the
    store's, None before it is stored."""

    survey: str
    name: str
    number: int | None = None


@dataclass(eq=False)
class Shares(Part):
    """To whom results are open."""

    surveys: Surveys

    def add_share(self, share: Share, token_hash: bytes) -> None:
        """Raises StateError for a draft."""
        with self.database.transaction() as db:
            if self.surveys.find(db, share.survey).frozen is None:
                raise StateError(f"Survey {share.survey!r} is a draft; it has no results to share.")
            db.execute(
                "INSERT INTO shares (survey, name, token_hash) VALUES (?, ?, ?)",
                [share.survey, share.name, token_hash],
            )

    def links(self, slug: str) -> list[Share]:
        """A survey's links, the oldest first."""
        select = "SELECT survey, name, number FROM shares WHERE survey = ? ORDER BY number"
        return [Share(*row) for row in self.fetch_all(select, slug)]

    def shared(self, token_hash: bytes) -> Share | None:
        """The link of this token, if it is still good."""
        select = "SELECT survey, name, number FROM shares WHERE token_hash = ?"
        row = self.fetch_one(select, token_hash)
        return None if row is None else Share(*row)

    def delete_share(self, slug: str, number: int) -> None:
        """From now on the link leads nowhere; nothing happens if there is none."""
        self.change("DELETE FROM shares WHERE survey = ? AND number = ?", slug, number)
        self.database.forget()

    def publish(self, slug: str, public: bool) -> None:
        """Let everyone see the estimates, or nobody but researchers. Raises StateError for a
        draft."""
        with self.database.transaction() as db:
            if self.surveys.find(db, slug).frozen is None:
                raise StateError(f"Survey {slug!r} is a draft; it has no results to publish.")
            db.execute("DELETE FROM published WHERE survey = ?", [slug])
            if public:
                db.execute("INSERT INTO published VALUES (?)", [slug])

    def is_published(self, slug: str) -> bool:
        return self.fetch_one("SELECT 1 FROM published WHERE survey = ?", slug) is not None
