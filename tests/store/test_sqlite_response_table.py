"""The table of a survey's responses on SQLite."""

import pytest

from survey.definition.survey import parse_survey
from survey.store.sqlite.pool import SQLite
from survey.store.sqlite.response_table import create_table_on_sqlite, response_table_on_sqlite
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast


def test_no_two_slugs_have_one_table() -> None:
    assert response_table_on_sqlite("a-b") == '"responses_a_b"'


def test_no_row_has_a_number_that_tells_when_it_came() -> None:
    db = SQLite(memory=True)
    create_table_on_sqlite(db, parse_survey(definition(yes_no("smokes"), yes_no("drinks"))))
    found = {row["name"]: row for row in db.query("PRAGMA table_info(responses_health)")}
    assert list(found) == ["id", "smokes", "drinks"]
    with pytest.raises(Exception, match="no such column: rowid"):
        db.execute("SELECT rowid FROM responses_health")
    with pytest.raises(Exception, match="NOT NULL constraint failed"):
        db.execute("INSERT INTO responses_health VALUES (?, 1, NULL)", [bytes(16)])
    with pytest.raises(Exception, match="CHECK constraint failed"):
        db.execute("INSERT INTO responses_health VALUES (?, 1, 0)", [bytes(15)])
