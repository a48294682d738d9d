"""Which database a setting names, and the store for it."""

from pathlib import Path
from typing import TYPE_CHECKING

from survey.core.errors import SettingsError

if TYPE_CHECKING:
    from survey.store import Store


def open_store(database: str) -> "Store":
    """The store for a setting such as `instance/candor.db` or `postgresql://HOST/NAME`, its schema
    brought up to date."""
    if database.startswith(("postgresql://", "postgres://")):
        from survey.store.postgresql.store import PostgreSQLStore

        return PostgreSQLStore(database)
    from survey.store.sqlite.store import SQLiteStore

    if "://" in database:
        raise SettingsError(
            f"CANDOR_DATABASE is {database.split('://')[0]}://...; give the path of a SQLite file, "
            "or postgresql://..."
        )
    return SQLiteStore(Path(database))
