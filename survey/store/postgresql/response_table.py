"""The table of a survey's responses on PostgreSQL."""

from hashlib import sha256

from survey.definition.survey import Survey
from survey.store.database import Connection, column_definitions

MAX_TABLE_NAME_BYTES = 63  # PostgreSQL cuts off the rest without a word


def response_table_on_postgresql(slug: str) -> str:
    """Its name, in quotes; of a slug that is too long for one, a hash."""
    name = f"responses_{slug.replace('-', '_')}"
    if len(name) > MAX_TABLE_NAME_BYTES:
        name = f"responses_{sha256(slug.encode()).hexdigest()[:40]}"
    return f'"{name}"'


def create_table_on_postgresql(db: Connection, survey: Survey) -> None:
    """Without samples of its columns (NO_SAMPLES in migrations.py says why)."""
    table = response_table_on_postgresql(survey.slug)
    names = ["id", *(question.name for question in survey.fields)]
    db.execute(
        f"CREATE TABLE {table} (id random_id PRIMARY KEY,"
        f" {', '.join(column_definitions(survey, 'bigint'))})"
    )
    kept = ", ".join(f'ALTER COLUMN "{name}" SET STATISTICS 0' for name in names)
    db.execute(f"ALTER TABLE {table} {kept}")
