"""Files of weights, strata and clusters in SQL."""

from survey.core.errors import StateError
from survey.store.sql.surveys import SQLSurveys


class SQLDesigns(SQLSurveys):
    """The part of the store that keeps how respondents were sampled."""

    def keep_design(self, slug: str, content: str) -> None:
        with self.transaction() as db:
            if self.find(db, slug).frozen is None:
                raise StateError(f"Survey {slug!r} is a draft; its questions may still change.")
            db.execute(
                "INSERT INTO designs VALUES (?, ?)"
                " ON CONFLICT (survey) DO UPDATE SET content = excluded.content",
                [slug, content],
            )

    def design(self, slug: str) -> str | None:
        with self.reading() as db:
            row = db.execute("SELECT content FROM designs WHERE survey = ?", [slug]).fetchone()
        return None if row is None else str(row[0])

    def delete_design(self, slug: str) -> None:
        with self.transaction() as db:
            db.execute("DELETE FROM designs WHERE survey = ?", [slug])
        self.forget()
