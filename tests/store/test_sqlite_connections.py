"""Connections to SQLite: one that cannot be opened is not kept."""

from typing import Any

import pytest

from survey.core.errors import SettingsError, StoreUnavailable
from survey.store.sqlite.pool import MAX_CONNECTIONS
from tests.store.open_files import files_open


def test_a_connection_that_cannot_be_opened_counts_as_none(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.database.pool.close_free()

    def fail() -> None:
        raise StoreUnavailable("No.")

    with monkeypatch.context() as broken:
        broken.setattr(store.database, "connect", fail)
        for _ in range(2 * MAX_CONNECTIONS):
            with pytest.raises(StoreUnavailable, match=r"No\."):
                store.surveys.all()
    assert store.database.pool.readers == 0
    assert store.surveys.all() == []


def test_a_database_that_is_refused_is_not_kept_open(store: Any) -> None:
    with store.database.transaction() as db:
        db.execute("INSERT INTO _sqlite_migrations VALUES (99, 'candor', 'telepathy', '')")
    store.close()
    with pytest.raises(SettingsError, match="telepathy"):
        type(store)(store.database.path)
    assert files_open(store.database.path) == 0
