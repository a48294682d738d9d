"""The table of a survey's responses in SQLite."""

from survey.definition.survey import Survey
from survey.store.database import Connection, column_definitions


def response_table_on_sqlite(slug: str) -> str:
    """The quoted name of the table. Slugs contain no underscore, so all names differ."""
    return f'"responses_{slug.replace("-", "_")}"'


def create_table_on_sqlite(db: Connection, survey: Survey) -> None:
    """Create the table WITHOUT ROWID, because a rowid would show the order of arrival.

    sqlite-utils cannot create such tables.
    """
    db.execute(
        f"CREATE TABLE {response_table_on_sqlite(survey.slug)}"
        " (id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),"
        f" {', '.join(column_definitions(survey))}) STRICT, WITHOUT ROWID"
    )
