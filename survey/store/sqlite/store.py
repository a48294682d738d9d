"""The store of one SQLite file."""

from pathlib import Path

from survey.store import Store
from survey.store.sqlite.connections import SQLiteDatabase


class SQLiteStore(Store):
    """The store whose database is one SQLite file."""

    def __init__(self, path: Path):
        super().__init__(SQLiteDatabase(path))
