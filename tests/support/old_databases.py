"""Databases of earlier versions (tests/databases)."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.support.project import ROOT

DATABASES = ROOT / "tests" / "databases"


def database_of(version: str, folder: Path) -> Path:
    path = folder / f"{version}.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((DATABASES / f"{version}.sql").read_text())
        connection.execute("PRAGMA journal_mode = WAL")  # as a store leaves it
    return path
