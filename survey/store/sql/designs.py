"""Files of weights, strata and clusters in SQL (survey/analysis/columns/design_file.py)."""

from dataclasses import dataclass

from survey.core.errors import StateError
from survey.store.database import Part
from survey.store.sql.surveys import Surveys


@dataclass(eq=False)
class Designs(Part):
    """How respondents were sampled: a file for each survey."""

    surveys: Surveys

    def keep_design(self, slug: str, content: str) -> None:
        """Instead of the one before, if there is one. Raises StateError for a draft, whose
        questions may still change."""
        with self.database.transaction() as db:
            if self.surveys.find(db, slug).frozen is None:
                raise StateError(f"Survey {slug!r} is a draft; its questions may still change.")
            db.execute(
                "INSERT INTO designs VALUES (?, ?)"
                " ON CONFLICT (survey) DO UPDATE SET content = excluded.content",
                [slug, content],
            )

    def content(self, slug: str) -> str | None:
        row = self.fetch_one("SELECT content FROM designs WHERE survey = ?", slug)
        return None if row is None else str(row[0])

    def delete_design(self, slug: str) -> None:
        """Nothing happens if there is none."""
        self.change("DELETE FROM designs WHERE survey = ?", slug)
        self.database.forget()
