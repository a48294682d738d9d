"""The table of a survey's responses in PostgreSQL."""

from hashlib import sha256

from survey.definition.survey import Survey
from survey.store.database import Connection, column_definitions

# PostgreSQL silently cuts off the rest of a name.
MAX_TABLE_NAME_BYTES = 63


def response_table_on_postgresql(slug: str) -> str:
    """The quoted name of the table. If the slug is too long for a name, it contains a hash."""
    name = f"responses_{slug.replace('-', '_')}"
    if len(name) > MAX_TABLE_NAME_BYTES:
        name = f"responses_{sha256(slug.encode()).hexdigest()[:40]}"
    return f'"{name}"'


def create_table_on_postgresql(db: Connection, survey: Survey) -> None:
    """Create the table without samples of its columns (see NO_SAMPLES in migrations.py)."""
    table = response_table_on_postgresql(survey.slug)
    names = ["id", *(question.name for question in survey.fields)]
    db.execute(
        f"CREATE TABLE {table} (id random_id PRIMARY KEY,"
        f" {', '.join(column_definitions(survey, 'bigint'))})"
    )
    kept = ", ".join(f'ALTER COLUMN "{name}" SET STATISTICS 0' for name in names)
    db.execute(f"ALTER TABLE {table} {kept}")
