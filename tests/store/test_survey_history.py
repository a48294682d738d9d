"""The migration finds in the audit log who created a survey, and when it was created and opened."""

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from survey.store import open_store
from survey.store.stored import History
from tests.support.old_databases import database_of

pytestmark = pytest.mark.fast
DAY = 86_400


def histories(tmp_path: Path, *acts: tuple[str, str, str, int]) -> dict[str, History]:
    """The histories of all surveys of an old database with these entries in its audit log: survey,
    account, action, and days since 1970."""
    path = database_of("13_tables_of_drafts", tmp_path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TRIGGER acts_no_delete")
        db.execute("DELETE FROM acts")
        db.executemany(
            "INSERT INTO acts (survey, account, action, moment) VALUES (?, ?, ?, ?)",
            [(*act[:3], act[3] * DAY + DAY - 1) for act in acts],
        )
        db.commit()
    with closing(open_store(str(path))) as store:
        return {each.slug: each.history for each in store.surveys.listed()}


def test_without_entries_nothing_is_known(tmp_path):
    assert set(histories(tmp_path).values()) == {History()}


@pytest.mark.parametrize(
    "action",
    [
        *("made the survey", "created the survey", "created the survey from an example"),
        *("imported the survey", "imported the survey from a file"),
        *("copied the survey (from later)", "duplicated the survey (from later)"),
        "created the survey from a file of responses",
    ],
)
def test_each_way_to_create_a_survey_is_found(tmp_path, action):
    found = histories(tmp_path, ("coins", "bob", action, 1))
    assert found.pop("coins") == History("bob", date(1970, 1, 2), None)
    assert set(found.values()) == {History()}


def test_the_first_opening_counts_and_no_other_action(tmp_path):
    found = histories(
        tmp_path,
        ("coins", "bob", "created the survey", 1),
        ("coins", "eve", "saved the draft", 2),
        ("coins", "eve", "opened the survey", 3),
        ("coins", "bob", "closed the survey", 4),
        ("coins", "bob", "opened the survey", 5),
    )
    assert found["coins"] == History("bob", date(1970, 1, 2), date(1970, 1, 4))


def test_an_earlier_survey_with_the_same_address_does_not_count(tmp_path):
    found = histories(
        tmp_path,
        ("coins", "bob", "created the survey", 1),
        ("coins", "bob", "opened the survey", 2),
        ("coins", "bob", "deleted the survey", 3),
        ("coins", "eve", "imported the survey from a file", 4),
        ("coins", "eve", "opened the survey", 5),
        ("later", "eve", "opened the survey", 1),
        ("later", "eve", "created the survey", 2),
    )
    assert found["coins"] == History("eve", date(1970, 1, 5), date(1970, 1, 6))
    # A draft was never opened, whatever an earlier survey was.
    assert found["later"] == History("eve", date(1970, 1, 3), None)


def test_an_opening_without_a_creation_is_found(tmp_path):
    """The survey is older than the audit log."""
    found = histories(tmp_path, ("coins", "bob", "opened the survey", 3))
    assert found["coins"] == History(None, None, date(1970, 1, 4))
