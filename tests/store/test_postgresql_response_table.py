"""The table of responses on PostgreSQL. test_postgresql_migrations.py adds to it."""

import pytest

from survey.store.postgresql.response_table import (
    MAX_TABLE_NAME_BYTES,
    response_table_on_postgresql,
)

pytestmark = pytest.mark.fast


def test_a_name_that_postgresql_would_cut_off_is_a_hash_instead() -> None:
    short, long = "a" * 53, "a" * 54  # "responses_" has ten letters, and a name at most 63.
    assert response_table_on_postgresql(short) == f'"responses_{short}"'
    names = {response_table_on_postgresql(slug) for slug in (long, long[:-1] + "b", long + "a")}
    assert len(names) == 3
    assert all(len(name.strip('"')) <= MAX_TABLE_NAME_BYTES for name in names)
