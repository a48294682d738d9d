"""The store of one SQLite file."""

from pathlib import Path

from survey.store import Store
from survey.store.sqlite.connections import SQLiteDatabase


class SQLiteStore(Store):
    """Surveys, invitations, responses, counts and accounts in one file."""

    def __init__(self, path: Path):
        super().__init__(SQLiteDatabase(path))
