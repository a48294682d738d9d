"""The database of the present schema (tests/databases), for either system."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from survey.estimation.build_results import survey_results
from survey.formats.csv_export import figures_of_question
from survey.store import Store, open_store
from survey.store.copy_database import copy_all
from tests.support.project import ROOT
from tests.support.stores import is_postgresql

DATABASES = ROOT / "tests" / "databases"
# tests/databases/write.py writes both.
SCRIPT, FIGURES = DATABASES / "present.sql", DATABASES / "present.json"


def present_database(path: Path) -> Path:
    """A file with this database, as a store leaves it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCRIPT.read_text())
        connection.execute("PRAGMA journal_mode = WAL")
    return path


def fill_from_present(database: str, folder: Path) -> None:
    """Fill a new database with this one. One of PostgreSQL gets a copy of the file's rows."""
    if not is_postgresql(database):
        present_database(Path(database))
        return
    file = str(present_database(folder / "present.db"))
    with closing(open_store(file)) as source, closing(open_store(database)) as target:
        copy_all(source, target)


def figures(store: Store) -> dict[str, list[list[object]]]:
    """For each survey, one list for each estimate.

    It has the name of the question, the estimate, its standard error and both ends of its interval.
    """
    frozen = store.surveys.all(drafts=False)
    return {each.survey.slug: list(estimates_of(store, each.survey.slug)) for each in frozen}


def estimates_of(store: Store, slug: str) -> Iterator[list[object]]:
    found = store.surveys.by_slug(slug)
    assert found.frozen is not None
    counts = store.counts.by_question(slug)
    for question in survey_results(found.frozen, counts, found.origin).questions:
        for one in figures_of_question(question):
            numbers = one["estimate"], one["standard_error"], one["low"], one["high"]
            yield [question.question.name, *numbers]
