"""The table of a survey's responses on SQLite."""

from survey.definition.survey import Survey
from survey.store.database import Connection, column_definitions


def response_table_on_sqlite(slug: str) -> str:
    """Its name, in quotes. Slugs hold no underscore, so no two have one name."""
    return f'"responses_{slug.replace("-", "_")}"'


def create_table_on_sqlite(db: Connection, survey: Survey) -> None:
    """sqlite-utils makes no WITHOUT ROWID tables; a rowid would be the order of arrival."""
    db.execute(
        f"CREATE TABLE {response_table_on_sqlite(survey.slug)}"
        " (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),"
        f" {', '.join(column_definitions(survey))}) STRICT, WITHOUT ROWID"
    )
