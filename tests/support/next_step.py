"""A schema with one step more, as a later version has it, for both databases."""

import pytest
from sqlite_utils import Database, Migrations

from survey.store.baseline import BASELINE
from survey.store.postgresql import migrations as postgresql_migrations
from survey.store.sqlite import migrations as sqlite_migrations

NEXT = "mottos"
STATEMENTS = (
    "CREATE TABLE mottos (motto TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
    "ALTER TABLE published ADD COLUMN motto TEXT NOT NULL DEFAULT 'hello'",
)


def add_mottos(db: Database) -> None:
    for statement in STATEMENTS:
        db.execute(statement)


def migrations_with_next() -> Migrations:
    migrations = Migrations("candor")
    migrations(name=BASELINE)(sqlite_migrations.create_baseline)
    migrations(name=NEXT)(add_mottos)
    return migrations


def add_next_step(monkeypatch: pytest.MonkeyPatch, amid: str = "") -> None:
    """Add the step to both databases. `amid` is a statement of PostgreSQL in the middle of it."""
    step = (
        f"CREATE TABLE mottos (motto words PRIMARY KEY); {amid}"
        "ALTER TABLE published ADD COLUMN motto words NOT NULL DEFAULT 'hello';"
        f"{postgresql_migrations.NO_SAMPLES}"
    )
    steps = {**postgresql_migrations.STEPS, NEXT: step}
    monkeypatch.setattr(postgresql_migrations, "STEPS", steps)
    monkeypatch.setattr(sqlite_migrations, "migrations", migrations_with_next())
