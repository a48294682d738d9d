"""Saved analyses in SQL: a name, an analysis, and the query with what it chooses.

An analysis is computed again whenever it is read, so it always describes the published responses.
"""

from dataclasses import dataclass

from survey.core.errors import StateError
from survey.store.database import Connection, Part, count, random_number
from survey.store.sql.surveys import Surveys
from survey.store.stored import not_opened

MAX_SAVED_ANALYSES = 100  # of a survey


@dataclass(frozen=True, kw_only=True)
class SavedAnalysis:
    """An analysis with a name.

    `analysis` is a key of `ANALYSES` (survey/web/analyses/kinds.py), and `query` is the query of
    its address. `number` is random and assigned by the store, and None
    before that.
    """

    survey: str
    name: str
    analysis: str
    query: str
    number: int | None = None


@dataclass(eq=False)
class SavedAnalyses(Part):
    """The saved analyses of each survey."""

    surveys: Surveys

    def list_analyses(self, slug: str) -> list[SavedAnalysis]:
        """The saved analyses of a survey, in the order of their names."""
        select = (
            "SELECT name, analysis, query, number FROM saved_analyses"
            " WHERE survey = ? ORDER BY name"
        )
        return [
            SavedAnalysis(survey=slug, name=name, analysis=analysis, query=query, number=number)
            for name, analysis, query, number in self.fetch_all(select, slug)
        ]

    def save(self, saved: SavedAnalysis) -> None:
        """Add an analysis. Raises StateError for a draft, a taken name, and too many analyses."""
        with self.database.transaction() as db:
            if self.surveys.find(db, saved.survey).frozen is None:
                raise not_opened(saved.survey)
            if count(db, "saved_analyses", "survey = ?", [saved.survey]) >= MAX_SAVED_ANALYSES:
                raise StateError(
                    "A survey can have %(n)s saved analyses. Delete one first.",
                    n=MAX_SAVED_ANALYSES,
                )
            refuse_taken(db, saved.survey, saved.name)
            db.execute(
                "INSERT INTO saved_analyses VALUES (?, ?, ?, ?, ?)",
                [random_number(), saved.survey, saved.name, saved.analysis, saved.query],
            )

    def rename(self, slug: str, number: int, name: str) -> None:
        """Rename an analysis, if it exists. Raises StateError if another one has the name."""
        with self.database.transaction() as db:
            refuse_taken(db, slug, name, number)
            db.execute(
                "UPDATE saved_analyses SET name = ? WHERE survey = ? AND number = ?",
                [name, slug, number],
            )

    def delete(self, slug: str, number: int) -> None:
        """Delete an analysis, if it exists."""
        self.change("DELETE FROM saved_analyses WHERE survey = ? AND number = ?", slug, number)
        self.database.forget()


def refuse_taken(db: Connection, slug: str, name: str, number: int = 0) -> None:
    """Raises StateError if an analysis other than `number` has this name."""
    where = "survey = ? AND name = ? AND number <> ?"
    if count(db, "saved_analyses", where, [slug, name, number]):
        raise StateError(
            "There is already an analysis “%(name)s”. Type a different name.", name=name
        )
