"""Sampling designs in SQL: a CSV file of weights, strata and clusters for each survey.

survey/analysis/columns/design_file.py reads these files.
"""

from dataclasses import dataclass

from survey.store.database import Part
from survey.store.sql.surveys import Surveys
from survey.store.stored import not_opened


@dataclass(eq=False)
class Designs(Part):
    """The sampling designs of surveys, as uploaded."""

    surveys: Surveys

    def keep_design(self, slug: str, content: str) -> None:
        """Store the design of a survey, and replace an earlier one.

        Raises StateError for a draft, whose questions may still change.
        """
        with self.database.transaction() as db:
            if self.surveys.find(db, slug).frozen is None:
                raise not_opened(slug)
            db.execute(
                "INSERT INTO designs VALUES (?, ?)"
                " ON CONFLICT (survey) DO UPDATE SET content = excluded.content",
                [slug, content],
            )

    def content(self, slug: str) -> str | None:
        row = self.fetch_one("SELECT content FROM designs WHERE survey = ?", slug)
        return None if row is None else str(row[0])

    def delete_design(self, slug: str) -> None:
        """Delete the design of a survey, if there is one."""
        self.change("DELETE FROM designs WHERE survey = ?", slug)
        self.database.forget()
